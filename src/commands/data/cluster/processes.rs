//! Runs the processes of a cluster.

use std::{
    process::ExitCode,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use query::{
    Resources,
    cluster::{self, Event, Executor, Scheduler},
};
use terminal::print_line;

use super::{ExecutorArguments, SchedulerArguments};

pub(super) fn schedule(arguments: &SchedulerArguments) -> anyhow::Result<ExitCode> {
    report_warnings()?;
    let patience = Duration::from_secs(u64::from(arguments.patience));
    let scheduler = Scheduler { listen: arguments.listen, patience };
    cluster::schedule(scheduler, |event| {
        print_line(&match event {
            Event::Ready(address) => format!("scheduler at {address}"),
            Event::Joined(executor, threads) => format!("executor {executor} has joined, threads: {threads}"),
            Event::Left(executor) => format!("executor {executor} has left"),
        });
    })?;
    Ok(ExitCode::SUCCESS)
}

pub(super) fn execute(arguments: &ExecutorArguments) -> anyhow::Result<ExitCode> {
    report_warnings()?;
    let memory_bytes = (arguments.memory.get() as usize) << 20;
    let executor = Executor {
        scheduler: arguments.scheduler.clone(),
        listen: arguments.listen,
        host: arguments.host.clone(),
        resources: Resources { threads: arguments.threads, memory_bytes },
        folder: arguments.folder.clone(),
    };
    cluster::execute(&executor, |address| {
        print_line(&format!("executor at {address} for the scheduler at {}", executor.scheduler));
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Prints Ballista's warnings, because a cluster process survives faults of other processes without an error.
fn report_warnings() -> anyhow::Result<()> {
    static WARNINGS: Warnings = Warnings { last: Mutex::new(String::new()) };
    log::set_logger(&WARNINGS)
        .map_err(|error| anyhow::anyhow!("cannot receive the warnings of libraries: {error}"))?;
    log::set_max_level(log::LevelFilter::Warn);
    Ok(())
}

struct Warnings {
    /// A lasting fault is reported once: an executor without its scheduler tries again twenty times a second.
    last: Mutex<String>,
}

impl log::Log for Warnings {
    fn enabled(&self, metadata: &log::Metadata) -> bool {
        metadata.level() <= log::Level::Warn
    }

    fn log(&self, record: &log::Record) {
        if !self.enabled(record.metadata()) {
            return;
        }
        let line = format!("{}: {}", record.level().as_str().to_lowercase(), record.args());
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if *last != line {
            print_line(&line);
            *last = line;
        }
    }

    fn flush(&self) {}
}
