//! Arbitrary bytes as streams and configurations.

use bot::laws;
use proptest::prelude::*;

const FULL: &str = r#"{"type":"gameFull","id":"g","variant":{"key":"standard"},"white":{"id":"me","name":"Me"},"black":{"id":"you"},"initialFen":"startpos","clock":null,"state":{"moves":"e2e4","status":"started"}}"#;

proptest! {
    #[test]
    fn any_bytes_are_a_stream(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        laws::check_stream(&bytes);
    }

    #[test]
    fn states_after_a_game_are_legal_or_refused(moves in "[a-h1-8 qnrb]{0,60}", cut in 0_usize..200) {
        let state = format!(r#"{{"type":"gameState","moves":"{moves}","status":"started"}}"#);
        laws::check_stream(format!("{FULL}\n{state}\n").as_bytes());
        laws::check_stream(format!("{}\n{state}\n", &FULL[..cut.min(FULL.len())]).as_bytes());
    }

    #[test]
    fn any_text_is_refused_or_a_configuration(text in "\\PC{0,80}|\\[(games|draws)\\]\n[a-z_]{1,14} = [0-9.truefalse]{1,5}") {
        laws::check_config(&text);
    }
}
