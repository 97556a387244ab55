//! The crate from outside. One program, because linking one for each file takes longer than running it.

#![allow(clippy::unwrap_used, reason = "a test that cannot set its stage has failed")]

mod messages;
mod process;
