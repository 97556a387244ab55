//! Statistics of stores, and of files before a store is made of them.

use crate::games;

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
};

use census::statistics::{SourceStatistics, Statistics};
use chess::{Position as _, Score};
use dataset::{
    BuildConfig, NoObserver, Sample, Split, Store, build,
    source::{input::Location, opening_names::OpeningNames},
};

fn built(folder: &Path, text: &str, change: impl FnOnce(&mut BuildConfig)) -> Store {
    std::fs::write(folder.join("games.pgn"), text).unwrap();
    let mut config = BuildConfig::new(folder.join("store"), [folder.join("games.pgn")]);
    config.validation_share = 0.3;
    change(&mut config);
    build(&config, &mut NoObserver).unwrap();
    Store::open(&config.output).unwrap()
}

fn samples(store: &Store, split: Split) -> Vec<Sample> {
    store.row_groups(split).flat_map(Result::unwrap).collect()
}

const OPENINGS: &str = "eco,eco_name,eco_example,eco_type,eco_group\n\
    C20,King's Pawn Game,1 e4 e5,C,Open\n\
    C25,Vienna Game,1 e4 e5 2 Nc3,C,Open\n\
    A00,Uncommon Opening,\"1 g4, a3\",A,Flank\n";

fn names(folder: &Path, text: &str) -> OpeningNames {
    let path = folder.join("openings");
    std::fs::write(&path, text).unwrap();
    let (names, broken) = OpeningNames::read(&path).unwrap();
    assert_eq!(broken.iter().map(|bad| bad.line).collect::<Vec<_>>(), [4], "{broken:?}");
    names
}

#[test]
fn phases_pieces_lengths_and_legality_are_those_of_the_samples() {
    let folder = tempfile::tempdir().unwrap();
    let store = built(folder.path(), &games::random_games(40, 120, true), |_| {});
    let found = Statistics::count(&store, |_| {}).unwrap();
    let all: Vec<Sample> =
        [Split::Train, Split::Validation].into_iter().flat_map(|split| samples(&store, split)).collect();
    let distinct: HashSet<u64> = all.iter().map(|sample| sample.position.key()).collect();
    assert_eq!(found.distinct_positions, distinct.len() as u64);
    let phases = found.phases;
    assert_eq!(phases.opening + phases.middlegame + phases.endgame, found.positions);
    let early = all.iter().filter(|sample| sample.ply < 20).count() as u64;
    assert!(phases.opening <= early && phases.opening > 0 && phases.middlegame > 0, "{phases:?}");
    assert_eq!((found.legality.illegal_positions, found.legality.illegal_moves), (0, 0));
    for bar in &found.pieces {
        let pieces =
            |sample: &&Sample| sample.chess().unwrap().board().occupied().count() == usize::from(bar.from);
        assert_eq!(bar.count, all.iter().filter(pieces).count() as u64, "{bar:?}");
    }
    assert_eq!(found.lengths.iter().map(|bar| bar.count).sum::<u64>(), found.games);
    for (bars, split) in
        [(&found.training_evaluations, Split::Train), (&found.validation_evaluations, Split::Validation)]
    {
        let centipawns = |sample: &&Sample| matches!(sample.evaluation, Some(Score::Centipawns(_)));
        let expected = samples(&store, split).iter().filter(centipawns).count() as u64;
        assert_eq!(bars.iter().map(|bar| bar.positions).sum::<u64>(), expected);
    }
}

