//! A second process for the same folder, by its own name or through a link to it: it is refused, and the first does not notice.

use std::os::unix::fs::symlink;

use anyhow::{Context as _, Result, ensure};

use super::Fault;
use crate::torture::round::Round;

pub(super) const SECOND_PROCESS: Fault = Fault {
    name: "second",
    about: "a second process on the same folder, by its name or through a link",
    available: || Ok(()),
    // Each call of it is over in a moment and waits for the others.
    strikes: |work| work.name != "personal",
    cause,
};

/// The name of the link.
const LINK: &str = "link";

fn cause(round: &mut Round<'_>) -> Result<u32> {
    let mut first = round.start()?;
    if first.ends_within(round.moment() / 2)? {
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
    let mut second = if through_link { round.start_as(LINK)? } else { round.start()? };
    second.must_end()?;
    // Where the first ended meanwhile, the second may have been right to begin.
    let together = !first.has_ended()?;
    if together {
        ensure!(!second.succeeded(), "two processes wrote to one folder");
        second.must_have_failed_with(&["another process"])?;
    }
    first.must_end()?;
    first.must_have_succeeded()?;
    if through_link {
        std::fs::remove_file(&link).context("cannot remove the link")?;
    }
    Ok(u32::from(together))
}
