//! From priors and values to a move.
