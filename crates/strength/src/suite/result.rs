//! A player's result on a suite.

use std::fmt;

use chess::{Game, Move, notation::print_san};
use figures::Percent;
use serde::{Deserialize, Serialize};

use super::SuitePosition;
use crate::{
    panel::{Lateness, Panel, PanelError, Reply},
    player::Baselines,
    statistics::{Measurement, mean},
};

/// A player's answer in one position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SuiteAnswer {
    /// Operation `id` of the position, or its line.
    pub id: String,
    /// The position as FEN.
    pub fen: String,
    /// The move in SAN; `None` if the player failed.
    pub played: Option<String>,
    /// True if the answer solves the position.
    pub solved: bool,
    /// Points for it, if the position gives any.
    pub points: Option<f64>,
    /// The player's failure, if any.
    pub failure: Option<String>,
}

/// Expected results of simple players.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SuiteBaseline {
    /// Share of positions solved.
    pub solved: f64,
    /// Share of the points, if the suite gives any.
    pub points: Option<f64>,
}

/// The result of a whole suite.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SuiteResult {
    /// File of the suite, as given.
    pub suite: String,
    /// Share of positions solved.
    pub solved: Measurement,
    /// Share of the points, if the suite gives any.
    pub points: Option<Measurement>,
    /// Expected result of a random mover, exactly.
    pub random: SuiteBaseline,
    /// Result of the first move in generation order.
    pub first_legal: SuiteBaseline,
    /// Expected result of the greedy mover.
    pub material: SuiteBaseline,
    /// Moves that took longer than allowed.
    #[serde(default)]
    pub late: Lateness,
    /// The answer in each position, in the order of the file.
    pub answers: Vec<SuiteAnswer>,
}

/// Tests a player on a suite.
///
/// # Errors
/// [`PanelError`] if the player does not start, if it was interrupted, or without a position.
pub fn play_suite(
    panel: &Panel<'_>,
    name: &str,
    positions: &[SuitePosition],
) -> Result<SuiteResult, PanelError> {
    let answers = panel.ask(positions, |player, limits, position: &SuitePosition| {
        player.choose(&position.game, limits, panel.stop).map(|choice| choice.chess_move)
    })?;
    let late = answers.late;
    let answers: Vec<SuiteAnswer> =
        positions.iter().zip(answers.replies).map(|(position, reply)| answer(position, reply)).collect();
    let solved = answers.iter().filter(|answer| answer.solved).count() as u64;
    let shares: Vec<f64> =
        answers.iter().filter_map(|answer| answer.points).map(|points| points / 100.0).collect();
    let Baselines { random, first_legal, material } = Baselines::of(|moves_of| baseline(positions, moves_of));
    Ok(SuiteResult {
        suite: name.into(),
        solved: Measurement::share(solved, answers.len() as u64).ok_or(PanelError::NoQuestion)?,
        points: Measurement::mean_share(&shares),
        random,
        first_legal,
        material,
        late,
        answers,
    })
}

fn answer(position: &SuitePosition, reply: Reply<Move>) -> SuiteAnswer {
    let (played, failure) = match reply {
        Reply::Answer(chess_move) => (Some(chess_move), None),
        Reply::Failure(error) => (None, Some(error.to_string())),
    };
    SuiteAnswer {
        id: position.id.clone(),
        fen: position.game.fen(),
        played: played.map(|chess_move| print_san(position.game.position(), chess_move)),
        solved: played.is_some_and(|chess_move| position.is_solved_by(chess_move)),
        points: match played {
            Some(chess_move) => position.points_of(chess_move),
            None => (!position.points.is_empty()).then_some(0.0),
        },
        failure,
    }
}

/// The mean over positions of the mean over the moves that `moves_of` returns.
fn baseline(positions: &[SuitePosition], moves_of: fn(&Game) -> Vec<Move>) -> SuiteBaseline {
    let (mut solved, mut points) = (Vec::new(), Vec::new());
    for position in positions {
        let moves = moves_of(&position.game);
        let of_moves = moves.iter().map(|&one| f64::from(u8::from(position.is_solved_by(one))));
        solved.push(mean(of_moves).unwrap_or(0.0));
        if !position.points.is_empty() {
            let of_moves = moves.iter().map(|&one| position.points_of(one).unwrap_or(0.0) / 100.0);
            points.push(mean(of_moves).unwrap_or(0.0));
        }
    }
    SuiteBaseline { solved: mean(solved).unwrap_or(0.0), points: mean(points) }
}

impl fmt::Display for SuiteResult {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let solved = self.answers.iter().filter(|answer| answer.solved).count();
        write!(
            formatter,
            "{}: {solved} of {} solved, {}",
            self.suite,
            self.answers.len(),
            self.solved.percent()
        )?;
        write!(
            formatter,
            "; random {}, first legal {}, material {}",
            Percent(self.random.solved),
            Percent(self.first_legal.solved),
            Percent(self.material.solved)
        )?;
        if let (Some(points), Some(random)) = (self.points, self.random.points) {
            write!(formatter, "\n  points {}; random {}", points.percent(), Percent(random))?;
        }
        let failures = self.answers.iter().filter(|answer| answer.failure.is_some()).count();
        if failures > 0 {
            write!(formatter, "\n  caution: the player failed in {failures} positions")?;
        }
        write!(formatter, "{}", self.late)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use chess::StopSignal;

    use super::*;
    use crate::{matches::Contestant, player::MATERIAL};

    const SCORED: &str = "1kr5/3n4/q3p2p/p2n2p1/PppB1P2/5BP1/1P2Q2P/3R2K1 w - - bm f5; id \"one\"; c0 \"f5=100, Bf2=46\"; \
        c8 \"100 46\"; c9 \"f4f5 d4f2\";";

    #[test]
    fn a_played_suite_has_its_baselines() {
        let positions = [SuitePosition::parse(SCORED, 1).unwrap()];
        let player = Contestant::new("material", || Ok(MATERIAL.build()));
        let stop = StopSignal::default();
        let heard = AtomicUsize::new(0);
        let observe = || {
            heard.fetch_add(1, Ordering::Relaxed);
        };
        let panel = Panel { contestant: &player, threads: 2, stop: &stop, observe: &observe };
        let result = play_suite(&panel, "one.epd", &positions).unwrap();
        assert_eq!((result.answers.len(), heard.load(Ordering::Relaxed)), (1, 1));
        let legal = positions[0].game.legal_moves().len() as f64;
        assert!((result.random.solved - 1.0 / legal).abs() < 1e-12);
        assert!((result.random.points.unwrap() - 1.46 / legal).abs() < 1e-12);
        assert_eq!(result.points.unwrap().value, result.answers[0].points.unwrap() / 100.0);
        stop.stop();
        assert!(matches!(play_suite(&panel, "one.epd", &positions), Err(PanelError::Interrupted)));
    }
}
