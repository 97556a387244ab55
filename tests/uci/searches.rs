//! Every way to say `go`.

use chess::{CastlingMode, Game};
use protocol::{Info, Response};

use super::conversation::{Conversation, best_move};

const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

fn started() -> Conversation {
    let mut conversation = Conversation::start();
    conversation.settle("uci");
    conversation
}

fn infos(lines: &[String]) -> Vec<Info> {
    lines
        .iter()
        .filter_map(|line| match line.parse() {
            Ok(Response::Info(info)) if info.score.is_some() => Some(*info),
            _ => None,
        })
        .collect()
}

#[test]
fn every_limit_ends_with_one_legal_move() {
    let mut conversation = started();
    let game = Game::from_fen(KIWIPETE, CastlingMode::Standard).unwrap();
    for limit in [
        "nodes 1",
        "nodes 300",
        "depth 1",
        "depth 3",
        "movetime 1",
        "movetime 30",
        "wtime 100 btime 100",
        "wtime 1 btime 1",
        "wtime 0 btime 0 winc 10 binc 10",
        "wtime -50 btime 100",
        "wtime 300 btime 300 winc 5 binc 5 movestogo 3",
        "wtime 100 btime 100 movestogo 1",
        "wtime 100 btime 100 movestogo 0",
        "nodes 100 searchmoves e2a6 a2a3",
        "searchmoves e2a6 nodes 100 movetime 1000",
        "nodes 100 depth 50 movetime 60000",
    ] {
        let lines = conversation.search(&format!("position fen {KIWIPETE}"), &format!("go {limit}"));
        let mut after = game.clone();
        after.play_uci(best_move(&lines)).unwrap_or_else(|error| panic!("go {limit}: {error}"));
        let infos = infos(&lines);
        assert!(!infos.is_empty(), "go {limit}: {lines:?}");
        // No second answer comes: whatever arrives before `readyok` is not a move.
        let rest = conversation.settle("");
        assert!(rest.iter().all(|line| !line.starts_with("bestmove")), "go {limit}: {rest:?}");
    }
    conversation.quit();
}

#[test]
fn node_limits_are_kept_and_reported() {
    let mut conversation = started();
    for nodes in [1, 2, 17, 500] {
        let lines = conversation.search("position startpos", &format!("go nodes {nodes}"));
        assert_eq!(infos(&lines).last().unwrap().nodes, Some(nodes), "{lines:?}");
        conversation.settle("setoption name Clear Hash");
    }
    conversation.quit();
}

#[test]
fn search_moves_are_the_only_ones_considered() {
    let mut conversation = started();
    let lines = conversation.search("position startpos", "go nodes 400 searchmoves a2a3 h2h4");
    assert!(["a2a3", "h2h4"].contains(&best_move(&lines)), "{lines:?}");
    assert!(infos(&lines).iter().all(|info| ["a2a3", "h2h4"].contains(&info.pv[0].to_string().as_str())));
    let lines = conversation.search("position startpos", "go nodes 400 searchmoves a2a5");
    assert_ne!(best_move(&lines), "0000");
    for said in ["a2a5 is illegal", "all moves are searched"] {
        assert!(lines.iter().any(|line| line.contains(said)), "{lines:?}");
    }
    conversation.quit();
}

#[test]
fn mates_are_found_announced_and_bounded() {
    let mut conversation = started();
    for (fen, moves, best) in
        [("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", 1, "d1d8"), ("7k/8/8/8/8/8/R7/1R5K w - - 0 1", 2, "")]
    {
        let lines = conversation.search(&format!("position fen {fen}"), &format!("go mate {moves}"));
        let last = infos(&lines).pop().unwrap();
        assert_eq!(last.score.unwrap().score, chess::Score::Mate(moves), "{lines:?}");
        assert!(best.is_empty() || best_move(&lines) == best, "{lines:?}");
        assert_eq!(last.pv.len() as i32, 2 * moves - 1, "the line leads to the mate: {lines:?}");
    }
    conversation.quit();
}

