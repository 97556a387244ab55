//! Reports of a search in a form for pages and files.

use serde::{Deserialize, Serialize};
use shakmaty::{Chess, Move, Position};

use super::Branch;
use crate::{Game, Heads, Score, SearchInfo, Wdl, played, print_san, print_uci_move};

/// A [`SearchInfo`] with its position, in a form for JSON: moves as text, everything seen by the side to move at the
/// root.
///
/// A search reports it live: each call of `report` in [`crate::Search::run`] has a [`SearchInfo`], which
/// [`SearchTrace::new`] converts to a trace, given the game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchTrace {
    /// The root as FEN.
    pub fen: String,
    /// Average depth of the tree.
    pub depth: u32,
    /// Length of the deepest line so far, plies.
    pub selective_depth: u32,
    /// Visits of the root by this search.
    pub nodes: u64,
    /// Visits divided by the time of the whole search.
    pub nodes_per_second: u64,
    /// Number of positions evaluated, cache hits excluded.
    pub evaluations: u64,
    /// Positions whose evaluation was found in a cache.
    pub cache_hits: u64,
    /// Number of positions found in tablebases.
    pub table_hits: u64,
    /// Time since the search started, in milliseconds.
    pub elapsed_ms: u64,
    /// Fill of the search's memory in thousandths.
    pub hash_full: u32,
    /// Value of the best line; `None` if nothing is known or the evaluator has no value.
    pub wdl: Option<Wdl>,
    /// The value as centipawns or mate.
    pub score: Option<Score>,
    /// The root moves, best first.
    pub moves: Vec<TracedMove>,
    /// The most visited nodes of the tree, parents before their children, if requested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub branches: Vec<TracedBranch>,
}

/// A [`Branch`] in a form for JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TracedBranch {
    /// The place of its parent among the branches; `None` below the root.
    pub parent: Option<usize>,
    /// The move that leads to it, in UCI notation.
    pub uci: String,
    /// The move that leads to it, in SAN.
    pub san: String,
    /// Visits below the move.
    pub visits: u64,
    /// Value as win, draw and loss.
    pub wdl: Wdl,
}

/// A root move as the search sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct TracedMove {
    pub uci: String,
    pub san: String,
    /// Visits (N); 0 for searches that do not count visits.
    pub visits: u64,
    /// Value from -1 (loss) to 1 (win) (Q); `None` if it was never visited or the evaluator has no value.
    pub value: Option<f32>,
    /// The evaluator's prior probability (P); `None` if it has no policy.
    pub prior: Option<f32>,
    /// The exploration term that is added to the value when the next visit is assigned (U), if the search has one.
    pub exploration: Option<f32>,
    pub wdl: Option<Wdl>,
    pub score: Option<Score>,
    /// The line that begins with the move, in UCI notation.
    pub variation_uci: Vec<String>,
    pub variation_san: Vec<String>,
}

impl SearchTrace {
    /// The trace of a report about a search in the current position of `game`.
    pub fn new(game: &Game, info: &SearchInfo) -> Self {
        let milliseconds = info.elapsed.as_millis();
        let best = info.judged_line();
        Self {
            fen: game.fen(),
            depth: info.depth,
            selective_depth: info.selective_depth,
            nodes: info.nodes,
            nodes_per_second: (u128::from(info.nodes) * 1000 / milliseconds.max(1)) as u64,
            evaluations: info.evaluations,
            cache_hits: info.cache_hits,
            table_hits: info.table_hits,
            elapsed_ms: milliseconds as u64,
            hash_full: info.hash_full,
            wdl: best.map(|line| line.wdl),
            score: best.map(|line| line.score),
            moves: info.root_moves.iter().map(|root| TracedMove::new(game, root, info.heads)).collect(),
            branches: print_branches(game, &info.branches),
        }
    }
}

