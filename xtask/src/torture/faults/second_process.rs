//! A second process for the same folder, by its own name or through a link to it: it is refused, and the first does not notice.

use std::os::unix::fs::symlink;

use anyhow::{Context as _, Result, ensure};
use rustix::process::Signal;

use super::Fault;
use crate::torture::round::{Round, STARTS};

pub(super) const SECOND_PROCESS: Fault = Fault {
    // Each call of `personal` ends after a moment and waits for the others; of `run` only the commands that it starts have locks.
    strikes: |work| work.name != "personal" && !work.starts_others,
    ..Fault::new("second", "a second process on the same folder, by its name or through a link", cause)
};

const LINK: &str = "link";

fn cause(round: &mut Round<'_>) -> Result<u32> {
    let Some(mut first) = round.start_until_a_moment(STARTS)? else { return Ok(0) };
    let lock = round.lock_file()?;
    // Before the first process holds the lock, the second may rightly take it, and the first is then refused.
    first.wait_for_lock(&lock)?;
    // Stops the first process so that it does not end meanwhile, unless an engine would then seem to take the time.
    let stops = !round.has_engine() && !first.has_ended()?;
    if stops {
        first.signal(Signal::STOP)?;
    }
    // It may already have come to its end.
    if !first.is_in(&lock) {
        if stops {
            first.signal(Signal::CONT)?;
        }
        first.must_end()?;
        first.must_have_succeeded()?;
        return Ok(0);
    }
    let through_link = round.random(2) == 1;
    let link = round.place_of(LINK);
    if through_link {
        let target = round.place();
        let name = target.file_name().context("the place has a name")?;
        symlink(name, &link).context("cannot make a link")?;
    }
    let mut second = round.start_second(through_link.then_some(LINK))?;
    second.must_end()?;
    let refused = second.must_have_failed_with(&["another process"]);
    // If the first ended meanwhile, the second may have been right to begin.
    let together = stops || !first.has_ended()?;
    if together {
        ensure!(!second.succeeded(), "two processes wrote to one folder");
        refused?;
    }
    if stops {
        first.signal(Signal::CONT)?;
    }
    first.must_end()?;
    first.must_have_succeeded()?;
    if through_link {
        std::fs::remove_file(&link).context("cannot remove the link")?;
    }
    Ok(u32::from(together))
}
