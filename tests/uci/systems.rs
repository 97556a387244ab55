//! The reproduced systems as engines, by name and from any folder.

use super::conversation::{Conversation, best_move};

const POSITION: &str = "position startpos moves e2e4 e7e5";

fn started(arguments: &[&str]) -> (Conversation, String) {
    let mut conversation = Conversation::with_arguments(&[&["uci", "--net"], arguments].concat());
    let told = conversation.settle("uci").join("\n");
    (conversation, told)
}

/// The nodes that the last line with nodes reports.
fn nodes(lines: &[String]) -> u64 {
    let of = |line: &String| line.split(" nodes ").nth(1)?.split(' ').next()?.parse().ok();
    lines.iter().rev().find_map(of).expect("every search reports its nodes")
}

#[test]
fn the_name_of_a_system_is_its_player_and_the_command_line_changes_it() {
    let (mut mlx, told) = started(&["mlx"]);
    assert!(told.contains("network mlx: mlx ") && told.contains(", search policy"), "{told}");
    assert!(told.contains("option name Temperature type string default 0.1"), "{told}");
    assert!(told.contains("option name WeightsFile type string default mlx"), "{told}");
    let lines = mlx.search(POSITION, "go movetime 2000");
    assert_eq!(nodes(&lines), 1, "the recipe's limit: {lines:?}");
    let changed = mlx.settle("setoption name WeightsFile value cogs188").join("\n");
    assert!(changed.contains("network cogs188: ") && changed.contains("search plain-puct"), "{changed}");
    assert_eq!(nodes(&mlx.search(POSITION, "go movetime 60000")), 20);
    assert!(nodes(&mlx.search(POSITION, "go nodes 30")) >= 30, "what is asked for wins");
    mlx.quit();

    let (mut other, told) = started(&["mlx", "--search", "puct", "--option", "Temperature=0.5"]);
    assert!(told.contains("search puct") && told.contains("Temperature type string default 0.5"), "{told}");
    assert!(nodes(&other.search(POSITION, "go nodes 40")) >= 40);
    other.quit();
}

#[test]
fn heads_that_are_missing_are_said_and_not_made_up() {
    let (mut moves, told) = started(&["knights-sl"]);
    assert!(told.contains(", no value"), "{told}");
    moves.settle("setoption name UCI_ShowWDL value true");
    let lines = moves.search(POSITION, "go movetime 1000");
    assert_ne!(best_move(&lines), "0000");
    let infos: Vec<&String> = lines.iter().filter(|line| line.contains(" pv ")).collect();
    assert!(
        !infos.is_empty() && infos.iter().all(|line| !line.contains(" score ") && !line.contains(" wdl ")),
        "{infos:?}"
    );
    let evaluation = moves.settle("eval").join("\n");
    assert!(evaluation.contains("policy: ") && evaluation.contains("no value"), "{evaluation}");
    assert!(!evaluation.contains("draw 100"), "{evaluation}");
    moves.quit();

    let (mut values, _) = started(&["knights-el"]);
    let evaluation = values.settle(&format!("{POSITION}\neval")).join("\n");
    assert!(evaluation.contains("win ") && evaluation.contains("no policy"), "{evaluation}");
    assert!(!evaluation.contains("policy: "), "{evaluation}");
    assert!(values.search(POSITION, "go movetime 1000").iter().any(|line| line.contains(" score cp ")));
    values.quit();
}
