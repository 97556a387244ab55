//! The options of every search, and the random numbers that follow from them.

use chess::{MOST_MOVES, SearchOptions};
use rand_xoshiro::{Xoshiro256PlusPlus, rand_core::SeedableRng};

use crate::tunables::tunables;

tunables! {
    /// Options that every search reads.
    GeneralOptions

    "MultiPV" multi_pv: u64 = 1 in 1, MOST_MOVES as u64;
    "Lines reported, best first."

    "Hash" hash: u64 = 256 in 1, 8192;
    "Memory in MiB. Tree search uses three quarters of it for the tree and one quarter for evaluations; a full tree forgets what it visited least."

    "Threads" threads: u64 = 1 in 1, 64;
    "Threads that search one tree together, if the search supports it. With more than one thread, a search is not repeatable."

    "SyzygyFastPlay" syzygy_fast_play: bool = true in false, true;
    "In a position that the endgame tables know, consider only the moves that they call best, which wins every won position; off: compare all moves."

    "Seed" seed: u64 = 0 in 0, 18_446_744_073_709_551_615;
    "Seed of temperature, noise and book; the same seed gives the same game. Under UCI, 0 takes another seed for each game."

    "ReportInterval" report_interval: u64 = 1000 in 10, 60000;
    "Milliseconds after which a running search reports even when neither its best move nor its depth has changed."
}

impl GeneralOptions {
    pub(crate) fn bytes(&self) -> usize {
        usize::try_from(self.hash).unwrap_or(usize::MAX).saturating_mul(1 << 20)
    }

    /// The lines to report, at least one.
    pub(crate) fn lines(&self) -> usize {
        usize::try_from(self.multi_pv).unwrap_or(usize::MAX).max(1)
    }

    /// The generator of all random numbers in one game; equal seeds of search and game give the same generator.
    pub(crate) fn random(&self, game_seed: u64) -> Xoshiro256PlusPlus {
        Xoshiro256PlusPlus::seed_from_u64(self.seed ^ game_seed)
    }
}

/// The generator of a search other than PUCT, which keeps its own: it follows the option `Seed` and the seed of the game, as
/// [`chess::Search::reseed`] requires.
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
