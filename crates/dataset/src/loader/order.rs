//! The order of the samples of an epoch, known without reading any of them.
//!
//! ```text
//! hash(seed, epoch)          -> order of the row groups
//! hash(that, window number)  -> permutation of the samples of a window
//! ```
//!
//! No generator of random numbers lives longer than one shuffle. So the order is a function of seed and place: a run that resumes
//! at (epoch, batch) computes which window holds its next sample from the row counts in the manifest ([`EpochOrder::locate`]) and
//! reads nothing before it. A generator that ran on through the epoch would have to be part of every checkpoint, in the state of
//! the batch that was trained last and not of the one that the reading threads have reached.
//!
//! Two levels, because a row group is compressed and read as a whole: its samples, mostly neighbours from the same games, are
//! mixed with those of the other row groups of their window, whose choice changes from epoch to epoch. A larger window mixes
//! better and costs memory.
//!
//! Batch size, threads and prefetching do not enter. What does: the seed, `shuffle_window`, the row groups of the store, and the
//! algorithms of `rand`'s `shuffle`, Xoshiro and XXH3. A change of any of these gives old checkpoints another order, without an
//! error: the hash of the store is compared on resuming, the versions of packages are not.

use std::ops::Range;

use rand::{SeedableRng as _, seq::SliceRandom as _};
use rand_xoshiro::Xoshiro256PlusPlus;
use xxhash_rust::xxh3::Xxh3;

use super::LoaderConfig;
use crate::{Split, store::RowGroup};

/// Row groups in reading order, and how they are put together into windows.
#[derive(Clone, Debug)]
pub(super) struct EpochOrder {
    seed: u64,
    /// Samples that are shuffled with each other.
    window: usize,
    /// True if the samples of a window are shuffled.
    is_shuffled: bool,
    groups: Vec<RowGroup>,
    windows: Vec<ShuffleWindow>,
}

/// Row groups whose samples are shuffled with each other.
#[derive(Clone, Debug)]
struct ShuffleWindow {
    groups: Range<usize>,
    /// Place of the samples in the stream.
    samples: Range<u64>,
}

impl EpochOrder {
    /// The order of an epoch. Validation has one order for all seeds and epochs; it is shuffled as well, so the
    /// first batches are already a fair choice of games.
    pub(super) fn new(groups: &[RowGroup], config: &LoaderConfig, epoch: u64) -> Self {
        let seed = match config.split {
            Split::Train => mix(&[config.seed, epoch]),
            Split::Validation => 0,
        };
        let mut groups = groups.to_vec();
        groups.shuffle(&mut Xoshiro256PlusPlus::seed_from_u64(seed));
        let windows = cut_windows(&groups, config.shuffle_window);
        Self { seed, window: config.shuffle_window, is_shuffled: true, groups, windows }
    }

    /// These row groups in stored order, one window each.
    pub(super) fn stored(&self, groups: &[RowGroup]) -> Self {
        let (groups, window) = (groups.to_vec(), 1);
        let windows = cut_windows(&groups, window);
        Self { seed: self.seed, window, is_shuffled: false, groups, windows }
    }

    /// Every `parts`-th row group, beginning with number `part`.
    pub(super) fn part(&self, part: usize, parts: usize) -> Self {
        let groups: Vec<RowGroup> = self.groups.iter().skip(part).step_by(parts).cloned().collect();
        let windows = cut_windows(&groups, self.window);
        Self { groups, windows, ..*self }
    }

    pub(super) fn samples(&self) -> u64 {
        self.windows.last().map_or(0, |window| window.samples.end)
    }

    /// Decides everything random in this epoch.
    pub(super) fn seed(&self) -> u64 {
        self.seed
    }

    pub(super) fn windows(&self) -> usize {
        self.windows.len()
    }

    /// The window that holds the sample at a place of the stream, and the sample's place in the window.
    pub(super) fn locate(&self, sample: u64) -> (usize, usize) {
        let window = self.windows.partition_point(|window| window.samples.end <= sample);
        let start = self.windows.get(window).map_or(sample, |window| window.samples.start);
        (window, (sample - start) as usize)
    }

    /// The row groups of a window, in the order in which their samples are put together.
    pub(super) fn groups(&self, window: usize) -> &[RowGroup] {
        &self.groups[self.windows[window].groups.clone()]
    }

    pub(super) fn permutation(&self, window: usize) -> Vec<u32> {
        let samples = &self.windows[window].samples;
        let mut order: Vec<u32> = (0..(samples.end - samples.start) as u32).collect();
        if self.is_shuffled {
            order.shuffle(&mut Xoshiro256PlusPlus::seed_from_u64(mix(&[self.seed, window as u64])));
        }
        order
    }
}

