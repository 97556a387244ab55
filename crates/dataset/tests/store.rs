//! From PGN text to a store and from the store to batches.

use crate::games;

use std::{
    collections::{HashMap, HashSet},
    path::{Path, PathBuf},
};

use chess::{
    Position as _,
    encoding::{input::input_encoding, moves::move_encoding},
};
use dataset::{
    Batch, BuildConfig, DatasetError, Loader, LoaderConfig, LoaderState, Manifest, NoObserver, OriginWeights,
    Sample, SampleWeights, Split, Store, build, record::Origin,
};

fn store_of(
    directory: &Path,
    text: &str,
    change: impl FnOnce(&mut BuildConfig),
) -> Result<Manifest, DatasetError> {
    let input = directory.join("games.pgn");
    std::fs::write(&input, text).unwrap();
    let mut config = BuildConfig::new(directory.join("store"), [input]);
    config.validation_share = 0.2;
    change(&mut config);
    build(&config, &mut NoObserver)
}

fn open(directory: &Path) -> Store {
    Store::open(&directory.join("store")).unwrap()
}

fn samples(store: &Store, split: Split) -> Vec<Sample> {
    store.row_groups(split).flat_map(Result::unwrap).collect()
}

fn config(split: Split) -> LoaderConfig {
    LoaderConfig { split, batch_size: 64, seed: 7, shuffle_window: 1000, threads: 2, prefetch: 3 }
}

fn loader(store: &Store, config: LoaderConfig, state: LoaderState) -> Loader {
    let input = input_encoding("tabiya").unwrap();
    Loader::new(store, input, move_encoding("lc0-1858").unwrap(), config, state).unwrap()
}

fn batches(store: &Store, config: LoaderConfig, state: LoaderState) -> Vec<Batch> {
    loader(store, config, state).map(Result::unwrap).collect()
}

#[test]
fn the_hash_names_the_content_wherever_the_games_stood() {
    let text = |games| (0..games).map(|seed| games::random_pgn(seed, 30, true)).collect::<String>();
    let [here, there, other] = [(); 3].map(|()| tempfile::tempdir().unwrap());
    for folder in [&here, &there] {
        store_of(folder.path(), &text(40), |_| {}).unwrap();
    }
    store_of(other.path(), &text(39), |_| {}).unwrap();
    let hashes = [&here, &there, &other].map(|folder| open(folder.path()).hash());
    assert_eq!(hashes[0], hashes[1]);
    assert_ne!(hashes[0], hashes[2]);
}

/// A fingerprint of every sample of some batches: planes, moves and labels.
fn fingerprints(batches: &[Batch]) -> HashMap<String, usize> {
    let mut prints = HashMap::new();
    for batch in batches {
        for row in 0..batch.size {
            let planes = row * batch.plane_count..(row + 1) * batch.plane_count;
            let moves = batch.legal_offsets[row] as usize..batch.legal_offsets[row + 1] as usize;
            let print = format!(
                "{:?} {:?} {:?} {:?} {:?} {:?}",
                &batch.planes[planes],
                &batch.legal_indices[moves.clone()],
                &batch.policy[moves],
                batch.evaluations[row],
                batch.results[row],
                batch.stages[row]
            );
            *prints.entry(print).or_default() += 1;
        }
    }
    prints
}

#[test]
fn the_store_holds_what_the_games_say() {
    let directory = tempfile::tempdir().unwrap();
    let manifest = store_of(directory.path(), &games::random_games(60, 80, true), |_| {}).unwrap();
    let store = open(directory.path());
    let train = samples(&store, Split::Train);
    let validation = samples(&store, Split::Validation);
    assert_eq!(manifest.counts.games, 60);
    assert_eq!(manifest.counts.positions, (train.len() + validation.len()) as u64);
    assert_eq!(manifest.counts.validation_positions, validation.len() as u64);
    assert_eq!(store.positions(Split::Train), train.len() as u64);
    let games_of = |samples: &[Sample]| samples.iter().map(|sample| sample.game).collect::<HashSet<_>>();
    assert!(games_of(&train).is_disjoint(&games_of(&validation)), "a game lies on both sides of the split");
    assert!(!validation.is_empty());
    assert!(train.iter().all(|sample| sample.evaluation.is_some()));
}

