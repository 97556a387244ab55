//! A UCI engine that dies or hangs in the middle of the work: the command says which engine failed, or starts it again, and its
//! final results are those with a working engine.

use anyhow::{Context as _, Result};

use super::Fault;
use crate::torture::round::Round;

pub(super) const ENGINE_DIES: Fault = Fault {
    strikes: |work| work.asks_engine,
    ..Fault::new("engine-dies", "an engine that ends while it is asked", |round| strike(round, "die"))
};

pub(super) const ENGINE_HANGS: Fault = Fault {
    strikes: |work| work.asks_engine,
    ..Fault::new("engine-hangs", "an engine that never answers", |round| strike(round, "hang"))
};

/// The engine of the stage looks into these files when it starts.
fn strike(round: &mut Round<'_>, kind: &str) -> Result<u32> {
    let after = round.random(40);
    let (file, count) = (round.folder().join("engine-fault"), round.folder().join("engine-fault-after"));
    std::fs::write(&file, kind).context("cannot prepare the engine")?;
    std::fs::write(&count, after.to_string()).context("cannot prepare the engine")?;
    let mut process = round.start()?;
    process.must_end()?;
    let struck = !count.exists();
    if !process.succeeded() {
        process.must_have_failed_with(&["engine"])?;
    }
    for file in [file, count] {
        if file.exists() {
            std::fs::remove_file(file).context("cannot tidy up")?;
        }
    }
    Ok(u32::from(struck))
}
