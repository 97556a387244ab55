//! The policy vector of AIChess: one index for each UCI string that a move can have.

use std::sync::LazyLock;

use shakmaty::{Chess, Move, Role, uci::UciMove};

use super::{MoveEncoding, geometry::king_step_squares};

/// `uci-1968`: the 1,792 queen and knight steps and 176 promotions (22 pairs of squares, four pieces, two colours), in
/// the order of AIChess.
///
/// Squares are in the mover's view, as in every encoding here, so the 88 promotions of Black's pawns have indices that no
/// move uses. AIChess itself uses White's view ([`super::AiChess1968`]); for a move of Black its index is that of the
/// colour-flipped move here. Castling is the king's step (`e1g1`) from the orthodox squares, king-takes-rook elsewhere
/// (Chess960).
#[derive(Clone, Copy, Debug)]
pub struct Uci1968;

/// The moves in index order, separated by white space.
const ORDER: &str = include_str!("uci_1968_order.txt");

pub(super) const SIZE: usize = 1968;

struct Table {
    /// Index of a plain pair, at `from * 64 + to`; `u16::MAX` where no piece can go.
    plain: Vec<u16>,
    /// Index of a promotion, as in [`promotion_place`].
    promotion: [u16; PROMOTIONS],
}

/// Two colours, four pieces, eight files from and to.
const PROMOTIONS: usize = 2 * 4 * 64;

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut table = Table { plain: vec![u16::MAX; 64 * 64], promotion: [u16::MAX; PROMOTIONS] };
    for (index, uci) in (0_u16..).zip(ordered_moves()) {
        let UciMove::Normal { from, to, promotion } = uci else {
            unreachable!("the order holds plain moves only")
        };
        let (from, to) = (usize::from(from), usize::from(to));
        match promotion {
            None => table.plain[from * 64 + to] = index,
            Some(role) => table.promotion[promotion_place(from, to, role)] = index,
        }
    }
    table
});

/// The moves of the order in index order.
fn ordered_moves() -> impl Iterator<Item = UciMove> {
    ORDER
        .lines()
        .filter(|line| !line.starts_with('#'))
        .flat_map(str::split_whitespace)
        .map(|uci| UciMove::from_ascii(uci.as_bytes()).expect("the order is part of the program and tested"))
}

/// A number for each promotion: by the colour that moves, the piece, the file it comes from and the file it arrives on.
fn promotion_place(from: usize, to: usize, role: Role) -> usize {
    let piece = match role {
        Role::Knight => 0,
        Role::Bishop => 1,
        Role::Rook => 2,
        _ => 3,
    };
    let color = usize::from(to < 8);
    (color * 4 + piece) * 64 + from % 8 * 8 + to % 8
}

/// The index of a move by its squares (0 = a1 .. 63 = h8) as UCI writes them.
pub(super) fn index_of((from, to): (usize, usize), promotion: Option<Role>) -> usize {
    let table = &*TABLE;
    usize::from(match promotion {
        None => table.plain[from * 64 + to],
        Some(role) => table.promotion[promotion_place(from, to, role)],
    })
}

impl MoveEncoding for Uci1968 {
    fn name(&self) -> &'static str {
        "uci-1968"
    }

    fn size(&self) -> usize {
        SIZE
    }

    fn index(&self, position: &Chess, chess_move: Move) -> usize {
        index_of(king_step_squares(position, chess_move), chess_move.promotion())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::encoding::moves::geometry::is_queen_or_knight_step;

    /// Indices from AIChess's list.
    #[test]
    fn known_indices_of_aichess() {
        let start = Chess::default();
        let promotion = "8/P6k/8/8/8/8/8/K7 w - - 0 1".parse::<shakmaty::fen::Fen>().unwrap();
        let promotion: Chess = promotion.into_position(shakmaty::CastlingMode::Standard).unwrap();
        let castling = "4k3/8/8/8/8/8/8/4K2R w K - 0 1".parse::<shakmaty::fen::Fen>().unwrap();
        let castling: Chess = castling.into_position(shakmaty::CastlingMode::Standard).unwrap();
        for (position, uci, index) in
            [(&start, "e2e4", 192), (&castling, "e1g1", 907), (&promotion, "a7a8q", 863)]
        {
            let chess_move = uci.parse::<UciMove>().unwrap().to_move(position).unwrap();
            assert_eq!(Uci1968.index(position, chess_move), index, "{uci}");
        }
    }

    #[test]
    fn the_order_holds_every_step_and_promotion_once() {
        let moves: Vec<String> = ordered_moves().map(|uci| uci.to_string()).collect();
        assert_eq!(moves.len(), SIZE);
        assert_eq!(moves.iter().collect::<BTreeSet<_>>().len(), SIZE);
        for pair in 0..64 * 64 {
            let known = TABLE.plain[pair] != u16::MAX;
            assert_eq!(known, is_queen_or_knight_step(pair / 64, pair % 64), "pair {pair}");
        }
        assert_eq!(TABLE.promotion.iter().filter(|&&index| index != u16::MAX).count(), 176);
    }
}
