//! Labels from every kind of labeller, and stores with these labels.

#[cfg(unix)]
use crate::engine;
use crate::games;

use std::path::Path;

use chess::StopSignal;
use dataset::{
    BuildConfig, NoObserver, PolicyLabel, Relabelling, Sample, Split, Store, Unlabelled, build, relabel,
};
use labelling::{
    Labellers, LabellingError,
    store_labelling::{Advance, KnownLabels, LabelJournal, StoreLabelling},
};

use games::alike_at_first;

/// Positions of a session in these tests.
const SESSION: u32 = 8;

/// A store of different games that all begin with the same two moves, without labels.
fn games(folder: &Path, count: usize) -> Store {
    positions(folder, "games.pgn", &alike_at_first(count))
}

/// A store of the content of a file, without labels.
fn positions(folder: &Path, name: &str, text: &str) -> Store {
    let (file, output) = (folder.join(name), folder.join("positions.store"));
    std::fs::write(&file, text).unwrap();
    let config = BuildConfig { unlabelled: Unlabelled::Await, ..BuildConfig::new(&output, [&file]) };
    build(&config, &mut NoObserver).unwrap();
    Store::open(&output).unwrap()
}

fn labellers(player: &str) -> Result<Labellers, LabellingError> {
    Labellers::of(&player.parse().unwrap(), None, 1)
}

/// Changes of the labels' defaults.
#[derive(Default)]
struct Wanted {
    rating: Option<u16>,
    keeps_evaluations: bool,
}

/// Labels a store with a player.
fn label(store: &Store, output: &Path, player: &str, wanted: &Wanted) -> (Store, Advance) {
    let labellers = labellers(player).unwrap();
    let engine = labellers.describe(labellers.build().unwrap().as_ref());
    let stop = StopSignal::default();
    let labelling = StoreLabelling {
        labellers: &labellers,
        processes: 1,
        session: SESSION,
        rating: wanted.rating,
        stop: &stop,
    };
    let mut journal = LabelJournal::open(&output.with_extension("jsonl"), player).unwrap();
    let advance = labelling.run(store, &mut journal, &mut |_| {}).unwrap();
    let mut known = KnownLabels::new(&journal, SESSION);
    let labels = Relabelling { engine, rating: wanted.rating, keeps_evaluations: wanted.keeps_evaluations };
    relabel(store, output, labels, &mut |number| known.label(number)).unwrap();
    (Store::open(output).unwrap(), advance)
}

fn rows(store: &Store) -> Vec<Sample> {
    let of = |split| store.row_groups(split).flat_map(Result::unwrap).collect::<Vec<_>>();
    [of(Split::Train), of(Split::Validation)].concat()
}

fn engine_limits(store: &Store) -> Vec<&str> {
    store.manifest().engines.iter().map(|engine| engine.limits.as_str()).collect()
}

#[test]
fn a_search_of_our_own_gives_visits_and_values_once_for_each_position() {
    let folder = tempfile::tempdir().unwrap();
    let unlabelled = games(folder.path(), 12);
    let output = folder.path().join("own.store");
    let (store, advance) = label(&unlabelled, &output, "net=material,nodes=60", &Wanted::default());
    let rows = rows(&store);
    let mut keys: Vec<u64> = rows.iter().map(|row| row.position.key()).collect();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!((advance.rows, advance.labelled), (rows.len() as u64, keys.len() as u64));
    assert!(keys.len() < rows.len(), "the games begin alike");
    for row in &rows {
        let position = row.chess().unwrap();
        assert!(row.best_move.unpack(&position).is_some());
        let PolicyLabel::Visits(visits) = &row.policy else { panic!("{row:?}") };
        assert_eq!(visits[0].0, row.best_move);
        assert!(visits.iter().all(|(packed, _)| packed.unpack(&position).is_some()));
        let sum: u32 = visits.iter().map(|(_, visits)| visits).sum();
        assert!((1..=60).contains(&sum), "{sum} visits");
        assert!(row.search_value.is_some() && row.evaluation.is_some() && row.effort.nodes.is_some());
        assert_eq!(row.engine, Some(0));
    }
    let engine = &store.manifest().engines[0];
    assert!(engine.name.starts_with("Tabiya ") && engine.name.contains("material"), "{engine:?}");
    assert_eq!(engine.limits, "60 nodes");
}

