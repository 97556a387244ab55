//! The threads of a search: each spends its own share of a node limit, and what one of them found decides.
//!
//! All of them search the same root and share only the transposition table (lazy SMP; Daniel Homan, 2013). If they counted against one
//! common limit, threads that the system happens to run could spend it all, and a search that only believed its first thread would then
//! answer without having searched. So no thread can take nodes from another, and the first thread's result counts no more than the others'.
//!
//! | shared | how |
//! |---|---|
//! | transposition table | without locks ([`super::shared_table`]) |
//! | number of nodes, of table hits | atomic additions, read only for reports and for limits that begin to count later |
//! | end of the search | a flag, set when the leading thread is through |
//! | everything else (histories, corrections, stack, root moves) | not: each thread has its own |
//!
//! Threads are useful because they differ: other histories order moves differently, every other helper starts half a step deeper,
//! and what one finds in the table another need not search. The leading thread alone looks at the clock and reports; a helper
//! stops at its share or at the flag.

use std::{
    cell::{Cell, RefCell},
    sync::{
        atomic::{AtomicBool, Ordering},
        mpsc::{self, RecvTimeoutError},
    },
};

use chess::{EvaluatorError, Limits, Move};

use super::{
    numbers::{LARGEST, LEADER_WAIT, LEAST_VOTE, MAX_DEPTH, NODES_A_QUESTION},
    root::RootMoves,
    run::{Histories, Run, Shared},
    time_scaling::TimeScaling,
};
use crate::{
    alpha_beta::{MATE_RANGE, mates_within},
    time::TimeManager,
};

/// A search's limits and its clock.
pub(super) struct Task<'a> {
    pub(super) limits: &'a Limits,
    /// Number of best moves whose exact values are wanted.
    pub(super) lines: usize,
    pub(super) time: &'a RefCell<TimeManager<'a>>,
}

/// What one thread found, or all of them together.
pub(super) struct Findings {
    /// The deepest iteration that was completed.
    pub(super) completed: u32,
    pub(super) moves: RootMoves,
    pub(super) evaluations: u64,
    failure: Option<EvaluatorError>,
}

impl Findings {
    fn of(run: &mut Run<'_>, completed: u32) -> Self {
        let failure = run.evaluator.take_failure();
        Self { completed, moves: run.moves.clone(), evaluations: run.evaluations, failure }
    }

    /// The value of the best move as it counts in votes.
    fn counted_value(&self) -> i32 {
        self.moves.best().value.clamp(-LARGEST, LARGEST)
    }
}

