//! Ten thousand searches by one engine: no crash, no illegal move, no growing memory. Alone in its process, whose memory it
//! measures.

use std::{sync::Arc, time::Duration};

use chess::{Clock, Limits, MaterialEvaluator, Search, StopSignal, laws};
use rand::RngExt as _;
use rand_xoshiro::{Xoshiro256PlusPlus, rand_core::SeedableRng};
use search::{Puct, options::parse};

const SEARCHES: usize = 10_000;
/// Memory may still grow by this much after the first tenth of the searches: what allocators keep for threads.
const ROOM_KIB: u64 = 32 * 1024;

fn random_limits(random: &mut Xoshiro256PlusPlus) -> Limits {
    let mut limits = Limits::default();
    match random.random_range(0..5) {
        0 => limits.depth = Some(random.random_range(0..3)),
        1 => limits.move_time = Some(Duration::from_micros(random.random_range(0..500))),
        2 => {
            limits.clock = Some(Clock {
                remaining: Duration::from_millis(random.random_range(0..40)),
                increment: Duration::from_millis(random.random_range(0..2)),
                moves_to_go: None,
            });
        }
        3 => limits.mate = Some(random.random_range(0..3)),
        _ => {}
    }
    limits.nodes = Some(random.random_range(0..60));
    limits
}

/// Resident memory of this process; `None` if the system does not tell.
fn resident_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

#[test]
fn ten_thousand_searches_leave_no_trace() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(99);
    let games = laws::sample_games(99, 500);
    let mut engines: Vec<Puct> = [1, 2]
        .map(|threads| {
            let options = parse(&format!("Threads={threads} Hash=1 MoveOverhead=0")).expect("known options");
            Puct::new(Arc::new(MaterialEvaluator), &options)
        })
        .into();
    let mut early = None;
    for number in 0..SEARCHES {
        let game = &games[random.random_range(0..games.len())];
        // One in ten with two threads: starting a thread costs more than such a search.
        let engine = &mut engines[usize::from(number % 10 == 0)];
        let limits = random_limits(&mut random);
        match engine.run(game, &limits, &StopSignal::default(), &mut |_| {}) {
            Ok(decision) => assert!(game.legal_moves().contains(&decision.best), "{}", game.fen()),
            Err(error) => assert!(game.legal_moves().is_empty(), "{error}"),
        }
        if number == SEARCHES / 10 {
            early = resident_kib();
        }
    }
    if let (Some(early), Some(late)) = (early, resident_kib()) {
        assert!(late < early + ROOM_KIB, "{early} KiB after a tenth of the searches, {late} KiB at the end");
    }
}
