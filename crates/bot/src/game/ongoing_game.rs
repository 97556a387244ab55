//! The state of a game, rebuilt from the server's events.

use std::time::Duration;

use chess::{CastlingMode, Clock, Color, Game, GameError, Limits, NotationError};

use crate::{
    GameSetup,
    config::Variant,
    event::{GameEnd, GameFull, GameState, START},
};

/// Time for a move in a game without a clock. Chosen, not measured.
const UNTIMED_MOVE: Duration = Duration::from_secs(5);
/// Longest time for the first move of a side. Lichess does not wait for it as long as its clock says, but ends the game after about
/// half a minute; the number is that of lichess-bot (`first_move_time` in `lib/engine_wrapper.py`).
const FIRST_MOVE: Duration = Duration::from_secs(10);

/// Why a game cannot be played.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OngoingGameError {
    /// The variant is not chess.
    #[error("found the variant {0:?}, expected standard, chess960 or fromPosition")]
    Variant(String),
    #[error("found the players {white:?} and {black:?}, expected {account:?} to be one")]
    Players { white: String, black: String, account: String },
    /// The start position is refused.
    #[error(transparent)]
    Start(#[from] GameError),
    #[error("move {number}: {source}")]
    Move { number: usize, source: NotationError },
}

/// A game in progress. Every state that the server sends holds all moves, so only the last one counts:
/// missed, repeated and taken-back moves need no handling.
#[derive(Clone, Debug)]
pub(crate) struct OngoingGame {
    full: GameFull,
    side: Color,
    start: Game,
    game: Game,
    state: GameState,
}

impl OngoingGame {
    /// The game in which `account` (its id) plays one side.
    pub(crate) fn new(full: &GameFull, account: &str) -> Result<Self, OngoingGameError> {
        let variant = Variant::from_key(&full.variant.key);
        let variant = variant.ok_or_else(|| OngoingGameError::Variant(full.variant.key.clone()))?;
        let side = if full.white.id == account {
            Color::White
        } else if full.black.id == account {
            Color::Black
        } else {
            let (white, black) = (full.white.id.clone(), full.black.id.clone());
            return Err(OngoingGameError::Players { white, black, account: account.into() });
        };
        let mode = CastlingMode::from_chess960(variant == Variant::Chess960);
        let start = match full.initial_fen.as_str() {
            START => Game::from_position(chess::Chess::default(), mode),
            fen => Game::from_fen(fen, mode)?,
        };
        let mut ongoing =
            Self { full: full.clone(), side, game: start.clone(), start, state: full.state.clone() };
        ongoing.update(&full.state)?;
        Ok(ongoing)
    }

    /// Applies the moves and clocks of a state. An error leaves the game unchanged.
    pub(crate) fn update(&mut self, state: &GameState) -> Result<(), OngoingGameError> {
        let mut game = self.start.clone();
        for (number, text) in (1..).zip(state.moves.split_whitespace()) {
            game.play_uci(text).map_err(|source| OngoingGameError::Move { number, source })?;
        }
        (self.game, self.state) = (game, state.clone());
        Ok(())
    }

    /// Ends the game as the stream of the account reports, with the moves known so far.
    pub(crate) fn end(&mut self, end: &GameEnd) {
        self.state.status.clone_from(&end.status);
        self.state.winner.clone_from(&end.winner);
    }

    pub(crate) fn full(&self) -> &GameFull {
        &self.full
    }

    pub(crate) fn game(&self) -> &Game {
        &self.game
    }

    pub(crate) fn state(&self) -> &GameState {
        &self.state
    }

    pub(crate) fn side(&self) -> Color {
        self.side
    }

    pub(crate) fn opponent(&self) -> &str {
        let opponent = self.side.fold_wb(&self.full.black, &self.full.white);
        if opponent.name.is_empty() { "the computer" } else { &opponent.name }
    }

    pub(crate) fn setup(&self) -> GameSetup {
        GameSetup {
            id: self.full.id.clone(),
            side: self.side,
            castling_mode: self.game.castling_mode(),
            opponent: self.opponent().into(),
        }
    }

    /// True if it is the bot's turn.
    pub(crate) fn is_our_turn(&self) -> bool {
        self.state.is_running() && self.game.turn() == self.side && !self.game.legal_moves().is_empty()
    }

    /// True until both sides have made their first move: before, no clock runs.
    pub(crate) fn begins(&self) -> bool {
        self.game.ply() < 2
    }

    /// The number of the next move, by the position's own count.
    pub(crate) fn move_number(&self) -> u32 {
        use chess::Position as _;
        self.game.position().fullmoves().get()
    }

    /// True if the opponent offers a draw.
    pub(crate) fn draw_is_offered(&self) -> bool {
        self.side.fold_wb(self.state.bdraw, self.state.wdraw)
    }

    /// True if the opponent proposes a takeback.
    pub(crate) fn takeback_is_proposed(&self) -> bool {
        self.side.fold_wb(self.state.btakeback, self.state.wtakeback)
    }

    /// The time that the side to move had left when the state was sent; `None` in games without clocks.
    pub(crate) fn time_of_mover(&self) -> Option<Duration> {
        self.full.clock?;
        let left = if self.game.turn().is_white() { self.state.wtime } else { self.state.btime };
        Some(Duration::from_millis(left))
    }

    /// The limits of our next move: `nodes`, and our clock minus `kept_back` or, where no clock says it, a time for the move.
    pub(crate) fn limits(&self, kept_back: Duration, nodes: Option<u64>) -> Limits {
        let clock = self.clock(kept_back);
        let move_time =
            if clock.is_none() { Some(UNTIMED_MOVE) } else { self.begins().then_some(FIRST_MOVE) };
        Limits { nodes, clock, move_time, ..Limits::default() }
    }

