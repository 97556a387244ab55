//! The end of the process at a random moment: by `SIGKILL`, which it cannot handle, and by `SIGTERM` and `SIGINT`,
//! which it may obey in its own time.

use anyhow::Result;
use rustix::process::Signal;

use super::Fault;
use crate::torture::round::{Round, STARTS};

pub(super) const KILL: Fault =
    Fault::new("kill", "kill -9 at random moments", |round| strike(round, Signal::KILL));

pub(super) const TERMINATE: Fault =
    Fault::new("terminate", "SIGTERM at random moments", |round| strike(round, Signal::TERM));

pub(super) const INTERRUPT: Fault =
    Fault::new("interrupt", "SIGINT at random moments", |round| strike(round, Signal::INT));

/// One to four runs that a signal ends, unless they end before.
fn strike(round: &mut Round<'_>, signal: Signal) -> Result<u32> {
    let wanted = 1 + round.random(4) as u32;
    let mut struck = 0;
    while struck < wanted && !round.is_finished() {
        let starts = if struck == 0 { STARTS } else { 1 };
        let Some(mut process) = round.start_until_a_moment(starts)? else { break };
        process.signal(signal)?;
        process.must_end()?;
        struck += 1;
        round.look()?;
    }
    Ok(struck)
}
