//! Samples that a loader makes from stored ones and labels itself.

use crate::games;

use std::{path::Path, sync::Arc};

use chess::{
    Chess, Position as _, Score,
    encoding::{input::input_encoding, moves::move_encoding},
    played,
};
use dataset::{
    Batch, BuildConfig, Loader, LoaderConfig, LoaderState, NoObserver, PositionLabeller, Split, Store,
    Streaming, build, packed_position::PackedPosition,
};

fn store(folder: &Path) -> Store {
    let (input, output) = (folder.join("games.pgn"), folder.join("store"));
    std::fs::write(&input, games::random_games(24, 30, true)).unwrap();
    let config = BuildConfig { validation_share: 0.3, ..BuildConfig::new(&output, [input]) };
    build(&config, &mut NoObserver).unwrap();
    Store::open(&output).unwrap()
}

fn config(split: Split) -> LoaderConfig {
    LoaderConfig { split, batch_size: 16, seed: 7, shuffle_window: 1000, threads: 2, prefetch: 3 }
}

/// Number of legal moves, which a batch shows for each sample.
fn mobility(position: &Chess) -> Score {
    Score::Centipawns(position.legal_moves().len() as i32)
}

fn loader(store: &Store, config: LoaderConfig, state: LoaderState, stored: f32) -> Loader {
    let (input, moves) = (input_encoding("tabiya").unwrap(), move_encoding("lc0-1858").unwrap());
    let labeller = || -> PositionLabeller { Box::new(mobility) };
    Loader::new(store, input, moves, config, state).unwrap().with_streaming(Streaming {
        moves: 2,
        stored,
        labeller: Arc::new(labeller),
    })
}

fn batches(store: &Store, config: LoaderConfig, state: LoaderState) -> Vec<Batch> {
    loader(store, config, state, 0.2).map(Result::unwrap).collect()
}

fn keys(batches: &[Batch]) -> Vec<u64> {
    batches.iter().flat_map(|batch| batch.keys.clone()).collect()
}

#[test]
fn a_sample_depends_on_seed_and_place_alone() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    for split in Split::ALL {
        let at = |batch| LoaderState { epoch: 3, batch };
        let whole = batches(&store, config(split), at(0));
        assert!(whole.len() > 2);
        for threads in [1, 4] {
            assert_eq!(batches(&store, LoaderConfig { threads, ..config(split) }, at(0)), whole);
        }
        for done in 0..=whole.len() {
            assert_eq!(batches(&store, config(split), at(done as u64)), &whole[done..]);
        }
        let larger = keys(&batches(&store, LoaderConfig { batch_size: 40, ..config(split) }, at(0)));
        let common = larger.len().min(keys(&whole).len());
        assert_eq!(larger[..common], keys(&whole)[..common]);
        let others = [
            batches(&store, config(split), LoaderState { epoch: 4, batch: 0 }),
            batches(&store, LoaderConfig { seed: 8, ..config(split) }, at(0)),
        ];
        for other in others {
            assert_eq!(other == whole, split == Split::Validation, "held-out samples are always the same");
        }
    }
}

/// True if a position with this key is a number of moves away.
fn leads_to(position: &Chess, key: u64, moves: u16) -> bool {
    if moves == 0 {
        return PackedPosition::pack(position).key() == key;
    }
    position.legal_moves().into_iter().any(|chosen| leads_to(&played(position, chosen), key, moves - 1))
}

#[test]
fn made_samples_are_a_move_or_two_away_and_have_labels_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    let stored = store.row_groups(Split::Train).flat_map(Result::unwrap);
    let loader = loader(&store, config(Split::Train), LoaderState::default(), 0.2).in_stored_order();
    let found: Vec<Batch> = loader.map(Result::unwrap).collect();
    let rows = found.iter().flat_map(|batch| (0..batch.size).map(move |row| (batch, row)));
    // Stored as they are, and made by one move and by two.
    let mut counts = [0; 3];
    for (sample, (batch, row)) in stored.zip(rows) {
        let distance = batch.stages[row].ply - sample.ply;
        counts[usize::from(distance)] += 1;
        let legal = batch.legal_offsets[row]..batch.legal_offsets[row + 1];
        if distance == 0 {
            assert_eq!((batch.keys[row], batch.evaluations[row]), (sample.position.key(), sample.evaluation));
            assert_eq!(batch.policy_weights[row], 1.0);
            continue;
        }
        assert!(leads_to(&sample.chess().unwrap(), batch.keys[row], distance));
        assert_eq!(batch.evaluations[row], Some(Score::Centipawns(legal.len() as i32)));
        assert_eq!((batch.results[row], batch.search_values[row]), (None, None));
        assert_eq!(batch.policy_weights[row], 0.0);
    }
    assert_eq!(counts.iter().sum::<u64>(), store.positions(Split::Train));
    let [kept, one, two] = counts;
    assert!(kept > 0 && one > kept && two > kept, "{counts:?}");
}