#[test]
fn a_network_alone_gives_its_whole_policy_to_players_of_one_rating() {
    let folder = tempfile::tempdir().unwrap();
    let unlabelled = games(folder.path(), 12);
    let wanted = Wanted { rating: Some(1100), ..Wanted::default() };
    let output = folder.path().join("policy.store");
    let (store, _) = label(&unlabelled, &output, "cnn,search=policy", &wanted);
    let rows = rows(&store);
    let mut spread = 0;
    for row in &rows {
        let position = row.chess().unwrap();
        let PolicyLabel::Visits(parts) = &row.policy else { panic!("{row:?}") };
        assert!(parts[0].0 == row.best_move && parts.is_sorted_by(|one, next| one.1 >= next.1), "{row:?}");
        assert!(parts.iter().all(|&(packed, part)| part > 0 && packed.unpack(&position).is_some()));
        let sum: u32 = parts.iter().map(|&(_, part)| part).sum();
        assert!((9_900..=10_100).contains(&sum), "{sum} parts");
        spread += usize::from(parts.len() > 5);
        assert_eq!((row.white_rating, row.black_rating), (Some(1100), Some(1100)));
        assert!(row.search_value.is_some() && row.effort.nodes == Some(1));
    }
    assert!(2 * spread > rows.len(), "{spread} policies of {} have more than five moves", rows.len());
    assert_eq!(engine_limits(&store), ["policy without search"]);
}

#[test]
fn a_network_labels_a_store_beside_its_evaluations() {
    let folder = tempfile::tempdir().unwrap();
    let unlabelled = games(folder.path(), 6);
    let output = |name: &str| folder.path().join(name);
    let (values, _) =
        label(&unlabelled, &output("values.store"), "net=material,nodes=20", &Wanted::default());
    let wanted = Wanted { keeps_evaluations: true, ..Wanted::default() };
    let (joined, _) = label(&values, &output("joined.store"), "cnn,search=policy", &wanted);
    let (before, after) = (rows(&values), rows(&joined));
    assert_eq!(before.len(), after.len());
    for (old, new) in before.iter().zip(&after) {
        assert_eq!((old.evaluation, old.effort, old.engine), (new.evaluation, new.effort, new.engine));
        assert!(new.search_value.is_some_and(|value| Some(value) != old.search_value), "{new:?}");
        let played = |row: &Sample| row.played_move.unwrap_or(row.best_move);
        assert_eq!(played(old), played(new));
        let PolicyLabel::Visits(parts) = &new.policy else { panic!("{new:?}") };
        assert_eq!(parts[0].0, new.best_move);
        assert!((9_900..=10_100).contains(&parts.iter().map(|part| part.1).sum::<u32>()), "{parts:?}");
    }
    assert!(before.iter().zip(&after).any(|(old, new)| old.policy != new.policy));
    assert_eq!(engine_limits(&joined), ["20 nodes", "policy without search"]);
}