#[test]
fn batches_are_the_same_whatever_the_number_of_threads() {
    let directory = tempfile::tempdir().unwrap();
    store_of(directory.path(), &games::random_games(60, 80, true), |_| {}).unwrap();
    let store = open(directory.path());
    let one = batches(
        &store,
        LoaderConfig { threads: 1, prefetch: 1, ..config(Split::Train) },
        LoaderState::default(),
    );
    let four = batches(
        &store,
        LoaderConfig { threads: 4, prefetch: 9, ..config(Split::Train) },
        LoaderState::default(),
    );
    assert_eq!(one, four);
    let other_seed =
        batches(&store, LoaderConfig { seed: 8, ..config(Split::Train) }, LoaderState::default());
    assert_ne!(one, other_seed);
    let other_epoch = batches(&store, config(Split::Train), LoaderState { epoch: 1, batch: 0 });
    assert_ne!(one, other_epoch);
}

#[test]
fn a_loader_resumed_anywhere_goes_on_with_the_very_next_batch() {
    let directory = tempfile::tempdir().unwrap();
    store_of(directory.path(), &games::random_games(60, 80, false), |_| {}).unwrap();
    let store = open(directory.path());
    for split in [Split::Train, Split::Validation] {
        let whole = batches(&store, config(split), LoaderState { epoch: 3, batch: 0 });
        let mut running = loader(&store, config(split), LoaderState { epoch: 3, batch: 0 });
        for done in 0..whole.len() {
            assert_eq!(running.state(), LoaderState { epoch: 3, batch: done as u64 });
            let resumed = batches(&store, config(split), running.state());
            assert_eq!(resumed[..], whole[done..], "{split:?} resumed after {done}");
            running.next().unwrap().unwrap();
        }
        assert_eq!(running.state(), LoaderState { epoch: 4, batch: 0 });
        assert!(running.next().is_none());
    }
}

#[test]
fn about_half_of_the_samples_without_castling_rights_are_mirrored() {
    let directory = tempfile::tempdir().unwrap();
    store_of(directory.path(), &games::random_games(60, 120, false), |config| config.history = 2).unwrap();
    let store = open(directory.path());
    let by_key: HashMap<u64, Sample> =
        samples(&store, Split::Train).into_iter().map(|sample| (sample.position.key(), sample)).collect();
    let start = LoaderState::default();
    let keys = |loader: Loader| -> Vec<u64> { loader.flat_map(|batch| batch.unwrap().keys).collect() };
    let plain = keys(loader(&store, config(Split::Train), start));
    let mirrored = keys(loader(&store, config(Split::Train), start).with_mirroring());
    let (mut turned, mut free) = (0, 0);
    for (before, after) in plain.iter().zip(&mirrored) {
        let other = by_key[before].mirrored().map(|sample| sample.position.key());
        free += usize::from(other.is_some());
        turned += usize::from(before != after);
        assert!(before == after || Some(*after) == other, "neither the sample nor its mirror image");
    }
    assert!(free > 500 && (4 * free..6 * free).contains(&(10 * turned)), "{turned} of {free}");
    let again = keys(loader(&store, config(Split::Train), start).with_mirroring());
    assert_eq!(again, mirrored);
    let validation = keys(loader(&store, config(Split::Validation), start));
    assert_eq!(keys(loader(&store, config(Split::Validation), start).with_mirroring()), validation);
}

#[test]
fn an_epoch_holds_every_sample_exactly_once() {
    let directory = tempfile::tempdir().unwrap();
    store_of(directory.path(), &games::random_games(60, 80, true), |_| {}).unwrap();
    let store = open(directory.path());
    let size = store.positions(Split::Train) as usize;
    // One batch of everything in stored order, as the reference: a window as large as the split, unshuffled, is the same set.
    let all =
        batches(&store, LoaderConfig { batch_size: size, ..config(Split::Train) }, LoaderState::default());
    let whole = fingerprints(&all);
    assert_eq!(whole.values().sum::<usize>(), size);
    let epoch = batches(
        &store,
        LoaderConfig { batch_size: 1, ..config(Split::Train) },
        LoaderState { epoch: 5, batch: 0 },
    );
    assert_eq!(fingerprints(&epoch), whole);
    let rows: usize = batches(&store, config(Split::Validation), LoaderState::default())
        .iter()
        .map(|batch| batch.size)
        .sum();
    assert_eq!(rows as u64, store.positions(Split::Validation));
    let full = batches(&store, config(Split::Train), LoaderState::default());
    assert!(full.iter().all(|batch| batch.size == 64));
    assert_eq!(full.len(), size / 64);
}

