//! A worker: plays games of the newest network and puts them into the replay store, as long as the run needs more.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};

use chess::{Evaluator, SearchError, StopSignal};
use xxhash_rust::xxh3::xxh3_64;

use crate::{
    batching::{BatchCounts, BatchingEvaluator},
    engine::{Effort, Engines},
    game::{GameId, SelfPlayGame},
    generation::NetworkName,
    play::{Searches, play},
    replay::{ReplayError, ReplayStore, RunState},
    settings::PlaySettings,
    storage::PutResult,
};

/// Interval at which a worker checks the store for a new network and for other workers' games.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// A worker that plays games for a run.
pub struct Worker<'a> {
    /// The store of the run.
    pub replay: &'a ReplayStore,
    /// Name of the worker; no two that play at the same time may share one.
    pub name: String,
    /// Name and version of the program.
    pub program: String,
    /// Rules of play.
    pub settings: &'a PlaySettings,
    /// Games that each generation needs.
    pub games: u32,
    /// Threads that evaluate; each has its own games.
    pub threads: usize,
    /// Factory of the networks and searches that play.
    pub engines: &'a dyn Engines,
}

/// Why a worker stopped.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what variants and fields hold")]
pub enum WorkerError {
    #[error(transparent)]
    Replay(#[from] ReplayError),
    #[error("a game of generation {generation} was aborted: {source}")]
    Search { generation: u32, source: SearchError },
    /// The current network cannot be used.
    #[error("network {network} of {place} cannot play: {reason}")]
    Network {
        /// Path or address of the run's store.
        place: String,
        network: NetworkName,
        reason: String,
    },
    #[error("the game {id} is in {place} already: another worker plays under the name {:?}; choose another one", id.worker)]
    NameTaken {
        /// Path or address of the run's store.
        place: String,
        id: GameId,
    },
}

/// Events that a worker reports while it plays.
#[derive(Clone, Copy, Debug)]
pub enum WorkerEvent<'a> {
    /// A game was put into the store.
    Game(&'a SelfPlayGame),
    /// The games of a generation are complete.
    Round(&'a Round),
}

/// Is called with a worker's progress, from all of its threads.
pub type OnProgress<'a> = &'a (dyn Fn(WorkerEvent<'_>) + Sync);

/// The games of one generation that a worker played without a break.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct Round {
    pub generation: u32,
    /// Games that this worker played.
    pub games: u32,
    /// Counters of the shared evaluator.
    pub batches: BatchCounts,
    /// Wall-clock time of the round.
    pub elapsed: Duration,
}

impl Worker<'_> {
    /// Plays games of the newest network until the run is over or `stop` comes; games in progress are then dropped.
    ///
    /// # Errors
    /// [`WorkerError`]; games already stored stay.
    pub fn work(&self, stop: &StopSignal, report: OnProgress<'_>) -> Result<(), WorkerError> {
        while !stop.is_stopped() && !self.replay.is_over()? {
            let state = ReplayStore::state(&self.replay.generations()?);
            // The generation has all its games: the learner has to end it first.
            if self.play_generation(&state, stop, report)?.games == 0 {
                std::thread::sleep(LOOK_EVERY);
            }
        }
        Ok(())
    }

    /// Plays games of the state's generation until it has all of them, it has ended, or `stop` comes.
    ///
    /// # Errors
    /// As [`Worker::work`].
    pub fn play_generation(
        &self,
        state: &RunState,
        stop: &StopSignal,
        report: OnProgress<'_>,
    ) -> Result<Round, WorkerError> {
        let begin = Instant::now();
        let names = self.replay.games(state.generation)?;
        let mut round = Round {
            generation: state.generation,
            games: 0,
            batches: BatchCounts::default(),
            elapsed: Duration::ZERO,
        };
        if names.len() >= self.games as usize {
            return Ok(round);
        }
        let evaluator = self.evaluator(state.network)?;
        let ongoing = OngoingGames {
            worker: self,
            state,
            report,
            others: AtomicU32::new(names.len() as u32),
            begun: AtomicU32::new(0),
            finished: AtomicU32::new(0),
            first: next_number(&names, &self.name),
            halt: StopSignal::default(),
            full: AtomicBool::new(false),
            failure: Mutex::default(),
        };
        // An evaluator for each thread that evaluates, and a thread for each game. While one of the threads of an evaluator computes a
        // batch, the others only wait for their answers, so there is work for as many cores as there are evaluators. Games as threads
        // keep the searches free of any knowledge of batches; switching between the threads of 32 games costs a quarter to a third of
        // the 36 microseconds that a position takes besides its evaluation (docs/experiments/selfplay-speed.md).
        let batching: Vec<Arc<BatchingEvaluator>> =
            (0..self.threads).map(|_| Arc::new(BatchingEvaluator::new(Arc::clone(&evaluator)))).collect();
        std::thread::scope(|scope| {
            let players: Vec<_> = batching
                .iter()
                .flat_map(|shared| std::iter::repeat_n(shared, self.settings.games_at_once))
                .map(|shared| scope.spawn(|| ongoing.play_games(shared)))
                .collect();
            ongoing.watch(&|| players.iter().all(std::thread::ScopedJoinHandle::is_finished), stop);
        });
        for counts in batching.iter().map(|shared| shared.counts()) {
            round.batches.batches += counts.batches;
            round.batches.positions += counts.positions;
        }
        round.games = ongoing.finished.into_inner();
        round.elapsed = begin.elapsed();
        if let Some(error) = ongoing.failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(error);
        }
        report(WorkerEvent::Round(&round));
        Ok(round)
    }

    fn evaluator(&self, network: NetworkName) -> Result<Arc<dyn Evaluator>, WorkerError> {
        let weights = self.replay.weights(network)?;
        self.engines.evaluator(&network, weights.as_deref()).map_err(|reason| WorkerError::Network {
            place: self.replay.place().into(),
            network,
            reason,
        })
    }
}

/// The first number that no game of this worker has among these names.
fn next_number(names: &[String], worker: &str) -> u32 {
    names.iter().filter_map(|name| number_of(name, worker)).max().map_or(0, |last| last + 1)
}

/// The number in the name of a game, `games/GENERATION/WORKER-NUMBER.json.zst`, if it is this worker's.
fn number_of(name: &str, worker: &str) -> Option<u32> {
    let file = name.rsplit('/').next()?;
    let (owner, number) = file.split('.').next()?.rsplit_once('-')?;
    if owner == worker { number.parse().ok() } else { None }
}

/// State shared by the games of a round.
struct OngoingGames<'a> {
    worker: &'a Worker<'a>,
    state: &'a RunState,
    report: OnProgress<'a>,
    /// Games in the store that this round did not play.
    others: AtomicU32,
    begun: AtomicU32,
    finished: AtomicU32,
    /// The number of the round's first game.
    first: u32,
    /// Ends the searches.
    halt: StopSignal,
    /// No more games are to begin.
    full: AtomicBool,
    failure: Mutex<Option<WorkerError>>,
}

