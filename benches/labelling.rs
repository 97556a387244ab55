//! How much of an engine's speed is left in `tabiya data label`: positions a second of one process against those of the same
//! engine driven alone, with nothing but what it must be told, on the same positions.
//!
//! `cargo bench --bench labelling -- [ENGINE] [POSITIONS]`; the engine is Stockfish by default. Both take turns. Seconds are those that
//! the processor gave to the engine and to whoever drives it, so that other programs count little; Linux only.

#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs, reason = "a measurement prints its table")]

use std::{
    fmt::Write as _,
    io::{BufRead as _, BufReader, Write as _},
    path::Path,
    process::{Command, Stdio},
    time::Instant,
};

use chess::Game;

/// Searches: the `go` command, the same limit for a player, and the number of lines (`MultiPV`).
const LIMITS: [(&str, &str, u32); 3] =
    [("nodes 1000", "nodes=1000", 1), ("nodes 3000", "nodes=3000", 4), ("depth 10", "depth=10", 1)];
const ROUNDS: usize = 3;
/// Hundredths of a second: the unit of `/proc`.
const TICK: f64 = 0.01;

fn main() {
    let mut arguments = std::env::args().skip(1).filter(|argument| !argument.starts_with("--"));
    let engine = arguments.next().unwrap_or_else(|| "/usr/games/stockfish".into());
    let count: usize = arguments.next().map_or(4000, |text| text.parse().unwrap());
    let fens = positions(count);
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("positions.fen"), fens.join("\n") + "\n").unwrap();
    println!("{engine}, {count} positions a round; positions per second of the processor (of the clock)");
    for (go, limits, lines) in LIMITS {
        let mut ratios = Vec::new();
        for _ in 0..ROUNDS {
            let [alone, alone_clock] = timed(count, || alone(&engine, &fens, go, lines));
            let [label, label_clock] = timed(count, || label(&engine, folder.path(), limits, lines));
            println!(
                "{go}, {lines} lines: alone {alone:.0} ({alone_clock:.0}), labelled {label:.0} ({label_clock:.0}), ratio {:.3}",
                label / alone
            );
            ratios.push(label / alone);
        }
        ratios.sort_by(f64::total_cmp);
        println!("{go}, {lines} lines: median ratio {:.3}", ratios[ROUNDS / 2]);
    }
}

/// Different positions of games of random moves, 8 to 39 plies long.
fn positions(count: usize) -> Vec<String> {
    let mut state: u64 = 1;
    let mut next = |below: usize| {
        // Knuth's MMIX generator: its high bits are random enough.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let mut fens = Vec::with_capacity(count);
    while fens.len() < count {
        let mut game = Game::default();
        for _ in 0..8 + next(32) {
            let moves = game.legal_moves();
            if game.outcome().is_none() {
                game.play(moves[next(moves.len())]).unwrap();
            }
        }
        if game.outcome().is_none() {
            fens.push(game.fen());
        }
    }
    fens
}

/// Positions per second of the processor, and of the clock.
fn timed(count: usize, work: impl FnOnce()) -> [f64; 2] {
    let (clock, before) = (Instant::now(), processor_seconds());
    work();
    [processor_seconds() - before, clock.elapsed().as_secs_f64()].map(|seconds| count as f64 / seconds)
}

/// Processor time of this process and of its ended children: fields 14 to 17 of `/proc/self/stat` (proc(5)).
fn processor_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap();
    let after_name = text.rsplit_once(") ").unwrap().1;
    let ticks = after_name.split(' ').skip(11).take(4).map(|field| field.parse::<f64>().unwrap());
    ticks.sum::<f64>() * TICK
}

fn alone(engine: &str, fens: &[String], go: &str, lines: u32) {
    let mut process =
        Command::new(engine).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the engine starts");
    let mut to = process.stdin.take().unwrap();
    let mut from = BufReader::new(process.stdout.take().unwrap()).lines();
    writeln!(to, "uci\nsetoption name MultiPV value {lines}").unwrap();
    for fen in fens {
        let mut question = String::new();
        writeln!(question, "position fen {fen}\ngo {go}").unwrap();
        to.write_all(question.as_bytes()).unwrap();
        from.find(|line| line.as_ref().unwrap().starts_with("bestmove")).unwrap().unwrap();
    }
    writeln!(to, "quit").unwrap();
    process.wait().unwrap();
}

fn label(engine: &str, folder: &Path, limits: &str, lines: u32) {
    let output = folder.join("labels.store");
    let player = format!("uci={engine},{limits}");
    let mut command = Command::new(env!("CARGO_BIN_EXE_tabiya"));
    command.args(["data", "label", "labels.store", "positions.fen", "--processes", "1", "--engine", &player]);
    command.args(["--multipv", &lines.to_string()]).current_dir(folder).stdout(Stdio::null());
    assert!(command.status().unwrap().success());
    std::fs::remove_dir_all(output).unwrap();
}
