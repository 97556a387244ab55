//! Games by the rating of their players: a maximum per rating band, so that the few games of beginners and
//! masters weigh as much as the many between them.

use std::collections::BTreeMap;

use crate::record::GameRecord;

/// Rating points of a band.
const WIDTH: u16 = 100;

/// Counts of stored games by rating band.
#[derive(Debug)]
pub(super) struct RatingBands {
    most: u64,
    games: BTreeMap<u16, u64>,
}

impl RatingBands {
    /// Bands of at most `most` games each.
    pub(super) fn new(most: u64) -> Self {
        Self { most, games: BTreeMap::new() }
    }

    /// True if the game's band has room for another. A game without both ratings belongs to no band.
    pub(super) fn wants(&self, record: &GameRecord) -> bool {
        band(record).is_some_and(|band| self.games.get(&band).is_none_or(|&games| games < self.most))
    }

    /// Counts a game that was stored.
    pub(super) fn count(&mut self, record: &GameRecord) {
        if let Some(band) = band(record) {
            *self.games.entry(band).or_default() += 1;
        }
    }
}

/// The band of the mean rating of both players.
fn band(record: &GameRecord) -> Option<u16> {
    Some(record.white_rating?.midpoint(record.black_rating?) / WIDTH)
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use proptest::{collection::vec, option, prelude::*};

    use crate::{BuildConfig, NoObserver, Split, Store, build, filter::Filters};

    /// Ratings of the players of a game.
    type Ratings = (Option<u16>, Option<u16>);

    /// The ratings of the games that a store built from these games holds, in their order.
    fn stored(games: &[Ratings], most: u64) -> Vec<Ratings> {
        let mut text = String::new();
        for (white, black) in games {
            for (tag, rating) in [("WhiteElo", white), ("BlackElo", black)] {
                if let Some(rating) = rating {
                    let _ = writeln!(text, "[{tag} \"{rating}\"]");
                }
            }
            text += "\n1. e4 *\n\n";
        }
        let folder = tempfile::tempdir().unwrap();
        let (input, output) = (folder.path().join("games.pgn"), folder.path().join("store"));
        std::fs::write(&input, text).unwrap();
        let config = BuildConfig {
            filters: Filters { max_games_per_band: Some(most), ..Filters::default() },
            keep_duplicates: true,
            validation_share: 0.0,
            ..BuildConfig::new(&output, [input])
        };
        match build(&config, &mut NoObserver) {
            Ok(manifest) => assert_eq!(manifest.counts.games + manifest.counts.filtered, games.len() as u64),
            Err(crate::DatasetError::NoSamples { filtered, .. }) => {
                assert_eq!(filtered, games.len() as u64);
                return Vec::new();
            }
            Err(error) => panic!("{error}"),
        }
        let store = Store::open(&output).unwrap();
        let samples = store.row_groups(Split::Train).flat_map(Result::unwrap);
        samples.map(|sample| (sample.white_rating, sample.black_rating)).collect()
    }

    /// The hundred in which the mean of two ratings lies.
    fn hundred((white, black): Ratings) -> Option<u32> {
        Some((u32::from(white?) + u32::from(black?)) / 200)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn every_band_gives_all_its_games_up_to_the_share_and_those_that_come_first(
            games in vec((option::weighted(0.9, 900..1300_u16), option::weighted(0.9, 900..1300_u16)), 1..40),
            most in 1..5_u64,
        ) {
            let expected: Vec<Ratings> = games
                .iter()
                .enumerate()
                .filter(|&(place, &ratings)| {
                    let before = games[..place].iter().filter(|&&other| hundred(other) == hundred(ratings));
                    hundred(ratings).is_some() && (before.count() as u64) < most
                })
                .map(|(_, &ratings)| ratings)
                .collect();
            prop_assert_eq!(stored(&games, most), expected);
        }
    }
}
