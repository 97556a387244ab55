//! Facts about games, each counted once, from samples that mostly follow each other by game.

use std::{collections::HashMap, path::Path};

use dataset::{
    DatasetError, Sample, Split, Store,
    key_set::KeySet,
    record::Eco,
    source::opening_names::{Opening, OpeningNames},
};

use crate::statistics::{
    Bar, GameResults, OpeningShare, RatingBar, Ratings,
    bars::Histogram,
    groups::{by_frequency, code_and_name},
};

/// Width of a bar of the rating histogram.
pub(crate) const RATING_STEP: u16 = 100;

/// Width of a bar of the lengths.
pub(crate) const LENGTH_STEP: u16 = 20;

/// Counts the games of a store.
pub(super) struct GameCounter<'a> {
    names: Option<&'a OpeningNames>,
    /// Hashes of the games of either split.
    seen: [KeySet; 2],
    current: Option<CurrentGame<'a>>,
    results: GameResults,
    ratings: Histogram,
    unrated: u64,
    lengths: Histogram,
    /// Games by code and name: no more than there are codes and names.
    openings: HashMap<(String, String), u64>,
}

/// The game whose samples are being counted.
struct CurrentGame<'a> {
    hash: u64,
    is_new: bool,
    last_ply: u16,
    eco: Option<Eco>,
    /// The opening with the longest line so far.
    opening: Option<&'a Opening>,
}

impl<'a> GameCounter<'a> {
    pub(super) fn new(folder: &Path, names: Option<&'a OpeningNames>) -> Self {
        Self {
            names,
            seen: [KeySet::new(folder), KeySet::new(folder)],
            current: None,
            results: GameResults::default(),
            ratings: Histogram::new(RATING_STEP),
            unrated: 0,
            lengths: Histogram::new(LENGTH_STEP),
            openings: HashMap::new(),
        }
    }

    /// Counts the sample of a game. All samples of the training split come before those of the validation split.
    pub(super) fn add(
        &mut self,
        store: &Store,
        split: Split,
        hash: u64,
        sample: &Sample,
    ) -> Result<(), DatasetError> {
        if self.current.as_ref().is_none_or(|game| game.hash != hash) {
            self.finish_game();
            // Samples of a game follow each other, except in stores that a query ordered: there a game may come back, and its later parts are
            // left out.
            let is_new = self.seen[split as usize].insert(hash)?;
            // A game in both splits would be learned and then predicted; its hash decides its split, so the store is
            // damaged.
            if split == Split::Validation && is_new && self.seen[Split::Train as usize].contains(hash)? {
                let found = format!("game {hash:016x} in both splits");
                return Err(store.contradiction(found, "every game in one split".into()));
            }
            if is_new {
                self.count(sample);
            }
            self.current = Some(CurrentGame { hash, is_new, last_ply: 0, eco: sample.eco, opening: None });
        }
        if let Some(game) = &mut self.current {
            game.last_ply = game.last_ply.max(sample.ply);
            if let Some(opening) = self.names.and_then(|names| names.at(&sample.position))
                && opening.plies > game.opening.map_or(0, |longest| longest.plies)
            {
                game.opening = Some(opening);
            }
        }
        Ok(())
    }

    fn count(&mut self, sample: &Sample) {
        self.results.add(sample.result.map(|result| result.winner(sample.position.turn())));
        match mean_rating(sample.white_rating, sample.black_rating) {
            Some(rating) => self.ratings.add(rating),
            None => self.unrated += 1,
        }
    }

    /// Counts the properties known only after a game's last sample.
    pub(super) fn finish_game(&mut self) {
        let Some(game) = self.current.take().filter(|game| game.is_new) else { return };
        // The last sample's own move counts too. Moves after it are unknown, so a sampled game may seem shorter.
        self.lengths.add(game.last_ply.saturating_add(1));
        *self.openings.entry(code_and_name(game.opening, game.eco)).or_default() += 1;
    }

    pub(super) fn games(&self, split: Split) -> u64 {
        self.seen[split as usize].count()
    }

    pub(super) fn results(&self) -> GameResults {
        self.results.clone()
    }

    pub(super) fn ratings(&self) -> Ratings {
        let bars = self.ratings.bars().into_iter().map(|bar| RatingBar { from: bar.from, games: bar.count });
        Ratings { unknown: self.unrated, bars: bars.collect() }
    }

    pub(super) fn lengths(&self) -> Vec<Bar> {
        self.lengths.bars()
    }

    /// The openings, most frequent first.
    pub(super) fn openings(&self) -> Vec<OpeningShare> {
        by_frequency(&self.openings)
    }
}

/// The mean of the known ratings.
pub(super) fn mean_rating(white: Option<u16>, black: Option<u16>) -> Option<u16> {
    match (white, black) {
        (Some(white), Some(black)) => Some(white.midpoint(black)),
        (known, None) | (None, known) => known,
    }
}
