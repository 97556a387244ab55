//! The root moves: those that a search considers, and what the endgame tables know about them.

use chess::{
    Game, Limits, Move, Position as _, Score, SearchError, SearchInfo, TableResult, Tablebases, Wdl, played,
};

use crate::score::score_of;

/// The root moves that the limits allow, in generation order.
pub(crate) fn candidates(game: &Game, limits: &Limits) -> Result<Vec<Move>, SearchError> {
    let wanted = &limits.search_moves;
    let chosen: Vec<Move> = game
        .legal_moves()
        .iter()
        .copied()
        .filter(|chess_move| wanted.is_empty() || wanted.contains(chess_move))
        .collect();
    if chosen.is_empty() {
        return Err(SearchError::NoLegalMove { fen: game.fen() });
    }
    Ok(chosen)
}

/// The wanted moves that are best by the tablebases; `None` if the position is not covered.
pub(crate) fn known_best(tables: &Tablebases, game: &Game, wanted: &[Move]) -> Option<Vec<Move>> {
    let best = tables.best_moves(game)?;
    let kept: Vec<Move> = wanted.iter().copied().filter(|chess_move| best.contains(chess_move)).collect();
    (!kept.is_empty()).then_some(kept)
}

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
        let mut known = Vec::new();
        for (chess_move, result) in results {
            let is_mate = played(game.position(), chess_move).is_checkmate();
            known.push(KnownMove { chess_move, result, is_mate });
        }
        Self(known)
    }

    /// Replaces the values of lines and root moves by the results, and counts the probes. A mate score that agrees with the result is
    /// kept, because it is more precise, and a move that mates has its own; other results get the score of a decided game.
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
        TableResult::Win => Wdl::WIN,
        TableResult::Draw => Wdl::DRAW,
        TableResult::Loss => Wdl::LOSS,
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
