//! The Lichess evaluation database as tables: one variation per row, as Kaggle and Hugging Face publish it.
//!
//! # Label rules
//! 1. The best move is the first of `line`. Castling is the king taking its rook; the king's step is read as well.
//! 2. `cp` and `mate` are White's view. In a table without the column `mate` an empty `cp` is a mate of unknown length and
//!    side, and so is a mate in 0: the position keeps its move and has no evaluation.
//! 3. Of several rows with one position the first counts, because stores keep a position once.

use chess::{Chess, Color, Move, NotationError, Position as _, Score, parse_uci_move};

use super::{BadReason, PositionRules, Source, input::Input, positions, rows::Problem, table};
use crate::{
    policy::PolicyLabel,
    record::{LabelDoubt, LabelDoubts, Origin, Place, PositionRecord, Record, SearchEffort},
};

/// The columns that every such table has.
pub(super) const COLUMNS: [&str; 3] = ["fen", "line", "cp"];

pub(super) struct EvaluationRow<'a> {
    pub(super) fen: &'a str,
    pub(super) line: &'a str,
    pub(super) centipawns: Option<f64>,
    pub(super) mate: Option<f64>,
    /// True if the table has a column of mates.
    pub(super) has_mates: bool,
    pub(super) depth: Option<f64>,
    pub(super) thousand_nodes: Option<f64>,
}

impl EvaluationRow<'_> {
    pub(super) fn record(&self, place: &Place, rules: PositionRules) -> Result<PositionRecord, Problem> {
        let (position, castling_mode) = positions::parse(self.fen, rules)?;
        let best_move = first_move(&position, self.line, rules)?;
        let evaluation = self.evaluation()?.map(|score| score.for_mover(position.turn()));
        let mut doubts = LabelDoubts::default();
        if self.centipawns.is_none() && self.mate == Some(0.0) {
            doubts.count(LabelDoubt::MateCount);
        }
        Ok(PositionRecord {
            place: place.clone(),
            position,
            castling_mode,
            best_move,
            policy: PolicyLabel::BestMove,
            evaluation,
            effort: SearchEffort {
                depth: self.depth.map(|depth| depth as u16),
                nodes: self.thousand_nodes.map(|nodes| (nodes as u64).saturating_mul(1000)),
            },
            origin: Some(Origin::Engine),
            doubts,
        })
    }

    fn evaluation(&self) -> Result<Option<WhiteScore>, Problem> {
        let whole = |number: f64| (number.fract() == 0.0).then_some(number);
        let score = match (self.centipawns, self.mate) {
            (Some(centipawns), None) => whole(centipawns).and_then(WhiteScore::centipawns),
            // A position with a line of moves is not mate.
            (None, Some(0.0)) => return Ok(None),
            (None, Some(moves)) => whole(moves).and_then(|moves| WhiteScore::mate(moves as i32)),
            (None, None) if !self.has_mates => return Ok(None),
            _ => None,
        };
        let (cp, mate) = (self.centipawns, self.mate);
        let detail = || format!("cp {cp:?} and mate {mate:?}, expected a whole number in one of them");
        score.map(Some).ok_or_else(|| (BadReason::BadAnnotation, detail()))
    }
}

/// The first move of a variation.
pub(super) fn first_move(position: &Chess, line: &str, rules: PositionRules) -> Result<Move, Problem> {
    let first = line.split_whitespace().next().unwrap_or_default();
    parse_uci_move(position, first)
        .or_else(|error| match rules {
            PositionRules::Strict => Err(error),
            PositionRules::Repaired => king_step(position, first).ok_or(error),
        })
        .map_err(|error: NotationError| (BadReason::IllegalMove, error.to_string()))
}

/// Castling without the right to castle becomes a king's step towards the rook, if legal: to the g-file for a
/// rook on the h-file, to the c-file for one on the a- or b-file. Reproduces AIChess; the resulting labels
/// are wrong.
fn king_step(position: &Chess, text: &str) -> Option<Move> {
    let (from, to) = text.split_at_checked(2)?;
    let file = match to.chars().next()? {
        'h' => 'g',
        'a' | 'b' => 'c',
        _ => return None,
    };
    let rank = to.chars().nth(1).filter(|rank| matches!(rank, '1' | '8'))?;
    let step = parse_uci_move(position, &format!("{from}{file}{rank}")).ok()?;
    (step.role() == chess::Role::King).then_some(step)
}

/// Numbers beyond this many centipawns are not evaluations.
const MAX_CENTIPAWNS: f64 = 1e6;

/// An evaluation in White's view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WhiteScore(pub(super) Score);

impl WhiteScore {
    /// `1.23`, `-0.5` (pawns), `#3`, `#-2` (moves to mate); `None` for anything else.
    pub(super) fn parse(text: &str) -> Option<Self> {
        match text.strip_prefix('#') {
            Some(moves) => Self::mate(moves.parse::<i16>().ok()?.into()),
            None => Self::centipawns(text.parse::<f64>().ok()? * 100.0),
        }
    }

    /// The nearest whole number of centipawns.
    pub(super) fn centipawns(centipawns: f64) -> Option<Self> {
        let is_evaluation = centipawns.abs() <= MAX_CENTIPAWNS;
        is_evaluation.then(|| Self(Score::Centipawns(centipawns.round() as i32)))
    }

    /// Mate in this many moves, by Black if negative. None in 0: it names no side, and a position with a move is not mate.
    pub(super) fn mate(moves: i32) -> Option<Self> {
        i16::try_from(moves).ok().filter(|&moves| moves != 0).map(|_| Self(Score::Mate(moves)))
    }

    /// The score seen by the side to move.
    pub(super) fn for_mover(self, turn: Color) -> Score {
        if turn.is_white() { self.0 } else { self.0.flipped() }
    }
}

pub(super) fn open(input: Input, rules: PositionRules) -> Box<dyn Source> {
    table::open(input, move |row, place| {
        let read = EvaluationRow {
            fen: row.field("fen"),
            line: row.field("line"),
            centipawns: row.number("cp")?,
            mate: row.number("mate")?,
            has_mates: row.has("mate"),
            depth: row.number("depth")?,
            thousand_nodes: row.number("knodes")?,
        };
        Ok([Record::Position(Box::new(read.record(place, rules)?))])
    })
}
