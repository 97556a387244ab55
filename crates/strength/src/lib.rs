//! Players, matches and measured ratings.
