//! A player of a campaign.

use files::{Facts, Inputs};

use crate::matches::{Contestant, ContestantConditions};

/// A player of a campaign with its description for the report.
#[derive(Clone)]
pub struct Entrant {
    /// Builds the player.
    pub contestant: Contestant,
    /// The player's text.
    pub specification: String,
    /// Origin of the player; see [`ContestantConditions::identity`].
    pub identity: Facts,
}

impl Entrant {
    /// Adds the player to the inputs of a campaign: its identity and its limits, which a recipe may have changed.
    #[must_use]
    pub fn add_to(&self, inputs: Inputs) -> Inputs {
        let mut facts = self.identity.clone();
        facts.push(("limits".into(), self.contestant.pace.to_string()));
        inputs.with(format!("player {}", self.specification), facts)
    }

    /// The player in a report, under the name it gave itself.
    pub(super) fn conditions(&self, name: String) -> ContestantConditions {
        let identity = self.identity.clone();
        ContestantConditions::new(self.specification.clone(), name, self.contestant.pace, identity)
    }
}