#[test]
fn infinite_searches_end_when_told_and_not_before() {
    let mut conversation = started();
    for position in ["position startpos", "position fen 6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1"] {
        conversation.say(position);
        conversation.say("go infinite");
        // Answered at once, while the search runs; no move comes with it.
        let meanwhile = conversation.settle("");
        assert!(meanwhile.iter().all(|line| !line.starts_with("bestmove")), "{meanwhile:?}");
        conversation.say("stop");
        assert_ne!(best_move(&conversation.until("bestmove")), "0000");
    }
    conversation.quit();
}

#[test]
fn pondering_waits_for_the_hit_or_the_stop() {
    let mut conversation = started();
    for (end, hit) in [("stop", false), ("ponderhit", true)] {
        conversation.say("position startpos moves e2e4 e7e5");
        conversation.say("go ponder wtime 1000 btime 1000 winc 10 binc 10");
        let meanwhile = conversation.settle("");
        assert!(meanwhile.iter().all(|line| !line.starts_with("bestmove")), "{meanwhile:?}");
        conversation.say(end);
        assert_ne!(best_move(&conversation.until("bestmove")), "0000", "hit: {hit}");
    }
    // Spent long before the ponder hit: the answer was held back until it was allowed.
    conversation.say("position startpos");
    conversation.say("go ponder nodes 5");
    conversation.settle("");
    conversation.say("ponderhit");
    assert_ne!(best_move(&conversation.until("bestmove")), "0000");
    conversation.quit();
}

#[test]
fn several_lines_and_their_chances_are_shown_when_asked_for() {
    let mut conversation = started();
    conversation.settle("setoption name MultiPV value 4\nsetoption name UCI_ShowWDL value true");
    let lines = conversation.search("position startpos", "go nodes 500");
    let infos = infos(&lines);
    let last = &infos[infos.len() - 4..];
    assert_eq!(last.iter().filter_map(|info| info.multipv).collect::<Vec<_>>(), [1, 2, 3, 4]);
    for info in last {
        let wdl = info.wdl.expect("asked for");
        assert_eq!(wdl.win + wdl.draw + wdl.loss, 1000);
    }
    let mut first: Vec<String> = last.iter().map(|info| info.pv[0].to_string()).collect();
    first.sort();
    first.dedup();
    assert_eq!(first.len(), 4, "{lines:?}");
    conversation.quit();
}

#[test]
fn perft_counts_what_is_known() {
    let mut conversation = started();
    // https://www.chessprogramming.org/Perft_Results
    for (position, depth, nodes) in
        [("startpos".to_owned(), 4, 197_281), (format!("fen {KIWIPETE}"), 3, 97_862)]
    {
        conversation.say(&format!("position {position}"));
        conversation.say(&format!("go perft {depth}"));
        assert_eq!(*conversation.until("Nodes").last().unwrap(), format!("Nodes searched: {nodes}"));
    }
    conversation.quit();
}

#[test]
fn chess960_castles_onto_the_rook() {
    let mut conversation = started();
    conversation.settle("setoption name UCI_Chess960 value true");
    let fen = "4k3/8/8/8/8/8/8/RK5R w HA - 0 1";
    let lines = conversation.search(&format!("position fen {fen}"), "go nodes 50 searchmoves b1h1");
    assert_eq!(best_move(&lines), "b1h1");
    let board = conversation.settle(&format!("position fen {fen} moves b1h1\nd")).join("\n");
    assert!(board.contains("4k3/8/8/8/8/8/8/R4RK1 b"), "{board}");
    conversation.quit();
}

#[test]
fn games_that_are_over_have_no_move() {
    let mut conversation = started();
    for fen in ["k7/1Q6/1K6/8/8/8/8/8 b - - 0 1", "k7/2Q5/1K6/8/8/8/8/8 b - - 0 1"] {
        let lines = conversation.search(&format!("position fen {fen}"), "go nodes 10");
        assert_eq!(best_move(&lines), "0000", "{lines:?}");
    }
    conversation.quit();
}

