use std::{io::Write as _, path::PathBuf, process::ExitCode, time::Instant};

use chess::Speed;
use dataset::{
    BuildConfig, Filters,
    record::{TimeControl, Winner},
    source::PositionRules,
    store::{self, manifest::Engine},
};
use terminal::{BuildProgress, build_summary, stop_on_interrupt};

use crate::commands::{file_kinds::REJECTED, named};

/// Build a sample store from games (PGN, CSV) and positions (the Lichess evaluation database, puzzles, EPD).
///
/// Inputs are files, folders, zip archives, objects in buckets (for programs built with `--features s3`) or stdin (-), plain or
/// compressed (.gz, .bz2, .zst); formats are recognised by content, not by file name. Broken records are reported, counted and
/// skipped. Ctrl-C, a full disk or an unreadable input leaves no partial store.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tabiya data build stores/masters twic*.pgn.gz --min-rating 2200
  tabiya data build stores/blitz lichess_db_standard_rated_2024-01.pgn.zst --speed blitz,rapid --min-clock 30
  tabiya data build stores/lc0 games.pgn --history 8 --samples-per-game 10
  tabiya data build stores/all games.pgn --max-games-per-band 5000
  tabiya data build stores/endgames games.pgn --max-pieces 7
  tabiya data build stores/soft lichess_db_eval.jsonl.zst --max-positions 5000000
  tabiya data build stores/evaluations evaluations/*.parquet --rejected rejected.txt
  curl -L https://example.org/games.zst | tabiya data build stores/piped -")]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub(crate) struct Arguments {
    /// The store to create: a directory that does not exist yet, or s3://BUCKET/PREFIX, to which a temporary store is copied
    #[arg(value_name = "OUT")]
    output: PathBuf,
    /// Files, folders, zip archives or s3://BUCKET/PREFIX of games or positions; - is stdin
    #[arg(value_name = "IN", required = true)]
    inputs: Vec<PathBuf>,
    #[command(flatten)]
    games: GameFilters,
    #[command(flatten)]
    positions: PositionFilters,
    /// Share of the games, and of the positions that belong to no game, for the validation split; chosen by hash
    #[arg(long, value_name = "SHARE", default_value_t = BuildConfig::VALIDATION_SHARE)]
    validation: f64,
    /// Positions stored with each sample, including its own; lc0-112 needs 8
    #[arg(long, value_name = "POSITIONS", default_value_t = BuildConfig::HISTORY)]
    history: usize,
    /// Keep duplicate games and positions
    #[arg(long)]
    keep_duplicates: bool,
    /// Seed for the random choice of --samples-per-game
    #[arg(long, default_value_t = BuildConfig::SEED)]
    seed: u64,
    /// Repair impossible positions of the Lichess evaluation database instead of rejecting them: drop castling rights without
    /// king and rook at home, allow more than eight pawns, and turn a king's move onto its rook into a step. This reproduces the
    /// data of older projects, including some wrong moves
    #[arg(long)]
    repair_positions: bool,
    /// Keep at most this many samples of the same position from games; later ones are dropped with their labels
    #[arg(long, value_name = "TIMES", value_parser = clap::value_parser!(u8).range(1..))]
    max_repeats: Option<u8>,
    /// Leave out validation positions that are also in the training split
    #[arg(long)]
    drop_leaks: bool,
    /// Also store evaluations smoothed along each game, up to a slip: each position counts with this weight in the position
    /// before it. A recipe uses them with value_target = { from = "search" }
    #[arg(long, value_name = "WEIGHT", default_value_t = 0.0)]
    smooth: f32,
    /// Also store the position after the first move of each line (Lichess evaluations with several lines): it has the value of
    /// the line and trains only the value. Most positions of a search are of this kind
    #[arg(long)]
    after_lines: bool,
    /// Engine that evaluated the positions, with its version, such as "Stockfish 15.1"; kept in the manifest
    #[arg(long, value_name = "NAME")]
    engine: Option<String>,
    /// Limits of that engine, such as "nodes 3000"
    #[arg(long, value_name = "LIMITS", requires = "engine", default_value = "")]
    engine_limits: String,
    /// File to list broken records in, with file, line and reason
    #[arg(long, value_name = "FILE.txt")]
    rejected: Option<PathBuf>,
    /// Replace an existing file of another kind with the list of broken records
    #[arg(long, requires = "rejected")]
    force: bool,
    /// Print the store's manifest as JSON instead of a summary
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Game filters (games without the information are left out)")]
struct GameFilters {
    /// Minimum rating of both players
    #[arg(long, value_name = "ELO")]
    min_rating: Option<u16>,
    /// Maximum rating of both players
    #[arg(long, value_name = "ELO")]
    max_rating: Option<u16>,
    /// Time controls, such as 180+2
    #[arg(long, value_name = "SECONDS+INCREMENT", value_delimiter = ',', value_parser = parse_time_control)]
    time_control: Vec<TimeControl>,
    /// Lichess speeds: ultra-bullet, bullet, blitz, rapid, classical
    #[arg(long, value_name = "CLASS", value_delimiter = ',', value_parser = parse_speed)]
    speed: Vec<Speed>,
    /// Results: white, draw, black
    #[arg(long, value_name = "WINNER", value_delimiter = ',', value_parser = parse_winner)]
    result: Vec<Winner>,
    /// Minimum length in plies
    #[arg(long, value_name = "PLIES")]
    min_plies: Option<usize>,
    /// Only positions in which the player with this name (PGN tag White or Black) is to move
    #[arg(long, value_name = "NAME")]
    player: Option<String>,
    /// Maximum games per band of 100 rating points, by the mean rating of both players, so beginners and masters count as much as
    /// the many players between them
    #[arg(long, value_name = "GAMES", value_parser = clap::value_parser!(u64).range(1..))]
    max_games_per_band: Option<u64>,
    /// Stop after this many games
    #[arg(long, value_name = "GAMES")]
    max_games: Option<u64>,
}

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Position filters")]
struct PositionFilters {
    /// First ply (0: White's first move)
    #[arg(long, value_name = "PLY")]
    min_ply: Option<u16>,
    /// Last ply
    #[arg(long, value_name = "PLY")]
    max_ply: Option<u16>,
    /// Minimum number of half-moves of the game from the position on
    #[arg(long, value_name = "PLIES")]
    min_plies_left: Option<usize>,
    /// Minimum number of pieces, kings and pawns included
    #[arg(long, value_name = "PIECES", value_parser = clap::value_parser!(u8).range(2..=32))]
    min_pieces: Option<u8>,
    /// Maximum number of pieces, kings and pawns included: 7 or so for endgames
    #[arg(long, value_name = "PIECES", value_parser = clap::value_parser!(u8).range(2..=32))]
    max_pieces: Option<u8>,
    /// Minimum time left on the mover's clock, for games with clock times
    #[arg(long, value_name = "SECONDS")]
    min_clock: Option<u32>,
    /// Only positions with an engine evaluation
    #[arg(long)]
    evaluated: bool,
    /// Maximum positions per game, chosen at random
    #[arg(long, value_name = "POSITIONS")]
    samples_per_game: Option<usize>,
    /// Stop after this many positions
    #[arg(long, value_name = "POSITIONS")]
    max_positions: Option<u64>,
}

fn parse_time_control(text: &str) -> Result<TimeControl, String> {
    TimeControl::parse(text).ok_or_else(|| "expected seconds+increment, such as 180+2".into())
}

fn parse_speed(text: &str) -> Result<Speed, String> {
    named(Speed::NAMES, text)
}

fn parse_winner(text: &str) -> Result<Winner, String> {
    named(Winner::NAMES, text)
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let stop = stop_on_interrupt()?;
    if let Some(report) = &arguments.rejected {
        REJECTED.check(report, &arguments.inputs, Some(arguments.force))?;
    }
    let start = Instant::now();
    let mut observer = BuildProgress::new(arguments.rejected.as_deref(), stop)?;
    let built = store::make(&arguments.output, |output| {
        let config = BuildConfig { output: output.into(), ..config(arguments) };
        dataset::build(&config, &mut observer)
    });
    observer.finish(arguments.rejected.as_deref())?;
    let manifest = built?;
    let mut out = std::io::stdout().lock();
    if arguments.json {
        writeln!(out, "{}", serde_json::to_string_pretty(&manifest)?)?;
    } else {
        write!(out, "{}", build_summary(&arguments.output, &manifest, start.elapsed()))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn config(arguments: &Arguments) -> BuildConfig {
    let Arguments { games, positions, .. } = arguments;
    BuildConfig {
        filters: Filters {
            min_rating: games.min_rating,
            max_rating: games.max_rating,
            time_controls: games.time_control.clone(),
            speeds: games.speed.clone(),
            winners: games.result.clone(),
            min_plies: games.min_plies,
            player: games.player.clone(),
            min_ply: positions.min_ply,
            max_ply: positions.max_ply,
            min_plies_left: positions.min_plies_left,
            min_pieces: positions.min_pieces,
            max_pieces: positions.max_pieces,
            min_clock_seconds: positions.min_clock,
            evaluated: positions.evaluated,
            samples_per_game: positions.samples_per_game,
            max_games_per_band: games.max_games_per_band,
            max_games: games.max_games,
            max_positions: positions.max_positions,
        },
        validation_share: arguments.validation,
        history: arguments.history,
        keep_duplicates: arguments.keep_duplicates,
        seed: arguments.seed,
        engine: arguments.engine.clone().map(|name| Engine { name, limits: arguments.engine_limits.clone() }),
        smoothing: arguments.smooth,
        most_repeats: arguments.max_repeats,
        without_leaks: arguments.drop_leaks,
        after_lines: arguments.after_lines,
        rules: if arguments.repair_positions { PositionRules::Repaired } else { PositionRules::Strict },
        ..BuildConfig::new(&arguments.output, &arguments.inputs)
    }
}
