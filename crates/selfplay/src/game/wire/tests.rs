use chess::Ending;
use proptest::prelude::{ProptestConfig, any, prop, prop_assert, proptest};

use super::*;

fn game() -> SelfPlayGame {
    let mut game = Game::default();
    let mut moves = Vec::new();
    for (number, text) in ["f2f3", "e7e5", "g2g4", "d8h4"].into_iter().enumerate() {
        let chess_move = parse_uci_move(game.position(), text).unwrap();
        let other = game.legal_moves().into_iter().find(|legal| *legal != chess_move).unwrap();
        let policy = if number == 1 { vec![] } else { vec![(chess_move, 7), (other, 3)] };
        let value = Wdl { win: 0.25, draw: 0.5, loss: 0.25 };
        let surprise = (number != 1).then_some(0.5);
        let search = (number > 0).then_some(SearchFinding { value, policy, surprise });
        moves.push(PlayedMove { chess_move, search });
        game.play_unchecked(chess_move);
    }
    SelfPlayGame {
        id: GameId { generation: 3, worker: "box-1".into(), number: 17 },
        program: "tabiya".into(),
        seed: u64::MAX,
        start: Game::default().fen(),
        moves,
        winner: Winner::Black,
        end: GameEnd::Rules(Ending::Checkmate),
        doubted: Some(Resignation { ply: 2, white: true }),
        evaluations: 40,
        seconds: 0.5,
    }
}

/// The game as JSON, changed, and compressed again.
fn changed(change: impl FnOnce(&mut serde_json::Value)) -> Vec<u8> {
    let json = zstd::decode_all(game().to_bytes().unwrap().as_slice()).unwrap();
    let mut value = serde_json::from_slice(&json).unwrap();
    change(&mut value);
    zstd::encode_all(value.to_string().as_bytes(), 1).unwrap()
}

#[test]
fn a_game_comes_back_as_it_was() {
    let bytes = game().to_bytes().unwrap();
    assert_eq!(SelfPlayGame::from_bytes(&bytes, "x").unwrap(), game());
    assert_eq!(game().id.to_string(), "00003/box-1-000017");
}

/// Such games, from a book of openings, were written as orthodox chess and then refused.
#[test]
fn a_game_of_chess960_comes_back() {
    let start = "nrk1brqn/ppppbppp/4p3/8/8/4P3/PPPPBPPP/NRK1BRQN w KQkq - 2 3";
    let begun = Game::from_any_fen(start).unwrap();
    let castling = parse_uci_move(begun.position(), "c1b1").unwrap();
    let moves = vec![PlayedMove { chess_move: castling, search: None }];
    let played = SelfPlayGame { start: start.into(), moves, doubted: None, ..game() };
    let read = SelfPlayGame::from_bytes(&played.to_bytes().unwrap(), "x").unwrap();
    assert!(read.begin().unwrap().castling_mode().is_chess960());
    assert_eq!(read, played);
}

#[test]
fn a_game_cut_off_anywhere_is_refused_with_its_place() {
    let bytes = game().to_bytes().unwrap();
    for length in 0..bytes.len() {
        let refused = SelfPlayGame::from_bytes(&bytes[..length], "games/7").unwrap_err().to_string();
        assert!(refused.contains("games/7"), "{refused}");
    }
}

#[test]
fn games_that_break_the_rules_are_refused_with_the_half_move() {
    let refusals: [(&str, Vec<u8>); 6] = [
        ("version 2", changed(|game| game["version"] = 2.into())),
        ("half-move 2", changed(|game| game["moves"][1]["move"] = "e2e4".into())),
        ("half-move 3", changed(|game| game["moves"][2]["search"]["policy"][1][0] = "a1a8".into())),
        ("twice", changed(|game| game["moves"][2]["search"]["policy"][1][0] = "g2g4".into())),
        ("add up to 1", changed(|game| game["moves"][1]["search"]["value"][0] = 0.9.into())),
        ("unknown field", changed(|game| game["colour"] = "blue".into())),
    ];
    for (expected, bytes) in refusals {
        let refused = SelfPlayGame::from_bytes(&bytes, "x").unwrap_err().to_string();
        assert!(refused.contains(expected), "{refused} does not say {expected}");
    }
}

#[test]
fn a_bomb_is_refused_before_it_fills_the_memory() {
    let bomb = zstd::encode_all(std::io::repeat(b' ').take(MOST_BYTES + 2), 1).unwrap();
    assert!(SelfPlayGame::from_bytes(&bomb, "x").unwrap_err().reason.contains("more than"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_bytes_give_an_error_and_no_panic(bytes in prop::collection::vec(any::<u8>(), 0..300), packed in any::<bool>()) {
        let bytes = if packed { zstd::encode_all(bytes.as_slice(), 1).unwrap() } else { bytes };
        prop_assert!(SelfPlayGame::from_bytes(&bytes, "x").is_err());
    }
}
