//! PUCT from outside: on real positions, with evaluators that need no network.

mod choice;
mod draws;
mod laws;
mod limits;
mod mates;
mod random;
mod reuse;
mod support;
