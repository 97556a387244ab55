//! The most likely shares of the five outcomes of a pair under a hypothesis, given the observed ones.

use super::super::{bisect, tally::SCORES};

/// Shares of the outcomes 0, 1/2, 1, 3/2 and 2 points; they add up to 1.
pub(super) type Shares = [f64; 5];

/// Halvings of an interval: as many as an `f64` resolves.
const BISECTIONS: u32 = 100;

/// Steps of the grid on each side of [`KINK`]; between them the likelihood has one maximum.
const GRID: u32 = 16;

/// Sections of the two steps of the grid around a maximum, each to 0.618 of their width.
const SECTIONS: u32 = 45;

/// The deviation at which the largest score for a given mean square has a kink: all pairs at 3/4, 1/4 above
/// the middle.
const KINK: f64 = 0.25;

/// x = score - 1/2 of each outcome.
const CENTRED: [f64; 5] = [-0.5, -0.25, 0.0, 0.25, 0.5];

/// Deviations that differ from none by rounding only.
const NONE: f64 = 1e-9;

/// The most likely shares with this expected score, which lies between 0 and 1.
pub(super) fn with_mean(observed: &Shares, mean: f64) -> Shares {
    tilted(observed, &SCORES.map(|score| score - mean)).unwrap_or(*observed)
}

/// The most likely shares whose mean is this many standard deviations above 1/2.
///
/// With x = score - 1/2 and c = t / sqrt(1 + t^2), t > 0, the hypothesis reads E x = c sqrt(E x^2). The root is the least of
/// (E x^2 / r + r) / 2 over r > 0. Each r therefore gives a linear condition, E x = c / 2 (E x^2 / r + r), whose most likely
/// shares are [`tilted`]. Shares of fewer deviations than t form a convex set, so what was observed above it is fitted by
/// the r of the least likelihood; from below, by that of the largest. The first is the only minimum by convexity; the second
/// may be one of several maxima, which the grid separates.
pub(super) fn with_deviations(observed: &Shares, deviations: f64) -> Shares {
    if deviations < 0.0 {
        return mirrored(&with_deviations(&mirrored(observed), -deviations));
    }
    if deviations < NONE {
        return with_mean(observed, 0.5);
    }
    let cosine = deviations / deviations.hypot(1.0);
    let is_above = mean(observed, &CENTRED) >= cosine * mean(observed, &CENTRED.map(|x| x * x)).sqrt();
    let conditions = Conditions { observed, cosine, is_above };
    conditions.fitted(conditions.best_radius()).unwrap_or(*observed)
}

/// The shares from the opponent's view.
fn mirrored(shares: &Shares) -> Shares {
    std::array::from_fn(|at| shares[4 - at])
}

/// Logarithm of the likelihood of these shares per pair, less that of the observed ones, which are the most likely of all.
pub(super) fn likelihood(observed: &Shares, shares: &Shares) -> f64 {
    (0..5).map(|at| observed[at] * (shares[at] / observed[at]).ln()).sum()
}

fn mean(shares: &Shares, values: &[f64; 5]) -> f64 {
    (0..5).map(|at| shares[at] * values[at]).sum()
}

/// The linear conditions, one for each r, that together say the same as a number of deviations; see [`with_deviations`].
struct Conditions<'a> {
    observed: &'a Shares,
    /// The c of the conditions.
    cosine: f64,
    /// True if the observed shares have more deviations than the hypothesis.
    is_above: bool,
}

impl Conditions<'_> {
    /// The most likely shares under the condition of an r; `None` if no shares meet it.
    fn fitted(&self, radius: f64) -> Option<Shares> {
        let values = CENTRED.map(|x| x - 0.5 * self.cosine * (x * x / radius + radius));
        // Seen from above, a condition that the observation meets costs nothing.
        let is_met = self.is_above && mean(self.observed, &values) <= 0.0;
        if is_met { Some(*self.observed) } else { tilted(self.observed, &values) }
    }

    /// The likelihood under the condition of an r, with the sign that makes the wanted r that of the largest merit.
    fn merit(&self, radius: f64) -> f64 {
        match self.fitted(radius) {
            Some(shares) if self.is_above => -likelihood(self.observed, &shares),
            Some(shares) => likelihood(self.observed, &shares),
            None => f64::NEG_INFINITY,
        }
    }

    /// The r of the largest merit. The root of E x^2 lies between c / 4 and 1/2, because the mean of x is at most four times that
    /// of x^2.
    fn best_radius(&self) -> f64 {
        let below = steps(self.cosine * KINK, KINK);
        let grid: Vec<f64> = below.chain(steps(KINK, 0.5).skip(1)).collect();
        let merits: Vec<f64> = grid.iter().map(|&radius| self.merit(radius)).collect();
        let last = grid.len() - 1;
        let (mut best, mut highest) = (KINK, f64::NEG_INFINITY);
        for (at, &merit) in merits.iter().enumerate() {
            let (before, after) = (at.saturating_sub(1), (at + 1).min(last));
            let sides = [merits[before], merits[after]];
            // Nothing rises inside a plateau, which impossible and unneeded conditions form.
            if sides.iter().any(|&side| side > merit) || sides.iter().all(|&side| side == merit) {
                continue;
            }
            let top = self.top(grid[before], grid[after]);
            let top = if self.merit(top) > merit { top } else { grid[at] };
            if self.merit(top) >= highest {
                (best, highest) = (top, self.merit(top));
            }
        }
        best
    }

    /// The r of the only maximum between two, by golden sections.
    fn top(&self, mut low: f64, mut high: f64) -> f64 {
        let golden = 0.5 * (5.0_f64.sqrt() - 1.0);
        for _ in 0..SECTIONS {
            let width = golden * (high - low);
            if self.merit(high - width) > self.merit(low + width) {
                high = low + width;
            } else {
                low = high - width;
            }
        }
        0.5 * (low + high)
    }
}

