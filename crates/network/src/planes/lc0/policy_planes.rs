//! lc0's convolutional policy, in which every move is a square of a plane.

use super::error::Lc0Problem;
use crate::planes::policy_map::POLICY_PLANES;

/// Number of moves in the `lc0-1858` encoding.
pub(crate) const MOVE_COUNT: usize = 1858;

/// Number of planes in use: 8 x 7 queen steps, 8 knight steps, 3 x 3 promotions. Files contain 80 because lc0 pads.
const PLANES: usize = 73;

/// Number of planes of steps, which come before those of promotions.
const STEPS: usize = 64;

/// The number of a queen, a rook and a bishop among the pieces of lc0's promotions: rook, bishop, queen.
const PIECES: [usize; 3] = [2, 0, 1];

/// For each plane of this program's policies, the plane of a convolutional head with as many `planes` that has the same moves. Planes without
/// moves, which do not affect any output, keep their place as long as there is room.
pub(crate) fn order(planes: usize) -> Result<Vec<Option<usize>>, Lc0Problem> {
    if planes < PLANES {
        let expected = format!("at least {PLANES}");
        return Err(Lc0Problem::Size { layer: "policy.biases".into(), found: planes, expected });
    }
    // Steps have the same planes in both. This program has the promotions to a piece together, lc0 those to a side.
    let theirs = |plane: usize| match plane {
        STEPS..PLANES => Some(STEPS + (plane - STEPS) % 3 * 3 + PIECES[(plane - STEPS) / 3]),
        _ => (plane < planes).then_some(plane),
    };
    Ok((0..POLICY_PLANES).map(theirs).collect())
}

#[cfg(test)]
pub(crate) mod tests {
    use std::collections::BTreeSet;

    use chess::{
        Role,
        encoding::moves::{KNIGHT_STEPS, Lc0Moves1858, QUEEN_DIRECTIONS, step_from},
        shakmaty::Square,
    };

    use super::*;
    use crate::planes::policy_map::PolicyMap;

    /// Files and ranks of the steps by which a pawn promotes.
    const PROMOTION_STEPS: [(i32, i32); 3] = [(-1, 1), (0, 1), (1, 1)];

    /// Pieces of the promotion planes; a promotion to a knight is encoded as the plain step.
    const PROMOTIONS: [Role; 3] = [Role::Rook, Role::Bishop, Role::Queen];

    /// For each move of the `lc0-1858` encoding, `plane * 64 + square` in a convolutional policy head's output.
    ///
    /// A move is on the square from which it starts, in the mover's view.
    pub(crate) fn gather() -> Vec<usize> {
        let mut gather = vec![usize::MAX; MOVE_COUNT];
        for (plane, (files, ranks, promotion)) in steps().enumerate() {
            for square in Square::ALL {
                let (from, to) = (usize::from(square), step_from(square, files, ranks));
                if let Some(index) = to.and_then(|to| Lc0Moves1858::index_of_step(from, to.into(), promotion))
                {
                    gather[index] = plane * 64 + from;
                }
            }
        }
        gather
    }

    /// Step and promotion of each plane, in order.
    fn steps() -> impl Iterator<Item = (i32, i32, Option<Role>)> {
        let queen = QUEEN_DIRECTIONS.into_iter().flat_map(|(files, ranks)| {
            (1..8).map(move |distance| (files * distance, ranks * distance, None))
        });
        let knight = KNIGHT_STEPS.into_iter().map(|(files, ranks)| (files, ranks, None));
        let promotion = PROMOTION_STEPS
            .into_iter()
            .flat_map(|(files, ranks)| PROMOTIONS.map(move |piece| (files, ranks, Some(piece))));
        queen.chain(knight).chain(promotion)
    }

    #[test]
    fn every_move_has_a_place_of_its_own() {
        let gather = gather();
        assert_eq!(steps().count(), PLANES);
        assert!(gather.iter().all(|place| *place < PLANES * 64));
        assert_eq!(gather.iter().collect::<BTreeSet<_>>().len(), MOVE_COUNT);
    }

    #[test]
    fn known_places() {
        let gather = gather();
        let place = |from, to, promotion| gather[Lc0Moves1858::index_of_step(from, to, promotion).unwrap()];
        // e2e4: two squares north; g1f3: the last knight step; a7b8r: the third promotion direction.
        assert_eq!(place(12, 28, None), 64 + 12);
        assert_eq!(place(6, 21, None), (56 + 7) * 64 + 6);
        assert_eq!(place(48, 57, Some(Role::Rook)), (64 + 6) * 64 + 48);
    }

    #[test]
    fn our_planes_have_the_moves_of_theirs() {
        let (map, order) = (PolicyMap::planes(&Lc0Moves1858), order(80).unwrap());
        for (index, place) in gather().into_iter().enumerate() {
            let slot = map.slot(index).unwrap() as usize;
            assert_eq!(slot / POLICY_PLANES, place % 64, "the square from which a move starts");
            assert_eq!(order[slot % POLICY_PLANES], Some(place / 64));
        }
        assert_eq!(order.iter().collect::<BTreeSet<_>>().len(), POLICY_PLANES, "each plane once");
    }
}
