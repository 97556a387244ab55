//! Positions of a game searched on several threads.
//!
//! A search keeps the tree below the move played for the next position, so positions are searched in stretches of consecutive ones.
//! The first of a stretch begins without what the search remembers of others. Where stretches begin and end depends on
//! the positions alone, and one thread searches all of a stretch, so the looks do not depend on the number of threads.

use std::{
    cmp::Reverse,
    sync::{
        atomic::{AtomicUsize, Ordering},
        mpsc::{Sender, channel},
    },
    thread,
};

use chess::{Game, Search, SearchError, StopSignal};

use super::look::look;
use crate::point::ReviewPoint;

/// Most positions of a stretch. Chosen: a game has several stretches for each of a few cores, and one position in eight begins with an
/// empty tree.
const STRETCH: usize = 8;

/// Cuts positions, which rise, where one is left out and where a stretch is full. The longest stretches come first, so that no thread
/// begins a long one when the others are nearly done.
fn stretches(plies: &[usize]) -> Vec<Vec<usize>> {
    let mut stretches: Vec<Vec<usize>> = Vec::new();
    for &ply in plies {
        match stretches.last_mut() {
            Some(stretch) if stretch.len() < STRETCH && stretch.last() == ply.checked_sub(1).as_ref() => {
                stretch.push(ply);
            }
            _ => stretches.push(vec![ply]),
        }
    }
    stretches.sort_by_key(|stretch| Reverse(stretch.len()));
    stretches
}

/// Result of a search: the position's half-move and its point.
type Look = Result<(usize, ReviewPoint), SearchError>;

/// Searches of some positions with the same budget.
pub(super) struct Round<'a> {
    game: &'a Game,
    nodes: u64,
    stretches: Vec<Vec<usize>>,
    /// Number of stretches that threads have taken.
    taken: AtomicUsize,
    stop: &'a StopSignal,
}

impl<'a> Round<'a> {
    /// The searches of the positions of `game` after `plies` half-moves, which rise.
    pub(super) fn new(game: &'a Game, plies: &[usize], nodes: u64, stop: &'a StopSignal) -> Self {
        Self { game, nodes, stretches: stretches(plies), taken: AtomicUsize::new(0), stop }
    }

    /// Searches on a thread for each of `searches`, as far as there are stretches, and passes the looks to `take` in the order in which
    /// they are finished. `stop` ends all threads; the looks that it cut short are left out.
    ///
    /// # Errors
    /// The first error of a search, which ends the other threads through `stop`.
    pub(super) fn run(
        &self,
        searches: &mut [&mut dyn Search],
        take: &mut dyn FnMut(usize, ReviewPoint),
    ) -> Result<(), SearchError> {
        let (sender, looks) = channel();
        thread::scope(|scope| {
            for search in searches.iter_mut().take(self.stretches.len()) {
                let sender = sender.clone();
                scope.spawn(move || self.work(&mut **search, &sender));
            }
            // The threads have the others: the looks end when all threads have.
            drop(sender);
            let mut failure = None;
            for look in looks {
                match look {
                    Ok((ply, point)) => take(ply, point),
                    Err(error) => {
                        self.stop.stop();
                        failure.get_or_insert(error);
                    }
                }
            }
            failure.map_or(Ok(()), Err)
        })
    }

    /// One thread: takes stretches until all are taken.
    fn work(&self, search: &mut dyn Search, looks: &Sender<Look>) {
        while !self.stop.is_stopped() {
            // Relaxed: the number alone is handed out; the stretches were there before the threads, and looks travel through the channel.
            let taken = self.taken.fetch_add(1, Ordering::Relaxed);
            let Some(stretch) = self.stretches.get(taken) else { return };
            search.new_game();
            for &ply in stretch {
                let found = look(self.game, ply, self.nodes, search, self.stop);
                // A search that was stopped has seen less than the others, and a review of it would not be repeatable.
                if self.stop.is_stopped() {
                    return;
                }
                let failed = found.is_err();
                if looks.send(found.map(|point| (ply, point))).is_err() || failed {
                    return;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_end_at_gaps_and_when_they_are_full_and_the_longest_come_first() {
        assert_eq!(stretches(&[]), Vec::<Vec<usize>>::new());
        assert_eq!(stretches(&[0, 1, 3, 4, 5, 7]), [vec![3, 4, 5], vec![0, 1], vec![7]]);
        let whole: Vec<usize> = (0..20).collect();
        assert_eq!(stretches(&whole), [&whole[..8], &whole[8..16], &whole[16..]]);
    }
}
