//! Openings drawn at random: moves from the start position, and endgames.

use std::collections::HashSet;

use chess::{CastlingMode, Chess, Game, shakmaty::fen::Fen};
use rand::{RngExt as _, SeedableRng as _, seq::SliceRandom as _};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{MatchOpening, OpeningError, must_go_on};

/// Attempts per opening before the plies count as too few for the number of openings.
const ATTEMPTS_PER_OPENING: usize = 50;

/// Attempts per endgame before the number of pieces counts as too small for the number of positions.
const ATTEMPTS_PER_ENDGAME: usize = 200;

/// Pieces other than kings, as often as in the army with which a game begins.
const ARMY: &[u8; 15] = b"PPPPPPPPNNBBRRQ";

/// Different positions after `plies` random moves in which the game is not over.
pub(super) fn moves(plies: u32, count: usize, seed: u64) -> Result<Vec<MatchOpening>, OpeningError> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let openings = different("random", count, ATTEMPTS_PER_OPENING, || {
        random_plies(&Game::default(), plies, &mut random)
    });
    if openings.len() < count {
        return Err(OpeningError::TooFew { plies, found: openings.len(), wanted: count });
    }
    Ok(openings)
}

/// Different legal positions in which the game is not over, of 3 to `pieces` pieces.
pub(super) fn endgames(pieces: u32, count: usize, seed: u64) -> Result<Vec<MatchOpening>, OpeningError> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let openings = different("endgame", count, ATTEMPTS_PER_ENDGAME, || {
        let position = strictly(&fen(&mut random, pieces))?;
        Some(Game::from_position(position, CastlingMode::Standard))
    });
    if openings.len() < count {
        return Err(OpeningError::TooFewEndgames { pieces, found: openings.len(), wanted: count });
    }
    Ok(openings)
}

/// `count` openings with different positions, named `kind` and a number; fewer if as many attempts for each do not suffice.
/// `draw` draws a game, or none that can be used.
fn different(
    kind: &str,
    count: usize,
    attempts: usize,
    mut draw: impl FnMut() -> Option<Game>,
) -> Vec<MatchOpening> {
    let mut seen = HashSet::new();
    let mut openings = Vec::with_capacity(count);
    for _ in 0..count.saturating_mul(attempts) {
        if openings.len() == count {
            break;
        }
        let Some(game) = draw().filter(|game| must_go_on(game).is_ok()) else { continue };
        if seen.insert(game.key()) {
            openings.push(MatchOpening { name: format!("{kind} {}", openings.len() + 1), game });
        }
    }
    openings
}

/// The game after `plies` random moves; `None` if it was over before the last of them.
pub fn random_plies(start: &Game, plies: u32, random: &mut Xoshiro256PlusPlus) -> Option<Game> {
    let mut game = start.clone();
    for _ in 0..plies {
        if game.outcome().is_some() {
            return None;
        }
        let moves = game.legal_moves();
        game.play_unchecked(moves[random.random_range(..moves.len())]);
    }
    Some(game)
}

/// The position of a FEN, unless it cannot be reached: readers of games refuse a king that two pieces attack from nowhere.
fn strictly(fen: &str) -> Option<Chess> {
    fen.parse::<Fen>().ok()?.into_position(CastlingMode::Standard).ok()
}

/// Both kings and some other pieces of either colour on random squares; often not a legal position.
fn fen(random: &mut Xoshiro256PlusPlus, pieces: u32) -> String {
    let mut board = [b'1'; 64];
    let mut squares: Vec<usize> = (0..64).collect();
    squares.shuffle(random);
    let others = random.random_range(1..=pieces as usize - 2);
    for (number, &square) in squares[..others + 2].iter().enumerate() {
        board[square] = match number {
            0 => b'K',
            1 => b'k',
            _ => {
                let piece = ARMY[random.random_range(..ARMY.len())];
                if random.random_bool(0.5) { piece } else { piece.to_ascii_lowercase() }
            }
        };
    }
    let ranks: Vec<&str> = board.chunks(8).filter_map(|rank| std::str::from_utf8(rank).ok()).collect();
    let turn = if random.random_bool(0.5) { 'w' } else { 'b' };
    format!("{} {turn} - - 0 1", ranks.join("/"))
}

#[cfg(test)]
mod tests {
    use chess::Position as _;

    use super::*;

    fn fens(seed: u64) -> Vec<String> {
        moves(8, 50, seed).unwrap().iter().map(|opening| opening.game.fen()).collect()
    }

    #[test]
    fn equal_seeds_equal_openings_all_different() {
        let first = fens(3);
        assert_eq!(first, fens(3));
        assert_ne!(first, fens(4));
        assert_eq!(first.iter().collect::<HashSet<_>>().len(), 50);
    }

    #[test]
    fn too_few_plies() {
        assert!(matches!(moves(1, 21, 0), Err(OpeningError::TooFew { found: 20, .. })));
    }

    #[test]
    fn endgames_are_legal_and_different_and_follow_from_the_seed() {
        let found = endgames(5, 300, 1).unwrap();
        let counts: Vec<usize> =
            found.iter().map(|opening| opening.game.position().board().occupied().count()).collect();
        assert!(counts.iter().all(|count| (3..=5).contains(count)), "{counts:?}");
        assert!((3..=5).all(|count| counts.contains(&count)), "every number up to the largest");
        let fens = |seed| -> Vec<String> {
            endgames(5, 20, seed).unwrap().iter().map(|opening| opening.game.fen()).collect()
        };
        assert_eq!(fens(1), found[..20].iter().map(|opening| opening.game.fen()).collect::<Vec<_>>());
        assert_ne!(fens(1), fens(2));
        // Two pieces that attack the king cannot both have come there with one move: no reader of games takes such a start.
        assert!(strictly("8/3K4/8/Q1k4R/8/8/1r6/8 b - - 0 1").is_none());
        assert!(found.iter().all(|opening| strictly(&opening.game.fen()).is_some()));
        assert_eq!(found.iter().map(|opening| opening.game.key()).collect::<HashSet<_>>().len(), 300);
        let whites = found.iter().filter(|opening| opening.game.turn().is_white()).count();
        assert!((100..200).contains(&whites), "{whites} of 300 with White to move");
    }
}