/// The places of the grid between two numbers, each the same multiple of the one before.
fn steps(from: f64, to: f64) -> impl Iterator<Item = f64> {
    (0..=GRID).map(move |step| from * (to / from).powf(f64::from(step) / f64::from(GRID)))
}

/// The most likely shares under which `values` have the mean 0: observed / (1 + theta value), with the theta that achieves
/// it. The sum that must vanish falls with theta between the poles of its first and last term. `None` if all values have
/// one sign, so that no shares achieve it.
fn tilted(observed: &Shares, values: &[f64; 5]) -> Option<Shares> {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if !(least < 0.0 && most > 0.0) {
        return None;
    }
    // Between these poles every 1 + theta value is positive, as probabilities require.
    let theta = bisect(-1.0 / most, -1.0 / least, BISECTIONS, |theta| {
        let sum: f64 = (0..5).map(|at| observed[at] * values[at] / (1.0 + theta * values[at])).sum();
        sum > 0.0
    });
    Some(std::array::from_fn(|at| observed[at] / (1.0 + theta * values[at])))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{super::UNSEEN, *};

    fn deviations(shares: &Shares) -> f64 {
        let above = mean(shares, &SCORES) - 0.5;
        let variance = mean(shares, &SCORES.map(|score| (score - 0.5 - above).powi(2)));
        above / variance.sqrt()
    }

    /// The mixture of these shares with those of one outcome or its opposite that has the wanted number of deviations.
    fn moved_to(wanted: f64, shares: &Shares, outcome: usize) -> Option<Shares> {
        let mixed = |weight: f64| -> Shares {
            std::array::from_fn(|at| (1.0 - weight) * shares[at] + if at == outcome { weight } else { 0.0 })
        };
        let [mut near, mut far] = [0.0, 1.0 - 1e-12];
        let side = |weight: f64| deviations(&mixed(weight)) > wanted;
        if side(near) == side(far) {
            return None;
        }
        for _ in 0..60 {
            let middle = 0.5 * (near + far);
            if side(middle) == side(near) { near = middle } else { far = middle }
        }
        Some(mixed(near))
    }

    fn counts() -> impl Strategy<Value = [u64; 5]> {
        prop::array::uniform5(prop_oneof![Just(0), 0_u64..10, 0_u64..1_000_000])
            .prop_filter("needs a pair", |counts| counts.iter().sum::<u64>() > 0)
    }

    fn shares_of(counts: [u64; 5]) -> Shares {
        let counts = counts.map(|count| if count == 0 { UNSEEN } else { count as f64 });
        let total: f64 = counts.iter().sum();
        counts.map(|count| count / total)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(96))]

        /// The slow definition: the shares meet the hypothesis, and no others that meet it are more likely.
        #[test]
        fn no_shares_of_the_hypothesis_are_more_likely(
            counts in counts(),
            wanted in prop_oneof![-8.2_f64..8.2, -0.1_f64..0.1],
            others in prop::collection::vec((prop::array::uniform5(-1.0_f64..1.0), -12_i32..2), 100),
        ) {
            let observed = shares_of(counts);
            let fitted = with_deviations(&observed, wanted);
            prop_assert!((fitted.iter().sum::<f64>() - 1.0).abs() < 1e-6, "{fitted:?}");
            prop_assert!((deviations(&fitted) - wanted).abs() < 1e-5 * wanted.abs().max(1e-2), "{fitted:?}");
            let found = likelihood(&observed, &fitted);
            for (number, (noise, scale)) in others.into_iter().enumerate() {
                let start = if number % 2 == 0 { fitted } else { observed };
                let free: Shares =
                    std::array::from_fn(|at| start[at].max(1e-12) * (noise[at] * 2_f64.powi(scale)).exp());
                let total: f64 = free.iter().sum();
                for outcome in 0..5 {
                    let Some(other) = moved_to(wanted, &free.map(|share| share / total), outcome) else { continue };
                    let rival = likelihood(&observed, &other);
                    prop_assert!(rival <= found + 1e-7 * (1.0 + found.abs()), "{rival} > {found}: {other:?} {fitted:?}");
                }
            }
        }
    }
}
