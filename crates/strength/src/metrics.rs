//! Comparison of a player's moves and expected scores with references, people and results.

pub mod agreement;
pub mod calibration;
pub mod human;
pub mod loss;
pub mod positions;
mod ranking;
pub mod references;

pub use agreement::{AgreementRow, AgreementTable, LegacyMetrics};
pub use calibration::ValueCalibration;
pub use human::HumanMatch;
pub use loss::{CentipawnLoss, JudgedPosition, Loss, LossDifference, Losses};
pub use positions::{PlayedPosition, PlayedPositions, PositionFacts, Take, read_played};
pub use ranking::Expectation;
