//! Searches whose positions a UCI engine judges, and means of networks, as a user sees them: a fault of the engine costs a game,
//! and anything that cannot be opened is reported before a game begins.
#![cfg(unix)]

use crate::engine;
use crate::program;

use serde_json::Value;

use program::{json, refused};

#[test]
fn an_engine_judges_the_positions_of_a_search() {
    let folder = tempfile::tempdir().unwrap();
    // It likes a rook's move best and answers only in the first position, where White is to move.
    engine::engine(folder.path(), "judge", &[], "echo info depth 1 score cp 30 pv a2a3; echo bestmove a2a3");
    let games = "--games 2 --openings startpos --max-moves 1 --json";
    let play = "match net=uci:./judge:nodes=1,search=policy,nodes=1 first";
    let result = json(folder.path(), &format!("{play} {games}"));
    let ends = |result: &Value| -> Vec<(Value, Value)> {
        let games = result["game_list"].as_array().unwrap().iter();
        games.map(|game| (game["termination"].clone(), game["loser"].clone())).collect()
    };
    // As Black its move is illegal, which ends the game and not the program.
    assert!(ends(&result).contains(&("crash".into(), "first".into())), "{result}");
    // An engine that dies after the first position, on which every evaluator is tried.
    let mortal =
        "test -e dead && exit 3; touch dead; echo info depth 1 score cp 30 pv a2a3; echo bestmove a2a3";
    engine::engine(folder.path(), "mortal", &[], mortal);
    let play = "match net=uci:./mortal:nodes=1,search=plain-puct,nodes=5 random";
    let result = json(folder.path(), &format!("{play} {games}"));
    assert!(ends(&result).iter().all(|end| *end == ("crash".into(), "first".into())), "{result}");
    for (player, expected) in [
        ("net=uci:no/such:nodes=1", "no/such"),
        ("net=uci:true:nodes=1", "is it a UCI engine?"),
        ("net=uci:./judge", "needs one of nodes, depth"),
        ("net=uci:./judge:movetime=5", "does not depend on time"),
        ("net=uci:./judge:nodes=1:option.Hash=1", "Hash"),
        ("net=default+no/such.tabiya", "no/such.tabiya"),
    ] {
        refused(folder.path(), &format!("match {player} random"), 1, expected);
    }
}
