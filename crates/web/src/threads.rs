//! How many searches may run at the same time.

use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// A number of places for threads that compute; whoever finds none waits its turn.
#[derive(Clone, Debug)]
pub(crate) struct Places(Arc<(Mutex<usize>, Condvar)>);

/// A taken place, given back when dropped.
#[derive(Debug)]
pub(crate) struct Place(Places);

impl Places {
    pub(crate) fn new(number: usize) -> Self {
        Self(Arc::new((Mutex::new(number), Condvar::new())))
    }

    /// Waits for a place and takes it.
    pub(crate) fn take(&self) -> Place {
        let (free, freed) = &*self.0;
        let mut free = free.lock().unwrap_or_else(PoisonError::into_inner);
        while *free == 0 {
            free = freed.wait(free).unwrap_or_else(PoisonError::into_inner);
        }
        *free -= 1;
        Place(self.clone())
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let (free, freed) = &*self.0.0;
        *free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
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
    fn never_more_threads_than_places_compute_and_all_get_their_turn() {
        let places = Places::new(2);
        let (inside, most, done) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let _place = places.take();
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