    /// Our clock minus `kept_back`, at least a millisecond; `None` in games without clocks. Lichess starts the clocks after the
    /// first move of each side, and reports their times as if they were running.
    fn clock(&self, kept_back: Duration) -> Option<Clock> {
        self.full.clock?;
        let (time, increment) =
            self.side.fold_wb((self.state.wtime, self.state.winc), (self.state.btime, self.state.binc));
        let left = Duration::from_millis(time).saturating_sub(kept_back).max(Duration::from_millis(1));
        Some(Clock { remaining: left, increment: Duration::from_millis(increment), moves_to_go: None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn full(change: &str) -> GameFull {
        let mut json: serde_json::Value = serde_json::from_str(
            r#"{"id":"g","variant":{"key":"standard"},"white":{"id":"anna","name":"Anna"},"black":{"id":"me","name":"Me"},
                "initialFen":"startpos","clock":{"initial":60000,"increment":2000},
                "state":{"moves":"","wtime":60000,"btime":50000,"winc":2000,"binc":2000,"status":"started"}}"#,
        )
        .unwrap();
        let change: serde_json::Value = serde_json::from_str(change).unwrap();
        for (key, value) in change.as_object().unwrap() {
            json[key] = value.clone();
        }
        serde_json::from_value(json).unwrap()
    }

    fn state(ongoing: &OngoingGame, moves: &str) -> GameState {
        GameState { moves: moves.into(), ..ongoing.state().clone() }
    }

    #[test]
    fn the_last_state_counts_whatever_came_before() {
        let mut ongoing = OngoingGame::new(&full("{}"), "me").unwrap();
        assert!(!ongoing.is_our_turn() && ongoing.side() == Color::Black && ongoing.opponent() == "Anna");
        for (moves, ours) in
            [("e2e4", true), ("e2e4 e7e5", false), ("e2e4", true), ("e2e4", true), ("", false)]
        {
            ongoing.update(&state(&ongoing, moves)).unwrap();
            assert_eq!(ongoing.is_our_turn(), ours, "{moves:?}");
        }
        let before = ongoing.game().fen();
        let error = ongoing.update(&state(&ongoing, "e2e4 e2e4")).unwrap_err().to_string();
        assert!(error.contains("move 2") && ongoing.game().fen() == before, "{error}");
    }

    #[test]
    fn the_clock_is_ours_less_what_is_kept_back() {
        let ongoing = OngoingGame::new(&full("{}"), "me").unwrap();
        let clock = ongoing.clock(Duration::from_millis(300)).unwrap();
        assert_eq!(
            (clock.remaining, clock.increment),
            (Duration::from_millis(49_700), Duration::from_secs(2))
        );
        assert_eq!(ongoing.clock(Duration::from_secs(90)).unwrap().remaining, Duration::from_millis(1));
        assert_eq!(OngoingGame::new(&full(r#"{"clock":null}"#), "me").unwrap().clock(Duration::ZERO), None);
    }

    /// With half an hour on the clock the first move took up to a minute and a half, and Lichess had ended the game.
    #[test]
    fn the_first_move_has_ten_seconds_whatever_the_clock_says() {
        let times = |change: &str, moves: &str| {
            let mut ongoing = OngoingGame::new(&full(change), "me").unwrap();
            ongoing.update(&state(&ongoing, moves)).unwrap();
            let limits = ongoing.limits(Duration::ZERO, Some(7));
            assert_eq!(limits.nodes, Some(7));
            (limits.clock.is_some(), limits.move_time)
        };
        assert_eq!(times("{}", "e2e4"), (true, Some(FIRST_MOVE)));
        assert_eq!(times("{}", "e2e4 e7e5 g1f3"), (true, None));
        let other = r#"{"initialFen":"4k3/pppp4/8/8/8/8/PPPP4/4K3 b - - 0 30"}"#;
        assert_eq!(times(other, ""), (true, Some(FIRST_MOVE)));
        assert_eq!(times(r#"{"clock":null}"#, "e2e4"), (false, Some(UNTIMED_MOVE)));
        assert_eq!(times(r#"{"clock":null}"#, "e2e4 e7e5 g1f3"), (false, Some(UNTIMED_MOVE)));
    }

    #[test]
    fn offers_are_the_opponents() {
        let mut ongoing = OngoingGame::new(&full("{}"), "me").unwrap();
        ongoing.state.bdraw = true;
        ongoing.state.btakeback = true;
        assert!(!ongoing.draw_is_offered() && !ongoing.takeback_is_proposed());
        ongoing.state.wdraw = true;
        ongoing.state.wtakeback = true;
        assert!(ongoing.draw_is_offered() && ongoing.takeback_is_proposed());
    }

    #[test]
    fn what_cannot_be_played_is_named() {
        let refused = |change: &str| OngoingGame::new(&full(change), "me").unwrap_err().to_string();
        assert!(refused(r#"{"variant":{"key":"atomic"}}"#).contains("atomic"));
        assert!(refused(r#"{"black":{"id":"you"}}"#).contains("\"you\""));
        assert!(refused(r#"{"initialFen":"8/8 w - - 0 1"}"#).contains("8/8"));
        let shuffled = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9";
        let change = format!(r#"{{"variant":{{"key":"chess960"}},"initialFen":"{shuffled}"}}"#);
        let ongoing = OngoingGame::new(&full(&change), "me").unwrap();
        assert!(ongoing.setup().castling_mode.is_chess960());
    }
}
