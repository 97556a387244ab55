//! Ratings of several settings of one player, weakest first, on the scale of an engine's levels.

use super::{CampaignError, LevelledEngine, MatchPlan, PlayedGames, Round, Rules};
use crate::{
    StrengthSetting,
    matches::{Contestant, Match},
    statistics::{PoolRating, PoolResult, Standing, rate_pool},
};

/// Games against one engine level after which a setting that lost or won nearly all of them is moved on:
/// further games are hardly informative.
const ENOUGH_GAMES: u32 = 20;

/// Largest distance in Elo between the two levels of a setting: after a match won or lost entirely, the fit alone would go to
/// the end of the scale.
const REACH: f64 = 400.0;

/// Matches of a setting: against the next weaker one, and against two levels of the engine.
const MATCHES: usize = 3;

/// Each setting plays the next weaker one and two levels of the engine. Each level is the nearest to the
/// setting's current rating estimate.
pub struct Calibration {
    settings: Vec<Contestant>,
    engine: LevelledEngine,
    games: u32,
    rules: Rules,
    /// Matches started or left out, [`MATCHES`] for each setting.
    step: usize,
    running: Option<Running>,
    /// The first level that the current setting met.
    before: Option<usize>,
    /// Finished matches. Players of the pool: settings first, then the engine's levels.
    results: Vec<PoolResult>,
    left_out: u64,
}

/// The match whose games are played now.
struct Running {
    number: usize,
    /// Numbers of its players: the settings come first, then the engine's levels.
    pairing: [usize; 2],
    /// Games played before a look at the score, and games in total.
    probe: u32,
    games: u32,
}

impl Calibration {
    /// Default number of games of a setting against its neighbour.
    pub const GAMES: u32 = 40;
    /// Default settings, weakest first.
    pub const SETTINGS: [StrengthSetting; 12] = [
        StrengthSetting::search(1, 4.0),
        StrengthSetting::search(1, 2.0),
        StrengthSetting::search(1, 1.4),
        StrengthSetting::search(1, 1.0),
        StrengthSetting::search(1, 0.7),
        StrengthSetting::search(1, 0.4),
        StrengthSetting::search(1, 0.0),
        StrengthSetting::search(4, 0.0),
        StrengthSetting::search(16, 0.0),
        StrengthSetting::search(64, 0.0),
        StrengthSetting::search(256, 0.0),
        StrengthSetting::search(1024, 0.0),
    ];

    /// A calibration in which a setting plays this many games against its neighbour, and as many against both levels together.
    pub fn new(settings: Vec<Contestant>, engine: LevelledEngine, games: u32, rules: Rules) -> Self {
        Self {
            settings,
            engine,
            games,
            rules,
            step: 0,
            running: None,
            before: None,
            results: Vec::new(),
            left_out: 0,
        }
    }

    /// The engine whose levels are the scale.
    pub fn engine(&self) -> &LevelledEngine {
        &self.engine
    }

    /// Ratings of the settings from all games together, each with the number of its games.
    pub fn ratings(&self) -> Vec<(PoolRating, u64)> {
        let mut ratings = Vec::with_capacity(self.settings.len());
        for (player, rating) in self.pool().into_iter().take(self.settings.len()).enumerate() {
            let own = self.results.iter().filter(|result| [result.first, result.second].contains(&player));
            ratings.push((rating, own.map(|result| result.standing.games().games()).sum()));
        }
        ratings
    }

    fn pool(&self) -> Vec<PoolRating> {
        let unknown = std::iter::repeat_n(None, self.settings.len());
        let known = self.engine.levels.iter().map(|&level| Some(level as f64));
        let anchors: Vec<Option<f64>> = unknown.chain(known).collect();
        rate_pool(&anchors, &self.results, self.rules.settings.seed)
    }

    /// Continues the running match if further games are informative; otherwise counts it.
    fn continued(&mut self, played: &PlayedGames) -> Option<Running> {
        let running = self.running.take()?;
        let standing = played.standing(running.number);
        if running.probe < running.games && !is_one_sided(&standing) {
            return Some(Running { probe: running.games, ..running });
        }
        self.left_out += u64::from(running.games.saturating_sub(running.probe));
        let [first, second] = running.pairing;
        self.results.push(PoolResult { first, second, standing });
        None
    }

    /// The next match, of the first setting that has one left.
    ///
    /// Games against the neighbour alone would leave the scale to chance: the error of each link of the chain adds to that of
    /// the next. Games against one level alone inherit that level's error: two networks that one level each rated 70 to 105
    /// Elo apart scored the other way round in 300 games against each other (docs/experiments/strength-by-nodes.md). Therefore
    /// each setting meets two levels, and the neighbour comes first, so that the choice of the levels rests on its games.
    fn started(&mut self, played: &PlayedGames) -> Option<Running> {
        loop {
            let (setting, part) = (self.step / MATCHES, self.step % MATCHES);
            if setting == self.settings.len() {
                return None;
            }
            self.step += 1;
            if part == 0 {
                self.before = None;
                if setting == 0 {
                    continue;
                }
                let (number, games) = (MATCHES * setting - 1, self.games);
                return Some(Running { number, pairing: [setting, setting - 1], probe: games, games });
            }
            let half = (self.games / 2).next_multiple_of(2);
            let games = if part == 1 { half } else { self.games - half };
            let Some(level) = self.next_level(setting).filter(|_| games > 0) else {
                self.left_out += u64::from(games);
                continue;
            };
            self.before = Some(level);
            let number = MATCHES * setting + part - 1;
            let probe = games.min(ENOUGH_GAMES).max(played.begun(number));
            return Some(Running { number, pairing: [setting, self.settings.len() + level], probe, games });
        }
    }

