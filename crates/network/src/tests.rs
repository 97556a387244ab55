//! A slow reference of every network that reads planes, and real networks against it.

mod lc0_real;
pub(crate) mod reference;
