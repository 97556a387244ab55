//! Positions of the policy indices' logits in the output of the policy head.

use chess::encoding::{
    MoveEncoding,
    moves::{KNIGHT_STEPS, QUEEN_DIRECTIONS, step_from},
};
use chess::shakmaty::{Chess, Move, Role, Square};

/// Number of planes of the convolutional heads. 56 queen moves (8 directions x 7 distances), 8 knight moves and up to
/// 12 promotions (4 pieces x 3 directions) are used; the width is that of lc0's head and a multiple of 16.
pub(crate) const POLICY_PLANES: usize = 80;

const PROMOTIONS: [Role; 4] = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight];

/// The shape of a move, independent of its squares.
#[derive(Clone, Copy)]
enum MoveShape {
    /// `number` + 1 squares in a direction of the queen.
    Slide { direction: usize, number: usize },
    /// A step of the knight.
    Jump { number: usize },
    /// To a piece of [`PROMOTIONS`], to the left, ahead or to the right.
    Promotion { number: usize, side: usize },
}

/// For each policy index, the position of its logit in the head's flat output.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PolicyMap {
    slots: Vec<Option<u32>>,
    width: usize,
}

impl PolicyMap {
    /// A head whose output is the policy vector itself.
    pub(crate) fn dense(encoding: &dyn MoveEncoding) -> Self {
        let width = encoding.size();
        Self { slots: (0..width).map(|index| Some(index as u32)).collect(), width }
    }

    /// A head with one plane for each move shape, read at the square from which the move starts:
    /// `slot = from * POLICY_PLANES + plane`.
    ///
    /// Promotions that the encoding writes like plain moves (as lc0 does for knights) share the plane of these moves.
    pub(crate) fn planes(encoding: &dyn MoveEncoding) -> Self {
        let slot = |from: Square, _: Square, shape: MoveShape| {
            let plane = match shape {
                MoveShape::Slide { direction, number } => direction * 7 + number,
                MoveShape::Jump { number } => 56 + number,
                MoveShape::Promotion { number, side } => 64 + number * 3 + side,
            };
            usize::from(from) * POLICY_PLANES + plane
        };
        Self::of_moves(encoding, 64 * POLICY_PLANES, slot)
    }

    /// Assigns each index the slot of the first move with that index. Promotions come last, so promotions
    /// that the encoding maps to the index of a plain move share its slot.
    fn of_moves(
        encoding: &dyn MoveEncoding,
        width: usize,
        slot_of: impl Fn(Square, Square, MoveShape) -> usize,
    ) -> Self {
        let mut slots = vec![None; encoding.size()];
        // The encodings see every move from the mover's side, so White's view is sufficient for any position.
        let position = Chess::default();
        let mut claim = |chess_move: Move, from: Square, to: Square, shape: MoveShape| {
            let slot = || slot_of(from, to, shape) as u32;
            slots[encoding.index(&position, chess_move)].get_or_insert_with(slot);
        };
        for from in Square::ALL {
            for (direction, (file, rank)) in QUEEN_DIRECTIONS.into_iter().enumerate() {
                for (number, distance) in (1..8).enumerate() {
                    if let Some(to) = step_from(from, file * distance, rank * distance) {
                        let shape = MoveShape::Slide { direction, number };
                        claim(plain_move(Role::Queen, from, to, None), from, to, shape);
                    }
                }
            }
            for (number, (file, rank)) in KNIGHT_STEPS.into_iter().enumerate() {
                if let Some(to) = step_from(from, file, rank) {
                    claim(plain_move(Role::Knight, from, to, None), from, to, MoveShape::Jump { number });
                }
            }
        }
        for from in Square::ALL.into_iter().filter(|square| square.rank() == chess::shakmaty::Rank::Seventh) {
            for (number, role) in PROMOTIONS.into_iter().enumerate() {
                for (side, file) in (-1..=1).enumerate() {
                    if let Some(to) = step_from(from, file, 1) {
                        let shape = MoveShape::Promotion { number, side };
                        claim(plain_move(Role::Pawn, from, to, Some(role)), from, to, shape);
                    }
                }
            }
        }
        Self { slots, width }
    }

    /// A head that scores pairs of squares, with separate outputs for promotions to queen, rook and bishop:
    /// the output of [`Operator::MoveScores`](crate::planes::layers::Operator::MoveScores). Promotions to
    /// knights use the outputs of plain moves.
    pub(crate) fn attention(encoding: &dyn MoveEncoding) -> Self {
        let slot = |from: Square, to: Square, shape: MoveShape| match shape {
            MoveShape::Promotion { number, .. } if PROMOTIONS[number] != Role::Knight => {
                64 * 64 + (usize::from(from) % 8 * 8 + usize::from(to) % 8) * 3 + number
            }
            _ => usize::from(from) * 64 + usize::from(to),
        };
        Self::of_moves(encoding, kernels::layers::MOVE_SCORES, slot)
    }

    /// Position of a policy index's logit; `None` for indices that no legal move has.
    pub(crate) fn slot(&self, index: usize) -> Option<u32> {
        self.slots.get(index).copied().flatten()
    }

    /// The positions in the head's output that belong to a move.
    pub(crate) fn slots(&self) -> impl Iterator<Item = u32> {
        self.slots.iter().copied().flatten()
    }

    /// Length of the head's flat output.
    pub(crate) fn width(&self) -> usize {
        self.width
    }
}

fn plain_move(role: Role, from: Square, to: Square, promotion: Option<Role>) -> Move {
    Move::Normal { role, from, capture: None, to, promotion }
}

#[cfg(test)]
mod tests;
