//! Requests that a game sends: moves, answers to offers, and chat messages.

use std::{
    collections::VecDeque,
    thread,
    time::{Duration, Instant},
};

use super::GamePlay;
use crate::{ApiError, LogEvent, config::LONGEST_CHAT};

/// Attempts to send a move. Chosen: their pauses add up to 3.1 s, which most clocks can spare.
const ATTEMPTS: u32 = 5;
/// The pause after the first attempt; each later one is twice as long.
const PAUSE: Duration = Duration::from_millis(100);
/// Refusals of one move after which the game cannot be played. One may mean that an earlier attempt arrived.
const REFUSALS: u32 = 3;

impl GamePlay {
    /// Sends the chosen move until the server accepts or refuses it. The stream shows whether it has arrived: a refusal may
    /// mean that an earlier attempt arrived and its answer was lost.
    pub(super) fn send_move(&mut self) {
        let Some(chosen) = &self.chosen else { return };
        let offer = if chosen.offers_draw { "?offeringDraw=true" } else { "" };
        let path = format!("/api/bot/game/{}/move/{}{offer}", self.id, chosen.uci);
        let moves = chosen.moves.clone();
        for attempt in 0..ATTEMPTS {
            let start = Instant::now();
            match self.services.client.post(&path, &[]) {
                Ok(()) => {
                    self.latency.add(start.elapsed());
                    break;
                }
                Err(error) => {
                    let again = error.is_transient();
                    self.failed(&error);
                    if !again {
                        self.refusals += 1;
                        self.unplayable |= self.refusals >= REFUSALS;
                        break;
                    }
                    thread::sleep(PAUSE * 2_u32.pow(attempt));
                }
            }
        }
        self.sent = Some(moves);
        self.confirm = Some(Instant::now() + self.services.client.settings().request);
    }

    /// Sends a move again that the server has not confirmed in time.
    pub(super) fn check_confirmation(&mut self) {
        if self.confirm.is_some_and(|confirm| confirm <= Instant::now()) {
            (self.confirm, self.sent) = (None, None);
            self.proceed();
        }
    }

    /// Answers a draw offer and a takeback request, each once.
    pub(super) fn answer_offers(&mut self) {
        let Some(ongoing) = &self.ongoing else { return };
        let ply = ongoing.game().ply();
        let config = &self.services.config;
        let mut answers = Vec::new();
        if ongoing.draw_is_offered() && self.answered.draw != Some(ply) {
            self.answered.draw = Some(ply);
            let yes = self.evaluations.accepts_draw(ongoing.move_number(), &config.draws);
            answers.push(format!("draw/{}", yes_or_no(yes)));
        }
        if ongoing.takeback_is_proposed() && self.answered.takeback != Some(ply) {
            self.answered.takeback = Some(ply);
            let yes = config.games.takebacks && !ongoing.full().rated;
            answers.push(format!("takeback/{}", yes_or_no(yes)));
        }
        // A claim needs no answer: the position is drawn as soon as we claim it.
        let claimable = ongoing.game().outcome().is_some_and(|outcome| outcome.ending.needs_claim());
        if claimable
            && ongoing.is_our_turn()
            && self.evaluations.claims_draw(&config.draws)
            && self.answered.claim != Some(ply)
        {
            self.answered.claim = Some(ply);
            answers.push("draw/yes".into());
        }
        for answer in answers {
            self.request(&answer);
        }
    }

    /// Sends a chat message to the opponent; nothing if the text is empty.
    pub(super) fn say(&self, text: &str) {
        let Some(ongoing) = &self.ongoing else { return };
        let text =
            text.replace("{me}", &self.services.account.username).replace("{opponent}", ongoing.opponent());
        let text: String = text.chars().take(LONGEST_CHAT).collect();
        if text.trim().is_empty() {
            return;
        }
        let path = format!("/api/bot/game/{}/chat", self.id);
        if let Err(error) = self.services.client.post(&path, &[("room", "player"), ("text", &text)]) {
            self.failed(&error);
        }
    }

    /// Sends a request of the game without content and returns true if it was accepted; a failure is reported.
    pub(super) fn request(&self, what: &str) -> bool {
        let answer = self.services.client.post(&format!("/api/bot/game/{}/{what}", self.id), &[]);
        if let Err(error) = &answer {
            self.failed(error);
        }
        answer.is_ok()
    }

    pub(super) fn failed(&self, error: &ApiError) {
        self.services.observer.report(&LogEvent::RequestFailed { reason: error.to_string() });
    }

    pub(super) fn problem(&self, reason: String) {
        self.services.observer.report(&LogEvent::GameProblem { id: self.id.clone(), reason });
    }
}

/// An answer to an offer, as the last part of the API's paths.
fn yes_or_no(yes: bool) -> &'static str {
    if yes { "yes" } else { "no" }
}

/// Number of requests remembered, so that time is reserved for a slow one during the next eight moves. Chosen, not measured.
const REMEMBERED: usize = 8;

/// The times of the last moves' requests; the longest of them is the time that the next move is expected to lose.
#[derive(Clone, Debug, Default)]
pub(super) struct Latency {
    last: VecDeque<Duration>,
}

impl Latency {
    pub(super) fn add(&mut self, taken: Duration) {
        if self.last.len() == REMEMBERED {
            self.last.pop_front();
        }
        self.last.push_back(taken);
    }

    /// Time to reserve for the next request: the largest of the last ones; zero before the first request.
    pub(super) fn expected(&self) -> Duration {
        self.last.iter().max().copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_request_is_expected_again_until_enough_were_quick() {
        let mut latency = Latency::default();
        assert_eq!(latency.expected(), Duration::ZERO);
        latency.add(Duration::from_millis(900));
        for _ in 0..REMEMBERED - 1 {
            latency.add(Duration::from_millis(50));
            assert_eq!(latency.expected(), Duration::from_millis(900));
        }
        latency.add(Duration::from_millis(50));
        assert_eq!(latency.expected(), Duration::from_millis(50));
    }
}