#[test]
fn the_stored_order_is_that_of_the_rows_to_the_last() {
    let directory = tempfile::tempdir().unwrap();
    store_of(directory.path(), &games::random_games(20, 40, true), |_| {}).unwrap();
    let store = open(directory.path());
    for split in Split::ALL {
        let loader = loader(&store, config(split), LoaderState::default()).in_stored_order();
        let count = loader.batches_per_epoch();
        let batches: Vec<Batch> = loader.map(Result::unwrap).collect();
        assert_eq!(batches.len() as u64, count);
        let keys: Vec<u64> = batches.into_iter().flat_map(|batch| batch.keys).collect();
        let rows: Vec<u64> = samples(&store, split).iter().map(|sample| sample.position.key()).collect();
        assert_eq!(keys, rows);
    }
}

/// Squares of the mover's and of the other king and the number of pieces, as the mover sees the board, its king on files a to d.
fn neighbourhood(sample: &Sample) -> (u32, u32, usize) {
    let position = sample.chess().unwrap();
    let (board, turn) = (position.board(), position.turn());
    let seen = |square: chess::Square| if turn.is_white() { square } else { square.flip_vertical() };
    let [own, other] = [turn, !turn].map(|color| seen(board.king_of(color).unwrap()));
    let seen = |square: chess::Square| {
        if own.file() > chess::shakmaty::File::D { square.flip_horizontal() } else { square }
    };
    (u32::from(seen(own)), u32::from(seen(other)), board.occupied().count())
}

#[test]
fn similar_positions_of_a_batch_can_stand_together() {
    let directory = tempfile::tempdir().unwrap();
    store_of(directory.path(), &games::random_games(60, 80, true), |_| {}).unwrap();
    let store = open(directory.path());
    let by_key: HashMap<u64, Sample> =
        samples(&store, Split::Train).into_iter().map(|sample| (sample.position.key(), sample)).collect();
    let plain = batches(&store, config(Split::Train), LoaderState::default());
    let sorted = |threads, batch| -> Vec<Batch> {
        let state = LoaderState { epoch: 0, batch };
        let loader = loader(&store, LoaderConfig { threads, ..config(Split::Train) }, state);
        loader.with_similar_positions_together().map(Result::unwrap).collect()
    };
    let found = sorted(1, 0);
    assert_eq!(found.len(), plain.len());
    for (found, plain) in found.iter().zip(&plain) {
        let fingerprint = |batch: &Batch| fingerprints(std::slice::from_ref(batch));
        assert_eq!(fingerprint(found), fingerprint(plain));
        assert_ne!(found.keys, plain.keys);
        let neighbourhoods: Vec<_> = found.keys.iter().map(|key| neighbourhood(&by_key[key])).collect();
        assert!(neighbourhoods.is_sorted(), "{neighbourhoods:?}");
    }
    assert_eq!(sorted(4, 0), found);
    assert_eq!(sorted(2, 3), found[3..]);
}

#[test]
fn parts_of_an_epoch_have_its_samples_between_them() {
    let directory = tempfile::tempdir().unwrap();
    store_of(directory.path(), &games::random_games(20, 40, true), |_| {}).unwrap();
    let store = open(directory.path());
    let one = LoaderConfig { batch_size: 1, ..config(Split::Train) };
    let part = |number| {
        let loader = loader(&store, one.clone(), LoaderState::default()).with_part(number, 3);
        loader.unwrap().map(Result::unwrap).collect::<Vec<Batch>>()
    };
    let parts: Vec<Batch> = (0..3).flat_map(part).collect();
    assert_eq!(fingerprints(&parts), fingerprints(&batches(&store, one.clone(), LoaderState::default())));
    let refused = loader(&store, one.clone(), LoaderState::default()).with_part(3, 3);
    let message = refused.err().unwrap().to_string();
    assert!(message.contains("found 3 of 3"), "{message}");
}

