//! A command in its own process, which ends when this process receives Ctrl-C or SIGTERM.

use std::{
    io::{self, Read as _},
    process::{Child, ExitStatus},
    thread,
    time::Duration,
};

use chess::StopSignal;

/// Interval at which the command is polled: its work takes seconds at least.
const LOOK: Duration = Duration::from_millis(20);

/// Waits for the command, and returns its status and, if its output is piped, the text that it printed. When `stop` is signalled,
/// the command gets SIGTERM: the terminal passes on Ctrl-C, but a scheduler's SIGTERM reaches only this process.
///
/// # Errors
/// The output cannot be read, or the command cannot be waited for.
pub(super) fn finish(mut child: Child, stop: &StopSignal) -> io::Result<(ExitStatus, Vec<u8>)> {
    let output = child.stdout.take();
    thread::scope(|scope| {
        // On its own thread: a pipe that is not emptied blocks the command when it is full.
        let reader = scope.spawn(|| {
            let mut printed = Vec::new();
            if let Some(mut output) = output {
                output.read_to_end(&mut printed)?;
            }
            Ok::<_, io::Error>(printed)
        });
        let mut told = false;
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break status;
            }
            if stop.is_stopped() && !told {
                files::system::end(&child)?;
                told = true;
            }
            thread::sleep(LOOK);
        };
        let printed =
            reader.join().map_err(|_| io::Error::other("the thread that reads its output failed"))?;
        Ok((status, printed?))
    })
}
