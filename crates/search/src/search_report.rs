//! Reports and decisions of searches. PUCT, which knows more than its root moves say, makes most of its own.

use std::time::Duration;

use chess::{Decision, PrincipalVariation, RootMove, Score, SearchInfo, Wdl};

use crate::GeneralOptions;

/// Counts of a finished search.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) depth: u32,
    pub(crate) nodes: u64,
    pub(crate) evaluations: u64,
    pub(crate) elapsed: Duration,
}

/// The report that lists these root moves, best first.
pub(crate) fn info(ranked: Vec<RootMove>, counts: Counts, options: &GeneralOptions) -> SearchInfo {
    let variations = ranked.iter().take(options.lines()).map(line_of).collect();
    // These searches count no selective depth; the longest line is the least that they must have seen.
    let longest = ranked.iter().map(|root_move| root_move.variation.len() as u32).max();
    SearchInfo {
        depth: counts.depth.max(1),
        selective_depth: longest.unwrap_or(1).max(counts.depth).max(1),
        nodes: counts.nodes,
        evaluations: counts.evaluations,
        elapsed: counts.elapsed,
        variations,
        root_moves: ranked,
        ..SearchInfo::default()
    }
}

/// The line of a root move; level if nothing is known of it.
pub(crate) fn line_of(root_move: &RootMove) -> PrincipalVariation {
    PrincipalVariation {
        moves: root_move.variation.clone(),
        score: root_move.score.unwrap_or(Score::Centipawns(0)),
        wdl: root_move.wdl.unwrap_or(Wdl::DRAW),
    }
}

/// Reports for the last time and decides for the root move with this index.
pub(crate) fn decide(info: SearchInfo, chosen: usize, report: &mut dyn FnMut(&SearchInfo)) -> Decision {
    report(&info);
    let root_move = &info.root_moves[chosen];
    Decision { best: root_move.chess_move, ponder: root_move.variation.get(1).copied(), info }
}
