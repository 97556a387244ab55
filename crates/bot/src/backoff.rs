//! Pauses between attempts to connect.

use std::time::Duration;

use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Pauses that double up to a limit. Each is shortened at random by up to a half, so that many bots do not reconnect together.
#[derive(Clone, Debug)]
pub(crate) struct Backoff {
    first: Duration,
    longest: Duration,
    next: Duration,
    random: Xoshiro256PlusPlus,
}

impl Backoff {
    pub(crate) fn new((first, longest): (Duration, Duration), seed: u64) -> Self {
        Self { first, longest, next: first, random: Xoshiro256PlusPlus::seed_from_u64(seed) }
    }

    pub(crate) fn pause(&mut self) -> Duration {
        let pause = self.next.min(self.longest);
        self.next = pause.saturating_mul(2);
        pause.mul_f64(self.random.random_range(0.5..=1.0))
    }

    /// The connection works: the next pause is the first one again.
    pub(crate) fn reset(&mut self) {
        self.next = self.first;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_the_limit_and_begin_again_after_success() {
        let seconds = |seconds| Duration::from_secs(seconds);
        let mut backoff = Backoff::new((seconds(1), seconds(10)), 1);
        for whole in [1, 2, 4, 8, 10, 10] {
            let pause = backoff.pause();
            assert!(pause <= seconds(whole) && pause * 2 >= seconds(whole), "{pause:?} of {whole}");
        }
        backoff.reset();
        assert!(backoff.pause() <= seconds(1));
    }
}
