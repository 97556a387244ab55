//! Rules of play for every search: immediate mate, and variety in the opening.

use chess::{Decision, Game, Limits, Position as _, RootMove, Score, SearchInfo, Wdl};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::{
    GeneralOptions,
    moves::mating_move,
    root_moves::candidates,
    search_report::{self, Counts},
    tunables::tunables,
    variety::draw_rank,
};

tunables! {
    /// Rules that override the search.
    RuleOptions

    "MateFirst" mate_first: bool = false in false, true;
    "Plays a move that mates at once without any search."

    "OpeningVariety" opening_variety: bool = false in false, true;
    "Plays the best move in 65 %, the second in 20 (to own move 7), the third in 10 (to move 5) and the fourth in 5 (to move 3); a mate is always played."
}

/// A decision for the mate in one, if there is one, in the form of a finished search.
pub(crate) fn mate(game: &Game, limits: &Limits, general: &GeneralOptions) -> Option<SearchInfo> {
    // On an error there are no moves to search, hence no mate; the search reports the error.
    let moves = candidates(game, limits).ok()?;
    let place = mating_move(game.position(), &moves)?;
    let known = RootMove {
        visits: 1,
        wdl: Some(Wdl::WIN),
        score: Some(Score::Mate(1)),
        ..RootMove::unvisited(moves[place], 1.0)
    };
    let others = moves.iter().filter(|&&other| other != moves[place]);
    let root_moves = std::iter::once(known).chain(others.map(|&other| RootMove::unvisited(other, 0.0)));
    let counts = Counts { depth: 1, nodes: 1, ..Counts::default() };
    Some(search_report::info(root_moves.collect(), counts, general))
}

/// Another of the ranked moves, by the opening variety table.
pub(crate) fn vary(game: &Game, mut decision: Decision, random: &mut Xoshiro256PlusPlus) -> Decision {
    let ranked = &decision.info.root_moves;
    let mates = matches!(ranked[0].score, Some(Score::Mate(moves)) if moves > 0);
    if !mates {
        let own_move = game.position().fullmoves().get();
        let chosen = &ranked[draw_rank(own_move, ranked.len(), random)];
        (decision.best, decision.ponder) = (chosen.chess_move, chosen.variation.get(1).copied());
    }
    decision
}
