//! Any bytes, and damaged files, as results and logs: as `tabiya report` reads them, and as the page shows them. The page answers
//! every request for them, and never with a failure of its own.
#![no_main]
#![allow(dead_code, unused_imports, reason = "the tests use all of it")]

#[path = "../../crates/web/tests/server/double.rs"]
mod double;
#[path = "../../crates/web/tests/server/openings.rs"]
mod openings;
#[path = "../../crates/web/tests/server/personal.rs"]
mod personal;
#[path = "../../crates/web/tests/server/stage.rs"]
mod stage;

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use stage::Stage;
use strength::report::{document::Document, sections::section};
use tabiya_fuzz::{Damage, damaged};

static STAGE: LazyLock<Stage> = LazyLock::new(|| {
    let stage = Stage::new();
    for folder in ["results/x", "runs/x"] {
        std::fs::create_dir_all(stage.path().join(folder)).expect("the stage has a folder");
    }
    std::fs::write(stage.path().join("runs/x/recipe.toml"), "title = \"x\"\n[training]\nsteps = 9\n")
        .expect("the stage can be written to");
    stage
});

const RESULT: &[u8] = include_bytes!("../seeds/result.json");

/// The first whole lines of a log.
static LOG: LazyLock<&[u8]> = LazyLock::new(|| {
    let log: &[u8] = include_bytes!("../../nets/default/log.jsonl");
    let begin = &log[..log.len().min(4000)];
    let end = begin.iter().rposition(|&byte| byte == b'\n').expect("a whole line");
    assert_eq!(check(RESULT, &begin[..end]), 2, "the program accepts both seeds");
    &begin[..end]
});

/// The number of files that were accepted.
fn check(result: &[u8], log: &[u8]) -> usize {
    let mut accepted = 0;
    for (name, bytes) in [("result.json", result), ("log.jsonl", log)] {
        if let Ok(section) = section(name, &String::from_utf8_lossy(bytes)) {
            let _ = Document::new("fuzz", vec![section]).markdown();
            accepted += 1;
        }
    }
    std::fs::write(STAGE.path().join("results/x/result.json"), result).expect("the stage can be written to");
    std::fs::write(STAGE.path().join("runs/x/log.jsonl"), log).expect("the stage can be written to");
    for path in ["/api/v1/results", "/api/v1/runs", "/api/v1/runs/x", "/api/v1/runs/x/curves"] {
        let answer = STAGE.get(path);
        let about_the_file = answer.status == 500 && answer.text().contains("log.jsonl");
        assert!(answer.status < 500 || about_the_file, "{path}: {}", answer.text());
    }
    accepted
}

fuzz_target!(|input: (Damage, &[u8])| {
    let (damage, bytes) = input;
    check(&damaged(RESULT, &damage), &damaged(&LOG, &damage));
    check(bytes, bytes);
});
