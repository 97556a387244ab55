//! PUCT as AlphaZero published it: our own refinements switched off under one name.

use chess::SearchOptions;

use crate::options::find;

/// Defaults of a kind of search that differ from those of its options.
pub(crate) struct Preset {
    /// Word put before the description of the search.
    pub(crate) word: &'static str,
    values: &'static [(&'static str, &'static str)],
}

/// `Q + c P sqrt(N) / (1 + n)` over the evaluator's own priors and values (Silver et al., "Mastering chess and shogi by self-play
/// with a general reinforcement learning algorithm", 2017). The refinements of [`crate::Puct`] are off: the policy temperature, the
/// alpha-beta over material, exploration that grows with the visits and with the spread of the values, and the first-play urgency
/// reduction, a worse value for unvisited moves than their parent's.
pub(crate) const PLAIN: Preset = Preset {
    word: "plain",
    values: &[
        ("PolicyTemperature", "1"),
        ("MaterialNodes", "0"),
        ("CPuctFactor", "0"),
        ("CPuctVariance", "0"),
        ("FpuReduction", "0"),
    ],
};

impl Preset {
    /// The options with the preset's values for options that were left at their defaults.
    pub(crate) fn over(&self, options: &SearchOptions) -> SearchOptions {
        let mut changed = options.clone();
        for &(name, value) in self.values {
            let tunable =
                find(name).expect("the list names options of this crate, and a test reads them all");
            if options.get(tunable) == tunable.default_value() {
                changed.set(tunable, tunable.parse(value).expect("the same test"));
            }
        }
        changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{hints::HINTS, options::parse};

    #[test]
    fn no_hint_is_left_on_and_what_was_set_is_kept() {
        let plain = PLAIN.over(&SearchOptions::default());
        assert!(HINTS.iter().all(|kind| (kind.make)(&plain).is_none()));
        let changed = PLAIN.over(&parse("FpuReduction=0.5 CPuct=1.5").unwrap());
        assert_eq!(changed.get(find("FpuReduction").unwrap()), chess::Value::Float(0.5));
        assert_eq!(changed.get(find("CPuct").unwrap()), chess::Value::Float(1.5));
    }
}
