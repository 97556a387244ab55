//! Evaluations per second of a network of Maia's shape with random weights, for every instruction set and precision of this
//! machine, next to the peak of its arithmetic unit.
//! `cargo bench -p kernels --bench network -- [SECONDS] [BLOCKS] [CHANNELS]`.
//!
//! Times are the thread's CPU time where the system reports it, because wall-clock time on a busy machine includes other
//! programs. The last column is the throughput of two threads running at once divided by the throughput of one: 2.00 means that
//! they do not slow each other down.

#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs, reason = "a measurement prints its table")]

#[path = "../../../benches/support/processor.rs"]
mod processor;
#[path = "../tests/support/random.rs"]
mod random;

use std::time::{Duration, Instant};

use chess::encoding::Plane;
use kernels::{Calibration, Isa, Program, peak};
use processor::thread_seconds;
use random::{MAIA, Random, Shape};

fn main() {
    let numbers: Vec<f64> = std::env::args().skip(1).filter_map(|argument| argument.parse().ok()).collect();
    let number = |at: usize, default: f64| numbers.get(at).copied().unwrap_or(default);
    let time = Duration::from_secs_f64(number(0, 0.5));
    let shape = Shape { blocks: number(1, 6.0) as usize, channels: number(2, 64.0) as usize, ..MAIA };
    let mut random = Random(1);
    let plan = random.plan(&shape);
    let calibration = Calibration { ranges: vec![8.0; plan.tensors().len()] };
    println!("{}x{}, evaluations/s by batch, share of peak, two threads", shape.blocks, shape.channels);
    for isa in Isa::available() {
        for precision in isa.precisions() {
            let program = Program::compile(&plan, isa, precision, Some(&calibration)).unwrap();
            let peak = peak::multiply_adds_per_second(isa, precision).unwrap();
            print!("{:9} {:5} peak {:6.1} GMAC/s:", isa.name(), precision.name(), peak / 1e9);
            let mut alone = 0.0;
            for batch in [1, 8, 32, 128] {
                alone = rate(&program, &random.boards(batch, shape.planes), time);
                print!(" {alone:8.0}");
            }
            let boards = random.boards(128, shape.planes);
            let together: f64 = std::thread::scope(|scope| {
                let threads = [0; 2].map(|_| scope.spawn(|| rate(&program, &boards, time)));
                threads.into_iter().map(|thread| thread.join().unwrap()).sum()
            });
            let share = alone * program.operations().executed as f64 / peak;
            println!("  {:5.1} %  {:4.2}", 100.0 * share, together / alone);
        }
    }
}

/// Positions per second of this thread's CPU time.
fn rate(program: &Program, boards: &[Plane], time: Duration) -> f64 {
    let positions = boards.len() / MAIA.planes;
    let mut arena = program.arena();
    program.run(&mut arena, boards, &mut |_, _| {});
    let (wall, start, mut runs) = (Instant::now(), thread_seconds(), 0);
    while wall.elapsed() < time || thread_seconds() - start < 0.05 {
        program.run(&mut arena, boards, &mut |_, _| {});
        runs += 1;
    }
    (positions * runs) as f64 / (thread_seconds() - start)
}
