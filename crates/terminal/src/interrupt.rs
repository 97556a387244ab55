//! Ctrl-C.

use chess::StopSignal;

use crate::error::TerminalError;

/// A signal that Ctrl-C (and SIGTERM) stops. Once for the whole process.
///
/// # Errors
/// [`TerminalError::Interrupt`] if the process has a handler already.
pub fn stop_on_interrupt() -> Result<StopSignal, TerminalError> {
    let stop = StopSignal::default();
    let signal = stop.clone();
    on_interrupt(move || signal.stop())?;
    Ok(stop)
}

/// Calls `act` on Ctrl-C (and SIGTERM). Once for the whole process.
///
/// # Errors
/// [`TerminalError::Interrupt`] if the process has a handler already.
pub fn on_interrupt(act: impl FnMut() + 'static + Send) -> Result<(), TerminalError> {
    ctrlc::set_handler(act).map_err(TerminalError::Interrupt)
}
