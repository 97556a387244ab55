use chess::{Game, Wdl};
use dataset::{GameResult, Split, Store};

use super::*;
use crate::{
    game::{GameEnd, GameId, PlayedMove, SearchFinding, Winner},
    storage::Storage,
};

/// A game of one opening move, a full search that plays its second choice, a quick one and a full one.
fn game(number: u32, last: &str) -> SelfPlayGame {
    let mut board = Game::default();
    let mut moves = Vec::new();
    let value = Wdl { win: 0.5, draw: 0.25, loss: 0.25 };
    for (text, other) in [("e2e4", None), ("e7e5", Some("c7c5")), ("g1f3", None), (last, Some("a7a6"))] {
        let uci = |text: &str| chess::parse_uci_move(board.position(), text).unwrap();
        let chess_move = uci(text);
        let policy = other.map_or(Vec::new(), |other| vec![(uci(other), 30), (chess_move, 10)]);
        let search = (text != "e2e4").then_some(SearchFinding { value, policy, surprise: None });
        moves.push(PlayedMove { chess_move, search });
        board.play_unchecked(chess_move);
    }
    SelfPlayGame {
        id: GameId { generation: 0, worker: "box".into(), number },
        program: "tabiya 1".into(),
        seed: 1,
        start: Game::default().fen(),
        moves,
        winner: Winner::Black,
        end: GameEnd::Resignation,
        doubted: None,
        evaluations: 0,
        seconds: 0.0,
    }
}

#[test]
fn positions_of_full_searches_become_samples_with_policy_value_and_result() {
    let (_, samples) = GameSampler::new(1).samples(&game(0, "b8c6"), 0).unwrap();
    assert_eq!(samples.iter().map(|sample| sample.ply).collect::<Vec<_>>(), [1, 3]);
    for sample in &samples {
        let position = sample.chess().unwrap();
        let policy = sample.policy.probabilities(1.0);
        assert_eq!(policy.iter().map(|(_, share)| *share).collect::<Vec<_>>(), [0.75, 0.25]);
        assert_eq!(policy[0].0, sample.best_move, "the most visited move is the best one");
        assert!(sample.played_move.unwrap().unpack(&position).is_some());
        assert_eq!(sample.result, Some(GameResult::Win), "Black is to move and won");
        assert_eq!(sample.search_value.unwrap().wdl(), Wdl { win: 0.5, draw: 0.25, loss: 0.25 });
        assert_eq!(sample.origin, Some(Origin::SelfPlay));
        assert!(sample.history.is_empty());
    }
}

#[test]
fn samples_remember_as_much_history_as_the_network_sees() {
    let (_, samples) = GameSampler::new(8).samples(&game(0, "b8c6"), 0).unwrap();
    let game = samples[1].to_game().unwrap();
    assert_eq!(game.history().len(), 4);
}

#[test]
fn a_window_holds_each_game_once_and_names_what_it_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("run");
    let replay = ReplayStore::create(
        Storage::open(place.to_str().unwrap()).unwrap(),
        "tabiya 1",
        "title = \"x\"",
        &files::Inputs::default(),
    )
    .unwrap();
    for (number, last) in [(0, "b8c6"), (1, "g8f6"), (2, "b8c6"), (3, "d7d6")] {
        replay.put_game(&game(number, last)).unwrap();
    }
    let half_written = place.join("games/00000/box-000003.json.zst");
    let bytes = std::fs::read(&half_written).unwrap();
    std::fs::write(&half_written, &bytes[..bytes.len() / 2]).unwrap();
    let output = folder.path().join("samples");
    let request = WindowRequest { output: &output, generations: [0, 0], history: 1, validation_share: 0.5 };
    let (window, newest) = collect_window(&replay, request).unwrap();
    assert_eq!((window.games, window.duplicates, window.positions), (2, 1, 4));
    assert_eq!(window.skipped.len(), 1);
    assert!(window.skipped[0].contains("box-000003") && window.skipped[0].contains("cut off"), "{window:?}");
    assert_eq!(newest.games, 3, "a repeated game was played all the same");
    let store = Store::open(&output).unwrap();
    assert_eq!(store.positions(Split::Train) + store.positions(Split::Validation), 4);
}

#[test]
fn a_window_without_a_sample_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let storage = Storage::open(folder.path().join("run").to_str().unwrap()).unwrap();
    let replay =
        ReplayStore::create(storage, "tabiya 1", "title = \"x\"", &files::Inputs::default()).unwrap();
    let output = folder.path().join("samples");
    let request = WindowRequest { output: &output, generations: [0, 3], history: 1, validation_share: 0.5 };
    let refused = collect_window(&replay, request).unwrap_err().to_string();
    assert!(refused.contains("no sample"), "{refused}");
    assert!(!output.exists());
}

#[test]
fn a_window_of_damaged_games_says_what_is_wrong_with_them() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("run");
    let storage = Storage::open(place.to_str().unwrap()).unwrap();
    let replay =
        ReplayStore::create(storage, "tabiya 1", "title = \"x\"", &files::Inputs::default()).unwrap();
    std::fs::create_dir_all(place.join("games/00000")).unwrap();
    std::fs::write(place.join("games/00000/box-000000.json.zst"), "nonsense").unwrap();
    let request = WindowRequest {
        output: &folder.path().join("samples"),
        generations: [0, 0],
        history: 1,
        validation_share: 0.5,
    };
    let refused = collect_window(&replay, request).unwrap_err().to_string();
    assert!(refused.contains("none of 1 games") && refused.contains("box-000000"), "{refused}");
}
