//! Names, options and the small commands.

use protocol::{OptionKind, Response};

use super::conversation::{Conversation, best_move};

fn options(conversation: &mut Conversation) -> Vec<protocol::OptionDeclaration> {
    conversation.say("uci");
    conversation
        .until("uciok")
        .iter()
        .filter_map(|line| match line.parse() {
            Ok(Response::Option(option)) => Some(option),
            _ => None,
        })
        .collect()
}

#[test]
fn the_handshake_names_the_engine() {
    let mut conversation = Conversation::start();
    conversation.say("uci");
    let lines = conversation.until("uciok");
    assert!(lines.iter().any(|line| line.starts_with("id name Tabiya ")), "{lines:?}");
    assert!(lines.iter().any(|line| line.starts_with("id author ")), "{lines:?}");
    conversation.quit();
}

#[test]
fn every_option_takes_its_default_and_the_ends_of_its_range_in_silence() {
    let mut conversation = Conversation::start();
    for option in options(&mut conversation) {
        // Values that cost much, such as gigabytes or unlimited threads; and a file that does not exist.
        let name = option.name.as_str();
        let values: Vec<String> = match &option.kind {
            OptionKind::Check { .. } => vec!["true".into(), "false".into()],
            OptionKind::Spin { default, .. } if ["Hash", "Threads"].contains(&name) => {
                vec![default.to_string()]
            }
            OptionKind::Spin { default, min, max } => {
                vec![min.to_string(), max.to_string(), default.to_string()]
            }
            OptionKind::Combo { default, choices } => {
                choices.iter().cloned().chain([default.clone()]).collect()
            }
            OptionKind::Text { default } => vec![default.clone()],
            OptionKind::Button => {
                assert_eq!(conversation.settle(&format!("setoption name {name}")), Vec::<String>::new());
                continue;
            }
        };
        for value in values {
            let said = conversation.settle(&format!("setoption name {name} value {value}"));
            let loud: Vec<&String> = said.iter().filter(|line| line.contains("error")).collect();
            assert!(loud.is_empty(), "{name} {value}: {loud:?}");
        }
    }
    assert_ne!(best_move(&conversation.search("position startpos", "go nodes 50")), "0000");
    conversation.quit();
}

#[test]
fn values_out_of_range_and_unknown_options_are_answered_and_change_nothing() {
    let mut conversation = Conversation::start();
    conversation.settle("uci");
    for (line, expected) in [
        ("setoption name Hash value 0", "Hash"),
        ("setoption name Hash value many", "Hash"),
        ("setoption name MultiPV value -3", "MultiPV"),
        ("setoption name UCI_Chess960 value perhaps", "UCI_Chess960"),
        ("setoption name CPuct value NaN", "CPuct"),
        ("setoption name No Such Thing value 3", "No Such Thing"),
        ("setoption name WeightsFile value no/such.tabiya", "no/such.tabiya"),
        ("setoption Hash 3", "name"),
    ] {
        let said = conversation.settle(line);
        assert!(
            said.iter().any(|text| text.starts_with("info string error") && text.contains(expected)),
            "{line}: {said:?}"
        );
    }
    assert_ne!(best_move(&conversation.search("position startpos", "go nodes 50")), "0000");
    conversation.quit();
}

#[test]
fn the_board_and_the_evaluation_are_shown_as_strings() {
    let mut conversation = Conversation::start();
    conversation.settle("uci");
    let board = conversation.settle("position startpos moves e2e4\nd").join("\n");
    assert!(board.contains("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq"), "{board}");
    let evaluation = conversation.settle("eval").join("\n");
    assert!(evaluation.contains("no policy") && evaluation.contains("value"), "{evaluation}");
    conversation.quit();
}

#[test]
fn verbose_move_stats_are_lc0s_and_complete() {
    let mut conversation = Conversation::start();
    conversation.settle("uci\nsetoption name VerboseMoveStats value true");
    let lines = conversation.search("position startpos", "go nodes 300");
    let stats: Vec<&String> = lines.iter().filter(|line| line.contains(" N: ")).collect();
    assert_eq!(stats.len(), 21, "20 moves and the position: {lines:?}");
    assert!(stats[20].starts_with("info string node "), "{stats:?}");
    let best = format!("info string {} ", best_move(&lines));
    assert!(stats[19].starts_with(&best), "the best move comes last: {stats:?}");
    for part in ["(P: ", "(WL: ", "(D: ", "(M: ", "(Q: ", "(U: ", "(S: "] {
        assert!(stats.iter().all(|line| line.contains(part)), "{part}: {stats:?}");
    }
    let own = |line: &str| {
        line.split_once("(V: ").and_then(|(_, rest)| rest.trim_end_matches(')').trim().parse().ok())
    };
    let own: Vec<f32> = stats.iter().filter_map(|line| own(line)).collect();
    assert_eq!(own.len(), 21, "no move ends the game, so each has a value of its own: {stats:?}");
    assert!(own.iter().all(|value| (-1.0..=1.0).contains(value)));
    conversation.quit();
}

#[test]
fn the_benchmark_runs_inside() {
    let mut conversation = Conversation::start();
    conversation.settle("uci");
    conversation.say("bench 20");
    let lines = conversation.until("info string Bench: ");
    assert!(lines.iter().any(|line| line.starts_with("info string Nodes: ")), "{lines:?}");
    conversation.quit();
}

#[test]
fn tables_that_are_not_there_are_reported_and_played_without() {
    let mut conversation = Conversation::start();
    conversation.settle("uci");
    let said = conversation.settle("setoption name SyzygyPath value no/such/folder");
    assert!(
        said.iter().any(|line| line.starts_with("info string error") && line.contains("no/such/folder")),
        "{said:?}"
    );
    let lines = conversation.search("position fen 8/8/8/8/8/k7/8/4K2Q w - - 0 1", "go nodes 50");
    assert_ne!(best_move(&lines), "0000");
    conversation.quit();
}

#[test]
fn a_program_on_the_other_end_of_the_pipe_needs_no_argument() {
    let mut conversation = Conversation::with_arguments(&[]);
    conversation.say("uci");
    conversation.until("uciok");
    assert_ne!(best_move(&conversation.search("position startpos", "go nodes 2")), "0000");
    conversation.quit();
}
