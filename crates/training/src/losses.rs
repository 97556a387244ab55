//! Policy and value losses and their gradients.

mod config;
mod policy;
mod value;

pub use config::LossConfig;
pub(crate) use policy::{PolicyLogits, illegal_move_loss, policy_loss, total_weight};
pub use value::ValueLoss;
pub(crate) use value::value_loss;

#[cfg(test)]
mod tests;
