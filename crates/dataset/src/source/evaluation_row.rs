//! The Lichess evaluation database as tables: one variation per row, as Kaggle and Hugging Face publish it.
//!
//! # Label rules
//! 1. The best move is the first of `line`. Castling is the king taking its rook; the king's step is read as well.
//! 2. `cp` and `mate` are White's view. In a table without the column `mate` an empty `cp` is a mate of unknown length and
//!    side, and so is a mate in 0: the position keeps its move and has no evaluation. So does one whose numbers cannot be read or are
//!    of unknown scale, which are counted.
//! 3. Of several rows with one position the first counts, because stores keep a position once.

use chess::{Chess, Move, NotationError, Position as _, Score, parse_uci_move};

use super::{BadReason, PositionRules, Problem, Source, input::Input, positions, scores, table};
use crate::record::{LabelDoubt, LabelDoubts, Origin, Place, PositionRecord, Record, SearchEffort};

/// The columns that every such table has.
pub(super) const COLUMNS: [&str; 3] = ["fen", "line", "cp"];

pub(super) struct EvaluationRow<'a> {
    pub(super) fen: &'a str,
    pub(super) line: &'a str,
    pub(super) centipawns: Option<f64>,
    pub(super) mate: Option<f64>,
    /// True if one of them has other text than a number.
    pub(super) is_unread: bool,
    /// True if the table has a column of mates.
    pub(super) has_mates: bool,
    pub(super) depth: Option<f64>,
    pub(super) thousand_nodes: Option<f64>,
}

impl EvaluationRow<'_> {
    pub(super) fn record(&self, place: &Place, rules: PositionRules) -> Result<PositionRecord, Problem> {
        let (position, castling_mode) = positions::parse(self.fen, rules)?;
        let best_move = first_move(&position, self.line, rules)?;
        let mut doubts = LabelDoubts::default();
        let evaluation = doubts.known(self.evaluation()).flatten();
        let evaluation = evaluation.map(|score| scores::for_mover(score, position.turn()));
        Ok(PositionRecord {
            evaluation,
            effort: SearchEffort {
                depth: self.depth.map(|depth| depth as u16),
                nodes: self.thousand_nodes.map(|nodes| (nodes as u64).saturating_mul(1000)),
            },
            origin: Some(Origin::Engine),
            doubts,
            ..PositionRecord::new(place.clone(), position, castling_mode, best_move)
        })
    }

    /// In White's view.
    fn evaluation(&self) -> Result<Option<Score>, LabelDoubt> {
        // Tables of other programs have numbers that are none instead of empty fields.
        let [cp, mate] = [self.centipawns, self.mate].map(|number| number.filter(|number| !number.is_nan()));
        if self.is_unread {
            return Err(LabelDoubt::UnreadEvaluation);
        }
        if cp.is_none() && mate.is_none() && !self.has_mates {
            return Ok(None);
        }
        scores::of_columns(cp, mate).map(Some)
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
        .map_err(|error: NotationError| Problem::new(BadReason::IllegalMove, error.to_string()))
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

pub(super) fn open(input: Input, rules: PositionRules) -> Box<dyn Source> {
    table::open(input, move |row, place| {
        let (centipawns, mate) = (row.number("cp"), row.number("mate"));
        let read = EvaluationRow {
            fen: row.field("fen"),
            line: row.field("line"),
            is_unread: centipawns.is_err() || mate.is_err(),
            centipawns: centipawns.unwrap_or_default(),
            mate: mate.unwrap_or_default(),
            has_mates: row.has("mate"),
            depth: row.number("depth")?,
            thousand_nodes: row.number("knodes")?,
        };
        Ok([Record::Position(Box::new(read.record(place, rules)?))])
    })
}
