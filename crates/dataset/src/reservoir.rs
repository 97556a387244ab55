//! A sample of a stream of unknown length, in memory bounded by the size of the sample.

use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Chosen. Another seed would measure on other positions of the same file.
const SEED: u64 = 1;

/// A uniform random sample, the same in every run: reservoir sampling, algorithm R of Vitter (ACM Transactions on Mathematical
/// Software 11, 1985).
#[derive(Debug)]
pub struct Reservoir<T> {
    /// `None`: everything is kept.
    size: Option<usize>,
    offered: usize,
    kept: Vec<(usize, T)>,
    random: Xoshiro256PlusPlus,
}

impl<T> Reservoir<T> {
    /// Keeps `size` of the items offered, or everything.
    pub fn new(size: Option<usize>) -> Self {
        Self { size, offered: 0, kept: Vec::new(), random: Xoshiro256PlusPlus::seed_from_u64(SEED) }
    }

    /// Offers the next item of the stream; `make` is called only if it is kept.
    pub fn offer(&mut self, make: impl FnOnce() -> T) {
        let number = self.offered;
        self.offered += 1;
        if self.size.is_none_or(|size| self.kept.len() < size) {
            self.kept.push((number, make()));
        } else if let Some(kept) = self.kept.get_mut(self.random.random_range(..self.offered)) {
            // Algorithm R (Vitter 1985): the n-th is kept with probability size / n and replaces a random one.
            *kept = (number, make());
        }
    }

    /// The sample, in the order of the stream.
    pub fn into_sample(mut self) -> Vec<T> {
        // Positions of one game must stay together for intervals by game.
        self.kept.sort_unstable_by_key(|(number, _)| *number);
        self.kept.into_iter().map(|(_, one)| one).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(of: usize, size: Option<usize>) -> Vec<usize> {
        let mut reservoir = Reservoir::new(size);
        (0..of).for_each(|number| reservoir.offer(|| number));
        reservoir.into_sample()
    }

    #[test]
    fn samples_have_their_size_and_the_order_of_the_stream() {
        assert_eq!(sample(4, None), [0, 1, 2, 3]);
        assert_eq!(sample(4, Some(9)), [0, 1, 2, 3]);
        assert!(sample(0, Some(3)).is_empty());
        let found = sample(10_000, Some(100));
        assert!(found.len() == 100 && found.is_sorted() && found == sample(10_000, Some(100)));
    }

    #[test]
    fn early_and_late_are_equally_likely() {
        let found = sample(100_000, Some(10_000));
        for tenth in 0..10 {
            let inside = found.iter().filter(|&&number| number / 10_000 == tenth).count();
            // A binomial share of 0.1 of 10,000: five standard deviations are 150.
            assert!((850..1150).contains(&inside), "{inside} in tenth {tenth}");
        }
    }
}