#[test]
fn samples_count_by_their_origin() {
    let directory = tempfile::tempdir().unwrap();
    let puzzles = directory.path().join("puzzles.csv");
    let puzzle = "PuzzleId,FEN,Moves\n00008,r6k/pp2r2p/4Rp1Q/3p4/8/1N1P2R1/PqP2bPP/7K b - - 0 24,f2g3 e6e7 b2b1 b3c1 b1c1 h6c1\n";
    std::fs::write(&puzzles, puzzle).unwrap();
    store_of(directory.path(), &games::random_games(4, 30, true), |config| {
        config.inputs.push(puzzles.clone());
        config.validation_share = 0.0;
    })
    .unwrap();
    let store = open(directory.path());
    let origins =
        samples(&store, Split::Train).into_iter().map(|sample| (sample.position.key(), sample.origin));
    let origins: HashMap<_, _> = origins.collect();
    let weights = OriginWeights { human: 0.5, engine: 7.0, self_play: 7.0, puzzle: 2.5, unknown: 0.25 };
    let doubled = OriginWeights { human: 2.0, ..weights };
    let weights = SampleWeights { policy: weights, value: weights.times(doubled) };
    let one = LoaderConfig { batch_size: 1, ..config(Split::Train) };
    let mut counts = HashMap::new();
    for batch in loader(&store, one.clone(), LoaderState::default()).with_weights(weights) {
        let batch = batch.unwrap();
        let expected = match origins[&batch.keys[0]] {
            Some(Origin::Human) => [0.5, 1.0],
            Some(Origin::Puzzle) => [2.5, 6.25],
            None => [0.25, 0.0625],
            other => panic!("{other:?}"),
        };
        assert_eq!([batch.policy_weights[0], batch.value_weights[0]], expected);
        *counts.entry(origins[&batch.keys[0]]).or_insert(0) += 1;
    }
    assert!(counts[&Some(Origin::Puzzle)] == 3 && counts.len() == 2, "{counts:?}");
    let plain = batches(&store, one, LoaderState::default());
    assert!(plain.iter().all(|batch| batch.policy_weights == [1.0] && batch.value_weights == [1.0]));
}

#[test]
fn validation_is_the_same_for_every_seed_and_epoch() {
    let directory = tempfile::tempdir().unwrap();
    store_of(directory.path(), &games::random_games(40, 60, false), |_| {}).unwrap();
    let store = open(directory.path());
    let first = batches(&store, config(Split::Validation), LoaderState::default());
    let later = batches(
        &store,
        LoaderConfig { seed: 99, ..config(Split::Validation) },
        LoaderState { epoch: 9, batch: 0 },
    );
    assert_eq!(first, later);
}

/// A network whose encoding sees the board from White's side learns White's value of a position.
#[test]
fn values_are_the_viewers_of_the_encoding() {
    const TURN: usize = 12;
    let directory = tempfile::tempdir().unwrap();
    store_of(directory.path(), &games::random_games(60, 60, true), |_| {}).unwrap();
    let store = open(directory.path());
    let movers = batches(&store, config(Split::Train), LoaderState::default());
    let (input, moves) = (input_encoding("aichess-13").unwrap(), move_encoding("aichess-1968").unwrap());
    let whites = Loader::new(&store, input, moves, config(Split::Train), LoaderState::default()).unwrap();
    let mut turned = 0;
    for (movers, whites) in movers.iter().zip(whites.map(Result::unwrap)) {
        for row in 0..movers.size {
            let white_moves = whites.planes[row * whites.plane_count + TURN].mask != 0;
            let (evaluation, result) = (movers.evaluations[row], movers.results[row]);
            let expected = if white_moves {
                (evaluation, result)
            } else {
                turned += usize::from(evaluation.is_some_and(|score| score != score.flipped()));
                (evaluation.map(chess::Score::flipped), result.map(dataset::GameResult::flipped))
            };
            assert_eq!((whites.evaluations[row], whites.results[row]), expected);
        }
    }
    assert!(turned > 50, "{turned}");
}

#[test]
fn a_store_without_history_refuses_an_encoding_that_needs_it() {
    let directory = tempfile::tempdir().unwrap();
    store_of(directory.path(), &games::random_games(10, 40, false), |_| {}).unwrap();
    let store = open(directory.path());
    let input = input_encoding("lc0-112").unwrap();
    let refused = Loader::new(
        &store,
        input,
        move_encoding("lc0-1858").unwrap(),
        config(Split::Train),
        LoaderState::default(),
    );
    let message = refused.err().unwrap().to_string();
    assert!(message.contains("of history a sample, but input encoding"), "{message}");
    assert!(message.contains("--history 8"), "{message}");
}

