//! Input that no well-behaved GUI sends.

use super::conversation::{Conversation, best_move};

#[test]
fn bad_input_is_answered_by_info_string_and_changes_nothing() {
    let mut conversation = Conversation::start();
    conversation.settle("uci");
    conversation.settle("position startpos moves e2e4");
    for (line, expected) in [
        ("hello", "hello"),
        ("position", "position"),
        ("position fen", "FEN"),
        ("position fen 8/8/8/8/8/8/8/8 w - - 0 1", "8/8/8/8/8/8/8/8"),
        ("position fen not a fen at all x y", "not a fen"),
        ("position startpos moves e2e5", "e2e5"),
        ("position startpos moves e2e4 e9e4", "e9e4"),
        ("debug maybe", "maybe"),
        ("register", "register"),
    ] {
        let said = conversation.settle(line);
        assert!(
            said.iter().any(|text| text.starts_with("info string") && text.contains(expected)),
            "{line}: {said:?}"
        );
        let board = conversation.settle("d").join("\n");
        assert!(board.contains("4P3/8/PPPP1PPP/RNBQKBNR b"), "{line} changed the position: {board}");
    }
    conversation.quit();
}

/// A GUI that is refused a position would show the answer under its own board.
#[test]
fn after_a_refused_position_nothing_is_answered_for_another() {
    for refused in [
        "position",
        "position fen 8/8/8/8/8/8/8/8 w - - 0 1",
        "position startpos moves e2e5",
        "position startpos moves e9e4",
        &format!("position startpos moves{}", " e2e4".repeat(300_000)),
    ] {
        let mut conversation = Conversation::start();
        conversation.settle("uci");
        conversation.settle("position startpos moves e2e4");
        conversation.settle(refused);
        conversation.settle("ucinewgame");
        for go in ["go nodes 20", "go movetime 50", "go infinite", "go ponder wtime 100 btime 100"] {
            conversation.say(go);
            conversation.say("stop");
            let lines = conversation.until("bestmove");
            assert_eq!(best_move(&lines), "0000", "{go}: {lines:?}");
            assert!(lines.iter().all(|line| !line.contains(" pv ")), "{go}: {lines:?}");
            assert!(lines.iter().any(|line| line.contains("was refused")), "{go}: {lines:?}");
        }
        for question in ["eval", "go perft 1"] {
            let said = conversation.settle(question);
            assert!(said.len() == 1 && said[0].contains("was refused"), "{question}: {said:?}");
        }
        assert_ne!(best_move(&conversation.search("position startpos", "go nodes 20")), "0000");
        conversation.quit();
    }
}

#[test]
fn rights_that_the_pieces_contradict_are_dropped_with_a_note() {
    let mut conversation = Conversation::start();
    conversation.settle("uci");
    let fen = "3qk1nb/1p3p2/p1r1p1p1/3p4/3P4/2N1BP2/PPPQ1P2/R3K3 w Qk - 0 15";
    let said = conversation.settle(&format!("position fen {fen}"));
    assert!(said.len() == 1 && said[0].contains("castling rights k are dropped"), "{said:?}");
    assert!(conversation.settle("d").join("\n").contains("R3K3 w Q - 0 15"));
    assert_ne!(best_move(&conversation.search("isready", "go nodes 20")), "0000");
    assert_eq!(conversation.settle("position fen 4k3/8/8/8/8/8/8/4K2R w K - 3"), Vec::<String>::new());
    assert!(conversation.settle("d").join("\n").contains("4K2R w K - 3 1"));
    conversation.settle("setoption name UCI_Chess960 value true");
    let said = conversation.settle(&format!("position fen {fen}"));
    assert!(said.len() == 1 && !said[0].contains("UCI_Chess960"), "{said:?}");
    conversation.quit();
}

#[test]
fn malformed_limits_are_named_and_the_rest_holds() {
    let mut conversation = Conversation::start();
    conversation.settle("uci");
    for line in [
        "go nodes 30 depth x",
        "go wibble nodes 30",
        "go nodes 30 movetime",
        "go nodes 30 mate 0",
        "go depth -1 nodes 30 movestogo -1",
    ] {
        let lines = conversation.search("position startpos", line);
        assert_ne!(best_move(&lines), "0000", "{line}");
        assert!(lines.iter().any(|text| text.starts_with("info string ignored")), "{line}: {lines:?}");
    }
    // Some GUIs say in this way that there is no further time control.
    let lines = conversation.search("position startpos", "go nodes 30 movestogo 0");
    assert!(lines.iter().all(|text| !text.starts_with("info string")), "{lines:?}");
    conversation.quit();
}

