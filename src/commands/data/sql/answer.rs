//! Runs queries and prints their rows.

use std::{
    io::{BufWriter, Write as _},
    num::NonZeroUsize,
    process::ExitCode,
};

use chess::StopSignal;
use dataset::Store;
use indicatif::ProgressBar;
use query::{Format, QueryError, Resources, ResultWriter, RowObserver, SqlSession};
use terminal::{progress_bar, stop_on_interrupt};

use super::Arguments;
use crate::commands::INTERRUPTED;

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    if arguments.list {
        out.write_all(query::list().as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(output) = &arguments.store {
        return super::derive::run(arguments, output, &mut out);
    }
    let question = Question::of(arguments)?;
    let session = open(arguments, &question.stores, arguments.threads)?;
    let format = match (arguments.csv, arguments.json) {
        (true, _) => Format::Csv,
        (false, true) => Format::JsonLines,
        (false, false) => Format::Table,
    };
    let Some(rows) = ask(arguments, &session, question.sql, ResultWriter::new(format, &mut out))? else {
        return Ok(ExitCode::from(INTERRUPTED));
    };
    rows.finish()?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// A query and its stores.
pub(super) struct Question<'a> {
    pub(super) sql: &'a str,
    pub(super) stores: Vec<Store>,
}

impl<'a> Question<'a> {
    pub(super) fn of(arguments: &'a Arguments) -> anyhow::Result<Self> {
        let (sql, stores) = arguments.question()?;
        let sql = match (sql, &arguments.query) {
            (Some(sql), _) => sql,
            (None, name) => query::queries::find(name.as_deref().unwrap_or_default())?.sql,
        };
        for (index, store) in stores.iter().enumerate() {
            anyhow::ensure!(
                !stores[..index].contains(store),
                "found {} twice, expected each store once",
                store.display()
            );
        }
        Ok(Self { sql, stores: stores.iter().map(|path| Store::open(path)).collect::<Result<_, _>>()? })
    }
}

/// Passes the rows of a query to an observer, with progress on the terminal. `None` after Ctrl-C.
pub(super) fn ask<O: RowObserver>(
    arguments: &Arguments,
    session: &SqlSession,
    sql: &str,
    rows: O,
) -> anyhow::Result<Option<O>> {
    let bar = match &arguments.cluster {
        Some(_) => progress_bar(None, "waiting for the cluster, {elapsed} elapsed"),
        None => progress_bar(Some(0), "{percent:>3} %  {human_pos} samples, {per_sec}, {eta} left"),
    };
    let mut answer = Answer { rows, bar, stop: stop_on_interrupt()? };
    let answered = session.run(sql, &mut answer);
    answer.bar.finish_and_clear();
    match answered {
        Err(QueryError::Stopped) => Ok(None),
        answered => Ok(answered.map(|()| Some(answer.rows))?),
    }
}

/// A session on this machine or on the cluster.
pub(super) fn open(
    arguments: &Arguments,
    stores: &[Store],
    threads: Option<NonZeroUsize>,
) -> anyhow::Result<SqlSession> {
    #[cfg(feature = "cluster")]
    if let Some(scheduler) = &arguments.cluster {
        return Ok(SqlSession::on_cluster(stores, scheduler, threads)?);
    }
    #[cfg(not(feature = "cluster"))]
    if arguments.cluster.is_some() {
        anyhow::bail!(crate::commands::data::cluster::MISSING);
    }
    let resources = Resources { threads, memory_bytes: (arguments.memory as usize) << 20 };
    Ok(SqlSession::open(stores, resources)?)
}

/// Passes rows on, draws progress and stops on Ctrl-C.
struct Answer<O> {
    rows: O,
    bar: ProgressBar,
    stop: StopSignal,
}

impl<O: RowObserver> RowObserver for Answer<O> {
    fn begin(&mut self, schema: &query::Columns) -> Result<(), QueryError> {
        self.rows.begin(schema)
    }

    fn rows(&mut self, batch: &query::Rows) -> Result<(), QueryError> {
        self.rows.rows(batch)
    }

    fn progress(&mut self, read: u64, samples: u64) -> Result<(), QueryError> {
        // A query that reads a table more than once reads more rows than there are.
        self.bar.set_length(samples.max(read));
        self.bar.set_position(read);
        if self.stop.is_stopped() { Err(QueryError::Stopped) } else { Ok(()) }
    }
}
