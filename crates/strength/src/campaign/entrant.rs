//! A player of a campaign.

use crate::matches::{Contestant, ContestantConditions};

/// A player of a campaign with what its report says about it.
#[derive(Clone)]
pub struct Entrant {
    /// Makes the player.
    pub contestant: Contestant,
    /// The player as it was asked for.
    pub specification: String,
    /// Origin of the player; see [`ContestantConditions::identity`].
    pub identity: Vec<(String, String)>,
}

impl Entrant {
    /// The player in a report, under the name it gave itself.
    pub(super) fn conditions(&self, name: String) -> ContestantConditions {
        let identity = self.identity.clone();
        ContestantConditions::new(self.specification.clone(), name, self.contestant.pace, identity)
    }
}
