//! The two probability distributions that intervals need: normal and beta.

/// The 97.5 % quantile of the standard normal distribution: half width of a two-sided 95 % interval in deviations.
pub(super) const NORMAL_97_5: f64 = 1.959_963_984_540_054;

/// Bisection steps for a quantile: halving [0, 1] this often reaches the resolution of an `f64`.
const BISECTION_STEPS: u32 = 60;

/// Terms of the continued fraction after which it has converged for every count a match can have (it needs about
/// sqrt(max(a, b)) terms).
const FRACTION_TERMS: u32 = 10_000;

/// Probability that a standard normal variable is below `deviations`.
pub(super) fn normal_below(deviations: f64) -> f64 {
    0.5 * libm::erfc(-deviations / std::f64::consts::SQRT_2)
}

/// Probability that a Beta(a, b) variable is below `x`: the regularised incomplete beta function I_x(a, b), by its
/// continued fraction (DLMF 8.17.22) evaluated with the modified Lentz method; DLMF 8.17.4 mirrors it to where the
/// fraction converges fast.
pub(super) fn beta_below(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    let log_front =
        libm::lgamma(a + b) - libm::lgamma(a) - libm::lgamma(b) + a * x.ln() + b * libm::log1p(-x);
    if x < (a + 1.0) / (a + b + 2.0) {
        log_front.exp() * continued_fraction(x, a, b) / a
    } else {
        1.0 - log_front.exp() * continued_fraction(1.0 - x, b, a) / b
    }
}

/// The value below which a Beta(a, b) variable lies with this probability.
pub(super) fn beta_quantile(probability: f64, a: f64, b: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..BISECTION_STEPS {
        let middle = 0.5 * (low + high);
        if beta_below(middle, a, b) < probability {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

fn continued_fraction(x: f64, a: f64, b: f64) -> f64 {
    // Lentz's guard against a zero denominator.
    const TINY: f64 = 1e-300;
    let guard = |value: f64| if value.abs() < TINY { TINY } else { value };
    let mut numerator = 1.0;
    let mut denominator = 1.0 / guard(1.0 - (a + b) * x / (a + 1.0));
    let mut result = denominator;
    for term in 1..=FRACTION_TERMS {
        let m = f64::from(term);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let before = result;
        for coefficient in [even, odd] {
            denominator = 1.0 / guard(1.0 + coefficient * denominator);
            numerator = guard(1.0 + coefficient / numerator);
            result *= denominator * numerator;
        }
        if (result - before).abs() <= f64::EPSILON * result.abs() {
            break;
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-9, "found {found}, expected {expected}");
    }

    #[test]
    fn normal_known_values() {
        close(normal_below(0.0), 0.5);
        close(normal_below(NORMAL_97_5), 0.975);
        close(normal_below(-NORMAL_97_5), 0.025);
        close(normal_below(1.0), 0.841_344_746_068_543);
    }

    #[test]
    fn beta_closed_forms() {
        // I_x(1, b) = 1 - (1-x)^b and I_x(a, 1) = x^a (DLMF 8.17.7 with one parameter 1).
        for x in [0.001, 0.2, 0.5, 0.77, 0.999] {
            close(beta_below(x, 1.0, 7.0), 1.0 - (1.0 - x).powi(7));
            close(beta_below(x, 7.0, 1.0), x.powi(7));
            close(beta_below(x, 2.5, 4.0), 1.0 - beta_below(1.0 - x, 4.0, 2.5));
        }
    }

    #[test]
    fn beta_is_a_binomial_tail() {
        // P(X >= k) for X ~ Binomial(n, p) = I_p(k, n-k+1) (DLMF 8.17.5), summed term by term as the oracle.
        let (n, p): (u32, f64) = (23, 0.37);
        for k in 1..=n {
            let tail: f64 = (k..=n)
                .map(|i| {
                    let choose: f64 = (0..i).map(|j| f64::from(n - j) / f64::from(i - j)).product();
                    choose * p.powi(i as i32) * (1.0 - p).powi((n - i) as i32)
                })
                .sum();
            close(beta_below(p, f64::from(k), f64::from(n - k + 1)), tail);
        }
    }

    #[test]
    fn beta_quantile_inverts() {
        for (a, b) in [(1.0, 1.0), (0.5, 10.5), (50.0, 51.0), (2_000.0, 3_000.0), (1e6, 2e6)] {
            for probability in [0.025, 0.05, 0.5, 0.975] {
                close(beta_below(beta_quantile(probability, a, b), a, b), probability);
            }
        }
    }
}
