//! EPD: one position per line, followed by operations (PGN standard of 1994, section 16.2).
//!
//! # Label rules
//! 1. The best move is the first of `bm`; a line without one is a position without labels.
//! 2. `ce` is the evaluation in centipawns for the side to move, `dm` the moves to a mate that it gives, `acd` the depth. An
//!    evaluation that cannot be read, a mate in 0 and the code of a mate in `ce` are left out and counted.
//! 3. Lines that begin with `#` are comments.

use std::collections::VecDeque;

use chess::{Epd, Score};

use super::{
    BadReason, Problem, Source,
    input::Input,
    positions,
    rows::{RowReader, Rows},
    scores,
};
use crate::record::{
    LabelDoubt, LabelDoubts, Place, PositionRecord, Record, SearchEffort, UnlabelledPosition,
};

struct EpdRows;

/// True if a text begins with a line of EPD.
pub(super) fn recognises(beginning: &str) -> bool {
    let Some(line) = beginning.lines().find(|line| !(line.trim().is_empty() || line.starts_with('#'))) else {
        return false;
    };
    let fields: Vec<&str> = line.split_whitespace().take(4).collect();
    fields.len() == 4 && fields[0].matches('/').count() == 7 && matches!(fields[1], "w" | "b")
}

/// Reads an input that [`recognises`] accepted.
pub(super) fn open(input: Input) -> Box<dyn Source> {
    Box::new(Rows::new(input, EpdRows))
}

impl RowReader for EpdRows {
    fn read(&mut self, row: &str, place: &Place, records: &mut VecDeque<Record>) -> Result<(), Problem> {
        if row.starts_with('#') {
            return Ok(());
        }
        let epd = Epd::parse(row).map_err(|error| Problem::new(BadReason::BadFen, error.to_string()))?;
        let (position, castling_mode) = (epd.game.position().clone(), epd.game.castling_mode());
        positions::check(&position, row)?;
        let moves =
            epd.best_moves().map_err(|error| Problem::new(BadReason::IllegalMove, error.to_string()))?;
        let Some(&best_move) = moves.first() else {
            let unlabelled = UnlabelledPosition { place: place.clone(), position, castling_mode };
            records.push_back(Record::Unlabelled(Box::new(unlabelled)));
            return Ok(());
        };
        let mut doubts = LabelDoubts::default();
        let evaluation = doubts.known(evaluation(&epd)).flatten();
        // Without a readable depth the evaluation is still one.
        let depth = epd.analysis_depth().ok().flatten().and_then(|depth| u16::try_from(depth).ok());
        records.push_back(Record::Position(Box::new(PositionRecord {
            evaluation,
            effort: SearchEffort { depth, nodes: None },
            doubts,
            ..PositionRecord::new(place.clone(), position, castling_mode, best_move)
        })));
        Ok(())
    }
}

fn evaluation(epd: &Epd) -> Result<Option<Score>, LabelDoubt> {
    let mate = epd.number::<i16>("dm").map_err(|_| LabelDoubt::UnreadEvaluation)?;
    let centipawns = epd.centipawns().map_err(|_| LabelDoubt::UnreadEvaluation)?;
    match (mate, centipawns) {
        (Some(0), _) => Err(LabelDoubt::MateCount),
        (Some(moves), _) => Ok(Some(Score::Mate(i32::from(moves)))),
        // A mate is 32767 less the half-moves in the standard's section 16.2.5.8.
        (None, Some(centipawns)) => scores::centipawns(f64::from(centipawns)).map(Some),
        (None, None) => Ok(None),
    }
}
