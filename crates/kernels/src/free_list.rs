//! Buffers shared by threads.

use std::sync::{Mutex, PoisonError};

/// The buffers not currently in use. A thread takes one while it computes, so there are as many buffers as threads have
/// ever computed at once.
///
/// The lock is held to take and to return a buffer, never while `run` computes. A thread of a rayon pool that waits inside `run`
/// may steal a task that comes here again, on the same thread: a lock around `run` would deadlock, and a thread-local buffer
/// would be borrowed twice. Such a thread has two buffers. The last buffer returned is the first taken, because it may still be
/// in a cache.
#[derive(Debug)]
pub struct FreeList<T>(Mutex<Vec<T>>);

impl<T> FreeList<T> {
    /// Calls `run` with a free buffer, or a new one if there is none. The buffer is lost if `run` panics.
    pub fn with<R>(&self, new: impl FnOnce() -> T, run: impl FnOnce(&mut T) -> R) -> R {
        let free = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = free().pop();
        let mut buffer = found.unwrap_or_else(new);
        let result = run(&mut buffer);
        free().push(buffer);
        result
    }
}

impl<T> Default for FreeList<T> {
    fn default() -> Self {
        Self(Mutex::new(Vec::new()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_is_used_again() {
        let list = FreeList::default();
        let use_one = || list.with(|| 0, |uses| std::mem::replace(uses, *uses + 1));
        assert_eq!([use_one(), use_one(), use_one()], [0, 1, 2]);
        // While one is in use, another thread gets a new one.
        assert_eq!(list.with(|| 0, |_| use_one()), 0);
    }
}
