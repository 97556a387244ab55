//! Challenges that the bot sends.

use std::time::{Duration, Instant};

use rand::RngExt as _;
use rand_xoshiro::{Xoshiro256PlusPlus, rand_core::SeedableRng as _};
use serde::Deserialize;

use crate::{
    ApiError, Client,
    config::MatchmakingConfig,
    event::{Named, is_identifier},
};

/// The request for a list of bots, used when any online bot will do.
const ONLINE: &str = "/api/bot/online?nb=50";

/// Decides when to send a challenge, and to whom.
pub(crate) struct Matchmaker {
    config: MatchmakingConfig,
    /// End of the last game, or time of the last challenge.
    idle_since: Instant,
    /// Time of the last challenge.
    challenged: Option<Instant>,
    turns: usize,
    random: Xoshiro256PlusPlus,
}

/// A challenge that was sent.
pub(crate) struct SentChallenge {
    /// Its name, and that of the game which it may become.
    pub(crate) id: String,
    pub(crate) opponent: String,
}

/// A bot in the list of online bots.
#[derive(Deserialize)]
struct OnlineBot {
    id: String,
    username: String,
}

impl Matchmaker {
    pub(crate) fn new(config: MatchmakingConfig, now: Instant) -> Self {
        let random = Xoshiro256PlusPlus::seed_from_u64(std::process::id().into());
        Self { config, idle_since: now, challenged: None, turns: 0, random }
    }

    /// Notes that a game has ended.
    pub(crate) fn busy(&mut self, now: Instant) {
        self.idle_since = now;
    }

    /// True if the bot should send a challenge. One that was sent has `patience` for its game to begin, however short the bot may be
    /// idle: otherwise a challenge would be sent at every look until one is accepted, and then perhaps several.
    pub(crate) fn is_due(&self, now: Instant, patience: Duration) -> bool {
        let idle = Duration::try_from_secs_f64(self.config.idle_minutes * 60.0).unwrap_or(Duration::MAX);
        let is_open = self.challenged.is_some_and(|sent| now.saturating_duration_since(sent) < patience);
        self.config.enabled && !is_open && now.saturating_duration_since(self.idle_since) >= idle
    }

    /// Notes that a challenge is sent.
    fn sends(&mut self, now: Instant) {
        (self.idle_since, self.challenged) = (now, Some(now));
    }

    /// Challenges the next opponent; `None` without an opponent. In either case the next challenge waits its full interval.
    pub(crate) fn challenge(
        &mut self,
        client: &Client,
        me: &str,
        now: Instant,
    ) -> Result<Option<SentChallenge>, ApiError> {
        self.sends(now);
        let Some(opponent) = self.opponent(client, me)? else { return Ok(None) };
        let (limit, increment) = (self.config.initial.to_string(), self.config.increment.to_string());
        let form = [
            ("rated", if self.config.rated { "true" } else { "false" }),
            ("clock.limit", &limit),
            ("clock.increment", &increment),
            ("color", "random"),
            ("variant", "standard"),
        ];
        let Named { id } = client.post_for(&format!("/api/challenge/{opponent}"), &form)?;
        Ok(Some(SentChallenge { id, opponent }))
    }

    fn opponent(&mut self, client: &Client, me: &str) -> Result<Option<String>, ApiError> {
        let listed = &self.config.opponents;
        if !listed.is_empty() {
            self.turns += 1;
            return Ok(Some(listed[(self.turns - 1) % listed.len()].clone()));
        }
        let mut bots = Vec::new();
        for line in client.text(ONLINE)?.lines().filter(|line| !line.trim().is_empty()) {
            let bot: OnlineBot = client.parse(line).map_err(|error| client.unreadable(ONLINE, &error))?;
            if bot.id != me && is_identifier(&bot.username) {
                bots.push(bot.username);
            }
        }
        let chosen = (!bots.is_empty()).then(|| self.random.random_range(..bots.len()));
        Ok(chosen.map(|index| bots.swap_remove(index)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATIENCE: Duration = Duration::from_mins(1);

    #[test]
    fn nobody_is_challenged_unless_asked_for_and_idle_long_enough() {
        let now = Instant::now();
        let minutes = |minutes: u64| now + Duration::from_mins(minutes);
        let off = Matchmaker::new(MatchmakingConfig::default(), now);
        assert!(!off.is_due(minutes(10_000), PATIENCE));
        let mut on =
            Matchmaker::new(MatchmakingConfig { enabled: true, ..MatchmakingConfig::default() }, now);
        assert!(!on.is_due(minutes(9), PATIENCE) && on.is_due(minutes(10), PATIENCE));
        on.busy(minutes(8));
        assert!(!on.is_due(minutes(17), PATIENCE) && on.is_due(minutes(18), PATIENCE));
    }

    /// With `idle_minutes = 0` a challenge was sent five times a second.
    #[test]
    fn a_challenge_has_time_for_its_game_to_begin() {
        let now = Instant::now();
        let config = MatchmakingConfig { enabled: true, idle_minutes: 0.0, ..MatchmakingConfig::default() };
        let mut eager = Matchmaker::new(config, now);
        assert!(eager.is_due(now, PATIENCE));
        eager.sends(now);
        assert!(!eager.is_due(now + Duration::from_secs(59), PATIENCE));
        assert!(eager.is_due(now + PATIENCE, PATIENCE));
    }
}