impl OngoingGames<'_> {
    /// Follows the store and the signal until all games have ended.
    fn watch(&self, is_over: &dyn Fn() -> bool, stop: &StopSignal) {
        /// Time between two looks at the signal and at the end of the games. Chosen, not tuned: a stop takes effect within a
        /// fiftieth of a second, and fifty looks a second cost almost nothing.
        const TICK: Duration = Duration::from_millis(20);
        let mut looked = Instant::now();
        while !is_over() {
            std::thread::sleep(TICK);
            if stop.is_stopped() {
                self.halt.stop();
            }
            if looked.elapsed() >= LOOK_EVERY {
                looked = Instant::now();
                self.look().unwrap_or_else(|error| self.fail(error.into()));
            }
        }
    }

    /// Refreshes the count of games that other workers stored.
    fn look(&self) -> Result<(), ReplayError> {
        // Own games are counted last: a game stored meanwhile must not be mistaken for another worker's.
        let all = self.worker.replay.games(self.state.generation)?.len() as u32;
        let own = self.finished.load(Ordering::Acquire);
        // Never fewer: games are not removed, so a smaller number is due to own games stored since the list was read.
        self.others.fetch_max(all.saturating_sub(own), Ordering::AcqRel);
        let over = all >= self.worker.games || self.worker.replay.has_ended(self.state.generation)?;
        // Games in progress are finished and stored: they are useful for the next window.
        self.full.fetch_or(over, Ordering::AcqRel);
        Ok(())
    }

    /// The number of the next game; `None` if the generation has, or will have, enough.
    fn next_game(&self) -> Option<u32> {
        if self.full.load(Ordering::Acquire) || self.halt.is_stopped() {
            return None;
        }
        // Numbers are handed out by addition, so no two games share one. `others` may be one too high if `look` comes between the
        // storing and the counting of an own game: the round is then a game short, which the next call of `play_generation`
        // plays.
        let begun = self.begun.fetch_add(1, Ordering::AcqRel);
        (begun + self.others.load(Ordering::Acquire) < self.worker.games).then_some(self.first + begun)
    }

    /// One thread: plays game after game.
    fn play_games(&self, shared: &Arc<BatchingEvaluator>) {
        let engines = self.worker.engines;
        let evaluator = Arc::clone(shared) as Arc<dyn Evaluator>;
        let has_quick = self.worker.settings.quick_nodes > 0;
        let mut searches = Searches {
            full: engines.search(Arc::clone(&evaluator), Effort::Full),
            quick: has_quick.then(|| engines.search(evaluator, Effort::Quick)),
        };
        while let Some(number) = self.next_game() {
            match self.game(number, &mut searches, shared) {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => return self.fail(error),
            }
        }
    }

    /// Plays a game and puts it into the store; false if the signal came first.
    fn game(
        &self,
        number: u32,
        searches: &mut Searches,
        shared: &BatchingEvaluator,
    ) -> Result<bool, WorkerError> {
        let Worker { replay, name, program, settings, engines, .. } = self.worker;
        let begin = Instant::now();
        let id = GameId { generation: self.state.generation, worker: name.clone(), number };
        // From the run's seed and the game's name, so that no two games share a seed.
        let seed = xxh3_64(format!("{} {id}", settings.seed).as_bytes());
        let played = {
            // Only until the game is over: packing and writing it must not hold up the batches of the others.
            let _playing = shared.join();
            play(searches, *engines, settings, seed, &self.halt)
        };
        let played =
            played.map_err(|source| WorkerError::Search { generation: self.state.generation, source })?;
        let Some(played) = played else { return Ok(false) };
        let game = SelfPlayGame {
            id,
            program: program.clone(),
            seed,
            start: played.start,
            moves: played.moves,
            winner: played.winner,
            end: played.end,
            doubted: played.doubted,
            evaluations: played.evaluations,
            seconds: begin.elapsed().as_secs_f64(),
        };
        // A game that exists already means that another worker has the same name and numbers its games in parallel: whichever is later
        // with a number would lose that game, again and again.
        if replay.put_game(&game)? == PutResult::Taken {
            return Err(WorkerError::NameTaken { place: replay.place().into(), id: game.id });
        }
        // Counted after it is stored: a game that could not be stored is not in the run.
        self.finished.fetch_add(1, Ordering::AcqRel);
        (self.report)(WorkerEvent::Game(&game));
        Ok(true)
    }

    /// Keeps the first error and ends the round.
    fn fail(&self, error: WorkerError) {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        self.halt.stop();
    }
}