#[test]
fn history_encodes_as_the_game_itself_did() {
    use chess::Game;
    use dataset::{packed_move::PackedMove, source::PgnSource};
    let directory = tempfile::tempdir().unwrap();
    let text = games::random_games(20, 120, false)
        + "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 5. Nc3 Nc6 6. Nb1 Nb8 7. e4 1/2-1/2\n";
    store_of(directory.path(), &text, |config| {
        config.history = 8;
        config.validation_share = 0.0;
    })
    .unwrap();
    let store = open(directory.path());
    let input = input_encoding("lc0-112").unwrap();
    let encode = |game: &Game| {
        let mut planes = vec![chess::encoding::Plane::default(); input.planes()];
        input.encode(game, &mut planes);
        planes
    };
    let mut stored = samples(&store, Split::Train).into_iter();
    let mut repeated = 0;
    for record in PgnSource::open(&directory.path().join("games.pgn")).unwrap() {
        let record = record.unwrap().unwrap();
        let mut game = record.game(0);
        for recorded in &record.moves {
            let sample = stored.next().unwrap();
            let rebuilt = sample.to_game().unwrap();
            assert_eq!(rebuilt.fen(), game.fen());
            assert_eq!(encode(&rebuilt), encode(&game), "ply {} of {}", game.ply(), record.place);
            assert_eq!(sample.repetitions, game.repetitions());
            assert_eq!(sample.best_move, PackedMove::pack(recorded.played));
            repeated += usize::from(sample.repetitions > 0);
            game.play(recorded.played).unwrap();
        }
    }
    assert!(stored.next().is_none());
    assert!(repeated >= 6, "{repeated} repetitions, the last game alone has six");
}

#[test]
fn repeated_games_are_dropped_and_counted_unless_kept() {
    let once = games::random_pgn(1, 40, false);
    for (keep_duplicates, games, duplicates) in [(false, 1, 2), (true, 3, 0)] {
        let directory = tempfile::tempdir().unwrap();
        let manifest = store_of(directory.path(), &once.repeat(3), |config| {
            config.keep_duplicates = keep_duplicates;
            config.validation_share = 0.0;
        })
        .unwrap();
        assert_eq!((manifest.counts.games, manifest.counts.duplicates), (games, duplicates));
    }
}

#[test]
fn an_existing_output_is_left_alone_and_a_leftover_replaced() {
    let directory = tempfile::tempdir().unwrap();
    let partial = directory.path().join("store.partial");
    std::fs::create_dir(&partial).unwrap();
    std::fs::write(partial.join("train-00000.parquet"), "left by a killed build").unwrap();
    store_of(directory.path(), &games::random_games(3, 20, false), |_| {}).unwrap();
    assert!(!partial.exists());
    let again = store_of(directory.path(), &games::random_games(3, 20, false), |_| {});
    assert!(matches!(again, Err(DatasetError::Exists { .. })), "{again:?}");
    assert_eq!(open(directory.path()).manifest().counts.games, 3);
}

#[test]
fn a_partial_directory_with_foreign_files_is_not_touched() {
    let directory = tempfile::tempdir().unwrap();
    let foreign = directory.path().join("store.partial").join("thesis.txt");
    std::fs::create_dir(foreign.parent().unwrap()).unwrap();
    std::fs::write(&foreign, "years of work").unwrap();
    let refused = store_of(directory.path(), &games::random_games(3, 20, false), |_| {}).unwrap_err();
    assert!(refused.to_string().contains("thesis.txt"), "{refused}");
    assert!(foreign.exists());
}

#[test]
fn a_build_that_ends_early_leaves_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let inputs: [(&str, PathBuf); 2] =
        [("missing", directory.path().join("none.pgn")), ("empty", directory.path().join("empty.pgn"))];
    std::fs::write(&inputs[1].1, "").unwrap();
    for (kind, input) in inputs {
        let output = directory.path().join(kind);
        let error = build(&BuildConfig::new(&output, [&input]), &mut NoObserver).unwrap_err();
        assert!(error.to_string().contains(&input.display().to_string()), "{error}");
        assert!(!output.exists() && !output.with_extension("partial").exists());
    }
}

#[test]
fn every_flipped_bit_is_found_when_the_store_is_read() {
    let directory = tempfile::tempdir().unwrap();
    store_of(directory.path(), &games::random_games(30, 60, true), |_| {}).unwrap();
    let path = directory.path().join("store");
    let file = path.join("train-00000.parquet");
    let whole = std::fs::read(&file).unwrap();
    let read = || -> Result<usize, DatasetError> {
        let store = Store::open(&path)?;
        let mut rows = 0;
        for group in store.row_groups(Split::Train) {
            rows += group?.len();
        }
        Ok(rows)
    };
    assert!(read().is_ok() && dataset::store::verify(&path).is_ok());
    for place in (0..whole.len()).step_by(whole.len() / 300) {
        let mut damaged = whole.clone();
        damaged[place] ^= 1 << (place % 8);
        std::fs::write(&file, damaged).unwrap();
        let error = read().err().unwrap_or_else(|| panic!("byte {place} of {} was not missed", whole.len()));
        assert!(error.to_string().contains("train-00000.parquet"), "{error}");
        assert!(dataset::store::verify(&path).is_err(), "byte {place}");
    }
}
