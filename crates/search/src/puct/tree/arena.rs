//! Memory that grows without moving, so that threads can keep reading it.
//!
//! A vector would move when it grows, under the references of other threads. Here the table of chunks has its final length from
//! the start, only chunks are allocated later, each once: `OnceLock` publishes a chunk to all threads. `used` is relaxed because
//! it hands out numbers and publishes nothing: what is stored under a number becomes visible with the edge that holds the number.

use std::sync::{
    OnceLock,
    atomic::{AtomicU32, Ordering},
};

/// Items in chunks that are allocated when they are first needed and stay where they are.
pub(crate) struct Arena<T> {
    chunks: Box<[OnceLock<Box<[T]>>]>,
    chunk_bits: u32,
    used: AtomicU32,
}

impl<T: Default> Arena<T> {
    /// Room for `items`, in chunks of `1 << chunk_bits`.
    pub(crate) fn new(items: usize, chunk_bits: u32) -> Self {
        let chunks = (items >> chunk_bits) + 1;
        Self { chunks: (0..chunks).map(|_| OnceLock::new()).collect(), chunk_bits, used: AtomicU32::new(0) }
    }

    /// The item with this number, which must have been handed out by [`Arena::grow`].
    pub(crate) fn get(&self, index: u32) -> &T {
        &self.chunk(index)[(index & self.mask()) as usize]
    }

    /// `count` items from `first` on, all from one slab.
    pub(crate) fn run(&self, first: u32, count: usize) -> &[T] {
        &self.chunk(first)[(first & self.mask()) as usize..][..count]
    }

    /// Allocates `count` items that were not allocated since the last [`Arena::clear`]. `count` divides the size of a chunk and is
    /// always the same.
    ///
    /// # Panics
    /// If the room given to [`Arena::new`] is exceeded.
    pub(crate) fn grow(&self, count: u32) -> u32 {
        let first = self.used.fetch_add(count, Ordering::Relaxed);
        let size = 1_usize << self.chunk_bits;
        self.chunks[(first >> self.chunk_bits) as usize]
            .get_or_init(|| std::iter::repeat_with(T::default).take(size).collect());
        first
    }

    pub(crate) fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed) as usize
    }

    /// Takes everything back and keeps the memory.
    pub(crate) fn clear(&mut self) {
        *self.used.get_mut() = 0;
    }

    fn chunk(&self, index: u32) -> &[T] {
        self.chunks[(index >> self.chunk_bits) as usize].get().expect("numbers come from `grow`")
    }

    fn mask(&self) -> u32 {
        (1 << self.chunk_bits) - 1
    }
}
