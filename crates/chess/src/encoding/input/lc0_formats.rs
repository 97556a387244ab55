//! The later inputs of Leela Chess Zero.

use shakmaty::{CastlingSide, Chess, Color, Position};

use super::{
    InputEncoding, Plane,
    lc0_112::{
        CASTLING, Lc0Planes112, PLANES, PLANES_PER_POSITION, POSITIONS, RULE_50, write_position, write_state,
    },
    pieces::viewed,
};
use crate::{
    Game,
    encoding::{canonical::Symmetry, input::HistoryFill},
};

/// A later input of lc0, under its name there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lc0Format {
    /// `INPUT_112_WITH_CASTLING_PLANE`.
    CastlingPlane,
    /// `INPUT_112_WITH_CANONICALIZATION`.
    Canonical,
    /// `INPUT_112_WITH_CANONICALIZATION_HECTOPLIES`.
    CanonicalHectoplies,
    /// `INPUT_112_WITH_CANONICALIZATION_V2`.
    CanonicalV2,
}

/// `lc0-112-castling-plane`, `lc0-112-canonical`, `lc0-112-canonical-hectoplies`, `lc0-112-canonical-v2`: as `lc0-112`, but for these
/// planes (lc0, `src/neural/encoder.cc`).
///
/// | plane | content |
/// |---|---|
/// | 104, 105 | rooks with which either side may castle queen-side, king-side |
/// | 106, 107 | zeros |
/// | 108 | canonical: the mover's last rank on the file where a pawn may be captured en passant |
/// | 109 | with hectoplies and v2 divided by 100 |
///
/// The canonical ones rotate and mirror the whole position if neither side may castle
/// ([`Lc0CanonicalMoves1858`](crate::encoding::moves::Lc0CanonicalMoves1858) does the same to moves), and
/// show earlier positions back to the last capture, pawn move or change of castling rights; v2 only those
/// that had occurred before.
#[derive(Clone, Copy, Debug)]
pub struct Lc0LaterPlanes112 {
    /// Which of them.
    pub format: Lc0Format,
}

/// The longest history of a position: 100 plies without capture or pawn move, and the position before them.
const REVERSIBLE: usize = 101;

const CLASSICAL: Lc0Planes112 = Lc0Planes112 { fill: HistoryFill::FenOnly };
const BLACK_OR_EN_PASSANT: usize = CASTLING + 4;

impl Lc0LaterPlanes112 {
    fn is_canonical(self) -> bool {
        self.format != Lc0Format::CastlingPlane
    }

    /// The earlier positions that are shown: up to the last move that cannot be undone.
    fn write_positions(self, game: &Game, planes: &mut [Plane]) {
        let (known, mover, last) = (game.history(), game.turn(), game.position());
        let only_repeated = self.format == Lc0Format::CanonicalV2;
        planes[..CASTLING].fill(Plane::EMPTY);
        let mut blocks = planes[..CASTLING].chunks_exact_mut(PLANES_PER_POSITION);
        for number in 0..if only_repeated { known.len().min(REVERSIBLE) } else { POSITIONS } {
            let entry = &known[known.len().saturating_sub(number + 1)];
            let position = &entry.position;
            let is_current = number == 0;
            let is_unknown = number >= known.len();
            if position.castles().castling_rights() != last.castles().castling_rights()
                || !is_current && position.pseudo_legal_ep_square().is_some()
                || is_unknown && *position == Chess::default()
            {
                break;
            }
            if is_current || !only_repeated || entry.repetitions > 0 {
                let Some(block) = blocks.next() else { break };
                write_position(entry, mover, block);
            }
            if position.halfmoves() == 0 {
                break;
            }
        }
    }
}

/// The rooks with which a side of the board may still be castled to, as `viewer` sees them.
fn castling_rooks(position: &Chess, wing: CastlingSide, viewer: Color) -> Plane {
    let castles = position.castles();
    let rooks = Color::ALL.into_iter().filter_map(|color| castles.rook(color, wing));
    Plane::squares(viewed(rooks.fold(0, |squares, rook| squares | 1 << u32::from(rook)), viewer))
}

impl InputEncoding for Lc0LaterPlanes112 {
    fn name(&self) -> &'static str {
        match self.format {
            Lc0Format::CastlingPlane => "lc0-112-castling-plane",
            Lc0Format::Canonical => "lc0-112-canonical",
            Lc0Format::CanonicalHectoplies => "lc0-112-canonical-hectoplies",
            Lc0Format::CanonicalV2 => "lc0-112-canonical-v2",
        }
    }

    fn planes(&self) -> usize {
        PLANES
    }

    fn history(&self) -> usize {
        if self.format == Lc0Format::CanonicalV2 { REVERSIBLE } else { POSITIONS }
    }

    fn colour_planes(&self) -> &'static [usize] {
        if self.is_canonical() { &[] } else { &[BLACK_OR_EN_PASSANT] }
    }

    fn channel_name(&self, channel: usize) -> String {
        match channel.checked_sub(CASTLING) {
            Some(0) => "rooks that may castle queen-side".into(),
            Some(1) => "rooks that may castle king-side".into(),
            Some(wing @ (2 | 3)) => format!("zeros {wing}"),
            Some(4) if self.is_canonical() => "file of an en passant capture".into(),
            _ => CLASSICAL.channel_name(channel),
        }
    }

    fn encode(&self, game: &Game, planes: &mut [Plane]) {
        let (position, mover) = (game.position(), game.turn());
        if self.is_canonical() {
            self.write_positions(game, planes);
            write_state(position, &mut planes[CASTLING..]);
        } else {
            CLASSICAL.encode(game, planes);
        }
        for (place, wing) in [CastlingSide::QueenSide, CastlingSide::KingSide].into_iter().enumerate() {
            planes[CASTLING + place] = castling_rooks(position, wing, mover);
        }
        planes[CASTLING + 2..BLACK_OR_EN_PASSANT].fill(Plane::EMPTY);
        if matches!(self.format, Lc0Format::CanonicalHectoplies | Lc0Format::CanonicalV2) {
            planes[RULE_50] = Plane::constant(position.halfmoves() as f32 / 100.0);
        }
        if !self.is_canonical() {
            return;
        }
        // The opponent's pawn has passed; its file is marked at the far end of the board.
        let file = position.pseudo_legal_ep_square().map_or(0, |square| 1 << (56 + u32::from(square) % 8));
        planes[BLACK_OR_EN_PASSANT] = Plane::squares(file);
        let symmetry = Symmetry::of(position);
        for plane in planes[..RULE_50].iter_mut().filter(|plane| plane.mask != u64::MAX) {
            plane.mask = symmetry.apply(plane.mask);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn v2_shows_earlier_positions_that_had_occurred_before() {
        let mut game = Game::default();
        for played in ["g1f3", "g8f6", "f3g1", "f6g8", "g1f3"] {
            game.play_uci(played).unwrap();
        }
        let shown = |format: Lc0Format| -> Vec<bool> {
            let mut planes = [Plane::EMPTY; PLANES];
            Lc0LaterPlanes112 { format }.encode(&game, &mut planes);
            let blocks = planes[..CASTLING].chunks_exact(PLANES_PER_POSITION);
            blocks.filter(|block| block[0] != Plane::EMPTY).map(|block| block[12] != Plane::EMPTY).collect()
        };
        // The start position is repeated after four half-moves, and the knight's move after five.
        assert_eq!(shown(Lc0Format::CanonicalV2), [true, true]);
        assert_eq!(shown(Lc0Format::CanonicalHectoplies), [true, true, false, false, false, false]);
    }
}
