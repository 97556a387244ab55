//! Values after pending captures, for networks whose own value is static: it counts the pieces on the board without
//! considering captures.

use chess::{
    Chess, Wdl,
    quiescence::{self, PLIES, StaticValues, WHOLE},
};

use super::evaluator::{Buffers, SparseEvaluator};

/// Units of a value per 1 in the log-odds of a win, with a draw counting half. The quiescence search uses integers; one unit
/// changes an expected score by at most 0.00025.
const UNITS: f32 = 1_000.0;
/// The largest static value in these units, about where [`Wdl::log_odds`] ends: far enough below [`MATE`] that a static value
/// is never mistaken for a mate.
const LARGEST: f32 = 20_000.0;

/// The value of a position whose static value is `standing`.
pub(super) fn value(
    network: &SparseEvaluator,
    buffers: &mut Buffers,
    position: &Chess,
    standing: Wdl,
) -> Wdl {
    let known = units(standing);
    let mut line = Line { network, buffers, known };
    let found = quiescence::value(&mut line, position, 0, WHOLE, PLIES);
    if found == known {
        return standing;
    }
    // The inverse of `units`: for log-odds x, the expected score is s(x) = 1 / (1 + e^-x), and win minus loss is
    // 2 s(x) - 1 = tanh(x / 2).
    let value = (0.5 * found as f32 / UNITS).tanh();
    let draw = standing.draw.min(1.0 - value.abs());
    let share = |value: f32| (0.5 * (1.0 - draw + value)).max(0.0);
    Wdl { win: share(value), draw, loss: share(-value) }
}

struct Line<'a> {
    network: &'a SparseEvaluator,
    buffers: &'a mut Buffers,
    /// Static value of the first position.
    known: i32,
}

impl StaticValues for Line<'_> {
    fn value(&mut self, ply: usize, position: &Chess) -> i32 {
        if ply == 0 {
            return self.known;
        }
        units(self.network.network_value(self.buffers, position))
    }
}

fn units(wdl: Wdl) -> i32 {
    (UNITS * wdl.log_odds()).clamp(-LARGEST, LARGEST) as i32
}
