//! Labelling the positions of a store with several engines, so that a kill costs only the sessions in progress.
//!
//! Positions go to the engines in sessions: a fixed number of consecutive positions, after clearing the
//! engine's memory. The labels of a session depend only on its positions, not on the number of engines or on
//! interruptions, and are kept together or not at all.
//!
//! Clearing before every position would do without sessions, but it costs more than the search: at 1,000 nodes, Stockfish with
//! 16 MB of memory takes 1.35 ms per position and 3.40 ms with clearing (docs/experiments/data-labelling.md). Never clearing
//! would make a label depend on all positions that its engine saw before, and so on the number of engines.

mod journal;

use std::{
    collections::HashMap,
    io,
    ops::ControlFlow,
    sync::atomic::{AtomicU64, Ordering},
};

use chess::{Game, PlayerRatings, StopSignal};
use dataset::{Label, Store, questions};

use journal::Place;

pub use journal::LabelJournal;

use crate::{Labeller, Labellers, LabellingError, worker_pool::WorkerPool};

/// Labels the positions of a store, session by session, so that an interrupted run can continue.
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct StoreLabelling<'a> {
    pub labellers: &'a Labellers,
    /// Number of labellers that work in parallel.
    pub processes: usize,
    /// Positions of a session.
    pub session: u32,
    /// The rating of both players that a network gets as input instead of the games' own ratings.
    pub rating: Option<u16>,
    /// Ends the work; also raised by it when it fails.
    pub stop: &'a StopSignal,
}

/// Progress, reported after each session.
#[derive(Clone, Copy, Debug, Default)]
pub struct Advance {
    /// Rows of the store whose labels are known.
    pub rows: u64,
    /// Different positions labelled before this run.
    pub known: u64,
    /// Different positions labelled by this run.
    pub labelled: u64,
    /// Labellers that failed and were replaced.
    pub restarts: u64,
}

impl StoreLabelling<'_> {
    /// Default of [`StoreLabelling::session`].
    pub const SESSION: u32 = 64;

    /// Labels all positions of `store` that `journal` lacks, as far as `stop` allows.
    ///
    /// # Errors
    /// [`LabellingError`] if a labeller fails twice at the same session, or the store or the journal fails.
    pub fn run(
        &self,
        store: &Store,
        journal: &mut LabelJournal,
        observe: &mut dyn FnMut(Advance),
    ) -> Result<Advance, LabellingError> {
        let done = journal.sessions();
        // The pool's feeder counts these on its own thread while this thread reports.
        // Relaxed throughout: they are for reports, where a number may be a session behind; the joined pool makes the last ones
        // exact.
        let [known_rows, known, restarts] = [const { AtomicU64::new(0) }; 3];
        let pool = WorkerPool {
            size: self.processes,
            build: &|| self.labellers.build(),
            attempt: &|labeller: &mut Box<dyn Labeller>, session| self.label(labeller.as_mut(), session),
            stop: self.stop,
            restarts: &restarts,
        };
        let wanted = sessions(store, self.session, self.rating).filter(|session| match session {
            Ok(session) if done.contains(&session.number) => {
                known_rows.fetch_add(session.rows, Ordering::Relaxed);
                known.fetch_add(session.games.len() as u64, Ordering::Relaxed);
                false
            }
            _ => true,
        });
        // Rows and positions of this run alone, completed by what the other threads count.
        let mut own = Advance::default();
        let advance = |own: Advance| Advance {
            rows: own.rows + known_rows.load(Ordering::Relaxed),
            known: known.load(Ordering::Relaxed),
            restarts: restarts.load(Ordering::Relaxed),
            ..own
        };
        pool.work(wanted, &mut |session, labels: Vec<Label>| {
            journal.append(session.number, &labels)?;
            own.rows += session.rows;
            own.labelled += labels.len() as u64;
            observe(advance(own));
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(advance(own))
    }

    fn label(&self, labeller: &mut dyn Labeller, session: &Session) -> Result<Vec<Label>, LabellingError> {
        // Without this, a label would depend on the labeller's earlier sessions.
        labeller.forget()?;
        labeller.label_all(&session.games, self.stop)
    }
}

/// Positions to be labelled one after another from a cleared memory.
struct Session {
    /// Its number, from 0.
    number: u32,
    /// Rows of the store since the last session.
    rows: u64,
    games: Vec<Game>,
}

/// The positions of a store in sessions, in order.
fn sessions(
    store: &Store,
    size: u32,
    rating: Option<u16>,
) -> impl Iterator<Item = Result<Session, LabellingError>> {
    let ratings = rating.map(PlayerRatings::both);
    let mut questions = questions(store);
    let mut rows_before = 0;
    std::iter::from_fn(move || {
        let mut session: Option<Session> = None;
        while session.as_ref().is_none_or(|session| session.games.len() < size as usize) {
            let question = match questions.next() {
                None => break,
                Some(Ok(question)) => question,
                // The pool ends at the first error; the session begun is not needed.
                Some(Err(error)) => return Some(Err(error.into())),
            };
            let mut game = match question.sample.to_game() {
                Ok(game) => game,
                Err(error) => return Some(Err(error.into())),
            };
            if let Some(ratings) = ratings {
                game = game.with_ratings(ratings);
            }
            let session = session.get_or_insert_with(|| Session {
                number: question.number / size,
                rows: 0,
                games: Vec::with_capacity(size as usize),
            });
            session.games.push(game);
            session.rows += question.rows - rows_before;
            rows_before = question.rows;
        }
        session.map(Ok)
    })
}

/// Finds the labels of positions in a journal, for [`dataset::relabel`]. New positions come in the order of
/// their numbers, so each session is read once. For repeated positions, the place of each label is kept.
pub struct KnownLabels<'a> {
    journal: &'a LabelJournal,
    session: u32,
    /// The last session read.
    latest: (u32, Vec<Label>),
    /// Places of the labels of every session that was read.
    places: HashMap<u32, Box<[Place]>>,
}

impl<'a> KnownLabels<'a> {
    /// The labels of `journal`; `session` is the number of positions of a session.
    pub fn new(journal: &'a LabelJournal, session: u32) -> Self {
        Self { journal, session, latest: (0, Vec::new()), places: HashMap::new() }
    }

    /// The label of a position by its number.
    ///
    /// # Errors
    /// If the journal cannot be read or lacks the position.
    pub fn label(&mut self, number: u32) -> io::Result<Label> {
        let (session, index) = (number / self.session, (number % self.session) as usize);
        if !self.places.contains_key(&session) {
            let (labels, places): (Vec<_>, Vec<_>) = self.journal.read(session)?.into_iter().unzip();
            self.places.insert(session, places.into());
            self.latest = (session, labels);
        }
        let label = if session == self.latest.0 {
            self.latest.1.get(index).cloned()
        } else {
            self.places[&session].get(index).map(|place| self.journal.read_one(place)).transpose()?
        };
        label.ok_or_else(|| io::Error::other(format!("found no label of position {number}")))
    }
}
