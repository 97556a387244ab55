#[cfg(feature = "sql")]
mod answer;
#[cfg(feature = "sql")]
mod derive;

use std::{num::NonZeroUsize, path::PathBuf, process::ExitCode};

/// Default memory of a query. Repeated here, because a program without SQL shows it too and lacks the query
/// library.
const MEMORY_MIB: u32 = 400;

#[cfg(feature = "sql")]
const _: () = assert!((MEMORY_MIB as usize) << 20 == query::Resources::MEMORY_BYTES);

/// Query stores in SQL, with chess functions.
///
/// The tables are `positions`, `games`, `stores`, `splits`, `sources` and `engines`; their columns are those of the Parquet
/// files (docs/formats.md). Several stores form one set of tables. Rows can be written to Parquet with COPY (SELECT ...) TO
/// 'FILE.parquet'; --store writes them as another store, for training. For programs built with `--features sql`; programs built
/// with `--features cluster` can also query a cluster of machines, which `tabiya data cluster` starts.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "tabiya data sql [OPTIONS] SQL STORE...\n       tabiya data sql [OPTIONS] --query NAME STORE...\n       \
                      tabiya data sql --store OUT SQL STORE...\n       tabiya data sql --store OUT --query NAME STORE...\n       \
                      tabiya data sql --list",
    after_help = "Examples:
  tabiya data sql --list
  tabiya data sql --query duplicates stores/masters
  tabiya data sql \"SELECT fen(position, ply) FROM positions WHERE mate = 2 LIMIT 5\" stores/masters
  tabiya data sql \"SELECT eco, avg(slips) FROM games GROUP BY eco\" stores/masters stores/club --csv
  tabiya data sql --store stores/clean --query without-leaks stores/masters
  tabiya data sql --store stores/tenth \"SELECT * FROM positions WHERE hash(game) % 10 = 0\" stores/masters stores/club
  tabiya data sql \"SELECT legal_moves(position) AS moves FROM positions\" s3://chess/masters --json
  tabiya data sql --cluster 192.168.1.7:50050 --query duplicates s3://chess/masters"
)]
pub(crate) struct Arguments {
    /// The query, unless --query names one; then directories made by `tabiya data build`
    #[arg(value_name = "SQL|STORE", required_unless_present = "list")]
    inputs: Vec<String>,
    /// Run one of the named queries that --list shows
    #[arg(long, value_name = "NAME")]
    query: Option<String>,
    /// Write the rows as a store: a directory that does not exist yet, or s3://BUCKET/PREFIX. The rows need all columns of
    /// `positions`, as SELECT * returns them
    #[arg(long, value_name = "OUT", conflicts_with_all = ["csv", "json"])]
    store: Option<PathBuf>,
    /// List tables, functions and named queries
    #[arg(long, conflicts_with_all = ["inputs", "query", "store"])]
    list: bool,
    /// Write comma-separated values with a header line
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    /// Write one JSON object per line
    #[arg(long)]
    json: bool,
    /// Run the query on the cluster of this scheduler, whose machines open the stores under the same paths or addresses
    #[arg(long, value_name = "HOST:PORT")]
    cluster: Option<String>,
    /// Threads [default: as many as there are cores; always one for --store, so that rows keep their order]; for a cluster, the
    /// number of parts of a query that run at once [default: 16]
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// Memory for groups, sorts and joins; groups and sorts that need more use temporary files (TMPDIR)
    #[arg(long, value_name = "MIB", default_value_t = MEMORY_MIB, conflicts_with = "cluster")]
    memory: u32,
}

impl Arguments {
    /// The stores, and the text of the query unless it is named.
    #[cfg_attr(not(feature = "sql"), expect(dead_code, reason = "only what answers asks"))]
    fn question(&self) -> anyhow::Result<(Option<&str>, Vec<PathBuf>)> {
        let (sql, stores) = match (&self.query, &self.inputs[..]) {
            (None, [sql, stores @ ..]) => (Some(sql.as_str()), stores),
            (_, stores) => (None, stores),
        };
        anyhow::ensure!(!stores.is_empty(), "found no store after the query, expected at least one");
        Ok((sql, stores.iter().map(PathBuf::from).collect()))
    }
}

#[cfg(feature = "sql")]
pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    answer::run(arguments)
}

/// Reports the missing feature.
#[cfg(not(feature = "sql"))]
pub(super) fn run(_: &Arguments) -> anyhow::Result<ExitCode> {
    anyhow::bail!(
        "this program was built without SQL; `cargo build --release --features sql` makes one that has it"
    )
}
