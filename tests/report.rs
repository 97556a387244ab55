//! `tabiya report` on the results of other commands.

use crate::program;

use program::{failure, read_json, refused, success};

#[test]
fn results_become_one_page() {
    let folder = tempfile::tempdir().unwrap();
    let play = |players: &str, out: &str| {
        success(folder.path(), &format!("match {players} --games 4 --max-moves 30 --out {out}"));
    };
    play("material random", "pair");
    play("material random random,name=other", "field");
    success(folder.path(), "report pair field/result.json --title 'Two results' --out r");
    let read = |name: &str| std::fs::read_to_string(folder.path().join("r").join(name)).unwrap();
    // Without Node.js the program has no page.
    if web::report_page("{}").is_some() {
        let page = read("report.html");
        assert!(page.contains("\"title\": \"Two results\""), "{page}");
        assert!(!page.contains("<script src=") && !page.contains("rel=\"stylesheet\""), "self-contained");
    }
    assert!(read("report.md").contains("material against random"));
    let json = read_json(&folder.path().join("r/report.json"));
    assert_eq!(json["sections"].as_array().unwrap().len(), 2);
    assert_eq!(json["sections"][0]["data"]["kind"], "tabiya-match-1");
    assert!(json["sections"][0]["data"]["game_list"].is_null());
}

#[test]
fn losses_of_runs_and_published_ones_are_one_figure() {
    let folder = tempfile::tempdir().unwrap();
    let run = concat!(env!("CARGO_MANIFEST_DIR"), "/nets/seeds/knights-el");
    let report = ["report", run, "--published", "published.csv"];
    let table = "model,split,epoch,loss\nE8,validation,1,1.5\nE8,validation,2,1.4\n";
    std::fs::write(folder.path().join("published.csv"), table).unwrap();
    success(folder.path(), &report);
    let figure = std::fs::read_to_string(folder.path().join("report/losses.svg")).unwrap();
    assert!(figure.contains("knights-el") && figure.contains("E8, published"), "{figure}");
    std::fs::write(folder.path().join("published.csv"), "a,b\n").unwrap();
    let message = failure(folder.path(), &report);
    assert!(message.contains("published.csv") && message.contains("line 1"), "{message}");
}

#[test]
fn bad_input_is_named() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("x.json"), "{\"kind\":\"else\"}").unwrap();
    for (arguments, code, expected) in [
        ("report", 2, "required arguments"),
        ("report none.json", 1, "none.json"),
        ("report x.json", 1, "found the kind \"else\", expected one of"),
        ("report .", 1, ". holds no result: found neither result.json nor log.jsonl"),
    ] {
        refused(folder.path(), arguments, code, expected);
    }
    assert!(!folder.path().join("report").exists());
}
