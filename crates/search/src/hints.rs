//! Hints: changes of the evaluator's priors before the tree search uses them.
//!
//! The cache holds the evaluator's own priors; hints are applied each time a node is expanded. A hint changes
//! only priors, so a wrong hint costs visits and cannot decide a move. Each hint is one file and one row in
//! [`HINTS`]; PUCT does not depend on them.

mod material;
mod policy_temperature;

use chess::{Chess, Game, Move, SearchOptions};

pub use {material::MaterialOptions, policy_temperature::PolicyTemperatureOptions};

/// A position whose evaluation hints may change.
pub struct HintContext<'a> {
    /// The position whose priors a hint may change.
    pub position: &'a Chess,
    /// The moves, in the order of the priors.
    pub moves: &'a [Move],
    /// Half-moves below the root of the search.
    pub depth: usize,
}

/// A search that is about to begin.
pub struct SearchStart<'a> {
    /// The game at the root.
    pub game: &'a Game,
    /// The root moves considered.
    pub moves: &'a [Move],
    /// The most visits that the limits allow.
    pub visits: u64,
    /// True if the search must end, or this share of its time is over.
    pub is_over: &'a dyn Fn(f32) -> bool,
}

/// One kind of hint. Laws: priors stay probabilities, and the same position gets the same change throughout a
/// search.
pub trait Hint: Send + Sync {
    /// Analyses the root before the search begins.
    fn prepare(&mut self, _start: &SearchStart<'_>) {}

    /// Changes the priors of `place`.
    fn apply(&self, place: &HintContext<'_>, priors: &mut [f32]);

    /// The softmax temperature, if that is all that the hint changes: evaluators of single positions apply it themselves.
    fn temperature(&self) -> Option<f32> {
        None
    }

    /// Forgets what was kept from earlier searches, when a new game begins.
    fn forget(&mut self) {}
}

/// A row of [`HINTS`].
pub struct HintKind {
    /// Name in messages of the law suite.
    pub name: &'static str,
    /// Builds it; `None` if the options switch it off.
    pub make: fn(&SearchOptions) -> Option<Box<dyn Hint>>,
}

/// All hints, in order of application.
pub const HINTS: &[HintKind] = &[
    HintKind { name: "policy temperature", make: policy_temperature::make },
    HintKind { name: "material", make: material::make },
];

/// The hints that the options leave on.
pub struct Hints {
    hints: Vec<Box<dyn Hint>>,
    /// False if a search has only one visit, so that it plays the evaluator's policy unchanged.
    on: bool,
}

impl Hints {
    /// Builds the hints of the list.
    pub fn new(options: &SearchOptions) -> Self {
        Self { hints: HINTS.iter().filter_map(|kind| (kind.make)(options)).collect(), on: true }
    }

    /// Prepares the hints for a search.
    pub fn prepare(&mut self, start: &SearchStart<'_>) {
        self.on = start.visits > 1;
        if self.on {
            self.hints.iter_mut().for_each(|hint| hint.prepare(start));
        }
    }

    /// Forgets what was kept from earlier searches, when a new game begins.
    pub fn forget(&mut self) {
        self.hints.iter_mut().for_each(|hint| hint.forget());
    }

    /// Applies all hints to the evaluator's priors.
    pub fn apply(&self, place: &HintContext<'_>, priors: &mut [f32]) {
        if self.on {
            self.hints.iter().for_each(|hint| hint.apply(place, priors));
        }
    }

    /// Applies the hints that do more than set a temperature, to priors at the temperature of [`Hints::temperature`].
    pub fn apply_to_tempered(&self, place: &HintContext<'_>, priors: &mut [f32]) {
        if self.on {
            let others = self.hints.iter().filter(|hint| hint.temperature().is_none());
            others.for_each(|hint| hint.apply(place, priors));
        }
    }

    /// The softmax temperature of priors.
    pub fn temperature(&self) -> f32 {
        let temperatures = self.hints.iter().filter_map(|hint| hint.temperature());
        if self.on { temperatures.product() } else { 1.0 }
    }
}

#[cfg(test)]
mod tests;
