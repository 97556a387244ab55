//! Hints: knowledge beside the evaluator's, added to its answers before the tree search sees them.
//!
//! The evaluator's own answers are what is cached; hints are applied each time a node is opened. A hint changes the value or
//! the priors and decides nothing: a wrong one costs visits. Each is one file and one row in [`HINTS`]; PUCT knows none of them.

mod forcing;
mod material;
mod policy_temperature;
mod quiescence;

use chess::{Evaluation, Game, Move, SearchOptions, Wdl};

use crate::tunables::tunables;

pub use {
    forcing::ForcingOptions, material::MaterialOptions, policy_temperature::PolicyTemperatureOptions,
    quiescence::QuiescenceOptions,
};

tunables! {
    /// How long hints last.
    FadeOptions

    "HintFade" visits: f32 = 0.0 in 0.0, 1e9;
    "Visits of a move after which half of what a hint added to its prior has faded; 0: hints last."
}

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

/// Whether the effect of a hint on the priors fades with visits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Duration {
    /// It holds at any number of visits.
    Lasting,
    /// It fades with the visits of the move ([`FadeOptions`]).
    Fading,
}

/// A row of [`HINTS`].
pub struct HintKind {
    /// Name in messages of the law suite.
    pub name: &'static str,
    /// Whether its effect fades with visits.
    pub duration: Duration,
    /// Builds it; `None` where the options switch it off.
    pub make: fn(&SearchOptions) -> Option<Box<dyn Hint>>,
}

/// The visible list, in order of application; lasting hints come first.
pub const HINTS: &[HintKind] = &[
    HintKind { name: "policy temperature", duration: Duration::Lasting, make: policy_temperature::make },
    HintKind { name: "quiescence", duration: Duration::Lasting, make: quiescence::make },
    HintKind { name: "forcing moves", duration: Duration::Fading, make: forcing::make },
    HintKind { name: "material", duration: Duration::Fading, make: material::make },
];

/// An evaluation under all hints.
#[derive(Clone, Debug, PartialEq)]
pub struct HintedEvaluation {
    /// Value for the side to move.
    pub wdl: Wdl,
    /// Priors, one for each move.
    pub priors: Vec<f32>,
    /// What the fading hints add to each prior while its move is unvisited; not negative.
    pub bonuses: Vec<f32>,
}

/// The hints that the options leave on.
pub struct Hints {
    lasting: Vec<Box<dyn Hint>>,
    fading: Vec<Box<dyn Hint>>,
    fade: f32,
    /// Off where a search has only one visit, which plays the evaluator's policy as it is.
    on: bool,
}

impl Hints {
    /// Builds the hints of the list.
    pub fn new(options: &SearchOptions) -> Self {
        let fade = FadeOptions::read(options).visits;
        let make = |fading: bool| {
            let fades = |kind: &&HintKind| fade > 0.0 && kind.duration == Duration::Fading;
            let chosen = HINTS.iter().filter(|kind| fades(kind) == fading);
            chosen.filter_map(|kind| (kind.make)(options)).collect()
        };
        Self { lasting: make(false), fading: make(true), fade, on: true }
    }

    /// Visits of a move after which half of its bonus has faded.
    pub fn fade(&self) -> f32 {
        self.fade
    }

    /// Makes the hints ready for a search.
    pub fn prepare(&mut self, start: &SearchStart<'_>) {
        self.on = start.visits > 1;
        if self.on {
            self.lasting.iter_mut().chain(&mut self.fading).for_each(|hint| hint.prepare(start));
        }
    }

    /// Forgets what was kept from earlier searches, when a new game begins.
    pub fn forget(&mut self) {
        self.lasting.iter_mut().chain(&mut self.fading).for_each(|hint| hint.forget());
    }

    /// Applies all hints to what the evaluator said. The root keeps its value, which is reported as the evaluator's.
    pub fn apply(&self, place: &HintContext<'_>, mut evaluation: Evaluation) -> HintedEvaluation {
        let own = evaluation.wdl;
        if self.on {
            self.lasting.iter().for_each(|hint| hint.apply(place, &mut evaluation));
        }
        let (priors, mut bonuses) = (evaluation.priors.clone(), Vec::new());
        if self.on && !self.fading.is_empty() {
            self.fading.iter().for_each(|hint| hint.apply(place, &mut evaluation));
            let gains =
                evaluation.priors.iter().zip(&priors).map(|(hinted, prior)| (hinted - prior).max(0.0));
            bonuses = gains.collect();
        }
        let wdl = if place.is_root { own } else { evaluation.wdl };
        HintedEvaluation { wdl, priors, bonuses }
    }
}

#[cfg(test)]
mod tests;