/// Without its only limit a search goes on, and a GUI that waits should know for what.
#[test]
fn a_search_without_a_valid_limit_says_that_it_ends_at_stop() {
    let mut conversation = Conversation::start();
    conversation.settle("uci");
    conversation.say("position startpos");
    for limit in ["mate -3", "mate 0", "depth -1", "perft -1"] {
        conversation.say(&format!("go {limit}"));
        let said = conversation.until("info string no limit holds");
        assert!(said.contains(&format!("info string ignored: {limit}")), "{limit}: {said:?}");
        conversation.say("stop");
        assert_ne!(best_move(&conversation.until("bestmove")), "0000", "{limit}");
    }
    for endless in ["go infinite", "go ponder"] {
        conversation.say(endless);
        conversation.say("stop");
        let lines = conversation.until("bestmove");
        assert!(lines.iter().all(|line| !line.contains("no limit holds")), "{endless}: {lines:?}");
    }
    conversation.quit();
}

#[test]
fn commands_in_the_middle_of_a_search_are_heard_in_order() {
    let mut conversation = Conversation::start();
    conversation.settle("uci");
    conversation.say("position startpos");
    conversation.say("go infinite");
    // A new position is for the next search; a second `go` ends the first search, which answers.
    conversation.say("position fen 7k/8/8/8/8/8/R7/1R5K w - - 0 1");
    conversation.say("go nodes 50");
    let first = best_move(&conversation.until("bestmove")).to_owned();
    assert!(first.ends_with(['3', '4']) || first.starts_with(['b', 'g']), "{first} is of the start position");
    let second = conversation.until("bestmove");
    assert!(best_move(&second).starts_with(['a', 'b', 'h']), "{second:?}");
    conversation.say("go infinite");
    conversation.say("ucinewgame");
    conversation.until("bestmove");
    conversation.say("stop");
    conversation.say("ponderhit");
    assert_eq!(conversation.settle(""), Vec::<String>::new(), "nothing runs, nothing to say");
    conversation.quit();
}

#[test]
fn the_end_of_the_input_ends_the_program_whatever_it_does() {
    for last in
        ["", "uci", "go infinite", "go ponder nodes 5", "go perft 4", "go perft 12", "position startpos"]
    {
        let mut conversation = Conversation::start();
        conversation.say(last);
        let _heard = conversation.leave();
    }
    let mut conversation = Conversation::start();
    conversation.say_bytes(b"uci\nisready\ngo nodes 5");
    let _heard = conversation.leave();
}

#[test]
fn quit_is_obeyed_during_a_search() {
    let mut conversation = Conversation::start();
    conversation.say("go infinite");
    conversation.quit();
}

/// Words of random garbage, in one line.
const WORDS: &str = "uci isready ucinewgame setoption name value position startpos fen moves go stop ponderhit debug on d \
    eval register nodes depth movetime wtime btime winc infinite ponder searchmoves mate e2e4 e7e8q 0000 -1 3 \
    99999999999999999999 MultiPV Hash 8/8/8/8/8/8/8/K1k5 w \u{fe0f}\u{0}";

/// Knuth's MMIX generator of numbers below a bound: identical garbage every time.
fn garbage(mut state: u64) -> impl FnMut(u64) -> u64 {
    move |below| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    }
}

fn garbage_line(words: &[&str], random: &mut impl FnMut(u64) -> u64) -> String {
    let count = random(8);
    (0..count).map(|_| words[random(words.len() as u64) as usize]).collect::<Vec<_>>().join(" ")
}

/// After much garbage, including counts, the program once answered `isready` and did not exit at `quit` (U1).
#[test]
fn u1_quit_is_obeyed_after_any_garbage() {
    let words: Vec<&str> = WORDS.split(' ').chain(["perft 9", "perft", "bench 8000000", "bench"]).collect();
    for seed in 0..12 {
        let mut conversation = Conversation::start();
        conversation.settle("uci");
        let mut random = garbage(seed);
        for _ in 0..60 {
            conversation.say(&garbage_line(&words, &mut random));
            if random(4) == 0 {
                conversation
                    .say(["go perft 9", "bench 8000000", "go infinite", "go ponder"][random(4) as usize]);
            }
        }
        conversation.quit();
    }
}

/// Words that a GUI could send, in any order, with bytes that no GUI sends.
#[test]
fn s4_k7_garbage_never_breaks_it() {
    let words: Vec<&str> = WORDS.split(' ').collect();
    let mut conversation = Conversation::start();
    conversation.settle("uci");
    let mut random = garbage(20);
    for number in 0..2000 {
        conversation.say(&garbage_line(&words, &mut random));
        if number % 7 == 0 {
            let bytes: Vec<u8> = (0..random(40)).map(|_| random(256) as u8).collect();
            conversation.say_bytes(&bytes);
            conversation.say("");
        }
        if number % 10 == 0 {
            conversation.say("stop");
            conversation.settle("");
        }
    }
    conversation.say("stop");
    // The garbage has asked for answers that are still on their way.
    conversation.say("end-of-garbage");
    conversation.until("info string error: unknown command \"end-of-garbage\"");
    conversation.settle("setoption name UCI_Chess960 value false");
    assert_ne!(best_move(&conversation.search("position startpos", "go nodes 50")), "0000");
    conversation.quit();
}
