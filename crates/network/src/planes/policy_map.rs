//! Positions of the policy indices' logits in the output of the policy head.

use chess::encoding::{
    MoveEncoding,
    moves::{KNIGHT_STEPS, QUEEN_DIRECTIONS, step_from},
};
use chess::shakmaty::{Chess, Move, Rank, Role, Square};

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
        // A convolution computes the same function on every square, so a plane has to mean the same step from every square:
        // "two squares forward", not "to e4". That is what lets the head learn a move once for the whole board.
        let mut map = Self { slots: vec![None; encoding.size()], width: 64 * POLICY_PLANES };
        for ShapedMove { from, chess_move, shape, .. } in every_move() {
            let plane = match shape {
                MoveShape::Slide { direction, number } => direction * 7 + number,
                MoveShape::Jump { number } => 56 + number,
                MoveShape::Promotion { number, side } => 64 + number * 3 + side,
            };
            map.claim(encoding, chess_move, usize::from(from) * POLICY_PLANES + plane);
        }
        map
    }

    /// Gives the index of a move its slot, unless an earlier move has the same index. Promotions come last in [`every_move`],
    /// so promotions that the encoding maps to the index of a plain move share its slot.
    fn claim(&mut self, encoding: &dyn MoveEncoding, chess_move: Move, slot: usize) {
        // The encodings see every move from the mover's side, so White's view is sufficient for any position.
        let index = encoding.index(&Chess::default(), chess_move);
        self.slots[index].get_or_insert(slot as u32);
    }

    /// A head that scores pairs of squares, with separate outputs for promotions to queen, rook and bishop:
    /// the output of [`Operator::MoveScores`](crate::planes::layers::Operator::MoveScores). Promotions to
    /// knights use the outputs of plain moves.
    pub(crate) fn attention(encoding: &dyn MoveEncoding) -> Self {
        let mut map = Self { slots: vec![None; encoding.size()], width: kernels::layers::MOVE_SCORES };
        for ShapedMove { from, to, chess_move, shape } in every_move() {
            let (from, to) = (usize::from(from), usize::from(to));
            let slot = match shape {
                MoveShape::Promotion { number, .. } if PROMOTIONS[number] != Role::Knight => {
                    64 * 64 + (from % 8 * 8 + to % 8) * 3 + number
                }
                _ => from * 64 + to,
            };
            map.claim(encoding, chess_move, slot);
        }
        map
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

/// A move of White's on an empty board.
struct ShapedMove {
    from: Square,
    to: Square,
    chess_move: Move,
    shape: MoveShape,
}

/// Every step of a queen and of a knight from every square, and then every promotion. These are all moves: the other pieces step
/// like a queen, and castling, as king-takes-rook, is a step along the rank.
fn every_move() -> Vec<ShapedMove> {
    let mut moves = Vec::new();
    for from in Square::ALL {
        for (direction, (file, rank)) in QUEEN_DIRECTIONS.into_iter().enumerate() {
            for (number, distance) in (1..8).enumerate() {
                if let Some(to) = step_from(from, file * distance, rank * distance) {
                    let chess_move = plain_move(Role::Queen, from, to, None);
                    moves.push(ShapedMove {
                        from,
                        to,
                        chess_move,
                        shape: MoveShape::Slide { direction, number },
                    });
                }
            }
        }
        for (number, (file, rank)) in KNIGHT_STEPS.into_iter().enumerate() {
            if let Some(to) = step_from(from, file, rank) {
                let chess_move = plain_move(Role::Knight, from, to, None);
                moves.push(ShapedMove { from, to, chess_move, shape: MoveShape::Jump { number } });
            }
        }
    }
    for from in Square::ALL.into_iter().filter(|square| square.rank() == Rank::Seventh) {
        for (number, role) in PROMOTIONS.into_iter().enumerate() {
            for (side, file) in (-1..=1).enumerate() {
                if let Some(to) = step_from(from, file, 1) {
                    let chess_move = plain_move(Role::Pawn, from, to, Some(role));
                    moves.push(ShapedMove {
                        from,
                        to,
                        chess_move,
                        shape: MoveShape::Promotion { number, side },
                    });
                }
            }
        }
    }
    moves
}

fn plain_move(role: Role, from: Square, to: Square, promotion: Option<Role>) -> Move {
    Move::Normal { role, from, capture: None, to, promotion }
}

#[cfg(test)]
mod tests;
