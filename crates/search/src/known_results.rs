//! Tablebase results of the root moves, in place of the search's values.

use chess::{Game, Move, Position as _, Score, SearchInfo, TableResult, Tablebases, Wdl, played};

use crate::score::score_of;

/// A root move and its result for the side to move.
struct KnownMove {
    chess_move: Move,
    result: TableResult,
    /// A search that was stopped at once, or that asks a policy alone, does not find the mate in one.
    is_mate: bool,
}

/// The results of all root moves.
pub(crate) struct KnownResults(Vec<KnownMove>);

impl KnownResults {
    /// The tablebases' results; `None` unless they cover every root move.
    pub(crate) fn of(tables: &Tablebases, game: &Game) -> Option<Self> {
        Some(Self::new(game, tables.results(game)?))
    }

    fn new(game: &Game, results: Vec<(Move, TableResult)>) -> Self {
        let known = |(chess_move, result)| {
            let is_mate = played(game.position(), chess_move).is_checkmate();
            KnownMove { chess_move, result, is_mate }
        };
        Self(results.into_iter().map(known).collect())
    }

    /// Replaces the values of lines and root moves by the results. A mate score that agrees with the result
    /// is kept, because it is more precise, and a move that mates has its own; other results get the score of a decided game. Counts the
    /// probes.
    pub(crate) fn tell(&self, info: &mut SearchInfo) {
        info.table_hits += self.0.len() as u64;
        for line in &mut info.variations {
            let Some(known) = line.moves.first().and_then(|&first| self.known(first)) else { continue };
            (line.wdl, line.score) = (wdl_of(known.result), known.score(line.score));
        }
        for root_move in &mut info.root_moves {
            let Some(known) = self.known(root_move.chess_move) else { continue };
            root_move.wdl = root_move.wdl.map(|_| wdl_of(known.result));
            root_move.score = root_move.score.map(|score| known.score(score));
        }
    }

    fn known(&self, chess_move: Move) -> Option<&KnownMove> {
        self.0.iter().find(|known| known.chess_move == chess_move)
    }
}

impl KnownMove {
    /// The score in place of the one that the search found.
    fn score(&self, found: Score) -> Score {
        match (self.result, found) {
            _ if self.is_mate => Score::Mate(1),
            (TableResult::Win, Score::Mate(1..)) | (TableResult::Loss, Score::Mate(..=0)) => found,
            _ => score_of(wdl_of(self.result)),
        }
    }
}

fn wdl_of(result: TableResult) -> Wdl {
    match result {
        TableResult::Win => Wdl { win: 1.0, draw: 0.0, loss: 0.0 },
        TableResult::Draw => Wdl::DRAW,
        TableResult::Loss => Wdl { win: 0.0, draw: 0.0, loss: 1.0 },
    }
}

#[cfg(test)]
mod tests {
    use chess::{CastlingMode, PrincipalVariation, parse_uci_move};

    use super::*;

    /// A mate on the board had the score of any won ending, 12,780 centipawns, when the search ended before it saw the mate.
    #[test]
    fn a_move_that_mates_has_the_score_of_a_mate() {
        let game = Game::from_fen("7k/8/6K1/8/8/8/8/R7 w - - 3 60", CastlingMode::Standard).unwrap();
        let results = game.legal_moves().iter().map(|&chess_move| (chess_move, TableResult::Win)).collect();
        let line = |uci, score| {
            let moves = vec![parse_uci_move(game.position(), uci).unwrap()];
            PrincipalVariation { moves, score, wdl: Wdl::DRAW }
        };
        let (won, slow) = (Score::Centipawns(40), Score::Mate(7));
        let variations = vec![line("a1a8", won), line("a1a8", slow), line("a1b1", won), line("a1b1", slow)];
        let mut info = SearchInfo { variations, ..SearchInfo::default() };
        KnownResults::new(&game, results).tell(&mut info);
        let scores: Vec<Score> = info.variations.iter().map(|line| line.score).collect();
        assert_eq!(scores, [Score::Mate(1), Score::Mate(1), score_of(Wdl::WIN), slow]);
    }
}