/// Branches with their moves as text, up to the first whose parent does not come before it.
fn print_branches(game: &Game, branches: &[Branch]) -> Vec<TracedBranch> {
    let mut positions: Vec<Chess> = Vec::with_capacity(branches.len());
    let mut printed = Vec::with_capacity(branches.len());
    for branch in branches {
        let before = branch.parent.map_or(Some(game.position()), |parent| positions.get(parent));
        let Some(before) = before else { break };
        printed.push(TracedBranch {
            parent: branch.parent,
            uci: print_uci_move(branch.chess_move, game.castling_mode()),
            san: print_san(before, branch.chess_move),
            visits: branch.visits,
            wdl: branch.wdl,
        });
        positions.push(played(before, branch.chess_move));
    }
    printed
}

impl TracedMove {
    fn new(game: &Game, root_move: &super::RootMove, heads: Heads) -> Self {
        let wdl = root_move.wdl.filter(|&wdl| heads.judge(wdl));
        let mode = game.castling_mode();
        let (position, line) = (game.position(), &root_move.variation);
        Self {
            uci: print_uci_move(root_move.chess_move, mode),
            san: print_san(position, root_move.chess_move),
            visits: root_move.visits,
            value: wdl.map(Wdl::value),
            prior: heads.policy.then_some(root_move.prior),
            exploration: root_move.exploration,
            wdl,
            score: root_move.score.filter(|_| wdl.is_some()),
            variation_uci: line.iter().map(|&chess_move| print_uci_move(chess_move, mode)).collect(),
            variation_san: print_line(position, line),
        }
    }
}

/// Each move of a legal line in SAN.
fn print_line(start: &Chess, line: &[Move]) -> Vec<String> {
    let mut position = start.clone();
    line.iter()
        .map(|&chess_move| {
            let text = print_san(&position, chess_move);
            position.play_unchecked(chess_move);
            text
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::{PrincipalVariation, RootMove};

    fn trace() -> SearchTrace {
        let mut after = Game::default();
        let line = ["e2e4", "e7e5", "g1f3"].map(|text| after.play_uci(text).unwrap());
        let wdl = Wdl { win: 0.5, draw: 0.25, loss: 0.25 };
        let score = Score::Centipawns(45);
        let best = RootMove {
            visits: 30,
            wdl: Some(wdl),
            exploration: Some(0.125),
            score: Some(score),
            variation: line.to_vec(),
            ..RootMove::unvisited(line[0], 0.75)
        };
        let other = RootMove::unvisited(Game::default().legal_moves()[0], 0.25);
        let info = SearchInfo {
            nodes: 31,
            elapsed: Duration::from_millis(500),
            variations: vec![PrincipalVariation { moves: line.to_vec(), score, wdl }],
            root_moves: vec![best, other],
            branches: vec![
                Branch { parent: None, chess_move: line[0], visits: 30, wdl },
                Branch { parent: Some(0), chess_move: line[1], visits: 20, wdl },
                Branch { parent: Some(7), chess_move: line[2], visits: 1, wdl },
            ],
            ..SearchInfo::default()
        };
        SearchTrace::new(&Game::default(), &info)
    }

    #[test]
    fn moves_are_written_for_programs_and_for_people() {
        let trace = trace();
        let best = &trace.moves[0];
        assert_eq!((best.uci.as_str(), best.san.as_str()), ("e2e4", "e4"));
        assert_eq!(best.variation_uci, ["e2e4", "e7e5", "g1f3"]);
        assert_eq!(best.variation_san, ["e4", "e5", "Nf3"]);
        assert_eq!((best.value, trace.nodes_per_second), (Some(0.25), 62));
        assert_eq!((trace.moves[1].value, trace.moves[1].variation_uci.len()), (None, 1));
        let branches: Vec<_> =
            trace.branches.iter().map(|one| (one.parent, one.san.as_str(), one.visits)).collect();
        assert_eq!(
            branches,
            [(None, "e4", 30), (Some(0), "e5", 20)],
            "a branch without its parent is left out"
        );
    }

    #[test]
    fn json_carries_everything_there_and_back() {
        let text = serde_json::to_string(&trace()).unwrap();
        assert_eq!(serde_json::from_str::<SearchTrace>(&text).unwrap(), trace());
        for part in
            [r#""score":{"centipawns":45}"#, r#""visits":30"#, r#""exploration":0.125"#, r#""fen":"rnbqk"#]
        {
            assert!(text.contains(part), "{part} is missing in {text}");
        }
    }
}
