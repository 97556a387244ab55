//! `tabiya data show`.

use std::{fmt::Write as _, io::Write as _, path::PathBuf, process::ExitCode};

use anyhow::Context as _;
use chess::{
    Chess, Position, Score, Square,
    shakmaty::{EnPassantMode, fen::Fen, san::SanPlus},
};
use dataset::{GameResult, Sample, Split, Store, packed_move::PackedMove};
use serde::Serialize;

/// Show samples of a store: board, FEN and labels.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tabiya data show stores/masters
  tabiya data show stores/masters --row 1000 --count 3 --split validation
  tabiya data show stores/masters --game 1f00c0ffee15600d --json")]
pub(crate) struct Arguments {
    /// A directory made by `tabiya data build`
    store: PathBuf,
    /// First row, in stored order
    #[arg(long, default_value_t = 0, conflicts_with = "game")]
    row: u64,
    /// Number of rows
    #[arg(long, default_value_t = 1, conflicts_with = "game")]
    count: u64,
    /// Split of the store
    #[arg(long, value_enum, default_value = "train", conflicts_with = "game")]
    split: SplitName,
    /// All samples of the game with this hash (16 hexadecimal digits, as `show` prints it)
    #[arg(long, value_name = "HASH", value_parser = parse_game)]
    game: Option<u64>,
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum SplitName {
    Train,
    Validation,
}

fn parse_game(text: &str) -> Result<u64, String> {
    u64::from_str_radix(text, 16).map_err(|error| format!("{error}; expected up to 16 hexadecimal digits"))
}

/// Runs the command.
pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let store = Store::open(&arguments.store)?;
    let samples = match arguments.game {
        Some(game) => samples_of_game(&store, game)?,
        None => samples_from_row(&store, arguments)?,
    };
    let mut out = std::io::stdout().lock();
    for sample in &samples {
        let view = View::new(&store, sample).context("the store holds a sample that cannot be shown")?;
        if arguments.json {
            writeln!(out, "{}", serde_json::to_string(&view)?)?;
        } else {
            writeln!(out, "{}", view.text())?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn samples_from_row(store: &Store, arguments: &Arguments) -> anyhow::Result<Vec<Sample>> {
    let split = match arguments.split {
        SplitName::Train => Split::Train,
        SplitName::Validation => Split::Validation,
    };
    let positions = store.positions(split);
    anyhow::ensure!(
        arguments.row < positions,
        "row {}: the split has {positions} rows, counted from 0",
        arguments.row
    );
    let end = positions.min(arguments.row.saturating_add(arguments.count));
    (arguments.row..end)
        .map(|row| store.sample(split, row)?.with_context(|| format!("row {row} is missing")))
        .collect()
}

fn samples_of_game(store: &Store, game: u64) -> anyhow::Result<Vec<Sample>> {
    let mut samples = Vec::new();
    for split in [Split::Train, Split::Validation] {
        for group in store.row_groups(split) {
            samples.extend(group?.into_iter().filter(|sample| sample.game == Some(game)));
        }
    }
    anyhow::ensure!(!samples.is_empty(), "no sample of game {game:016x} in {}", store.path().display());
    Ok(samples)
}

/// A sample for people and scripts. Values are seen by the side to move.
#[derive(Debug, Serialize)]
struct View {
    fen: String,
    best_move: String,
    best_move_uci: String,
    played_move: Option<String>,
    evaluation: Option<Score>,
    result: Option<&'static str>,
    ply: u16,
    white_rating: Option<u16>,
    black_rating: Option<u16>,
    repetitions: u8,
    slips: u8,
    history: usize,
    game: Option<String>,
    source: String,
    #[serde(skip)]
    position: Chess,
}

impl View {
    fn new(store: &Store, sample: &Sample) -> anyhow::Result<Self> {
        let game = sample.to_game()?;
        let position = game.position().clone();
        let mode = game.castling_mode();
        let unpack = |packed: PackedMove| {
            packed.unpack(&position).with_context(|| format!("illegal move {:#06x}", packed.0))
        };
        let best = unpack(sample.best_move)?;
        let san = |chess_move| SanPlus::from_move(position.clone(), chess_move).to_string();
        let sources = &store.manifest().sources;
        let source = sources.get(usize::from(sample.source)).context("a source that the manifest lacks")?;
        Ok(Self {
            fen: Fen::from_position(&position, EnPassantMode::Legal).to_string(),
            best_move: san(best),
            best_move_uci: best.to_uci(mode).to_string(),
            played_move: sample.played_move.map(unpack).transpose()?.map(san),
            evaluation: sample.evaluation,
            result: sample.result.map(|result| match result {
                GameResult::Win => "win",
                GameResult::Draw => "draw",
                GameResult::Loss => "loss",
            }),
            ply: sample.ply,
            white_rating: sample.white_rating,
            black_rating: sample.black_rating,
            repetitions: sample.repetitions,
            slips: sample.slips,
            history: game.history().len(),
            game: sample.game.map(|game| format!("{game:016x}")),
            source: source.path.clone(),
            position,
        })
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for rank in (0..8).rev() {
            let pieces = (0..8).map(|file| {
                let piece = self.position.board().piece_at(Square::new(rank * 8 + file));
                piece.map_or(" .".into(), |piece| format!(" {}", piece.char()))
            });
            let _ = writeln!(text, "{}{}", rank + 1, pieces.collect::<String>());
        }
        let _ = writeln!(text, "  a b c d e f g h\nFEN         {}", self.fen);
        let _ = write!(text, "best move   {} ({})", self.best_move, self.best_move_uci);
        if let Some(played) = &self.played_move {
            let _ = write!(text, "; played {played}, a slip");
        }
        let evaluation = match self.evaluation {
            Some(Score::Centipawns(centipawns)) => format!("{:+.2} pawns", f64::from(centipawns) / 100.0),
            Some(Score::Mate(moves)) => format!("mate in {moves}"),
            None => "none".into(),
        };
        let rating = |rating: Option<u16>| rating.map_or("?".into(), |rating| rating.to_string());
        let _ = write!(
            text,
            "\nevaluation  {evaluation} for the side to move\nresult      {} for the side to move\n\
             game        {}, ply {}, ratings {} and {}, {} slip(s) to come, {} earlier occurrence(s)\n\
             history     {} position(s)\nsource      {}\n",
            self.result.unwrap_or("unknown"),
            self.game.as_deref().unwrap_or("none"),
            self.ply,
            rating(self.white_rating),
            rating(self.black_rating),
            self.slips,
            self.repetitions,
            self.history,
            self.source,
        );
        text
    }
}
