//! Evaluations a second of a network of Maia's shape with random weights: every instruction set and precision of this
//! machine, one thread, beside the peak of the unit. `cargo bench -p kernels -- [SECONDS] [BLOCKS] [CHANNELS]`.

#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs, reason = "a measurement prints its table")]

#[path = "../tests/support/random.rs"]
mod random;

use std::time::{Duration, Instant};

use kernels::{Calibration, Isa, Program, peak};
use random::{MAIA, Random, Shape};

fn main() {
    let numbers: Vec<f64> = std::env::args().skip(1).filter_map(|argument| argument.parse().ok()).collect();
    let number = |at: usize, default: f64| numbers.get(at).copied().unwrap_or(default);
    let time = Duration::from_secs_f64(number(0, 0.5));
    let shape = Shape { blocks: number(1, 6.0) as usize, channels: number(2, 64.0) as usize, ..MAIA };
    let mut random = Random(1);
    let plan = random.plan(&shape);
    let calibration = Calibration { ranges: vec![8.0; plan.tensors().len()] };
    println!("{}x{}, evaluations/s by batch, percent of peak at the largest", shape.blocks, shape.channels);
    for isa in Isa::available() {
        for precision in isa.precisions() {
            let program = Program::compile(&plan, isa, precision, Some(&calibration)).unwrap();
            let peak = peak::multiply_adds_per_second(isa, precision).unwrap();
            let mut arena = program.arena();
            print!("{:9} {:5} peak {:6.1} GMAC/s:", isa.name(), precision.name(), peak / 1e9);
            let mut last = 0.0;
            for batch in [1, 8, 32, 128] {
                let planes = random.boards(batch, shape.planes);
                let (start, mut best) = (Instant::now(), f64::INFINITY);
                while start.elapsed() < time {
                    let run = Instant::now();
                    program.run(&mut arena, &planes, &mut |_, _| {});
                    best = best.min(run.elapsed().as_secs_f64());
                }
                last = batch as f64 / best;
                print!(" {last:8.0}");
            }
            let executed = program.operations().executed as f64;
            println!("  {:5.1} %", 100.0 * last * executed / peak);
        }
    }
}
