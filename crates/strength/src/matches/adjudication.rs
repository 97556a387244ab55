//! Adjudication of games by both players' evaluations or by tables. Off by default: results by the rules need no trust.

use std::{fmt, sync::Arc};

use chess::{Color, Game, Score, TableResult, Tablebases};
use serde::{Deserialize, Serialize};

use super::termination::{Termination, TerminationKind};

/// Adjudicates a loss when both players' evaluations agree on it for some moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResignRule {
    /// Advantage in centipawns from which a position counts as decided.
    pub centipawns: u32,
    /// Consecutive moves of each player with such an evaluation.
    pub moves: u32,
}

/// Adjudicates a draw when neither player's evaluation shows an advantage for some moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DrawRule {
    /// Moves of each player, from the start of the game, before which no draw is given.
    pub from_move: u32,
    /// Advantage in centipawns up to which a position counts as equal.
    pub centipawns: u32,
    /// Consecutive moves of each player with such an evaluation.
    pub moves: u32,
}

/// The result with best play under the fifty-move rule, for the side to move; `None` if unknown.
type Probe = dyn Fn(&Game) -> Option<TableResult> + Send + Sync;

/// Tablebases that end games in covered positions.
#[derive(Clone)]
pub struct EndgameTable(Arc<Probe>);

impl EndgameTable {
    /// Tablebases given by a function: the result for the side to move with best play under the fifty-move
    /// rule; `None` if they do not cover the position, or its fifty-move counter leaves the result open.
    pub fn new(probe: impl Fn(&Game) -> Option<TableResult> + Send + Sync + 'static) -> Self {
        Self(Arc::new(probe))
    }

    /// Syzygy tables, where their result is certain with the fifty-move counter of the game: always right after captures and pawn moves,
    /// and by their distances in a game that begins with another counter.
    pub fn syzygy(tables: Arc<Tablebases>) -> Self {
        Self::new(move |game| tables.certain_result(game))
    }

    /// The result for the side to move, as [`EndgameTable::new`] has it.
    pub(super) fn probe(&self, game: &Game) -> Option<TableResult> {
        (self.0)(game)
    }
}

impl fmt::Debug for EndgameTable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("EndgameTable")
    }
}

/// Rules that end games of a match early.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Adjudication {
    /// Draw after this many moves of each player.
    pub max_moves: Option<u32>,
    /// Adjudication of losses; `None`: never.
    pub resign: Option<ResignRule>,
    /// Adjudication of draws; `None`: never.
    pub draw: Option<DrawRule>,
}

impl fmt::Display for Adjudication {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rules = [
            self.resign.map(|rule| format!("lost at {} cp for {} moves", rule.centipawns, rule.moves)),
            self.draw.map(|rule| {
                let DrawRule { from_move, centipawns, moves } = rule;
                format!("drawn at {centipawns} cp for {moves} moves from move {from_move}")
            }),
            self.max_moves.map(|moves| format!("drawn after {moves} moves")),
        ];
        let rules: Vec<String> = rules.into_iter().flatten().collect();
        match rules.as_slice() {
            [] => formatter.write_str("no adjudication"),
            rules => write!(formatter, "adjudication: {}", rules.join(", ")),
        }
    }
}

/// Score of a mate, above any in centipawns.
const MATE: i32 = 1_000_000;

/// Tracks the evaluations of one game.
#[derive(Clone, Debug)]
pub struct Adjudicator {
    rules: Adjudication,
    /// Consecutive plies whose evaluations give White (positive) or Black (negative) a decisive advantage.
    decisive: i64,
    /// Consecutive plies whose evaluations are equal.
    equal: u64,
}

impl Adjudicator {
    /// An adjudicator of one game.
    pub fn new(rules: Adjudication) -> Self {
        Self { rules, decisive: 0, equal: 0 }
    }

    /// Records a move by `mover`; a move without evaluation ends every streak.
    pub fn note(&mut self, mover: Color, score: Option<Score>) {
        let Some(score) = score else {
            (self.decisive, self.equal) = (0, 0);
            return;
        };
        let centipawns = match score {
            Score::Centipawns(centipawns) => centipawns,
            Score::Mate(moves) if moves > 0 => MATE,
            Score::Mate(_) => -MATE,
        };
        let white = if mover.is_white() { centipawns } else { centipawns.saturating_neg() };
        let advantage = white.unsigned_abs();
        // One signed counter: when the other side is winning, it restarts from zero. It counts the moves of both players, each by
        // the mover's own evaluation, so a game ends only if both agree: one alone may be wrong for many moves.
        self.decisive = match self.rules.resign {
            Some(rule) if advantage >= rule.centipawns && white > 0 => self.decisive.max(0) + 1,
            Some(rule) if advantage >= rule.centipawns && white < 0 => self.decisive.min(0) - 1,
            _ => 0,
        };
        let is_level = self.rules.draw.is_some_and(|rule| advantage <= rule.centipawns);
        self.equal = if is_level { self.equal + 1 } else { 0 };
    }

