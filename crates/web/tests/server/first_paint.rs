//! The document itself: its board and its delivery to the reader.

use std::io::Read as _;

use flate2::read::GzDecoder;

use crate::stage::Stage;

/// Elements of the board in the document, and how many of them are pieces.
fn board(stage: &Stage, address: &str) -> (usize, usize) {
    let text = stage.get(address).text();
    (text.matches("<piece").count(), text.matches("<piece class=").count())
}

#[test]
fn the_document_has_the_position_of_its_address() {
    let stage = Stage::new();
    for (address, pieces) in [
        ("/", 32),
        ("/?fen=7k/8/8/8/8/8/8/K7%20w%20-%20-%200%201", 2),
        ("/analyse", 32),
        ("/analyse?moves=e2e4,d7d5,e4d5&flip=1", 31),
        ("/analyse?moves=e2e4,d7d5,e4d5&ply=2", 32),
    ] {
        assert_eq!(board(&stage, address), (64, pieces), "{address}");
    }
    let game = stage.post("/api/v1/games", r#"{"nodes":1,"fen":"7k/8/8/8/8/8/1R6/K7 w - - 0 1"}"#).json();
    let id = game["id"].as_str().unwrap();
    assert_eq!(board(&stage, &format!("/play/{id}")), (64, 3));
    assert_eq!(board(&stage, &format!("/analyse/{id}")), (64, 3));
}

#[test]
fn screens_of_text_and_addresses_without_a_position_have_no_board() {
    let stage = Stage::new();
    for address in ["/networks", "/runs/x", "/nonsense", "/analyse?moves=e2e5", "/play/nothing", "/?fen=x"] {
        assert_eq!(board(&stage, address), (0, 0), "{address}");
        assert!(!stage.get(address).text().contains("class=\"board-screen"), "{address}");
    }
}

#[test]
fn the_board_of_a_new_game_takes_whites_first_moves() {
    let stage = Stage::new();
    let document = |address: &str| stage.get(address).text();
    assert!(document("/").contains("data-moves=\"") && document("/").contains("e2e4"));
    for address in ["/?fen=7k/8/8/8/8/8/8/K7%20b%20-%20-%200%201", "/analyse", "/networks"] {
        assert!(!document(address).contains("e2e4"), "{address}");
    }
}

#[test]
fn documents_and_lists_are_compressed_for_those_who_take_that() {
    let stage = Stage::new();
    for address in ["/", "/api/v1/openapi.json"] {
        let plain = stage.get(address);
        assert!(
            !plain.head.contains("content-encoding") && plain.head.contains("vary: accept-encoding"),
            "{address}"
        );
        let small = stage.request("GET", address, "Accept-Encoding: br, gzip\r\n", "");
        assert!(small.head.contains("content-encoding: gzip"), "{}", small.head);
        assert!(
            small.body.len() < plain.body.len() / 2,
            "{address}: {} of {}",
            small.body.len(),
            plain.body.len()
        );
        let mut text = Vec::new();
        GzDecoder::new(small.body.as_slice()).read_to_end(&mut text).unwrap();
        assert_eq!(text, plain.body, "{address}");
    }
    let short = stage.request("GET", "/api/v1/games", "Accept-Encoding: gzip\r\n", "");
    assert!(!short.head.contains("content-encoding"), "{}", short.head);
}
