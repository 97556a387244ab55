//! A loss without the noise of single batches.

/// Weight of the past: effectively an average over about the last fifty values.
const PAST: f64 = 0.98;

/// The exponential moving average of a loss, divided by the weight of the values so far, as Adam corrects its moments (Kingma and Ba,
/// ICLR 2015); without this correction it would start at 0. It is shown in the drawn curves and the progress bar.
#[derive(Clone, Copy, Debug, Default)]
pub struct SmoothedLoss {
    sum: f64,
    weight: f64,
}

impl SmoothedLoss {
    /// Adds the next value, and returns the average up to it.
    pub fn add(&mut self, value: f64) -> f64 {
        self.sum = self.sum * PAST + value * (1.0 - PAST);
        self.weight = self.weight * PAST + (1.0 - PAST);
        self.sum / self.weight
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_begins_at_the_first_value_and_forgets_what_is_long_past() {
        let mut loss = SmoothedLoss::default();
        assert!((loss.add(3.0) - 3.0).abs() < 1e-12);
        assert!((loss.add(1.0) - (3.0 * PAST + 1.0) / (PAST + 1.0)).abs() < 1e-12);
        let last = (0..500).map(|_| loss.add(1.0)).last();
        assert!(last.is_some_and(|last| (last - 1.0).abs() < 1e-3), "{last:?}");
    }
}
