//! Long work on a thread, while the Python interpreter stays responsive.

use std::{
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};

use chess::StopSignal;
use pyo3::{IntoPyObject, Py, PyAny, PyResult, Python};

use crate::failure::panicked;

/// Interval at which the interpreter is polled for Ctrl-C.
const ASKED: Duration = Duration::from_millis(50);

/// Runs `work` on its own thread without the GIL. Each event that `work` sends is passed to `hear`, which
/// holds the GIL. Ctrl-C, or an exception in `hear`, sets `stop`; the exception is raised when `work` has
/// ended.
///
/// # Errors
/// That exception, or one for a `work` that panicked.
pub(crate) fn watched<T: Send, E: Send>(
    py: Python<'_>,
    stop: &StopSignal,
    work: impl FnOnce(&mut (dyn FnMut(E) + Send)) -> T + Send,
    mut hear: impl FnMut(Python<'_>, E) -> PyResult<()> + Send,
) -> PyResult<T> {
    py.detach(|| {
        thread::scope(|scope| {
            let (sender, events) = mpsc::channel();
            let worker = scope.spawn(move || {
                work(&mut |event| {
                    // Fails only if the receiver is dropped.
                    let _ = sender.send(event);
                })
            });
            // Python raises KeyboardInterrupt only where somebody holds the GIL and checks for signals, so this thread does both from
            // time to time. After an exception the loop continues without calling anything: the work borrows from the caller and has
            // to end before the exception may leave this function. The stop signal makes it end soon.
            let mut outcome = Ok(());
            let mut asked = Instant::now();
            loop {
                match events.recv_timeout(ASKED) {
                    Ok(event) if outcome.is_ok() => outcome = Python::attach(|py| hear(py, event)),
                    Ok(_) | Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => break,
                }
                if outcome.is_ok() && asked.elapsed() >= ASKED {
                    outcome = Python::attach(ask);
                    asked = Instant::now();
                }
                if outcome.is_err() {
                    stop.stop();
                }
            }
            let result = worker.join().map_err(|panic| panicked(panic.as_ref()))?;
            outcome.map(|()| result)
        })
    })
}

/// Passes events to a Python function, if there is one.
pub(crate) fn caller<E: for<'py> IntoPyObject<'py>>(
    report: Option<&Py<PyAny>>,
) -> impl FnMut(Python<'_>, E) -> PyResult<()> + Send {
    move |py, event| report.map_or(Ok(()), |report| report.call1(py, (event,)).map(drop))
}

/// Raises the exception of a pending signal, such as `KeyboardInterrupt`.
fn ask(py: Python<'_>) -> PyResult<()> {
    py.check_signals()
}
