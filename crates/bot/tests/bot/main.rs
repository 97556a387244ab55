//! The bot against a server that speaks the API: challenges, whole games, offers, and everything that goes wrong on the way.

mod accounts;
mod challenges;
mod double;
mod faults;
mod games;
mod offers;
mod stage;