/// Searches with one thread for each of `histories`, the current one among them. `report` gets the leading thread's search after each
/// of its iterations, with their number. The result has the root moves of the thread that decides and everybody's evaluations.
pub(super) fn search(
    shared: &Shared<'_>,
    histories: &mut [Histories],
    task: &Task<'_>,
    report: &mut dyn FnMut(&Run<'_>, u32),
) -> Result<Findings, EvaluatorError> {
    let node_limit = task.time.borrow().node_limit();
    let shares = shares(node_limit, histories.len());
    let is_finished = AtomicBool::new(false);
    let findings = std::thread::scope(|scope| {
        let mut others = histories.iter_mut().zip(shares);
        let (own, share) = others.next().unwrap_or_else(|| unreachable!("a search has a thread"));
        // Nothing is sent: the channel closes when the last helper ends.
        let (running, ended) = mpsc::channel::<()>();
        let mut helpers = Vec::new();
        for (histories, share) in others {
            let number = helpers.len() + 1;
            let (running, is_finished, lines) = (running.clone(), &is_finished, task.lines);
            helpers.push(scope.spawn(move || {
                let _running = running;
                // Relaxed: the flag publishes nothing, and joining the threads makes their findings visible.
                let is_over = |nodes| nodes >= share || is_finished.load(Ordering::Relaxed);
                help(Run::new(shared, histories, &is_over), number, lines)
            }));
        }
        drop(running);
        let finish = Finish(&is_finished);
        let questions = Cell::new(0_u64);
        let is_over = |nodes: u64| {
            let question = questions.replace(questions.get() + 1);
            nodes >= share || (question.is_multiple_of(NODES_A_QUESTION) && is_at_maximum(shared, task))
        };
        let mut run = Run::new(shared, own, &is_over);
        let completed = lead(&mut run, task, report);
        // A leading thread that has spent its share must not end the others before they have spent theirs: the node limit is a
        // promise to search that many, and what they find may decide. The clock still may.
        if run.nodes >= share {
            while ended.recv_timeout(LEADER_WAIT) == Err(RecvTimeoutError::Timeout)
                && !is_at_maximum(shared, task)
            {}
        }
        drop(finish);
        let mut findings = vec![Findings::of(&mut run, completed)];
        for helper in helpers {
            match helper.join() {
                Ok(found) => findings.push(found),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        findings
    });
    agree(findings, task.limits)
}

/// True if the clock ends the search now, or a node limit that began to count after the search: of one that counts from the start
/// each thread has its share.
fn is_at_maximum(shared: &Shared<'_>, task: &Task<'_>) -> bool {
    let nodes = shared.counts.nodes.load(Ordering::Relaxed);
    task.time.borrow_mut().is_at_maximum(nodes)
}

/// The nodes that each thread may search; together they are the limit.
fn shares(limit: Option<u64>, threads: usize) -> impl Iterator<Item = u64> {
    let count = threads.max(1) as u64;
    (0..count).map(move |number| match limit {
        Some(limit) => limit / count + u64::from(number < limit % count),
        None => u64::MAX,
    })
}

/// The search of the thread that reports and looks at the clock. Returns the number of iterations it completed.
fn lead(run: &mut Run<'_>, task: &Task<'_>, report: &mut dyn FnMut(&Run<'_>, u32)) -> u32 {
    let (limits, time) = (task.limits, task.time);
    let deepest = limits.depth.unwrap_or(MAX_DEPTH).clamp(1, MAX_DEPTH);
    let (mut completed, mut scaling) = (0, TimeScaling::default());
    for depth in 1..=deepest {
        if run.deepen(depth as i32, task.lines).is_err() {
            break;
        }
        completed = depth;
        report(run, completed);
        // Pruning may hide a mate that is shorter than the one found, so the search for a wanted length continues.
        let found = limits
            .mate
            .map_or_else(|| run.is_decided(depth as i32), |wanted| mates_within(run.best_value(), wanted));
        // Under a clock an only move is played at once.
        let only_move = run.moves.len() == 1 && limits.clock.is_some() && !time.borrow().waits_for_stop();
        let spent = time.borrow_mut().is_spent(scaling.share(&run.moves));
        if found || only_move || spent {
            break;
        }
    }
    time.borrow_mut().hold();
    completed
}

/// A helper's search.
fn help(mut run: Run<'_>, number: usize, lines: usize) -> Findings {
    let mut completed = 0;
    // Every other helper starts a half-move deeper.
    let first = 1 + number as u32 % 2;
    for depth in first..=MAX_DEPTH {
        if run.deepen(depth as i32, lines).is_err() {
            break;
        }
        completed = depth;
    }
    Findings::of(&mut run, completed)
}

/// The findings of the thread that decides, the leading one first. A wanted depth or mate is the leading thread's alone, because the
/// others do not end there.
fn agree(mut findings: Vec<Findings>, limits: &Limits) -> Result<Findings, EvaluatorError> {
    let is_alone = limits.depth.is_some() || limits.mate.is_some();
    let chosen = if is_alone { 0 } else { elected(&findings) };
    let evaluations = findings.iter().map(|found| found.evaluations).sum();
    if let Some(failure) = findings.iter_mut().find_map(|found| found.failure.take()) {
        return Err(failure);
    }
    Ok(Findings { evaluations, ..findings.swap_remove(chosen) })
}

/// What decides between threads, the first field first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    /// Value of a mate that was found; 0 without one. Apart from the votes, in which the mate of one thread would outweigh all
    /// others.
    mate: i32,
    votes: i64,
    completed: u32,
}

/// The thread with the shortest mate; otherwise the one whose move has the most votes, and of these the deepest; among equals the
/// first. A thread votes for its best move with the depth that it completed, times its value above the worst one, as in Stockfish's
/// `get_best_thread`.
fn elected(findings: &[Findings]) -> usize {
    let voters = findings.iter().filter(|found| found.completed > 0);
    let worst = voters.map(Findings::counted_value).min().unwrap_or(0);
    let mut elected = 0;
    let mut highest = None;
    for (number, found) in findings.iter().enumerate() {
        let best = found.moves.best();
        let mate = if found.completed > 0 && best.value > MATE_RANGE { best.value } else { 0 };
        let votes = votes_for(best.chess_move, findings, worst);
        let rank = Some(Rank { mate, votes, completed: found.completed });
        if rank > highest {
            (elected, highest) = (number, rank);
        }
    }
    elected
}

/// The votes of all threads for a move.
fn votes_for(chosen: Move, findings: &[Findings], worst: i32) -> i64 {
    let mut votes = 0;
    for found in findings.iter().filter(|found| found.completed > 0) {
        if found.moves.best().chess_move == chosen {
            votes += i64::from(found.counted_value() - worst + LEAST_VOTE) * i64::from(found.completed);
        }
    }
    votes
}

/// Ends the helpers when it is dropped, even by a panic.
struct Finish<'a>(&'a AtomicBool);

impl Drop for Finish<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests;
