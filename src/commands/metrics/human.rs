use std::{ops::RangeInclusive, path::PathBuf};

use anyhow::{Context as _, Result, ensure};
use chess::{Move, split_mix::spread};
use files::run::ResultKind;
use player::PlayerSpecification;
use serde_json::json;
use strength::{
    Contestant,
    metrics::{
        CentipawnLoss, HumanMatch, JudgedPosition, LossDifference, Losses, PlayedPosition, Take,
        human::read_human, loss::losses,
    },
    panel::Answers,
    player::MATERIAL,
};

use super::{Found, MetricOptions, Tested};
use crate::commands::suite::bar;

/// Agreement with human moves by rating, and centipawn loss. As in the Maia paper: both players in one band of 100 points,
/// no opening moves, no moves in time trouble
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  tabiya metrics human default,nodes=1 games.pgn.zst --sample 1000 --judge uci=stockfish,nodes=10000"
)]
pub(super) struct Arguments {
    /// Player to compare with people
    pub(super) player: PlayerSpecification,
    /// Games with ratings: PGN (plain, .gz, .bz2, .zst or .zip), or a sample store, of which the validation split is used
    games: PathBuf,
    /// Maximum positions per game
    #[arg(long, default_value_t = Take::PER_GAME, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    per_game: u16,
    /// Only games of players rated within these bounds, such as 1000-1299
    #[arg(long, value_name = "LOW-HIGH", value_parser = ratings)]
    ratings: Option<RangeInclusive<u16>>,
    /// Engine that evaluates the moves for centipawn loss
    #[arg(long, value_name = "PLAYER")]
    judge: Option<PlayerSpecification>,
    /// Another player, whose moves are judged in the same positions as those of the first
    #[arg(long, value_name = "PLAYER", requires = "judge")]
    against: Option<PlayerSpecification>,
    #[command(flatten)]
    pub(super) options: MetricOptions,
}

fn ratings(text: &str) -> Result<RangeInclusive<u16>, String> {
    let bounds = text.split_once('-').and_then(|(low, high)| Some((low.parse().ok()?, high.parse().ok()?)));
    match bounds {
        Some((low, high)) if low <= high => Ok(low..=high),
        _ => Err("expected two ratings, the lower one first, such as 1000-1299".into()),
    }
}

/// Compares the player's moves with those of people.
pub(super) fn run(tested: &Tested<'_>, arguments: &Arguments) -> Result<Found> {
    let judge = arguments.judge.as_ref().map(PlayerSpecification::contestant_for_positions).transpose()?;
    let place = arguments.games.display().to_string();
    let take = Take { per_game: usize::from(arguments.per_game), sample: tested.options.sample };
    let (ratings, limited) = match &arguments.ratings {
        Some(ratings) => (ratings.clone(), format!(", both rated {} to {}", ratings.start(), ratings.end())),
        None => (0..=u16::MAX, String::new()),
    };
    let found = read_human(&arguments.games, take, &ratings)?;
    ensure!(!found.positions.is_empty(), "{place}: no position of two players in one rating band{limited}");
    let answers = tested.moves(&found.positions, |position| &position.game)?;
    let matched = HumanMatch::new(&found.positions, &answers).context("no position was left")?;
    let mut lines = vec![format!("moves of people found\n{matched}")];
    let mut losses = Vec::new();
    let mut difference = None;
    let mut unjudged = 0;
    if let Some(judge) = judge {
        let other =
            arguments.against.as_ref().map(PlayerSpecification::contestant_for_positions).transpose()?;
        let questions =
            with_baselines(&found.positions, &answers, &other_moves(tested, other, &found.positions)?);
        let judged = judge_moves(tested, &judge, &questions)?;
        unjudged = judged.unjudged;
        losses.extend(
            MOVERS
                .iter()
                .enumerate()
                .filter_map(|(mover, name)| CentipawnLoss::new(name, mover, &questions, &judged)),
        );
        lines.extend(losses.iter().map(ToString::to_string));
        difference = LossDifference::new(PLAYER, OTHER, &questions, &judged);
        lines.extend(difference.iter().map(|more| format!("  player less the other: {more}")));
        if let Some(reason) = judged.reason {
            let of = questions.len();
            lines.push(format!(
                "  caution: the judge failed in {unjudged} of {of} positions, which are left out: {reason}"
            ));
        }
    }
    if found.bad_games > 0 {
        lines.push(format!("  {} broken games were skipped", found.bad_games));
    }
    let value = json!({
        "kind": ResultKind::Human.text(),
        "matched": matched,
        "losses": losses,
        "against": arguments.against.as_ref().map(ToString::to_string),
        "difference": difference,
        "judge": arguments.judge.as_ref().map(ToString::to_string),
        "unjudged": unjudged,
        "bad_games": found.bad_games,
        "source": place,
    });
    Ok((value, lines.join("\n")))
}

/// Players whose moves are evaluated; the last only with `--against`.
const MOVERS: [&str; 6] = ["player", "people", "random", "first legal", "material", "the other"];
const PLAYER: usize = 0;
const OTHER: usize = 5;

/// The moves of the player of `--against`; none without one.
fn other_moves(
    tested: &Tested<'_>,
    other: Option<Contestant>,
    positions: &[PlayedPosition],
) -> Result<Vec<Option<Move>>> {
    let Some(other) = other else { return Ok(vec![None; positions.len()]) };
    let answers = tested.moves_of(&other, positions, |position| &position.game)?;
    Ok(answers.replies.iter().map(|reply| reply.answer().copied()).collect())
}

/// The positions with the moves of [`MOVERS`].
fn with_baselines(
    positions: &[PlayedPosition],
    answers: &Answers<Move>,
    other: &[Option<Move>],
) -> Vec<JudgedPosition> {
    let mut judged = Vec::with_capacity(positions.len());
    for (index, position) in positions.iter().enumerate() {
        // One random and one greedy mover, the same in every run: a multiplicative hash picks their moves.
        let pick = (spread(index as u64 + 1) >> 33) as usize;
        let legal = position.game.legal_moves();
        let greedy = picked(&MATERIAL.moves(&position.game), pick);
        judged.push(JudgedPosition {
            game_number: position.game_number,
            game: position.game.clone(),
            played: vec![
                answers.replies[index].answer().copied(),
                Some(position.played),
                picked(&legal, pick),
                legal.first().copied(),
                greedy,
                other[index],
            ],
        });
    }
    judged
}

/// One of the moves, by a number of any size; `None` if there are none.
fn picked(moves: &[Move], pick: usize) -> Option<Move> {
    moves.get(pick % moves.len().max(1)).copied()
}

/// Loss of each player's moves, by the judge.
fn judge_moves(tested: &Tested<'_>, judge: &Contestant, questions: &[JudgedPosition]) -> Result<Losses> {
    let judged = tested
        .with_panel(judge, &bar(questions.len(), "positions judged"), |panel| losses(panel, questions))?;
    if let Some(reason) = &judged.reason {
        ensure!(judged.unjudged < questions.len() as u64, "the judge failed in every position: {reason}");
    }
    Ok(judged)
}
