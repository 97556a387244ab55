//! PUCT as AlphaZero published it: our own refinements off, by one name.

use std::sync::Arc;

use chess::{
    Decision, Evaluator, Game, Limits, Search, SearchError, SearchInfo, SearchOptions, StopSignal, Tablebases,
};

use crate::{Puct, options::find};

/// The refinements and the values that switch them off: a policy temperature, an alpha-beta over material, exploration that
/// grows with the visits and with the spread of the values, and a worse value for unvisited moves than their parent's.
const OFF: [(&str, &str); 5] = [
    ("PolicyTemperature", "1"),
    ("MaterialNodes", "0"),
    ("CPuctFactor", "0"),
    ("CPuctVariance", "0"),
    ("FpuReduction", "0"),
];

/// `Q + c P sqrt(N) / (1 + n)` over the evaluator's own priors and values (Silver et al., "Mastering chess and shogi by
/// self-play with a general reinforcement learning algorithm", 2017): the same search as [`Puct`] with the options of [`OFF`]
/// changed, except where they are set to anything but their defaults.
pub(crate) struct PlainPuct(Puct);

impl PlainPuct {
    /// A search on an evaluator, with endgame tables where there are any.
    pub(crate) fn new(
        evaluator: Arc<dyn Evaluator>,
        options: &SearchOptions,
        tables: Option<Arc<Tablebases>>,
    ) -> Self {
        let mut puct = Puct::new(evaluator, &without_refinements(options));
        puct.set_tablebases(tables);
        Self(puct)
    }
}

/// The options with the refinements off that were left at their defaults.
fn without_refinements(options: &SearchOptions) -> SearchOptions {
    let mut plain = options.clone();
    for (name, off) in OFF {
        let tunable = find(name).expect("the list names options of this crate, and a test reads them all");
        if options.get(tunable) == tunable.default_value() {
            plain.set(tunable, tunable.parse(off).expect("the same test"));
        }
    }
    plain
}

impl Search for PlainPuct {
    fn describe(&self) -> String {
        format!("plain {}", self.0.describe())
    }

    fn new_game(&mut self) {
        self.0.new_game();
    }

    fn reseed(&mut self, seed: u64) {
        self.0.reseed(seed);
    }

    fn set_options(&mut self, options: &SearchOptions) {
        self.0.set_options(&without_refinements(options));
    }

    fn run(
        &mut self,
        game: &Game,
        limits: &Limits,
        stop: &StopSignal,
        report: &mut dyn FnMut(&SearchInfo),
    ) -> Result<Decision, SearchError> {
        self.0.run(game, limits, stop, report)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{hints::HINTS, options::parse};

    #[test]
    fn no_hint_is_left_on_and_what_was_set_is_kept() {
        let plain = without_refinements(&SearchOptions::default());
        assert!(HINTS.iter().all(|kind| (kind.make)(&plain).is_none()));
        let changed = without_refinements(&parse("FpuReduction=0.5 CPuct=1.5").unwrap());
        assert_eq!(changed.get(find("FpuReduction").unwrap()), chess::Value::Float(0.5));
        assert_eq!(changed.get(find("CPuct").unwrap()), chess::Value::Float(1.5));
    }
}
