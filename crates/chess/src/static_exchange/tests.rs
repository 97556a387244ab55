use shakmaty::Move;

use super::*;
use crate::{CastlingMode, Game, board_view::squares, laws};

/// The mover's gain, by the definition: after each capture the other side takes back with its least valuable piece or
/// stops.
fn value(view: &BoardView, exchange: Exchange) -> i32 {
    let mut board: Vec<Option<(usize, usize)>> = vec![None; 64];
    view.for_each_piece(|kind, square| board[square] = Some((kind / 6, kind % 6)));
    board[exchange.from] = None;
    board[exchange.to] = Some((0, exchange.role));
    if exchange.en_passant {
        board[exchange.to - 8] = None;
    }
    exchange.captured.map_or(0, |role| VALUES[role]) - retaken(&mut board, exchange.to, 1)
}

/// The gain of `side` from capturing on a square, at least zero.
fn retaken(board: &mut [Option<(usize, usize)>], to: usize, side: usize) -> i32 {
    let occupied = board.iter().rev().fold(0, |all, piece| all << 1 | u64::from(piece.is_some()));
    let attackers = |wanted: usize| {
        let reaches = |&from: &usize| match board[from] {
            Some((owner, role)) if owner == wanted && from != to => {
                attacks_of(6 * owner + role, from, occupied) >> to & 1 == 1
            }
            _ => false,
        };
        let mut found: Vec<(usize, usize)> =
            (0..64).filter(reaches).map(|from| (board[from].unwrap().1, from)).collect();
        found.sort_unstable();
        found
    };
    let Some(&(role, from)) = attackers(side).first() else { return 0 };
    if role == KING && !attackers(1 - side).is_empty() {
        return 0;
    }
    let captured = board[to].unwrap().1;
    board[to] = board[from].take();
    (VALUES[captured] - retaken(board, to, 1 - side)).max(0)
}

fn exchange_of(view: &BoardView, chess_move: Move) -> Option<Exchange> {
    let Move::Normal { from, to, role, promotion, capture } = chess_move else { return None };
    let place = |role: shakmaty::Role| role as usize - 1;
    Some(Exchange {
        from: view.square(from),
        to: view.square(to),
        role: place(promotion.unwrap_or(role)),
        captured: capture.map(place),
        en_passant: false,
    })
}

#[test]
fn agrees_with_the_definition_at_every_threshold() {
    let (mut gains, mut losses) = (0, 0);
    for game in laws::sample_games(21, 600) {
        let view = BoardView::new(game.position());
        for exchange in game.legal_moves().into_iter().filter_map(|one| exchange_of(&view, one)) {
            let value = value(&view, exchange);
            gains += usize::from(value > 0);
            losses += usize::from(value < 0);
            for threshold in [value - 1, value, value + 1, -108, 0] {
                assert_eq!(
                    exchange.wins(&view, threshold),
                    value >= threshold,
                    "{exchange:?} is worth {value}, threshold {threshold}, in {}",
                    game.fen()
                );
            }
        }
    }
    assert!(gains > 300 && losses > 1000, "{gains} {losses}");
}

fn worth(fen: &str, uci: &str) -> i32 {
    let game = Game::from_fen(fen, CastlingMode::Standard).unwrap();
    let view = BoardView::new(game.position());
    let chess_move = crate::parse_uci_move(game.position(), uci).unwrap();
    let exchange = exchange_of(&view, chess_move).unwrap();
    let most = (-1300..1300).rev().find(|&threshold| exchange.wins(&view, threshold)).unwrap();
    assert_eq!(most, value(&view, exchange));
    most
}

#[test]
fn known_exchanges() {
    // A rook takes a pawn that nothing protects, then one that a pawn protects.
    assert_eq!(worth("1k6/8/8/4p3/8/8/4R3/2K5 w - - 0 1", "e2e5"), 100);
    assert_eq!(worth("1k6/8/3p4/4p3/8/8/4R3/2K5 w - - 0 1", "e2e5"), 100 - 650);
    // The second rook stands behind the first.
    assert_eq!(worth("4r1k1/8/8/4p3/8/8/4R3/4R1K1 w - - 0 1", "e2e5"), 100);
    // The king recaptures, unless the bishop protects.
    assert_eq!(worth("8/8/4k3/4p3/8/8/4R3/2K5 w - - 0 1", "e2e5"), 100 - 650);
    assert_eq!(worth("8/8/4k3/4p3/8/2B5/4R3/2K5 w - - 0 1", "e2e5"), 100);
}

#[test]
fn the_pawn_taken_en_passant_opens_its_file() {
    let game = Game::from_fen("1k2r3/8/8/3pPp2/8/8/8/2K1R3 w - f6 0 1", CastlingMode::Standard).unwrap();
    let view = BoardView::new(game.position());
    let mut pawns = Vec::new();
    squares(view.roles[PAWN] & view.sides[0], |square| pawns.push(square));
    let exchange =
        Exchange { from: pawns[0], to: pawns[0] + 9, role: PAWN, captured: Some(PAWN), en_passant: true };
    assert!(exchange.wins(&view, 100) && !exchange.wins(&view, 101));
    assert_eq!(value(&view, exchange), 100);
}
