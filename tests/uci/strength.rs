//! `UCI_Elo`: the player at a rating, from people's moves to a search.

use std::path::Path;

use protocol::Response;
use strength::{StrengthLevel, StrengthSetting, StrengthTable};
use xxhash_rust::xxh3::xxh3_128;

use super::conversation::{Conversation, best_move};

const POSITION: &str = "position startpos moves e2e4 e7e5 g1f3 b8c6 f1c4 g8f6 f3g5";

/// The bundled network beside a table with people's moves at 2900 and a search at 3000, above all measured levels.
fn calibrated(folder: &Path) -> String {
    let weights = std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("nets/default.tabiya")).unwrap();
    let net = folder.join("mine.tabiya").display().to_string();
    std::fs::write(&net, &weights).unwrap();
    let level = |setting, elo| StrengthLevel { setting, elo, lower: elo, upper: elo, games: 10 };
    let levels = vec![
        level(StrengthSetting::imitation(1000, 0.0), 2900.0),
        level(StrengthSetting::search(16, 0.0), 3000.0),
    ];
    let hash = format!("{:032x}", xxh3_128(&weights));
    let table = StrengthTable::new("mine".into(), hash, "conditions".into(), levels).unwrap();
    std::fs::write(format!("{net}.strength.json"), serde_json::to_string(&table).unwrap()).unwrap();
    net
}

/// The move, and the last number of nodes reported.
fn play(conversation: &mut Conversation, go: &str) -> (String, u64) {
    let lines = conversation.search(POSITION, go);
    let nodes = lines.iter().rev().find_map(|line| match line.parse() {
        Ok(Response::Info(info)) => info.nodes,
        _ => None,
    });
    (best_move(&lines).into(), nodes.expect("every search reports its nodes"))
}

#[test]
fn low_ratings_are_played_with_peoples_moves_and_higher_ones_with_searches() {
    let folder = tempfile::tempdir().unwrap();
    let mut people = Conversation::with_arguments(&[
        "uci",
        "--net",
        "human",
        "--search",
        "policy",
        "--option",
        "PlayerRating=1000",
    ]);
    people.settle("uci");
    let (expected, _) = play(&mut people, "go nodes 1");
    people.quit();

    let mut conversation = Conversation::with_arguments(&["uci", "--net", &calibrated(folder.path())]);
    conversation.settle("uci");
    conversation.settle("setoption name UCI_LimitStrength value true");
    for (elo, nodes) in [(2900, 1), (3000, 16), (2920, 1)] {
        conversation.settle(&format!("setoption name UCI_Elo value {elo}"));
        let (found, searched) = play(&mut conversation, "go nodes 300");
        assert_eq!(searched, nodes, "at {elo}");
        if nodes == 1 {
            assert_eq!(found, expected, "the likeliest move of people rated 1000");
        }
    }
    conversation.settle("setoption name UCI_AnalyseMode value true");
    assert!(play(&mut conversation, "go nodes 60").1 >= 50, "an analysis is at full strength");
    conversation.quit();
}
