//! The state of a game, and its changes: actions of the person, moves, ends and clocks. It does not depend on threads or pages.

use std::time::{Duration, Instant};

use chess::{
    Clock, Color, Game, NotationError, Position as _, Search, SearchError, StopSignal, parse_uci_move,
};

use super::{
    clock::GameClock,
    ending::{GameEnd, Reason},
    record::GameRecord,
    thinking,
};
use crate::engine::EngineError;

/// Reasons why something cannot be done in a game now.
#[derive(Debug, thiserror::Error)]
pub(crate) enum GameRefusal {
    #[error("the game is over: {0}")]
    Over(String),
    #[error("it is the engine's turn")]
    NotYourTurn,
    /// The page's state of the game is out of date.
    #[error("found ply {found}, expected {expected}: the game has continued")]
    OtherPly { found: usize, expected: usize },
    #[error(transparent)]
    IllegalMove(#[from] NotationError),
    /// The person has not moved yet.
    #[error("there is no move of yours to take back")]
    NothingToUndo,
    /// Another page plays this game.
    #[error("another page plays this game; take it over to move here")]
    OtherPage,
    /// A draw was already offered in this position.
    #[error("the engine declined a draw in this position already")]
    OfferedAlready,
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error("the engine failed: {0}")]
    Search(SearchError),
    /// A search could not be created; the error names the network.
    #[error(transparent)]
    NoSearch(Box<dyn std::error::Error + Send + Sync>),
}

impl From<SearchError> for GameRefusal {
    fn from(error: SearchError) -> Self {
        match error {
            SearchError::Open(error) => Self::NoSearch(error),
            error => Self::Search(error),
        }
    }
}

pub(crate) struct GameState {
    pub(super) record: GameRecord,
    pub(super) game: Game,
    pub(super) clock: Option<GameClock>,
    /// Start of the present turn.
    pub(super) turn_since: Instant,
    /// Incremented by every change; answers of a search for an older state are dropped.
    pub(super) seq: u64,
    /// The engine's search between its moves, with its tree.
    pub(super) search: Option<Box<dyn Search>>,
    pub(super) thinking: Option<StopSignal>,
    pub(super) draw_declined_at: Option<usize>,
    pub(super) failure: Option<String>,
    /// True if the game has ended and was offered to the person's own store. A game loaded from its record was offered
    /// when it ended.
    pub(super) offered: bool,
    /// The page that plays, if one has registered.
    pub(super) holder: Option<String>,
}

impl GameState {
    /// The state of a game that is new or was stored.
    pub(super) fn new(record: GameRecord, game: Game) -> Self {
        let clock = record.settings.clock.map(|settings| {
            let [white, black] = record.clocks_ms.unwrap_or([settings.initial_ms; 2]);
            let ms = Duration::from_millis;
            GameClock::new(ms(white), ms(black), ms(settings.increment_ms))
        });
        let mut state = Self {
            offered: record.end.is_some(),
            record,
            game,
            clock,
            turn_since: Instant::now(),
            seq: 0,
            search: None,
            thinking: None,
            draw_declined_at: None,
            failure: None,
            holder: None,
        };
        if state.record.end.is_none() {
            state.settle();
        }
        state
    }

    pub(super) fn check_running(&self) -> Result<(), GameRefusal> {
        match self.record.end {
            Some(end) => Err(GameRefusal::Over(end.text())),
            None => Ok(()),
        }
    }

    /// The person's move, which the page saw as the next one after `ply` half-moves. A page that names itself may only play a game that
    /// no other page plays.
    pub(crate) fn play(&mut self, ply: usize, uci: &str, page: Option<String>) -> Result<(), GameRefusal> {
        if page.is_some() && self.holder.is_some() && page != self.holder {
            return Err(GameRefusal::OtherPage);
        }
        if self.game.ply() != ply {
            return Err(GameRefusal::OtherPly { found: ply, expected: self.game.ply() });
        }
        self.check_persons_turn()?;
        let chess_move = parse_uci_move(self.game.position(), uci)?;
        self.holder = page.or(self.holder.take());
        self.push(chess_move, None);
        Ok(())
    }

