use std::path::PathBuf;

use anyhow::{Context as _, Result};
use chess::Move;
use files::run::ResultKind;
use player::PlayerSpecification;
use serde::Serialize;
use serde_json::json;
use strength::{
    Positions,
    metrics::{
        AgreementTable,
        agreement::{AgreementColumns, AgreementPosition, read_positions},
    },
    panel::{Answers, Lateness, Reply},
};
use terminal::print_line;

use super::{Found, MetricOptions, Tested};

/// Agreement with the moves of two references, compared with a random and a greedy mover; with precision, recall and F1 as
/// the COGS188 project defined them
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tabiya metrics agreement default,nodes=800 positions.csv --first sf_a_move --second sf_b_move --compare \
                  human_move\n  tabiya metrics agreement default,nodes=100 positions.csv --first sf_a_move --second sf_b_move --also \
                  default,nodes=800 --rating white_rating --rating black_rating"
)]
pub(super) struct Arguments {
    /// Player to compare
    pub(super) player: PlayerSpecification,
    /// CSV file with a header line: positions and moves
    positions: PathBuf,
    /// Column with the position, a FEN
    #[arg(long, default_value = "fen", value_name = "COLUMN")]
    fen: String,
    /// Column with the game of a position
    #[arg(long, default_value = "game_id", value_name = "COLUMN")]
    group: String,
    /// Column with the first reference's moves, in UCI notation
    #[arg(long, value_name = "COLUMN")]
    first: String,
    /// Column with the second reference's moves
    #[arg(long, value_name = "COLUMN")]
    second: String,
    /// Column with another player's moves to compare; may be repeated
    #[arg(long, value_name = "COLUMN")]
    compare: Vec<String>,
    /// Another player to measure in the same positions, such as another setting of the first; may be repeated
    #[arg(long, value_name = "PLAYER")]
    also: Vec<PlayerSpecification>,
    /// Column with a player's rating; may be repeated. Adds a table for each band of the mean rating
    #[arg(long, value_name = "COLUMN")]
    rating: Vec<String>,
    /// Width of a band in rating points
    #[arg(long, value_name = "POINTS", default_value_t = AgreementPosition::BAND, value_parser = clap::value_parser!(u16).range(1..))]
    band: u16,
    #[command(flatten)]
    pub(super) options: MetricOptions,
}

/// Compares the player's moves with those of the references.
pub(super) fn run(tested: &Tested<'_>, arguments: &Arguments) -> Result<Found> {
    let columns = AgreementColumns {
        group: arguments.group.clone(),
        fen: arguments.fen.clone(),
        first: arguments.first.clone(),
        second: arguments.second.clone(),
        others: arguments.compare.clone(),
        ratings: arguments.rating.clone(),
    };
    let Positions { found: positions, skipped } =
        read_positions(&arguments.positions, &columns, tested.options.sample)?;
    if skipped.count > 0 {
        print_line(&format!("{}: {skipped}", arguments.positions.display()));
    }
    let answers = tested.moves(&positions, |position| &position.game)?;
    let found = agreement(arguments, &positions, &arguments.player, answers)?;
    let mut others = Vec::new();
    for player in &arguments.also {
        let answers =
            tested.moves_of(&player.contestant_for_positions()?, &positions, |position| &position.game)?;
        others.push(agreement(arguments, &positions, player, answers)?);
    }
    let baselines = AgreementPosition::baselines(&positions);
    let (mut tables, mut late) = (Vec::new(), String::new());
    for player in std::iter::once(&found).chain(&others) {
        tables.push(player.table.to_string());
        tables.extend(player.bands.iter().map(ToString::to_string));
        late.push_str(&player.late.to_string());
    }
    tables.extend(baselines.iter().map(ToString::to_string));
    let value = json!({
        "kind": ResultKind::Agreement.text(),
        "table": found.table,
        "bands": found.bands,
        "baselines": baselines,
        "late": found.late,
        "others": others,
    });
    Ok((value, tables.join("\n") + &late))
}

/// One player's agreement.
#[derive(Serialize)]
struct Agreement {
    /// In all positions.
    table: AgreementTable,
    /// By bands of the rating.
    bands: Vec<AgreementTable>,
    late: Lateness,
}

fn agreement(
    arguments: &Arguments,
    positions: &[AgreementPosition],
    player: &PlayerSpecification,
    answers: Answers<Move>,
) -> Result<Agreement> {
    let mut moves = Vec::with_capacity(positions.len());
    for reply in answers.replies {
        match reply {
            Reply::Answer(chess_move) => moves.push(chess_move),
            Reply::Failure(error) => return Err(error).context("a move is missing"),
        }
    }
    let rows = AgreementPosition::rows(positions, &moves);
    let table = AgreementTable::new(&player.to_string(), &rows).context("no position was left")?;
    let bands = AgreementPosition::by_rating(positions, &moves, arguments.band);
    Ok(Agreement { table, bands, late: answers.late })
}
