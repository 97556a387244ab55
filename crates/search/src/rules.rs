//! Rules of play for every search: immediate mate, and variety in the opening.

use chess::{Decision, Game, Limits, Position as _, RootMove, Score, SearchInfo, Wdl};
use rand::RngExt as _;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::{
    GeneralOptions,
    moves::mating_move,
    root_moves::candidates,
    search_report::{self, Counts},
    temperature::index_at,
    tunables::tunables,
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

/// One rank of [`TABLE`].
#[derive(Clone, Copy, Debug, PartialEq)]
struct Rank {
    /// Its share where all ranks are allowed.
    share: f64,
    /// The last own move (from 1) for which it is allowed.
    until_move: u32,
}

/// The opening variety table of system S5 (Knights and Kernels): the probabilities of the best, second, third and fourth move, with
/// variety decreasing during the game, as its report prints it (its code splits the last 15 % into 12.5 and 2.5).
const TABLE: [Rank; 4] = [
    Rank { share: 0.65, until_move: u32::MAX },
    Rank { share: 0.20, until_move: 7 },
    Rank { share: 0.10, until_move: 5 },
    Rank { share: 0.05, until_move: 3 },
];

/// The probabilities of the first `moves` of the ranked moves at a player's own move `own_move` (from 1). The share of a rank
/// that is not allowed, or that no move holds, falls to the next better one. `moves` is at least 1.
fn shares(own_move: u32, moves: usize) -> Vec<f64> {
    let allowed = TABLE.iter().take_while(|rank| own_move <= rank.until_move).count();
    let last = allowed.min(moves).max(1) - 1;
    let mut shares: Vec<f64> = TABLE[..=last].iter().map(|rank| rank.share).collect();
    shares[last] += TABLE[last + 1..].iter().map(|rank| rank.share).sum::<f64>();
    shares
}

/// Draws the rank to play: 0 is the best move. `moves` is at least 1.
pub(crate) fn draw_rank(own_move: u32, moves: usize, random: &mut Xoshiro256PlusPlus) -> usize {
    let at = random.random::<f64>();
    let shares = shares(own_move, moves);
    index_at(&shares, at).unwrap_or(shares.len() - 1)
}

#[cfg(test)]
mod tests {
    use rand_xoshiro::rand_core::SeedableRng;

    use super::*;

    fn close(found: &[f64], expected: &[f64]) -> bool {
        found.len() == expected.len()
            && found.iter().zip(expected).all(|(one, other)| (one - other).abs() < 1e-9)
    }

    #[test]
    fn shares_of_ranks_that_are_not_allowed_fall_to_the_next_better_one() {
        for (own_move, moves, expected) in [
            (1, 20, &[0.65, 0.2, 0.1, 0.05][..]),
            (3, 4, &[0.65, 0.2, 0.1, 0.05]),
            (4, 20, &[0.65, 0.2, 0.15]),
            (5, 20, &[0.65, 0.2, 0.15]),
            (6, 20, &[0.65, 0.35]),
            (7, 20, &[0.65, 0.35]),
            (8, 20, &[1.0]),
            (1, 3, &[0.65, 0.2, 0.15]),
            (1, 2, &[0.65, 0.35]),
            (1, 1, &[1.0]),
        ] {
            assert!(close(&shares(own_move, moves), expected), "{own_move} {moves}");
        }
    }

    #[test]
    fn s5_k6_ranks_are_drawn_at_their_rates_and_never_beyond_the_moves() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(5);
        let mut counts = [0_u32; 4];
        for _ in 0..20_000 {
            counts[draw_rank(2, 30, &mut random)] += 1;
            assert!(draw_rank(1, 3, &mut random) < 3);
            assert_eq!(draw_rank(1, 1, &mut random), 0);
        }
        let rates = counts.map(|count| f64::from(count) / 20_000.0);
        let expected = [0.65, 0.2, 0.1, 0.05];
        // Three standard errors of the largest share are 0.010.
        assert!(rates.iter().zip(expected).all(|(rate, share)| (rate - share).abs() < 0.011), "{rates:?}");
    }
}