#[test]
fn a_game_is_played_move_by_move_to_its_end() {
    let mut conversation = started();
    conversation.settle("ucinewgame");
    let mut game = Game::default();
    let mut moves = String::new();
    while game.outcome().is_none() && game.ply() < 120 {
        let lines = conversation.search(&format!("position startpos moves{moves}"), "go nodes 40");
        let best = best_move(&lines).to_owned();
        game.play_uci(&best).unwrap_or_else(|error| panic!("{moves}: {error}"));
        moves += " ";
        moves += &best;
    }
    assert!(game.ply() > 8);
    conversation.quit();
}

#[test]
fn threads_search_together_and_keep_the_node_limit() {
    let mut conversation = started();
    conversation.settle("setoption name Threads value 3");
    for nodes in [1, 700] {
        let lines = conversation.search("position startpos", &format!("go nodes {nodes}"));
        assert_eq!(infos(&lines).last().unwrap().nodes, Some(nodes), "{lines:?}");
    }
    conversation.say("go infinite");
    conversation.settle("");
    conversation.say("stop");
    assert_ne!(best_move(&conversation.until("bestmove")), "0000");
    conversation.quit();
}

#[test]
fn every_search_plays_under_uci() {
    for search in ["policy", "value", "mcts", "policy-rollouts", "alpha-beta", "pvs"] {
        let mut conversation =
            Conversation::with_arguments(&["uci", "--net", "material", "--search", search]);
        let lines = conversation.settle("uci");
        assert!(lines.iter().any(|line| line.ends_with(&format!("search {search}"))), "{lines:?}");
        for setting in ["setoption name Hash value 8", "setoption name RolloutPlies value 4", "ucinewgame"] {
            conversation.settle(setting);
        }
        let lines = conversation.search("position startpos moves e2e4", "go nodes 40");
        let mut after = Game::default();
        after.play_uci("e2e4").unwrap();
        after.play_uci(best_move(&lines)).unwrap_or_else(|error| panic!("{search}: {error}"));
        conversation.quit();
    }
}

/// Both continued for minutes, and a GUI that died left a busy process.
#[test]
fn n4_quit_and_the_end_of_the_input_end_a_count() {
    for count in ["go perft 12", "bench 9000000"] {
        for end in ["quit\n", "isready\nquit\n", "go nodes 3\nquit\n", "go nodes 3\n now quit \n", ""] {
            let mut conversation = started();
            conversation.say_bytes(format!("{count}\n{end}").as_bytes());
            let lines = conversation.leave();
            assert!(lines.iter().any(|line| line.ends_with("was stopped")), "{count} {end}: {lines:?}");
        }
    }
}

#[test]
fn stop_ends_a_count_and_no_move_answers_it() {
    for count in ["go perft 12", "bench 9000000"] {
        let mut conversation = started();
        conversation.say(count);
        conversation.say("stop");
        let lines = conversation.until("info string");
        assert!(lines.last().is_some_and(|line| line.ends_with("was stopped")), "{count}: {lines:?}");
        // A `go` that comes first waits, and receives the stop.
        conversation.say(count);
        conversation.say("go nodes 3");
        conversation.say("stop");
        let lines = conversation.until("bestmove");
        assert!(lines.iter().any(|line| line.ends_with("was stopped")), "{count}: {lines:?}");
        assert_ne!(best_move(&lines), "0000", "{count}: {lines:?}");
        assert_eq!(conversation.settle(""), Vec::<String>::new(), "{count}");
        conversation.quit();
    }
}

#[test]
fn isready_evaluates_so_that_the_first_go_need_not() {
    let mut conversation = Conversation::start();
    conversation.settle("setoption name MaterialNodes value 0");
    // The evaluation cache that the warm-up filled is cleared, or the first search would depend on it.
    let first = conversation.search("position startpos", "go nodes 20");
    conversation.settle("ucinewgame");
    let second = conversation.search("position startpos", "go nodes 20");
    let nodes = |lines: &[String]| infos(lines).last().and_then(|info| info.nodes);
    assert_eq!((nodes(&first), best_move(&first)), (nodes(&second), best_move(&second)));
    conversation.quit();
}
