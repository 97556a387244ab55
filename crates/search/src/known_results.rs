//! Tablebase results of the root moves, in place of the search's values.

use chess::{Game, Move, Score, SearchInfo, TableResult, Tablebases, Wdl};

use crate::score::score_of;

/// The results of all root moves, for the side to move.
pub(crate) struct KnownResults(Vec<(Move, TableResult)>);

impl KnownResults {
    /// The tablebases' results; `None` unless they cover every root move.
    pub(crate) fn of(tables: &Tablebases, game: &Game) -> Option<Self> {
        tables.results(game).map(Self)
    }

    /// Replaces the values of lines and root moves by the results. A mate score that agrees with the result
    /// is kept, because it is more precise; other results get the score of a decided game. Counts the probes.
    pub(crate) fn tell(&self, info: &mut SearchInfo) {
        info.table_hits += self.0.len() as u64;
        for line in &mut info.variations {
            let Some(result) = line.moves.first().and_then(|&first| self.result(first)) else { continue };
            (line.wdl, line.score) = (wdl_of(result), score_with(result, line.score));
        }
        for root_move in &mut info.root_moves {
            let Some(result) = self.result(root_move.chess_move) else { continue };
            root_move.wdl = root_move.wdl.map(|_| wdl_of(result));
            root_move.score = root_move.score.map(|score| score_with(result, score));
        }
    }

    fn result(&self, chess_move: Move) -> Option<TableResult> {
        self.0.iter().find(|(known, _)| *known == chess_move).map(|&(_, result)| result)
    }
}

fn score_with(result: TableResult, found: Score) -> Score {
    match (result, found) {
        (TableResult::Win, Score::Mate(1..)) | (TableResult::Loss, Score::Mate(..=0)) => found,
        _ => score_of(wdl_of(result)),
    }
}

fn wdl_of(result: TableResult) -> Wdl {
    match result {
        TableResult::Win => Wdl { win: 1.0, draw: 0.0, loss: 0.0 },
        TableResult::Draw => Wdl::DRAW,
        TableResult::Loss => Wdl { win: 0.0, draw: 0.0, loss: 1.0 },
    }
}
