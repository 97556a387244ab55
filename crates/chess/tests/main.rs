//! The crate from outside. One program, because linking one for each file takes longer than running it.

#![allow(clippy::unwrap_used, reason = "a test that cannot set its stage has failed")]

mod endings;
mod evaluator_laws;
mod feature_laws;
mod golden_encodings;
mod input_encoding_laws;
mod move_encoding_laws;
mod notation;
mod parsers;
mod perft;
mod policy_row_laws;
mod polyglot;
mod real_data;
mod search_laws;
mod seed_encodings;
mod tablebase;
