//! What threads share: locks, and permits for the searches that compute at the same time.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Locks a mutex, even one whose holder has panicked.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic ends one request or one search, and the server keeps running for all other games and pages. If it poisoned the lock of
    // the list of games for good, one defect would take all of them down. So every change under a lock of this crate is made in one
    // piece, and a panic leaves a consistent state.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Permits for computing threads; a request without a free one waits its turn.
#[derive(Clone, Debug)]
pub(crate) struct ThreadBudget(Arc<Permits>);

#[derive(Debug)]
struct Permits {
    number: usize,
    free: Mutex<usize>,
    freed: Condvar,
}

/// A permit to compute, released when dropped.
#[derive(Debug)]
pub(crate) struct ThreadPermit(ThreadBudget);

impl ThreadBudget {
    pub(crate) fn new(number: usize) -> Self {
        Self(Arc::new(Permits { number, free: Mutex::new(number), freed: Condvar::new() }))
    }

    /// Number of permits, free or not: the most threads that compute at the same time.
    pub(crate) fn number(&self) -> usize {
        self.0.number
    }

    /// Blocks until a permit is free.
    pub(crate) fn acquire(&self) -> ThreadPermit {
        let Permits { free, freed, .. } = &*self.0;
        let mut free = locked(free);
        // A permit that is returned wakes one waiter, but a request that comes at that moment may take it first: look again.
        while *free == 0 {
            free = freed.wait(free).unwrap_or_else(PoisonError::into_inner);
        }
        *free -= 1;
        ThreadPermit(self.clone())
    }
}

impl Drop for ThreadPermit {
    fn drop(&mut self) {
        let Permits { free, freed, .. } = &*self.0.0;
        *locked(free) += 1;
        freed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::atomic::{AtomicUsize, Ordering},
        thread,
    };

    use super::*;

    #[test]
    fn never_more_threads_than_permits_compute_and_all_get_their_turn() {
        let threads = ThreadBudget::new(2);
        let (inside, most, done) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let _permit = threads.acquire();
                    most.fetch_max(inside.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    thread::yield_now();
                    inside.fetch_sub(1, Ordering::SeqCst);
                    done.fetch_add(1, Ordering::SeqCst);
                });
            }
        });
        assert!(most.into_inner() <= 2);
        assert_eq!(done.into_inner(), 8);
    }
}