    /// The level of the engine for a setting's next games.
    fn next_level(&self, setting: usize) -> Option<usize> {
        let (levels, known) = (&self.engine.levels, self.pool()[setting].elo);
        match self.before {
            None => Some(first_level(levels, known)),
            Some(before) => second_level(levels, known, before, &self.results.last()?.standing),
        }
    }
}

impl MatchPlan for Calibration {
    fn next(&mut self, played: &PlayedGames) -> Result<Option<Round>, CampaignError> {
        let Some(running) = self.continued(played).or_else(|| self.started(played)) else { return Ok(None) };
        let settings = self.settings.len();
        let contestants = running.pairing.map(|player| match player.checked_sub(settings) {
            None => self.settings[player].clone(),
            Some(level) => self.engine.at_level(self.engine.levels[level]),
        });
        let next_match = Match {
            contestants,
            openings: self.rules.book(running.games)?,
            settings: self.rules.settings(running.probe, running.number as u64),
        };
        let number = running.number;
        self.running = Some(running);
        Ok(Some(Round { number, next_match }))
    }

    fn games(&self) -> u64 {
        let matches = (2 * self.settings.len()).saturating_sub(1) as u64;
        u64::from(self.games) * matches - self.left_out
    }
}

/// Index of the level nearest to a setting's estimated rating, or of the lowest level without an estimate.
fn first_level(levels: &[i64], known: Option<f64>) -> usize {
    nearest(levels, known.unwrap_or(f64::NEG_INFINITY))
}

/// Index of the level after the games of `standing` against the level `before`. It is another level, the
/// nearest to the current estimate, at most [`REACH`] away because the levels may be uneven. At an end of the
/// scale it is the same level again, or none if nearly every point went to one player.
fn second_level(levels: &[i64], known: Option<f64>, before: usize, standing: &Standing) -> Option<usize> {
    let games = standing.games();
    let is_above = 2.0 * games.points() >= games.games() as f64;
    let middle = levels[before] as f64;
    let far = if is_above { middle + REACH } else { middle - REACH };
    let level = nearest(levels, known.unwrap_or(far).clamp(middle - REACH, middle + REACH));
    if level != before {
        return Some(level);
    }
    let beside = if is_above { Some(before + 1) } else { before.checked_sub(1) };
    match beside.filter(|&beside| beside < levels.len()) {
        None if is_one_sided(standing) => None,
        None => Some(before),
        beside => beside,
    }
}

/// True if one player has nearly every point, at least 19 of 20, of enough games.
fn is_one_sided(standing: &Standing) -> bool {
    let tally = standing.games();
    let (points, games) = (tally.points(), tally.games() as f64);
    games >= f64::from(ENOUGH_GAMES) && points.min(games - points) <= games / 20.0
}

fn nearest(levels: &[i64], elo: f64) -> usize {
    let distances = levels.iter().map(|&level| (level as f64 - elo).abs()).enumerate();
    distances.min_by(|(_, one), (_, other)| one.total_cmp(other)).map_or(0, |(index, _)| index)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEVELS: [i64; 4] = [1350, 1750, 2150, 2550];

    fn after(won: u32, lost: u32) -> Standing {
        let mut standing = Standing::default();
        let points = (0..won).map(|_| 2).chain((0..lost).map(|_| 0));
        points.enumerate().for_each(|(game, half_points)| standing.add(game as u32 / 2, half_points));
        standing
    }

    #[test]
    fn a_setting_of_unknown_rating_begins_at_the_lowest_level() {
        assert_eq!(first_level(&LEVELS, None), 0);
        assert_eq!(first_level(&LEVELS, Some(1999.0)), 2);
    }

    #[test]
    fn a_setting_meets_two_levels() {
        assert_eq!(second_level(&LEVELS, Some(1700.0), 1, &after(4, 6)), Some(0), "weaker than the level");
        assert_eq!(second_level(&LEVELS, Some(1800.0), 1, &after(6, 4)), Some(2), "stronger than the level");
        assert_eq!(second_level(&LEVELS, Some(2100.0), 1, &after(9, 1)), Some(2), "nearer to another level");
    }

    #[test]
    fn a_match_won_entirely_leads_one_step_up() {
        assert_eq!(second_level(&LEVELS, None, 0, &after(20, 0)), Some(1));
        assert_eq!(second_level(&LEVELS, Some(7000.0), 0, &after(20, 0)), Some(1), "not to the highest");
    }

    #[test]
    fn beyond_the_ends_of_the_scale_there_is_no_second_level() {
        assert_eq!(second_level(&LEVELS, Some(-4000.0), 0, &after(0, 20)), None);
        assert_eq!(
            second_level(&LEVELS, Some(1200.0), 0, &after(6, 14)),
            Some(0),
            "the same level tells more"
        );
        assert_eq!(second_level(&LEVELS, Some(3000.0), 3, &after(19, 1)), None);
    }
}
