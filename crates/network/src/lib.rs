//! Network specification, weights, forward passes, losses and training.