    /// Takes moves back to the person's last turn.
    pub(crate) fn undo(&mut self) -> Result<(), GameRefusal> {
        // On the person's turn the engine's reply goes too; while the engine thinks, only the person's move. A person who moves second has
        // no move of their own before the second ply.
        let person = Color::from(self.record.person);
        let plies = if self.game.turn() == person { 2 } else { 1 };
        let first_own = usize::from(self.game.history()[0].position.turn() != person);
        if self.game.ply() < first_own + plies {
            return Err(GameRefusal::NothingToUndo);
        }
        self.stop_thinking();
        for _ in 0..plies {
            self.game.undo();
            self.record.moves.pop();
        }
        self.record.undone += 1;
        self.turn_since = Instant::now();
        self.draw_declined_at = None;
        Ok(())
    }

    /// The person gives up.
    pub(crate) fn resign(&mut self) {
        let winner = !Color::from(self.record.person);
        self.finish(GameEnd { reason: Reason::Resignation, winner: Some(winner.into()) });
    }

    /// The person claims a draw if the rules give one, and otherwise offers one; the engine answers at once.
    pub(crate) fn offer_draw(&mut self) -> Result<(), GameRefusal> {
        let ply = self.game.ply();
        if self.draw_declined_at == Some(ply) {
            return Err(GameRefusal::OfferedAlready);
        }
        if let Some(outcome) = self.game.outcome() {
            self.finish(outcome.into());
        } else if thinking::accepts_draw(&self.record) {
            self.finish(GameEnd { reason: Reason::Agreement, winner: None });
        } else {
            self.draw_declined_at = Some(ply);
        }
        Ok(())
    }

    /// Lets the engine try again after it failed.
    pub(crate) fn retry(&mut self) {
        self.failure = None;
        self.turn_since = Instant::now();
    }

    pub(super) fn check_persons_turn(&self) -> Result<(), GameRefusal> {
        let is_persons = self.game.turn() == Color::from(self.record.person);
        if is_persons { Ok(()) } else { Err(GameRefusal::NotYourTurn) }
    }

    /// Plays a legal move of the side to move.
    pub(super) fn push(&mut self, chess_move: chess::Move, wdl: Option<chess::Wdl>) {
        let (now, mover) = (Instant::now(), self.game.turn());
        let uci = chess::print_uci_move(chess_move, self.game.castling_mode());
        // One instant for the move's time and for the clock: two would differ by the time in between, and the times in the record would
        // not add up to what the clock lost.
        self.record.push(uci, now.saturating_duration_since(self.turn_since), wdl);
        self.turn_since = now;
        self.game.play_unchecked(chess_move);
        if let Some(clock) = &mut self.clock {
            clock.press(now);
            if let Some(last) = self.record.moves.last_mut() {
                last.clock_ms = Some(clock.left_ms(mover, now));
            }
        }
        self.settle();
    }

    /// Ends a game that the rules end. If draws are claimed, the engine claims one unless it hopes for more.
    pub(super) fn settle(&mut self) {
        let Some(outcome) = self.game.outcome() else { return };
        let claimed = !self.record.settings.draws_by_claim || thinking::claims_draw(&self.record);
        if claimed || !outcome.ending.needs_claim() {
            self.finish(outcome.into());
        }
    }

    pub(super) fn finish(&mut self, end: GameEnd) {
        self.stop_thinking();
        self.search = None;
        self.failure = None;
        self.record.end = Some(end);
    }

    pub(super) fn stop_thinking(&mut self) {
        if let Some(stop) = self.thinking.take() {
            stop.stop();
        }
    }

    pub(super) fn note_clocks(&mut self) {
        let now = Instant::now();
        self.record.clocks_ms =
            self.clock.map(|clock| [Color::White, Color::Black].map(|side| clock.left_ms(side, now)));
    }

    pub(super) fn engine_clock(&self) -> Option<Clock> {
        let clock = self.clock.as_ref()?;
        let remaining = clock.left(self.game.turn(), Instant::now());
        Some(Clock { remaining, increment: clock.increment(), moves_to_go: None })
    }
}
