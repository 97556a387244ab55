//! Randomness of the searches other than PUCT.

use chess::SearchOptions;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::GeneralOptions;

/// A generator that follows the option `Seed` and the seed of the game, as [`chess::Search::reseed`] wants it.
pub(crate) struct SeededRandom {
    general: GeneralOptions,
    random: Xoshiro256PlusPlus,
}

impl SeededRandom {
    /// At the beginning of the sequence of the options' seed.
    pub(crate) fn new(options: &SearchOptions) -> Self {
        let general = GeneralOptions::read(options);
        let random = general.random(0);
        Self { general, random }
    }

    /// Restarts with only the options' seed.
    pub(crate) fn new_game(&mut self) {
        self.reseed(0);
    }

    /// Restarts with the options' seed and the game's.
    pub(crate) fn reseed(&mut self, seed: u64) {
        self.random = self.general.random(seed);
    }

    /// Restarts if the seed of the options has changed, and otherwise continues.
    pub(crate) fn set_options(&mut self, options: &SearchOptions) {
        let before = std::mem::replace(&mut self.general, GeneralOptions::read(options)).seed;
        if self.general.seed != before {
            self.new_game();
        }
    }

    /// The options that every search reads.
    pub(crate) fn general(&self) -> &GeneralOptions {
        &self.general
    }

    pub(crate) fn generator(&mut self) -> &mut Xoshiro256PlusPlus {
        &mut self.random
    }
}
