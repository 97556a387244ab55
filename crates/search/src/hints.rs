//! Hints: knowledge beside the evaluator's, added to its answers before the tree search sees them.
//!
//! The evaluator's own answers are what is cached; hints are applied each time a node is opened. A hint changes the value or
//! the priors and decides nothing: a wrong one costs visits. Each is one file and one row in [`HINTS`]; PUCT knows none of them.

mod material;
mod policy_temperature;

use chess::{Evaluation, Game, Move, SearchOptions};

pub use {material::MaterialOptions, policy_temperature::PolicyTemperatureOptions};

/// A position whose evaluation is to be changed.
pub struct HintContext<'a> {
    /// The position with its history.
    pub game: &'a Game,
    /// The moves, in the order of the priors.
    pub moves: &'a [Move],
    /// Whether it is the root of the search.
    pub is_root: bool,
}

/// A search that is about to begin.
pub struct SearchStart<'a> {
    /// The game at the root.
    pub game: &'a Game,
    /// The root moves considered.
    pub moves: &'a [Move],
    /// The most visits that the limits allow.
    pub visits: u64,
    /// Whether the search must end, or this share of its time is over.
    pub is_over: &'a dyn Fn(f32) -> bool,
}

/// One kind of knowledge. Laws: priors stay probabilities, and the same position gets the same change throughout a search.
pub trait Hint: Send + Sync {
    /// Looks at the root before the search begins.
    fn prepare(&mut self, _start: &SearchStart<'_>) {}

    /// Changes the priors or the value of an evaluation of `place`.
    fn apply(&self, place: &HintContext<'_>, evaluation: &mut Evaluation);

    /// Forgets what was kept from earlier searches, when a new game begins.
    fn forget(&mut self) {}
}

/// A row of [`HINTS`].
pub struct HintKind {
    /// Name in messages of the law suite.
    pub name: &'static str,
    /// Builds it; `None` where the options switch it off.
    pub make: fn(&SearchOptions) -> Option<Box<dyn Hint>>,
}

/// The visible list, in order of application.
pub const HINTS: &[HintKind] = &[
    HintKind { name: "policy temperature", make: policy_temperature::make },
    HintKind { name: "material", make: material::make },
];

/// The hints that the options leave on.
pub struct Hints {
    hints: Vec<Box<dyn Hint>>,
    /// Off where a search has only one visit, which plays the evaluator's policy as it is.
    on: bool,
}

impl Hints {
    /// Builds the hints of the list.
    pub fn new(options: &SearchOptions) -> Self {
        Self { hints: HINTS.iter().filter_map(|kind| (kind.make)(options)).collect(), on: true }
    }

    /// Makes the hints ready for a search.
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

    /// Applies all hints to what the evaluator said. The root keeps its value, which is reported as the evaluator's.
    #[must_use]
    pub fn apply(&self, place: &HintContext<'_>, mut evaluation: Evaluation) -> Evaluation {
        let own = evaluation.wdl;
        if self.on {
            self.hints.iter().for_each(|hint| hint.apply(place, &mut evaluation));
        }
        if place.is_root {
            evaluation.wdl = own;
        }
        evaluation
    }
}

#[cfg(test)]
mod tests;
