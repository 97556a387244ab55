//! Ctrl-C.

use anyhow::{Context as _, Result};
use chess::StopSignal;

/// A signal that Ctrl-C (and SIGTERM) stops. Once for the whole process.
pub(crate) fn stop_on_interrupt() -> Result<StopSignal> {
    let stop = StopSignal::default();
    let signal = stop.clone();
    ctrlc::set_handler(move || signal.stop()).context("cannot watch for Ctrl-C")?;
    Ok(stop)
}
