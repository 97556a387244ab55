//! Any lines in any order sent to a searching engine: it writes only UCI, answers every `go` once, and exits at the end of the input.
#![no_main]

use std::{
    io::{self, Read, Write},
    sync::{Arc, Mutex, mpsc},
    time::Duration,
};

use libfuzzer_sys::fuzz_target;
use player::uci::UciEngine;

/// Lines of a session; each byte of the input chooses one.
const LINES: &[&str] = &[
    "uci",
    "isready",
    "ucinewgame",
    "position startpos",
    "position startpos moves e2e4 e7e5",
    "position fen 8/8/8/8/8/8/8/K1k5 w - - 0 1",
    "position fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "go nodes 5",
    "go depth 2",
    "go movetime 1",
    "go wtime 20 btime 20",
    "go infinite",
    "go ponder nodes 3",
    "go perft 2",
    "go perft 9",
    "go perft 4000000000",
    "go mate 1",
    "go searchmoves e2e4 nodes 4",
    "go",
    "stop",
    "stop now",
    "ponderhit",
    "bench 1",
    "bench 9000000",
    "d",
    "eval",
    "debug on",
    "setoption name MultiPV value 3",
    "setoption name Hash value 1",
    "setoption name Threads value 2",
    "setoption name UCI_Chess960 value true",
    "setoption name MaterialNodes value 0",
    "setoption name Clear Hash",
    "setoption name UCI_AnalyseMode value true",
];

/// Longer than any of this takes on a busy machine.
const HANG: Duration = Duration::from_secs(60);

/// The lines, then the end of the input.
struct Input(io::Cursor<Vec<u8>>);

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

#[derive(Clone, Default)]
struct Output(Arc<Mutex<Vec<u8>>>);

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("nobody panics with it").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fuzz_target!(|input: (Vec<u8>, &str)| {
    let (choices, text) = input;
    let mut lines: Vec<&str> =
        choices.iter().take(40).map(|&choice| LINES[usize::from(choice) % LINES.len()]).collect();
    // Options with arbitrary numbers could ask for gigabytes, networks and files.
    lines.extend(text.lines().filter(|line| !line.contains("setoption")).take(4));
    let input = Input(io::Cursor::new((lines.join("\n") + "\n").into_bytes()));
    let (output, (ended, end)) = (Output::default(), mpsc::channel());
    let heard = output.clone();
    std::thread::spawn(move || {
        let engine = UciEngine::open("material", None, None, &[]).expect("no network is needed");
        let _ = ended.send(engine.run(input, output).is_ok());
    });
    assert_eq!(end.recv_timeout(HANG), Ok(true), "it does not leave after {lines:?}");
    let bytes = heard.0.lock().expect("it has ended").clone();
    let said = String::from_utf8(bytes).expect("UCI is text");
    let answers = said.lines().filter(|line| line.starts_with("bestmove")).count();
    let asked = lines.iter().filter(|line| line.contains("go")).count();
    assert!(answers <= asked, "{answers} answers to {lines:?}");
});
