//! The most likely shares of the five outcomes of a pair under a hypothesis, given the observed ones.

use super::SCORES;

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
        let mirrored = |shares: &Shares| std::array::from_fn(|at| shares[4 - at]);
        return mirrored(&with_deviations(&mirrored(observed), -deviations));
    }
    if deviations < NONE {
        return with_mean(observed, 0.5);
    }
    let cosine = deviations / deviations.hypot(1.0);
    let centred = SCORES.map(|score| score - 0.5);
    let is_above = mean(observed, &centred) >= cosine * mean(observed, &centred.map(|x| x * x)).sqrt();
    let fitted = |radius: f64| {
        let values = centred.map(|x| x - 0.5 * cosine * (x * x / radius + radius));
        // Seen from above, a condition that the observation meets costs nothing.
        let met = is_above && mean(observed, &values) <= 0.0;
        if met { Some(*observed) } else { tilted(observed, &values) }
    };
    let merit = |radius: f64| {
        let likelihood = fitted(radius).map(|shares| likelihood(observed, &shares));
        likelihood.map_or(f64::NEG_INFINITY, |found| if is_above { -found } else { found })
    };
    fitted(best_radius(cosine, merit)).unwrap_or(*observed)
}

/// Logarithm of the likelihood of these shares per pair, less that of the observed ones, which are the most likely of all.
pub(super) fn likelihood(observed: &Shares, shares: &Shares) -> f64 {
    (0..5).map(|at| observed[at] * (shares[at] / observed[at]).ln()).sum()
}

fn mean(shares: &Shares, values: &[f64; 5]) -> f64 {
    (0..5).map(|at| shares[at] * values[at]).sum()
}

/// The r of the largest merit. The root of E x^2 lies between c / 4 and 1/2, because the mean of x is at most four times that
/// of x^2.
fn best_radius(cosine: f64, merit: impl Fn(f64) -> f64) -> f64 {
    let steps = |from: f64, to: f64| {
        (0..=GRID).map(move |step| from * (to / from).powf(f64::from(step) / f64::from(GRID)))
    };
    let grid: Vec<f64> = steps(cosine * KINK, KINK).chain(steps(KINK, 0.5).skip(1)).collect();
    let merits: Vec<f64> = grid.iter().map(|&radius| merit(radius)).collect();
    let last = grid.len() - 1;
    let tops = (0..=last).filter(|&at| {
        let sides = [merits[at.saturating_sub(1)], merits[(at + 1).min(last)]];
        // Nothing rises inside a plateau, which impossible and unneeded conditions form.
        sides.iter().all(|side| *side <= merits[at]) && sides.iter().any(|side| *side < merits[at])
    });
    let found = tops.map(|at| {
        let top = highest(grid[at.saturating_sub(1)], grid[(at + 1).min(last)], &merit);
        if merit(top) > merits[at] { top } else { grid[at] }
    });
    found.max_by(|one, other| merit(*one).total_cmp(&merit(*other))).unwrap_or(KINK)
}

/// The place of the only maximum between two numbers, by golden sections.
fn highest(mut low: f64, mut high: f64, merit: &impl Fn(f64) -> f64) -> f64 {
    let golden = 0.5 * (5.0_f64.sqrt() - 1.0);
    for _ in 0..SECTIONS {
        let width = golden * (high - low);
        if merit(high - width) > merit(low + width) {
            high = low + width;
        } else {
            low = high - width;
        }
    }
    0.5 * (low + high)
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
    let (mut low, mut high) = (-1.0 / most, -1.0 / least);
    for _ in 0..BISECTIONS {
        let theta = 0.5 * (low + high);
        let sum: f64 = (0..5).map(|at| observed[at] * values[at] / (1.0 + theta * values[at])).sum();
        if sum > 0.0 {
            low = theta;
        } else {
            high = theta;
        }
    }
    let theta = 0.5 * (low + high);
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
