//! The page in a real browser: each test runs one file of `crates/web/ui/tests/browser` against the program.

use std::{
    io::Write as _,
    path::Path,
    process::Command,
    sync::{Mutex, PoisonError},
};

/// Two browsers at a time: one uses half of a core and waits the rest of its time, and many on a small machine make each other wait
/// longer than a page may take.
static BROWSERS: [Mutex<()>; 2] = [Mutex::new(()), Mutex::new(())];

/// Runs the scenarios of one file.
fn run(file: &str) {
    run_those(file, "");
}

/// Runs the scenarios of one file whose names have these words; their findings are in the output. A file that failed is run once more,
/// and the first report stays in the output: a browser on a machine with other work may be late for reasons of its own, and a fault
/// of the page fails twice.
fn run_those(file: &str, words: &str) {
    // A file that failed leaves nothing behind that could disturb the next one.
    let free = BROWSERS.iter().find_map(|browser| browser.try_lock().ok());
    let _one = free.unwrap_or_else(|| BROWSERS[0].lock().unwrap_or_else(PoisonError::into_inner));
    if let Err(report) = scenarios(file, words) {
        // Not `eprintln!`, whose text is suppressed for a test that passes in the end.
        writeln!(std::io::stderr(), "{file} failed once and is run again:\n{report}")
            .expect("there is an output");
        if let Err(report) = scenarios(file, words) {
            panic!("{report}");
        }
    }
}

/// Runs a file once. Returns the report if it failed.
fn scenarios(file: &str, words: &str) -> Result<(), String> {
    let ui = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/web/ui");
    let script = format!("build/tests/browser/{file}.test.js");
    let output = Command::new("node")
        .args(["--test", "--test-reporter=spec", "--test-name-pattern", words, &script])
        .current_dir(ui)
        .env("TABIYA_PROGRAM", env!("CARGO_BIN_EXE_tabiya"))
        .output()
        .expect("node was needed to build the page");
    let report = String::from_utf8_lossy(&output.stdout);
    let did_run = report.contains("fail 0") && !report.contains("pass 0");
    if output.status.success() && did_run {
        return Ok(());
    }
    Err(format!("{report}\n{}", String::from_utf8_lossy(&output.stderr)))
}

#[test]
#[ignore = "needs Chromium"]
fn chromium_plays_games_with_mouse_and_keys() {
    run("play");
}

#[test]
#[ignore = "needs Chromium"]
fn chromium_begins_games_against_any_opponent() {
    run("beginning");
}

#[test]
#[ignore = "needs Chromium"]
fn chromium_keeps_the_seat_over_tabs_and_restarts() {
    run("seat");
}

#[test]
#[ignore = "needs Chromium"]
fn chromium_analyses_imports_and_reviews() {
    run("analyse");
}

#[test]
#[ignore = "needs Chromium"]
fn chromium_offers_opponents_by_strength_and_name() {
    run("opponents");
}

#[test]
#[ignore = "needs Chromium"]
fn chromium_keeps_the_board_still_and_says_why() {
    run("board");
}

#[test]
#[ignore = "needs Chromium"]
fn chromium_keeps_what_was_computed_and_tells_it_from_one_side() {
    run("kept");
}

#[test]
#[ignore = "needs Chromium"]
fn chromium_keeps_analyses_over_tabs_and_visitors() {
    run("analyses");
}

#[test]
#[ignore = "needs Chromium"]
fn chromium_explores_openings_of_own_games() {
    run("openings");
}

#[test]
#[ignore = "needs Chromium"]
fn chromium_gives_the_tabs_and_a_small_phone_their_room() {
    run("room");
}

#[test]
#[ignore = "needs Chromium"]
fn chromium_saves_pictures_and_comments() {
    run("saved");
}

#[test]
#[ignore = "needs Chromium"]
fn chromium_tells_what_only_networks_can_say_of_a_game() {
    run("portrait");
}

#[test]
#[ignore = "needs Chromium"]
fn chromium_shows_what_networks_take_in_and_how_far_their_values_came_true() {
    run("insights");
}

#[test]
#[ignore = "needs Chromium"]
fn chromium_keeps_faults_away_that_readers_found() {
    run("findings");
}

#[test]
#[ignore = "needs Chromium"]
fn chromium_shows_networks_runs_and_results_on_every_screen_and_theme() {
    run("pages");
}

#[test]
#[ignore = "needs Chromium"]
fn chromium_keeps_personal_games_and_lists_generations() {
    run("learning");
}

#[test]
#[ignore = "needs Chromium"]
fn chromium_keeps_what_is_promised_at_six_sizes_in_light() {
    run_those("sizes", "light");
}

#[test]
#[ignore = "needs Chromium"]
fn chromium_keeps_what_is_promised_at_six_sizes_in_dark() {
    run_those("sizes", "dark");
}

#[test]
#[ignore = "needs Chromium"]
fn chromium_opens_reports_from_their_files() {
    run("report");
}

#[test]
#[ignore = "needs TABIYA_DATA and Chromium"]
fn real_data_chromium_imports_networks_that_play_like_people() {
    run("people");
}

#[test]
#[ignore = "needs TABIYA_DATA and Chromium"]
fn real_data_chromium_lists_the_moves_of_endgame_tables() {
    run("endgames");
}