#[test]
fn openings_have_the_name_of_the_longest_line() {
    let folder = tempfile::tempdir().unwrap();
    let text = "[ECO \"C44\"]\n\n1. e4 e5 2. Nc3 Nf6 1-0\n\n1. Nc3 e5 2. e4 Nc6 0-1\n\n1. e4 e5 2. Nf3 *\n\n[ECO \"D00\"]\n\n1. d4 d5 *\n\n1. a3 *\n";
    let names = names(folder.path(), OPENINGS);
    let store = built(folder.path(), text, |_| {});
    let expected = [("C25", "Vienna Game", 2), ("?", "", 1), ("C20", "King's Pawn Game", 1), ("D00", "", 1)];
    let found = Statistics::count_with(&store, Some(&names), |_| {}).unwrap().openings;
    let found: Vec<_> = found.iter().map(|opening| (&*opening.eco, &*opening.name, opening.games)).collect();
    assert_eq!(found, expected, "a transposition counts too");
    let locations = [Location::File(folder.path().join("games.pgn"))];
    let of_source = SourceStatistics::count(&locations, Some(&names), |_| {}, |_| {}).unwrap().openings;
    let found: Vec<_> =
        of_source.iter().map(|opening| (&*opening.eco, &*opening.name, opening.games)).collect();
    assert_eq!(found, expected);
    let tabs = OPENINGS.replace("eco_name,eco_example", "name,pgn").replace(',', "\t").replace('"', "");
    assert_eq!(self::names(folder.path(), &tabs).len(), 2);
}

#[test]
fn repeated_names_rows_and_games_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.csv");
    let text = "id,turns,winner,increment_code,white_rating,black_rating,moves,opening_eco\n\
        a,2,white,15+2,1500,1191,d4 d5,D10\n\
        a,2,white,15+2,1500,1191,d4 d5,D10\n\
        a,2,draw,15+2,1500,1191,d4 Nf6,A45\n\
        b,2,black,15+2,,,d4 d5,D10\n\
        c,2,black,15+2,1500,1191,d4 d4,D10\n";
    std::fs::write(&path, text).unwrap();
    let mut broken = Vec::new();
    let found =
        SourceStatistics::count(&[Location::File(path)], None, |_| {}, |bad| broken.push(bad.line)).unwrap();
    assert_eq!((found.games, found.plies, broken), (4, 8, vec![6]));
    assert_eq!((found.repeated_names, found.repeated_rows, found.repeated_games), (2, 1, 2));
    let results = &found.results;
    assert_eq!((results.white, results.draw, results.black, results.unknown), (2, 1, 1, 0));
    assert_eq!(found.ratings.iter().map(|bar| bar.count).sum::<u64>(), 3);
}

#[test]
fn a_position_is_stored_no_more_often_than_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let text = games::random_games(60, 4, false);
    let whole = built(folder.path(), &text, |_| {});
    let capped = tempfile::tempdir().unwrap();
    let capped = built(capped.path(), &text, |config| config.most_repeats = Some(3));
    let counts = |store: &Store| {
        let mut counts = std::collections::HashMap::<u64, u64>::new();
        for split in [Split::Train, Split::Validation] {
            for sample in samples(store, split) {
                *counts.entry(sample.position.key()).or_default() += 1;
            }
        }
        counts
    };
    let (whole, left) = (counts(&whole), counts(&capped));
    assert!(whole.values().any(|&count| count > 3));
    for (key, count) in &whole {
        assert_eq!(left[key], (*count).min(3));
    }
    let dropped: u64 = whole.values().map(|count| count.saturating_sub(3)).sum();
    assert_eq!(capped.manifest().counts.repeats, dropped);
}

#[test]
fn no_validation_position_is_trained_on_where_leaks_are_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let text = games::random_games(60, 6, false);
    // A position of the evaluation database that also occurs in every game.
    let evaluations = folder.path().join("evaluations.csv");
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
    std::fs::write(&evaluations, format!("fen,line,cp\n{start},e2e4,20\n")).unwrap();
    let leaky = built(folder.path(), &text, |config| config.inputs.push(evaluations.clone()));
    let leaks = Statistics::count(&leaky, |_| {}).unwrap().leaks.positions;
    assert!(leaks > 10, "{leaks}");
    let clean_folder = tempfile::tempdir().unwrap();
    let clean = built(clean_folder.path(), &text, |config| {
        config.inputs.push(evaluations);
        config.without_leaks = true;
    });
    let found = Statistics::count(&clean, |_| {}).unwrap();
    assert_eq!(found.leaks.positions, 0);
    let counts = &clean.manifest().counts;
    assert_eq!(counts.leaks, leaks);
    assert_eq!(counts.positions, leaky.manifest().counts.positions - leaks);
    assert_eq!(
        (counts.validation_positions, counts.positions),
        (found.splits.validation.positions, found.positions)
    );
    assert_eq!(counts.games, found.games + found.single_positions);
    assert_eq!(samples(&clean, Split::Train), samples(&leaky, Split::Train));
    let files: Vec<PathBuf> = clean.path().read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(files.iter().all(|file| !file.to_string_lossy().contains("held-out")), "{files:?}");
    dataset::store::verify(clean.path()).unwrap();
}