/// Cuts the row groups into windows of at least `least` samples, except the last.
fn cut_windows(groups: &[RowGroup], least: usize) -> Vec<ShuffleWindow> {
    let mut windows = Vec::new();
    let mut window = ShuffleWindow { groups: 0..0, samples: 0..0 };
    for (index, group) in groups.iter().enumerate() {
        window.groups.end = index + 1;
        window.samples.end += group.rows as u64;
        if window.samples.end - window.samples.start >= least as u64 {
            let next = ShuffleWindow {
                groups: window.groups.end..window.groups.end,
                samples: window.samples.end..window.samples.end,
            };
            windows.push(std::mem::replace(&mut window, next));
        }
    }
    if !window.groups.is_empty() {
        windows.push(window);
    }
    windows
}

/// One seed from several numbers, far from the seeds of neighbouring numbers.
fn mix(numbers: &[u64]) -> u64 {
    let mut hasher = Xxh3::new();
    for number in numbers {
        hasher.update(&number.to_le_bytes());
    }
    hasher.digest()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn config(split: Split, seed: u64, shuffle_window: usize) -> LoaderConfig {
        LoaderConfig { split, batch_size: 1, seed, shuffle_window, threads: 1, prefetch: 1 }
    }

    fn groups(rows: &[usize]) -> Vec<RowGroup> {
        let group = |(index, &rows)| RowGroup { file: index / 3, index: index % 3, rows, part: None };
        rows.iter().enumerate().map(group).collect()
    }

    /// Every sample of an epoch as row group and row, in the order of the epoch.
    fn stream(order: &EpochOrder) -> Vec<((usize, usize), usize)> {
        let mut stream = Vec::new();
        for window in 0..order.windows() {
            let rows = |group: &RowGroup| {
                let place = (group.file, group.index);
                (0..group.rows).map(move |row| (place, row))
            };
            let samples: Vec<_> = order.groups(window).iter().flat_map(rows).collect();
            stream.extend(order.permutation(window).into_iter().map(|place| samples[place as usize]));
        }
        stream
    }

    proptest! {
        #[test]
        fn every_sample_of_every_row_group_comes_once_an_epoch(
            rows in prop::collection::vec(1..40_usize, 1..12),
            window in 1..100_usize,
            (seed, epoch) in (any::<u64>(), any::<u64>()),
        ) {
            let groups = groups(&rows);
            for split in [Split::Train, Split::Validation] {
                let order = EpochOrder::new(&groups, &config(split, seed, window), epoch);
                let stream = stream(&order);
                prop_assert_eq!(order.samples(), stream.len() as u64);
                let mut sorted = stream.clone();
                sorted.sort_unstable();
                sorted.dedup();
                prop_assert_eq!((sorted.len(), stream.len()), (rows.iter().sum(), sorted.len()));
                for place in 0..stream.len() {
                    let (window, inside) = order.locate(place as u64);
                    prop_assert!(inside < order.permutation(window).len());
                }
            }
        }
    }

    proptest! {
        #[test]
        fn parts_have_every_sample_once_between_them(
            rows in prop::collection::vec(1..40_usize, 0..12),
            window in 1..100_usize,
            (parts, is_stored) in (1..5_usize, any::<bool>()),
        ) {
            let groups = groups(&rows);
            let whole = || {
                let order = EpochOrder::new(&groups, &config(Split::Train, 3, window), 1);
                if is_stored { order.stored(&groups) } else { order }
            };
            let mut found = Vec::new();
            for part in 0..parts {
                let order = whole().part(part, parts);
                let samples = stream(&order);
                prop_assert_eq!(order.samples(), samples.len() as u64);
                found.extend(samples);
            }
            let mut expected = stream(&whole());
            found.sort_unstable();
            expected.sort_unstable();
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn the_stored_order_is_that_of_the_files() {
        let groups = groups(&[3, 5, 2]);
        let order = EpochOrder::new(&groups, &config(Split::Train, 3, 100), 1).stored(&groups);
        let found = stream(&order);
        assert_eq!(found.len(), 10);
        assert!(found.is_sorted(), "{found:?}");
    }

    #[test]
    fn an_epoch_begins_anywhere_in_the_store() {
        let groups = groups(&[8; 100]);
        let firsts: std::collections::HashSet<_> = (0..50)
            .map(|epoch| stream(&EpochOrder::new(&groups, &config(Split::Train, 1, 8), epoch))[0].0)
            .collect();
        assert!(firsts.len() > 25, "{} row groups begin 50 epochs", firsts.len());
    }
}
