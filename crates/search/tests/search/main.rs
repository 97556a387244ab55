//! PUCT from outside: on real positions, with evaluators that need no network.

mod book;
mod choice;
mod draws;
mod endings;
mod kinds;
mod laws;
mod limits;
mod mates;
mod random;
mod reuse;
mod rules;
mod seeds;
mod single;
mod support;
mod threads;
