//! The board in the document itself.

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
        assert!(!stage.get(address).text().contains("board-screen"), "{address}");
    }
}