    /// The verdict after `plies` plies since the start of the game, opening included.
    pub fn verdict(&self, plies: usize) -> Option<Termination> {
        let plies = plies as u64;
        if let Some(rule) = self.rules.resign
            && self.decisive.unsigned_abs() >= both(rule.moves)
        {
            let loser = if self.decisive > 0 { Color::Black } else { Color::White };
            let kind = TerminationKind::ResignAdjudication;
            return Some(Termination { kind, loser: Some(loser), detail: None });
        }
        if let Some(rule) = self.rules.draw
            && plies >= both(rule.from_move)
            && self.equal >= both(rule.moves)
        {
            return Some(drawn(TerminationKind::DrawAdjudication));
        }
        self.rules
            .max_moves
            .filter(|&moves| plies >= both(moves))
            .map(|_| drawn(TerminationKind::MaximalLength))
    }
}

fn drawn(kind: TerminationKind) -> Termination {
    Termination { kind, loser: None, detail: None }
}

/// Plies of this many moves of each player.
fn both(moves: u32) -> u64 {
    2 * u64::from(moves)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn play(
        rules: Adjudication,
        white_view: &[Option<i32>],
    ) -> Option<(usize, TerminationKind, Option<Color>)> {
        let mut adjudicator = Adjudicator::new(rules);
        for (ply, score) in white_view.iter().enumerate() {
            let mover = Color::from_white(ply % 2 == 0);
            let score = score.map(|white| Score::Centipawns(if mover.is_white() { white } else { -white }));
            adjudicator.note(mover, score);
            if let Some(verdict) = adjudicator.verdict(ply + 1) {
                return Some((ply + 1, verdict.kind, verdict.loser));
            }
        }
        None
    }

    #[test]
    fn off_by_default() {
        assert_eq!(play(Adjudication::default(), &[Some(5000); 300]), None);
        assert_eq!(play(Adjudication::default(), &[Some(0); 300]), None);
    }

    #[test]
    fn resigning_takes_both_players_in_a_row() {
        let rules =
            Adjudication { resign: Some(ResignRule { centipawns: 500, moves: 2 }), ..Default::default() };
        let lost = Some((4, TerminationKind::ResignAdjudication, Some(Color::White)));
        assert_eq!(play(rules, &[Some(-600); 9]), lost);
        assert_eq!(play(rules, &[Some(-600), Some(0)].repeat(9)), None, "only one of them sees it");
        assert_eq!(play(rules, &[Some(-600), Some(600)].repeat(9)), None, "they disagree");
        assert_eq!(play(rules, &[Some(600), Some(600), Some(600), None].repeat(9)), None, "not in a row");
    }

    /// A level position counted as won by Black.
    #[test]
    fn nobody_loses_a_level_position() {
        let rules =
            Adjudication { resign: Some(ResignRule { centipawns: 0, moves: 1 }), ..Default::default() };
        assert_eq!(play(rules, &[Some(0); 30]), None);
        let lost = |loser| Some((2, TerminationKind::ResignAdjudication, Some(loser)));
        assert_eq!(play(rules, &[Some(1); 9]), lost(Color::Black));
        assert_eq!(play(rules, &[Some(-1); 9]), lost(Color::White));
    }

    #[test]
    fn draws_and_length() {
        let draw = Some(DrawRule { from_move: 4, centipawns: 10, moves: 2 });
        let rules = Adjudication { draw, max_moves: Some(10), ..Default::default() };
        assert_eq!(play(rules, &[Some(-10); 30]), Some((8, TerminationKind::DrawAdjudication, None)));
        assert_eq!(play(rules, &[Some(30); 30]), Some((20, TerminationKind::MaximalLength, None)));
        assert_eq!(play(rules, &[None; 30]), Some((20, TerminationKind::MaximalLength, None)));
    }

    /// Twice 2^31 moves was 0 in 32 bits: the game was drawn after its first move.
    #[test]
    fn numbers_of_moves_beyond_31_bits_are_never_reached() {
        let draw = Some(DrawRule { from_move: 1 << 31, centipawns: 10, moves: 1 });
        let long = Some(DrawRule { from_move: 0, centipawns: 10, moves: 1 << 31 });
        let resign = Some(ResignRule { centipawns: 0, moves: 1 << 31 });
        for rules in [
            Adjudication { draw, ..Default::default() },
            Adjudication { draw: long, max_moves: Some(1 << 31), ..Default::default() },
            Adjudication { resign, ..Default::default() },
        ] {
            assert_eq!(play(rules, &[Some(0); 30]), None, "{rules}");
        }
    }

    #[test]
    fn rules_in_words() {
        assert_eq!(Adjudication::default().to_string(), "no adjudication");
        let draw = Some(DrawRule { from_move: 40, centipawns: 10, moves: 8 });
        let rules = Adjudication { draw, max_moves: Some(200), ..Default::default() };
        let words = "adjudication: drawn at 10 cp for 8 moves from move 40, drawn after 200 moves";
        assert_eq!(rules.to_string(), words);
    }

    #[test]
    fn mates_and_the_least_number_of_centipawns_decide() {
        let rules =
            Adjudication { resign: Some(ResignRule { centipawns: 500, moves: 1 }), ..Default::default() };
        for (white, black, loser) in [
            (Score::Mate(-3), Score::Mate(3), Color::White),
            (Score::Centipawns(i32::MAX), Score::Centipawns(i32::MIN), Color::Black),
        ] {
            let mut adjudicator = Adjudicator::new(rules);
            adjudicator.note(Color::White, Some(white));
            adjudicator.note(Color::Black, Some(black));
            assert_eq!(adjudicator.verdict(2).unwrap().loser, Some(loser));
        }
    }
}
