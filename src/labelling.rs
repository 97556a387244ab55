//! Labelling the positions of a store with engines at work side by side, so that a kill costs only what they were at.
//!
//! Positions go to the engines in sessions: so many positions one after another, from a cleared memory. The labels of a
//! session depend on nothing else, neither on the number of engines nor on interruptions, and are kept together or not at
//! all.

mod journal;

use std::{
    collections::HashMap,
    io,
    ops::ControlFlow,
    sync::atomic::{AtomicU64, Ordering},
};

use anyhow::Result;
use chess::{Game, PlayerRatings, StopSignal};
use dataset::{Label, Store, questions};

use crate::{
    analyst::{Analyst, Analysts},
    crew::Crew,
};

pub(crate) use journal::Journal;

/// Labels of sessions kept in memory while a store is written: positions that occur again mostly do so soon.
const REMEMBERED_SESSIONS: usize = 4096;

/// How a store is labelled.
pub(crate) struct Labelling<'a> {
    /// Who gives the labels.
    pub(crate) analysts: &'a Analysts,
    /// How many of them work at the same time.
    pub(crate) processes: usize,
    /// Positions of a session.
    pub(crate) session: u32,
    /// The rating of both players that a network gets as input instead of the games' own.
    pub(crate) rating: Option<u16>,
    /// Ends the work; also raised by it when it fails.
    pub(crate) stop: &'a StopSignal,
}

/// What happened so far, told after each session.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Advance {
    /// Rows of the store whose labels are known.
    pub(crate) rows: u64,
    /// Different positions labelled before this run.
    pub(crate) known: u64,
    /// Different positions labelled by this run.
    pub(crate) labelled: u64,
    /// Analysts that failed and were built anew.
    pub(crate) restarts: u64,
}

impl Labelling<'_> {
    /// Labels all positions of `store` that `journal` lacks, as far as `stop` allows.
    pub(crate) fn run(
        &self,
        store: &Store,
        journal: &mut Journal,
        observe: &mut dyn FnMut(Advance),
    ) -> Result<Advance> {
        let done = journal.sessions();
        let [known_rows, known, restarts] = [const { AtomicU64::new(0) }; 3];
        let crew = Crew {
            size: self.processes,
            build: &|| self.analysts.build(),
            attempt: &|analyst: &mut Box<dyn Analyst>, session| self.label(analyst.as_mut(), session),
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
        let (mut rows, mut labelled) = (0, 0);
        let advance = |rows: u64, labelled: u64| Advance {
            rows: rows + known_rows.load(Ordering::Relaxed),
            known: known.load(Ordering::Relaxed),
            labelled,
            restarts: restarts.load(Ordering::Relaxed),
        };
        crew.work(wanted, &mut |session, labels: Vec<Label>| {
            journal.append(session.number, &labels)?;
            rows += session.rows;
            labelled += labels.len() as u64;
            observe(advance(rows, labelled));
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(advance(rows, labelled))
    }

    fn label(&self, analyst: &mut dyn Analyst, session: &Session) -> Result<Vec<Label>> {
        analyst.forget()?;
        analyst.label_all(&session.games, self.stop)
    }
}

/// Positions to be labelled one after another from a cleared memory.
struct Session {
    /// Its number, from 0.
    number: u32,
    /// Rows of the store since the last session.
    rows: u64,
    /// The positions.
    games: Vec<Game>,
}

/// The positions of a store in sessions, in order.
fn sessions(store: &Store, size: u32, rating: Option<u16>) -> impl Iterator<Item = Result<Session>> {
    let ratings = rating.map(PlayerRatings::both);
    let mut questions = questions(store);
    let mut rows_before = 0;
    std::iter::from_fn(move || {
        let mut session: Option<Session> = None;
        while session.as_ref().is_none_or(|session| session.games.len() < size as usize) {
            let question = match questions.next() {
                None => break,
                Some(Ok(question)) => question,
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

/// Finds the labels of positions in a journal, for [`dataset::relabel`].
pub(crate) struct KnownLabels<'a> {
    journal: &'a Journal,
    session: u32,
    remembered: HashMap<u32, Vec<Label>>,
}

impl<'a> KnownLabels<'a> {
    /// The labels of `journal`, in sessions of so many positions.
    pub(crate) fn new(journal: &'a Journal, session: u32) -> Self {
        Self { journal, session, remembered: HashMap::new() }
    }

    /// The label of a position by its number.
    pub(crate) fn label(&mut self, number: u32) -> io::Result<Label> {
        let session = number / self.session;
        if !self.remembered.contains_key(&session) {
            if self.remembered.len() == REMEMBERED_SESSIONS {
                self.remembered.clear();
            }
            self.remembered.insert(session, self.journal.read(session)?);
        }
        let label = self.remembered[&session].get((number % self.session) as usize);
        label.cloned().ok_or_else(|| io::Error::other(format!("found no label of position {number}")))
    }
}
