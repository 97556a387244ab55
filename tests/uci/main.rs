//! `tabiya uci` as a chess program sees it: a process, lines in, lines out.
//!
//! Nothing here measures time: the only clock is a guard against a program that hangs.

mod conversation;
mod handshake;
mod searches;
mod strength;
mod systems;
mod trouble;
