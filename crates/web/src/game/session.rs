//! One game: the actions allowed to a person at each moment, and the thread on which the engine thinks.

use std::{
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

use chess::{Color, Game, Limits, Position as _, Search, SearchError, StopSignal, Thinker, Thought};
use tokio::{runtime::Handle, sync::watch};

use super::{
    ending::{GameEnd, Reason},
    record::{GameRecord, GameStore},
    settings::ClockSettings,
    state::{GameRefusal, GameState},
    thinking,
    view::{GameView, HintView},
};
use crate::{
    engine::{Engines, SearchPurpose, SearchSettings},
    frame::Frame,
    jobs::{JobKind, Jobs},
    limits::GAME_TREE_MEMORY,
    personal::{FinishedGame, PersonalFolder},
    threads::{ThreadBudget, locked},
};

/// Services that a session uses.
#[derive(Clone)]
pub(crate) struct GameServices {
    pub(crate) engines: Arc<dyn Engines>,
    pub(crate) threads: ThreadBudget,
    pub(crate) jobs: Jobs,
    pub(crate) store: GameStore,
    pub(crate) personal: PersonalFolder,
    pub(crate) runtime: Handle,
}

/// What the thread of one move of the engine needs.
struct EngineTurn {
    /// The search of the last move, with its tree; `None` for the first move of a session.
    search: Option<Box<dyn Search>>,
    thinker: Thinker,
    network: String,
    settings: SearchSettings,
    /// True if it spends most of its time waiting, so that it needs no permit to compute.
    mostly_waits: bool,
}

/// A game, shared by all pages that show it.
///
/// Every action of a page takes the lock, changes the state if that is allowed now, and calls [`GameSession::proceed`], which stores the
/// game, publishes it and lets the engine and the clock continue. The lock is never held while the engine searches: the
/// search has a thread of its own with a copy of the game, and brings its answer through [`GameSession::answer`] like a page. In
/// the meantime the person may take moves back, resign or lose on time. Each of these stops the search first, and an answer whose
/// stop signal is set is dropped, so that no move is played in a position it was not searched for.
pub(crate) struct GameSession {
    services: GameServices,
    state: Mutex<GameState>,
    frames: watch::Sender<Frame>,
}

impl GameSession {
    /// A session for a game that is new or was stored.
    pub(super) fn open(services: GameServices, record: GameRecord, game: Game) -> Arc<Self> {
        let state = Mutex::new(GameState::new(record, game));
        let session = Arc::new(Self { services, state, frames: watch::Sender::new(Frame::empty()) });
        let mut state = locked(&session.state);
        session.proceed(&mut state);
        drop(state);
        session
    }

    pub(crate) fn view(&self) -> GameView {
        GameView::new(&locked(&self.state))
    }

    pub(crate) fn pgn(&self) -> String {
        let state = locked(&self.state);
        state.record.pgn(&state.game)
    }

    /// The states of the game from now on.
    pub(crate) fn watch(&self) -> watch::Receiver<Frame> {
        self.frames.subscribe()
    }

    /// True if the session may be dropped from memory: no page shows the game, and no search or clock is running.
    pub(super) fn is_idle(&self) -> bool {
        let state = locked(&self.state);
        let runs = state.record.end.is_none() && state.clock.is_some_and(|clock| clock.running().is_some());
        self.frames.receiver_count() == 0 && state.thinking.is_none() && !runs
    }

    /// Reserves the game for one page, or (`None`) releases it.
    pub(crate) fn hold(&self, page: Option<String>) {
        let mut state = locked(&self.state);
        state.holder = page;
        self.announce(&mut state);
    }

    /// Performs an action of the person, if the game is not over and its state allows it.
    pub(crate) fn act(
        self: &Arc<Self>,
        change: impl FnOnce(&mut GameState) -> Result<(), GameRefusal>,
    ) -> Result<(), GameRefusal> {
        let mut state = locked(&self.state);
        state.check_running()?;
        change(&mut state)?;
        self.proceed(&mut state);
        Ok(())
    }

    /// The engine's move for the person. Computes on the calling thread.
    pub(crate) fn hint(&self) -> Result<HintView, GameRefusal> {
        // The lock is free again while the hint is searched, which takes a second: the person may move meanwhile, and the page drops a
        // hint for another ply. The hint is counted before, so that a page cannot get one and hide it by leaving.
        let (game, network) = {
            let mut state = locked(&self.state);
            state.check_running()?;
            state.check_persons_turn()?;
            state.record.hints += 1;
            self.announce(&mut state);
            (state.game.clone(), state.record.network.clone())
        };
        let settings = SearchSettings::analysis(GAME_TREE_MEMORY, 0);
        let _permit = self.services.threads.acquire();
        let mut search = self.services.engines.search(&network, &settings)?;
        let limits = Limits { nodes: Some(thinking::HINT_NODES), ..Limits::default() };
        let thinker = Thinker { game, limits, stop: StopSignal::default() };
        let best = thinker.ask(search.as_mut(), &mut |_| {})?.best;
        let game = thinker.game;
        let uci = chess::print_uci_move(best, game.castling_mode());
        Ok(HintView { ply: game.ply(), uci, san: chess::print_san(game.position(), best) })
    }

    /// After a change: stores the game, publishes its state, and starts the engine and the clock if it is their turn.
    fn proceed(self: &Arc<Self>, state: &mut GameState) {
        if state.record.end.is_none() && state.failure.is_none() {
            let (turn, now) = (state.game.turn(), Instant::now());
            if let Some(clock) = &mut state.clock {
                clock.start(turn, now);
            }
            if turn != Color::from(state.record.person) && state.thinking.is_none() {
                self.start_thinking(state);
            }
        } else if let Some(clock) = &mut state.clock {
            clock.stop(Instant::now());
        }
        self.announce(state);
        self.watch_flag(state);
    }

    fn announce(&self, state: &mut GameState) {
        // Stored before it is published: a page must never show a move that a restart of the server would take back. A game that cannot
        // be stored goes on in memory, with the reason on the page.
        state.seq += 1;
        state.note_clocks();
        if let Err(error) = self.services.store.keep(&state.record, &state.game) {
            state.failure = Some(format!("the game cannot be kept: {error}"));
        }
        self.offer(state);
        let topic = format!("game/{}", state.record.id);
        self.frames.send_replace(Frame::new(&topic, &GameView::new(state)));
    }

    /// Offers a game that has just ended to the person's own store. A game with the engine's help is not the person's
    /// play.
    fn offer(&self, state: &mut GameState) {
        let Some(end) = state.record.end.filter(|_| !state.offered) else { return };
        state.offered = true;
        if state.record.has_help() || state.game.ply() == 0 {
            return;
        }
        let finished = FinishedGame {
            game: &state.game,
            person: Color::from(state.record.person),
            winner: end.winner.map(Color::from),
            time_control: state.record.settings.clock.map(ClockSettings::time_control),
        };
        if let Err(error) = self.services.personal.add(&finished) {
            state.failure = Some(format!("the game was not added to your personal games: {error}"));
        }
    }

    fn start_thinking(self: &Arc<Self>, state: &mut GameState) {
        let stop = StopSignal::default();
        state.thinking = Some(stop.clone());
        let chosen = &state.record.settings;
        let turn = EngineTurn {
            search: state.search.take(),
            thinker: Thinker {
                game: state.game.clone(),
                limits: thinking::limits(chosen, state.engine_clock()),
                stop,
            },
            network: state.record.network.clone(),
            settings: SearchSettings {
                purpose: SearchPurpose::Game,
                temperature: chosen.temperature,
                human_time: chosen.human_time,
                seed: state.record.seed,
                memory: GAME_TREE_MEMORY,
                branches: 0,
            },
            mostly_waits: thinking::mostly_waits(chosen),
        };
        let session = Arc::clone(self);
        let started = thread::Builder::new().name("game".into()).spawn(move || session.think(turn));
        if let Err(error) = started {
            state.thinking = None;
            state.failure = Some(format!("cannot start a thread for the engine: {error}"));
        }
    }

    /// Searches on the calling thread and plays what was found.
    fn think(self: &Arc<Self>, turn: EngineTurn) {
        let EngineTurn { search, thinker, network, settings, mostly_waits } = turn;
        let thought = {
            let _permit = (!mostly_waits).then(|| self.services.threads.acquire());
            let _job = self.services.jobs.begin(JobKind::Game, &network, None);
            thinker.think(|| self.open_search(search, &network, &settings), &mut |_| {})
        };
        self.answer(&thinker.stop, thought);
    }

    /// The search of the last move, or a new one, whose network may first have to be opened.
    fn open_search(
        &self,
        kept: Option<Box<dyn Search>>,
        network: &str,
        settings: &SearchSettings,
    ) -> Result<Box<dyn Search>, SearchError> {
        if let Some(search) = kept {
            return Ok(search);
        }
        let search = self.services.engines.search(network, settings);
        search.map_err(|error| SearchError::Open(error.into()))
    }

    /// Plays the engine's answer; dropped if the game has changed since and the search was stopped.
    fn answer(self: &Arc<Self>, stop: &StopSignal, thought: Thought) {
        // Checked under the lock: whoever changes the game stops the search under the same lock, so an answer either comes before the
        // change or is dropped.
        let mut state = locked(&self.state);
        if stop.is_stopped() {
            return;
        }
        state.thinking = None;
        match thought.result {
            Ok(decision) => {
                state.search = thought.search;
                let wdl = decision.info.judged_line().map(|line| line.wdl);
                state.push(decision.best, wdl);
            }
            Err(error) => state.failure = Some(GameRefusal::from(error).to_string()),
        }
        self.proceed(&mut state);
    }

    /// Checks again when the running side's time will be up.
    fn watch_flag(self: &Arc<Self>, state: &GameState) {
        let Some(clock) = &state.clock else { return };
        let Some(side) = clock.running() else { return };
        // A weak reference, so that a game of days with a page that never came back does not stay in memory for its timer. A millisecond
        // more, because timers count whole ones and an early one would find time left.
        let left = clock.left(side, Instant::now());
        let session = Arc::downgrade(self);
        self.services.runtime.spawn(async move {
            tokio::time::sleep(left + Duration::from_millis(1)).await;
            if let Some(session) = session.upgrade() {
                session.fall();
            }
        });
    }

    /// The side to move has lost if its time is up.
    fn fall(self: &Arc<Self>) {
        let mut state = locked(&self.state);
        // Every change of the state starts a timer for the running clock, and none is ever cancelled: a timer of an earlier move, or one
        // of several for the same move (hints and pages that come and go change the state, not the clock), finds time left and does
        // nothing. The clock alone decides.
        let fallen = state.clock.is_some_and(|clock| clock.is_up(Instant::now()));
        if !fallen || state.record.end.is_some() {
            return;
        }
        let winner = !state.game.turn();
        let can_mate = !state.game.position().has_insufficient_material(winner);
        state.finish(if can_mate {
            GameEnd { reason: Reason::Time, winner: Some(winner.into()) }
        } else {
            GameEnd { reason: Reason::TimeWithoutMaterial, winner: None }
        });
        self.proceed(&mut state);
    }
}
