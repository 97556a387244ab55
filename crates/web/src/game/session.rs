//! One game: its state, who may do what when, and the thread on which the engine thinks.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use chess::{Clock, Color, Decision, Game, Position as _, Search, SearchError, StopSignal, parse_uci_move};
use tokio::{runtime::Handle, sync::watch};

use super::{
    clock::GameClock,
    ending::{GameEnd, Reason},
    record::{GameRecord, StoredEnd},
    store::Store,
    thinking,
    view::{GameView, HintView, Present},
};
use crate::{
    engine::{EngineError, Engines, SearchPurpose, SearchSettings},
    jobs::{JobKind, Jobs},
    live::Frame,
    threads::ThreadBudget,
};

/// What a session needs from its services.
#[derive(Clone)]
pub(crate) struct GameServices {
    pub(crate) engines: Arc<dyn Engines>,
    pub(crate) threads: ThreadBudget,
    pub(crate) jobs: Jobs,
    pub(crate) store: Store,
    pub(crate) runtime: Handle,
}

/// Why something cannot be done in a game now.
#[derive(Debug, thiserror::Error)]
pub(crate) enum GameRefusal {
    /// The game has ended.
    #[error("the game is over: {0}")]
    Over(String),
    /// The engine is to move.
    #[error("it is the engine's turn")]
    NotYourTurn,
    /// The page's idea of the game is old.
    #[error("found ply {found}, expected {expected}: the game has gone on")]
    OtherPly { found: usize, expected: usize },
    /// No such move.
    #[error(transparent)]
    IllegalMove(#[from] chess::NotationError),
    /// The person has not moved yet.
    #[error("there is no move of yours to take back")]
    NothingToUndo,
    /// Another page plays this game.
    #[error("another page plays this game; take it over to move here")]
    OtherPage,
    /// A draw was offered in this position already.
    #[error("the engine declined a draw in this position already")]
    OfferedAlready,
    /// The engine cannot answer.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The search failed.
    #[error("the engine failed: {0}")]
    Search(#[from] SearchError),
}

/// A game, shared by everybody who looks at it.
pub(crate) struct GameSession {
    services: GameServices,
    table: Mutex<Table>,
    frames: watch::Sender<Frame>,
}

/// The state of a game.
struct Table {
    record: GameRecord,
    game: Game,
    clock: Option<GameClock>,
    /// When the side to move began to think.
    turn_since: Instant,
    /// Rises with every change; answers of a search for an older state are dropped.
    seq: u64,
    /// The engine's search between its moves, with its tree.
    search: Option<Box<dyn Search>>,
    thinking: Option<StopSignal>,
    draw_declined_at: Option<usize>,
    failure: Option<String>,
    /// The page that plays, where one has said so.
    holder: Option<String>,
}

impl GameSession {
    /// A session for a game that is new or was kept.
    pub(super) fn open(services: GameServices, record: GameRecord, game: Game) -> Arc<Self> {
        let clock = record.settings.clock.map(|settings| {
            let [white, black] = record.clocks_ms.unwrap_or([settings.initial_ms; 2]);
            let ms = Duration::from_millis;
            GameClock::new(ms(white), ms(black), ms(settings.increment_ms))
        });
        let table = Table {
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
        let session =
            Arc::new(Self { services, table: Mutex::new(table), frames: watch::Sender::new(Frame::empty()) });
        let mut table = session.table();
        if table.record.end.is_none() {
            table.settle();
        }
        session.proceed(&mut table);
        drop(table);
        session
    }

    /// The game as it is now.
    pub(crate) fn view(&self) -> GameView {
        self.table().view()
    }

    /// The game as PGN.
    pub(crate) fn pgn(&self) -> String {
        let table = self.table();
        table.record.pgn(&table.game)
    }

    /// The states of the game from now on.
    pub(crate) fn watch(&self) -> watch::Receiver<Frame> {
        self.frames.subscribe()
    }

    /// Whether nobody would miss the session in memory: the game rests and nobody looks at it.
    pub(super) fn is_idle(&self) -> bool {
        let table = self.table();
        let runs = table.record.end.is_none() && table.clock.is_some_and(|clock| clock.running().is_some());
        self.frames.receiver_count() == 0 && table.thinking.is_none() && !runs
    }

    /// A page says that it plays the game from now on, or (`None`) that no page does.
    pub(crate) fn hold(&self, page: Option<String>) {
        let mut table = self.table();
        table.holder = page;
        self.announce(&mut table);
    }

    /// The person's move, which the page saw as the next one after `ply` half-moves. A page that names itself may only play
    /// what no other page plays.
    pub(crate) fn play(
        self: &Arc<Self>,
        ply: usize,
        uci: &str,
        page: Option<String>,
    ) -> Result<(), GameRefusal> {
        let mut table = self.table();
        table.check_running()?;
        if page.is_some() && table.holder.is_some() && page != table.holder {
            return Err(GameRefusal::OtherPage);
        }
        if table.game.ply() != ply {
            return Err(GameRefusal::OtherPly { found: ply, expected: table.game.ply() });
        }
        if table.game.turn() != Color::from(table.record.person) {
            return Err(GameRefusal::NotYourTurn);
        }
        let chess_move = parse_uci_move(table.game.position(), uci)?;
        table.holder = page.or(table.holder.take());
        table.push(chess_move, None);
        self.proceed(&mut table);
        Ok(())
    }

    /// Takes back to the person's last turn.
    pub(crate) fn undo(self: &Arc<Self>) -> Result<(), GameRefusal> {
        let mut table = self.table();
        table.check_running()?;
        let person = Color::from(table.record.person);
        let own_turn = table.game.turn() == person;
        let plies = if own_turn { 2 } else { 1 };
        let first_own = usize::from(table.game.history()[0].position.turn() != person);
        if table.game.ply() < first_own + plies {
            return Err(GameRefusal::NothingToUndo);
        }
        table.stop_thinking();
        for _ in 0..plies {
            table.game.undo();
            table.record.moves.pop();
        }
        table.record.undone += 1;
        table.draw_declined_at = None;
        self.proceed(&mut table);
        Ok(())
    }

    /// The person gives up.
    pub(crate) fn resign(self: &Arc<Self>) -> Result<(), GameRefusal> {
        let mut table = self.table();
        table.check_running()?;
        let winner = !Color::from(table.record.person);
        table.finish(GameEnd { reason: Reason::Resignation, winner: Some(winner) });
        self.proceed(&mut table);
        Ok(())
    }

    /// The person claims a draw where the rules give one, and offers one otherwise; the engine answers at once.
    pub(crate) fn offer_draw(self: &Arc<Self>) -> Result<(), GameRefusal> {
        let mut table = self.table();
        table.check_running()?;
        let ply = table.game.ply();
        if table.draw_declined_at == Some(ply) {
            return Err(GameRefusal::OfferedAlready);
        }
        if let Some(outcome) = table.game.outcome() {
            table.finish(outcome.into());
        } else if thinking::accepts_draw(&table.record) {
            table.finish(GameEnd { reason: Reason::Agreement, winner: None });
        } else {
            table.draw_declined_at = Some(ply);
        }
        self.proceed(&mut table);
        Ok(())
    }

    /// Tries again after the engine failed.
    pub(crate) fn retry(self: &Arc<Self>) -> Result<(), GameRefusal> {
        let mut table = self.table();
        table.check_running()?;
        table.failure = None;
        self.proceed(&mut table);
        Ok(())
    }

    /// What the engine would play for the person. Computes on the calling thread.
    pub(crate) fn hint(&self) -> Result<HintView, GameRefusal> {
        let (game, network) = {
            let mut table = self.table();
            table.check_running()?;
            if table.game.turn() != Color::from(table.record.person) {
                return Err(GameRefusal::NotYourTurn);
            }
            table.record.hints += 1;
            self.announce(&mut table);
            (table.game.clone(), table.record.network.clone())
        };
        let settings = SearchSettings {
            purpose: SearchPurpose::Analysis,
            temperature: 0.0,
            seed: 0,
            memory: thinking::TREE_MEMORY,
            branches: 0,
        };
        let _permit = self.services.threads.acquire();
        let mut search = self.services.engines.search(&network, &settings)?;
        let limits = chess::Limits { nodes: Some(thinking::HINT_NODES), ..chess::Limits::default() };
        let best = search.run(&game, &limits, &StopSignal::default(), &mut |_| {})?.best;
        let uci = chess::print_uci_move(best, chess::CastlingMode::Standard);
        Ok(HintView { ply: game.ply(), uci, san: chess::print_san(game.position(), best) })
    }

    /// After a change: keeps the game, tells everybody, and lets the side to move go on.
    fn proceed(self: &Arc<Self>, table: &mut Table) {
        table.turn_since = Instant::now();
        if table.record.end.is_none() && table.failure.is_none() {
            let (turn, now) = (table.game.turn(), Instant::now());
            if let Some(clock) = &mut table.clock {
                clock.start(turn, now);
            }
            if turn != Color::from(table.record.person) && table.thinking.is_none() {
                self.start_thinking(table);
            }
        } else if let Some(clock) = &mut table.clock {
            clock.stop(Instant::now());
        }
        self.announce(table);
        self.watch_flag(table);
    }

    fn announce(&self, table: &mut Table) {
        table.seq += 1;
        table.note_clocks();
        if let Err(error) = self.services.store.keep(&table.record, &table.game) {
            table.failure = Some(format!("the game cannot be kept: {error}"));
        }
        let topic = format!("game/{}", table.record.id);
        self.frames.send_replace(Frame::new(&topic, &table.view()));
    }

    fn start_thinking(self: &Arc<Self>, table: &mut Table) {
        let stop = StopSignal::default();
        table.thinking = Some(stop.clone());
        let (session, search, game) = (Arc::clone(self), table.search.take(), table.game.clone());
        let limits = thinking::limits(&table.record.settings, table.engine_clock());
        let (network, seed) = (table.record.network.clone(), table.record.seed);
        let temperature = table.record.settings.temperature;
        let asked = move || {
            let result = {
                let _permit = session.services.threads.acquire();
                let _job = session.services.jobs.begin(JobKind::Game, &network, None);
                let settings = SearchSettings {
                    purpose: SearchPurpose::Game,
                    temperature,
                    seed,
                    memory: thinking::TREE_MEMORY,
                    branches: 0,
                };
                let opened = match search {
                    Some(search) => Ok(search),
                    None => session.services.engines.search(&network, &settings),
                };
                opened.map_err(GameRefusal::from).and_then(|mut search| {
                    let decision = search.run(&game, &limits, &stop, &mut |_| {})?;
                    Ok((search, decision))
                })
            };
            session.answer(&stop, result);
        };
        if let Err(error) = thread::Builder::new().name("game".into()).spawn(asked) {
            table.thinking = None;
            table.failure = Some(format!("no thread for the engine: {error}"));
        }
    }

    /// The engine's answer; dropped where the game went another way meanwhile, which stopped the search.
    fn answer(self: &Arc<Self>, stop: &StopSignal, result: Result<(Box<dyn Search>, Decision), GameRefusal>) {
        let mut table = self.table();
        if stop.is_stopped() {
            return;
        }
        table.thinking = None;
        match result {
            Ok((search, decision)) => {
                table.search = Some(search);
                let wdl = decision.info.variations.first().map(|line| line.wdl);
                table.push(decision.best, wdl);
            }
            Err(error) => table.failure = Some(error.to_string()),
        }
        self.proceed(&mut table);
    }

    /// Looks again when the running side's time will be up.
    fn watch_flag(self: &Arc<Self>, table: &Table) {
        let Some(clock) = &table.clock else { return };
        let Some(side) = clock.running() else { return };
        let (left, seq) = (clock.left(side, Instant::now()), table.seq);
        let session = Arc::downgrade(self);
        self.services.runtime.spawn(async move {
            tokio::time::sleep(left + Duration::from_millis(1)).await;
            if let Some(session) = session.upgrade() {
                session.fall(seq);
            }
        });
    }

    /// The side to move has lost on time, unless something happened since `seq`.
    fn fall(self: &Arc<Self>, seq: u64) {
        let mut table = self.table();
        if table.seq != seq || table.record.end.is_some() {
            return;
        }
        let winner = !table.game.turn();
        let can_mate = !table.game.position().has_insufficient_material(winner);
        table.finish(if can_mate {
            GameEnd { reason: Reason::Time, winner: Some(winner) }
        } else {
            GameEnd { reason: Reason::TimeWithoutMaterial, winner: None }
        });
        self.proceed(&mut table);
    }

    /// A thread that died with the lock held left a state that is whole: every change is made in one piece.
    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    fn view(&self) -> GameView {
        GameView::new(
            &self.record,
            &Present {
                game: &self.game,
                clock: self.clock.as_ref(),
                seq: self.seq,
                thinking: self.thinking.is_some(),
                draw_declined_at: self.draw_declined_at,
                failure: self.failure.as_deref(),
                holder: self.holder.as_deref(),
            },
        )
    }

    fn check_running(&self) -> Result<(), GameRefusal> {
        match self.record.end() {
            Some(end) => Err(GameRefusal::Over(end.text())),
            None => Ok(()),
        }
    }

    /// Plays a legal move of the side to move.
    fn push(&mut self, chess_move: chess::Move, wdl: Option<chess::Wdl>) {
        let (now, mover) = (Instant::now(), self.game.turn());
        self.record.push(chess_move, self.turn_since.elapsed(), wdl);
        self.game.play_unchecked(chess_move);
        if let Some(clock) = &mut self.clock {
            clock.press(now);
            let left = u64::try_from(clock.left(mover, now).as_millis()).ok();
            if let Some(last) = self.record.moves.last_mut() {
                last.clock_ms = left;
            }
        }
        self.settle();
    }

    /// Ends a game that the rules end. Where draws are claimed, the engine claims one unless it hopes for more.
    fn settle(&mut self) {
        let Some(outcome) = self.game.outcome() else { return };
        let claimed = !self.record.settings.draws_by_claim || thinking::claims_draw(&self.record);
        if claimed || !outcome.ending.needs_claim() {
            self.finish(outcome.into());
        }
    }

    fn finish(&mut self, end: GameEnd) {
        self.stop_thinking();
        self.search = None;
        self.failure = None;
        self.record.end =
            Some(StoredEnd { reason: end.reason, winner: end.winner.map(super::record::StoredColor::from) });
    }

    fn stop_thinking(&mut self) {
        if let Some(stop) = self.thinking.take() {
            stop.stop();
        }
    }

    fn note_clocks(&mut self) {
        let now = Instant::now();
        self.record.clocks_ms = self.clock.map(|clock| {
            [Color::White, Color::Black]
                .map(|side| u64::try_from(clock.left(side, now).as_millis()).unwrap_or(u64::MAX))
        });
    }

    fn engine_clock(&self) -> Option<Clock> {
        let clock = self.clock.as_ref()?;
        let remaining = clock.left(self.game.turn(), Instant::now());
        Some(Clock { remaining, increment: clock.increment(), moves_to_go: None })
    }
}