#[test]
fn smoothed_evaluations_are_stored_as_search_values() {
    let folder = tempfile::tempdir().unwrap();
    let text = "{ [%eval 0.2] } 1. e4 { [%eval 0.9] } e5 { [%eval 0.1] } 2. Nf3 { [%eval 0.1] } *\n";
    let store = built(folder.path(), text, |config| config.smoothing = 0.5);
    let mut found = [Split::Train, Split::Validation].map(|split| samples(&store, split)).concat();
    found.sort_by_key(|sample| sample.ply);
    let own: Vec<f32> = found
        .iter()
        .map(|sample| dataset::evaluation_to_wdl(sample.evaluation.unwrap()).expected_score())
        .collect();
    let smoothed: Vec<f32> =
        found.iter().map(|sample| sample.search_value.unwrap().wdl().expected_score()).collect();
    let second = 0.5 * own[1] + 0.5 * (1.0 - own[2]);
    let expected = [0.5 * own[0] + 0.5 * (1.0 - second), second, own[2]];
    for (found, expected) in smoothed.iter().zip(expected) {
        assert!((found - expected).abs() < 2e-4, "{smoothed:?} {expected:?}");
    }
    assert_eq!(store.manifest().settings.smoothing, 0.5);
}

#[test]
fn s1_k11_held_out_positions_that_are_learned_from_are_counted() {
    let directory = tempfile::tempdir().unwrap();
    // All games start alike: the first position of each held-out game is also learned from, and of some the second.
    let store = built(directory.path(), &games::random_games(60, 3, false), |_| {});
    let fens = |split| -> Vec<String> {
        let fen = |sample: &Sample| {
            use chess::shakmaty::{EnPassantMode, fen::Epd};
            Epd::from_position(&sample.chess().unwrap(), EnPassantMode::Legal).to_string()
        };
        samples(&store, split).iter().map(fen).collect()
    };
    let learned: HashSet<String> = fens(Split::Train).into_iter().collect();
    let held_out = fens(Split::Validation);
    let expected = held_out.iter().filter(|fen| learned.contains(*fen)).count();
    let leaks = Statistics::count(&store, |_| {}).unwrap().leaks;
    assert_eq!(leaks.positions, expected as u64);
    assert!(expected >= 10 && expected < held_out.len(), "{expected} of {}", held_out.len());
    assert!((leaks.share - expected as f64 / held_out.len() as f64).abs() < 1e-12);
}

#[test]
#[ignore = "needs TABIYA_DATA"]
fn real_data_statistics_of_20_058_lichess_games_are_those_of_their_project() {
    let data = std::env::var_os("TABIYA_DATA").expect("TABIYA_DATA names the folder of real data");
    let locations = [Location::File(Path::new(&data).join("seeds/cogs188-lichess-games.csv"))];
    let counted = SourceStatistics::count(&locations, None, |_| {}, |_| {}).unwrap();
    let results = &counted.results;
    assert_eq!((counted.games, counted.plies), (20_058, 1_212_827));
    assert_eq!((results.white, results.draw, results.black), (10_001, 950, 9_107));
    assert_eq!((counted.repeated_names, counted.repeated_rows), (945, 429));
}
