//! How a player's moves compare with those of references and people.

pub mod agreement;
pub mod human;
pub mod loss;

pub use agreement::{AgreementRow, AgreementTable, LegacyMetrics};
pub use human::{HumanMatch, HumanPosition};
pub use loss::{CentipawnLoss, JudgedMove};