#[test]
fn a_network_of_stockfish_labels_moves_or_the_value_alone() {
    let folder = tempfile::tempdir().unwrap();
    let unlabelled = games(folder.path(), 20);
    let network = folder.path().join("x.nnue");
    std::fs::write(&network, network::nnue::synthetic::file(5)).unwrap();
    let player = |settings: &str| format!("net={},{settings}", network.display());
    let label_by = |name: &str, settings: &str| {
        label(&unlabelled, &folder.path().join(name), &player(settings), &Wanted::default()).0
    };
    let moves = label_by("moves.store", "search=policy");
    let value = label_by("value.store", "search=value");
    let standing = label_by("static.store", "search=value,nodes=1");
    let (of_moves, of_value, of_static) = (rows(&moves), rows(&value), rows(&standing));
    assert!(of_moves.len() > 100 && of_moves.len() == of_value.len());
    for (moves, value) in of_moves.iter().zip(&of_value) {
        let PolicyLabel::Visits(shares) = &moves.policy else { panic!("{moves:?}") };
        let parts: u32 = shares.iter().map(|(_, parts)| parts).sum();
        assert!((9_900..=10_100).contains(&parts) && shares[0].0 == moves.best_move, "{moves:?}");
        assert!(moves.evaluation.is_some() && moves.effort.depth == Some(1), "{moves:?}");
        assert!(value.evaluation.is_some() && value.policy.is_unknown(), "{value:?}");
    }
    let mut judge =
        network::nnue::Judge::new(std::sync::Arc::new(network::nnue::Nnue::read(&network).unwrap()));
    for row in &of_static {
        let expected = judge.static_score(&row.chess().unwrap());
        assert_eq!((row.evaluation, row.policy.is_unknown()), (Some(expected), true), "{row:?}");
    }
    let mut pairs = of_value.iter().zip(&of_static);
    assert!(pairs.any(|(value, row)| value.evaluation != row.evaluation), "captures change some values");
    assert!(moves.manifest().engines[0].name.contains("x.nnue"));
    assert_eq!(
        [engine_limits(&moves), engine_limits(&value), engine_limits(&standing)],
        [["moves and captures"], ["captures"], ["static evaluation"]]
    );
    let message = labellers(&player("nodes=100")).err().unwrap().to_string();
    assert!(message.contains("labels with search=policy, search=value or search=value,nodes=1"), "{message}");
    std::fs::write(&network, &network::nnue::synthetic::file(5)[..500]).unwrap();
    let message = labellers(&player("search=value")).err().unwrap().to_string();
    assert!(message.contains("x.nnue: byte 20: bias of the table: found 480 bytes"), "{message}");
}

#[test]
fn players_and_settings_without_labels_are_refused() {
    for (player, lines, ahead, expected) in [
        ("random", None, 1, "it gives no evaluations"),
        ("default,tc=10+1", None, 1, "tc is a clock for a game"),
        ("default,nodes=5", Some(3), 1, "--multipv is for UCI engines"),
        ("default,nodes=5", None, 8, "--ahead is for UCI engines"),
        ("uci=sh,nodes=5,option.multipv=2", Some(3), 1, "MultiPV is given twice"),
        ("cnn,search=policy,option.TopK=3", None, 1, "options do not change: found"),
    ] {
        let refused = Labellers::of(&player.parse().unwrap(), lines, ahead).err();
        let message = refused.unwrap_or_else(|| panic!("{player} labels")).to_string();
        assert!(message.contains(expected), "{player}: {message}");
    }
}

/// The engine moves the king from e1, and dies at the first attempt in one position.
#[cfg(unix)]
#[test]
fn a_crashed_engine_is_started_again_once() {
    use chess::Position as _;
    use dataset::packed_move::PackedMove;

    let folder = tempfile::tempdir().unwrap();
    let crashed = folder.path().join("crashed");
    let answer = format!(
        "case $position in *' w - - 7 '*) if [ ! -e {0} ]; then : > {0}; exit 3; fi ;; esac; \
         echo info depth 1 score cp 3 pv e1d1; echo bestmove e1d1",
        crashed.display()
    );
    engine::engine(folder.path(), "fragile", &[], &answer);
    let lines = ["2P5/4K3 w - - 5", "3P4/4K3 w - - 6", "4P3/4K3 w - - 7", "5P2/4K3 w - - 8"];
    let lines = lines.map(|end| format!("7k/8/8/8/8/8/{end} 20\n")).concat();
    let unlabelled = positions(folder.path(), "positions.fen", &lines);
    let player = format!("uci={},depth=1", folder.path().join("fragile").display());
    let (store, advance) =
        label(&unlabelled, &folder.path().join("labels.store"), &player, &Wanted::default());
    assert!(crashed.exists() && advance.restarts == 1, "{advance:?}");
    let rows = rows(&store);
    assert_eq!(rows.len(), 4);
    for row in &rows {
        let position = row.chess().unwrap();
        let king = position.legal_moves().into_iter().find(|one| one.to_string() == "Ke1-d1").unwrap();
        assert_eq!(row.best_move, PackedMove::pack(king));
        assert_eq!(row.evaluation, Some(chess::Score::Centipawns(3)));
    }
}
