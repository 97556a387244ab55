//! Answers queries, with the query engine.

use std::{
    fmt::Write as _,
    io::{BufWriter, Write as _},
    process::ExitCode,
};

use anyhow::Context as _;
use chess::StopSignal;
use dataset::Store;
use indicatif::ProgressBar;
use query::{FUNCTIONS, Format, Observer, QUERIES, QueryError, Resources, ResultWriter, Session, TABLES};

use super::Arguments;
use crate::{interrupt::stop_on_interrupt, progress_bar::progress_bar};

/// Runs the command.
pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    if arguments.list {
        out.write_all(list().as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    }
    let (sql, stores) = arguments.question()?;
    let sql = match (sql, &arguments.query) {
        (Some(sql), _) => sql,
        (None, name) => named(name.as_deref().unwrap_or_default())?,
    };
    for (index, store) in stores.iter().enumerate() {
        anyhow::ensure!(
            !stores[..index].contains(store),
            "found {} twice, expected each store once",
            store.display()
        );
    }
    let stores = stores.iter().map(|path| Store::open(path)).collect::<Result<Vec<_>, _>>()?;
    let session = open(arguments, &stores)?;
    let format = match (arguments.csv, arguments.json) {
        (true, _) => Format::Csv,
        (false, true) => Format::JsonLines,
        (false, false) => Format::Table,
    };
    let bar = match &arguments.cluster {
        Some(_) => progress_bar(None, "the cluster has been asked {elapsed} ago"),
        None => progress_bar(Some(0), "{percent:>3} %  {human_pos} samples, {per_sec}, {eta} left"),
    };
    let mut answer = Answer { rows: ResultWriter::new(format, &mut out), bar, stop: stop_on_interrupt()? };
    let answered = session.run(sql, &mut answer);
    answer.bar.finish_and_clear();
    match answered {
        Err(QueryError::Stopped) => return Ok(ExitCode::from(130)),
        answered => answered?,
    }
    answer.rows.finish()?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn open(arguments: &Arguments, stores: &[Store]) -> anyhow::Result<Session> {
    #[cfg(feature = "cluster")]
    if let Some(scheduler) = &arguments.cluster {
        return Ok(Session::on_cluster(stores, scheduler, arguments.threads)?);
    }
    #[cfg(not(feature = "cluster"))]
    if arguments.cluster.is_some() {
        anyhow::bail!(crate::commands::data::cluster::MISSING);
    }
    let resources = Resources { threads: arguments.threads, memory_bytes: (arguments.memory as usize) << 20 };
    Ok(Session::open(stores, resources)?)
}

fn named(name: &str) -> anyhow::Result<&'static str> {
    let names = || QUERIES.iter().map(|query| query.name).collect::<Vec<_>>().join(", ");
    let query = query::queries::find(name);
    Ok(query.with_context(|| format!("no query is called {name:?}; expected one of {}", names()))?.sql)
}

/// Tables, functions and queries by their lists.
fn list() -> String {
    let mut text = String::from("Tables\n");
    for table in TABLES {
        let _ = writeln!(text, "  {:<10} {}", table.name, table.rows);
    }
    text.push_str("\nFunctions, besides those of DataFusion; arguments in brackets may be left out\n");
    for function in FUNCTIONS {
        let _ = writeln!(text, "  {}\n             {}", function.usage, function.meaning);
    }
    text.push_str("\nQueries for --query\n");
    for query in QUERIES {
        let _ = writeln!(text, "  {:<12} {}", query.name, query.meaning);
    }
    text
}

/// Writes rows, draws progress and stops on Ctrl-C.
struct Answer<W> {
    rows: ResultWriter<W>,
    bar: ProgressBar,
    stop: StopSignal,
}

impl<W: std::io::Write> Observer for Answer<W> {
    fn begin(&mut self, schema: &query::Columns) -> Result<(), QueryError> {
        self.rows.begin(schema)
    }

    fn rows(&mut self, batch: &query::Rows) -> Result<(), QueryError> {
        self.rows.rows(batch)
    }

    fn progress(&mut self, read: u64, samples: u64) -> Result<(), QueryError> {
        // A query that reads a table more than once reads more than there is.
        self.bar.set_length(samples.max(read));
        self.bar.set_position(read);
        if self.stop.is_stopped() { Err(QueryError::Stopped) } else { Ok(()) }
    }
}
