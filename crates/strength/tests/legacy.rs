//! The published numbers of the COGS188 project, recomputed from its own files, and the result of a random mover by the
//! same formula.

use std::path::{Path, PathBuf};

use strength::{
    metrics::{
        AgreementRow, AgreementTable,
        agreement::{AgreementColumns, AgreementPosition, read_positions},
    },
    player::FIRST,
};

fn seeds(file: &str) -> PathBuf {
    let root = std::env::var("TABIYA_DATA").expect("TABIYA_DATA names the data folder");
    Path::new(&root).join("seeds").join(file)
}

fn close(found: f64, expected: f64, what: &str) {
    assert!((found - expected).abs() < 0.000_05, "{what}: found {found}, expected {expected}");
}

#[test]
#[ignore = "needs TABIYA_DATA"]
fn real_data_published_metrics_are_reproduced() {
    let text = std::fs::read_to_string(seeds("cogs188-evaluation-results.csv")).expect("the file is there");
    let rows: Vec<AgreementRow> = text
        .lines()
        .skip(1)
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            let [group, first, second, played] = [0, 2, 3, 4].map(|place| cells[place].to_string());
            AgreementRow { group, first, second, played }
        })
        .collect();
    let table = AgreementTable::new("seed", &rows).expect("the file has rows");
    let legacy = table.legacy;
    assert_eq!(table.positions, 5_921);
    assert_eq!(table.counts, [1537.0, 151.0, 153.0, 4080.0]);
    assert_eq!(legacy.true_negatives, 1086.0);
    close(legacy.accuracy, 0.2851, "accuracy");
    close(legacy.precision.expect("defined"), 0.9105, "precision");
    close(legacy.recall.expect("defined"), 0.9095, "recall");
    close(legacy.f1.expect("defined"), 0.9100, "F1");
    close(table.references.value, 0.7911, "references");
}

fn positions() -> Vec<AgreementPosition> {
    let columns = AgreementColumns {
        group: "game_id".into(),
        fen: "fen".into(),
        first: "sf_a_move".into(),
        second: "sf_b_move".into(),
        others: vec!["human_move".into(), "seed_move".into()],
        ratings: Vec::new(),
    };
    read_positions(&seeds("cogs188-eval-positions.csv"), &columns, None).expect("the file is sound").found
}

/// python-chess 1.11.2 generates the second reference's move first in 436 of 5,921 positions.
#[test]
#[ignore = "needs TABIYA_DATA"]
fn real_data_the_first_move_is_that_of_python_chess() {
    let positions = positions();
    let first = |position: &AgreementPosition| FIRST.moves(&position.game)[0];
    let moves: Vec<_> = positions.iter().map(first).collect();
    let rows = AgreementPosition::rows(&positions, &moves);
    let matched = rows.iter().filter(|row| row.played == row.second).count();
    assert_eq!((matched, rows.len()), (436, 5921));
}

#[test]
#[ignore = "needs TABIYA_DATA"]
fn real_data_s1_k2_random_movers_reach_nearly_the_same() {
    let positions = positions();
    let tables = AgreementPosition::baselines(&positions);
    let of = |name: &str| tables.iter().find(|table| table.player == name).expect("compared");
    let random = of("random");
    close(random.second.value, 0.0756, "random match");
    let f1 = random.legacy.f1.expect("defined");
    // The exact expectation; one simulated mover gave 0.854.
    assert!((f1 - 0.8504).abs() < 0.0002, "F1 of a random mover: {f1}");
    close(of("human_move").second.value, 0.4011, "human match");
    close(of("seed_move").second.value, 0.2854, "seed match");
    // One simulated greedy mover with a rule of its own for equal moves gave 0.206.
    assert!((of("material").second.value - 0.2106).abs() < 0.0002, "{}", of("material").second.value);
    assert!((of("human_move").legacy.f1.expect("defined") - 0.883).abs() < 0.001);
}
