//! Any bytes read as a self-play game, plain and compressed: a game that is read is legal and comes back from its own bytes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use selfplay::SelfPlayGame;

fuzz_target!(|bytes: &[u8]| {
    let compressed = zstd::encode_all(bytes, 1).expect("memory takes any bytes");
    for bytes in [bytes, &compressed] {
        let Ok(game) = SelfPlayGame::from_bytes(bytes, "fuzz") else { continue };
        let written = game.to_bytes().expect("a game can be written");
        assert_eq!(SelfPlayGame::from_bytes(&written, "fuzz").expect("it was just written"), game);
    }
});
