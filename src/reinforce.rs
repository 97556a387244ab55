//! REINFORCE put together: games drawn from a network, an engine that grades them, and batches of signed targets for the trainer.

pub(crate) mod drawn_games;
pub(crate) mod graded_samples;
pub(crate) mod grading;
