//! The bot against a server that speaks the API: challenges, whole games, offers, and everything that goes wrong on the way.

#![allow(clippy::unwrap_used, reason = "a test that cannot set its stage has failed")]

mod accounts;
mod challenges;
mod double;
mod faults;
mod games;
mod offers;
mod parsers;
mod refusals;
mod stage;
