//! A slow reference for every network that reads planes, and real networks compared with it.

mod lc0_real;
pub(crate) mod reference;
