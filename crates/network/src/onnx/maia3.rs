//! Maia-3's networks: transformers over the 64 squares that predict the moves of people of two given ratings (Monroe, Tang, Anderson et
//! al., "Chessformer: A Unified Architecture for Chess Modeling"; exports for browsers of the project maia-platform).

use chess::{
    Color, Evaluation, EvaluationRequest, Game, Heads, Move, Position as _, Role, Wdl,
    encoding::{MoveEncoding as _, moves::FromTo4096},
};

use super::{Contract, ContractKind, graph::Tensor, of_planes::PlanesContract, priors};
use crate::probabilities::softmax;

const TOKENS: &str = "tokens";
const OWN_RATING: &str = "elo_self";
const OTHER_RATING: &str = "elo_oppo";
const MOVES: &str = "logits_move";
const VALUE: &str = "logits_value";

/// Kinds of pieces, the mover's before the opponent's: one number each for a square.
const PIECES: usize = 12;
/// 64 origins times 64 targets, then 8 x 8 files times 4 promotions.
const LOGITS: usize = 64 * 64 + 8 * 8 * 4;
/// Input for a player without a known rating. Chosen: about the middle of the ratings in the networks'
/// training data.
const USUAL_RATING: u16 = 1500;

pub(super) const MAIA_3: ContractKind = ContractKind {
    name: "maia-3",
    signs: "inputs tokens [batch, 64, 12], elo_self [batch], elo_oppo [batch]; outputs logits_move [batch, 4352], logits_value [batch, 3]",
    recognise: |signature| {
        let inputs = [TOKENS, OWN_RATING, OTHER_RATING].iter().all(|name| signature.has_input(name));
        let outputs = [MOVES, VALUE].iter().all(|name| signature.output(name).is_some());
        (inputs && outputs).then(|| Ok(Box::new(Maia3) as Box<dyn Contract>))
    },
};

struct Maia3;

impl Contract for Maia3 {
    fn describe(&self) -> String {
        "pieces on squares and two ratings (options PlayerRating, OpponentRating) -> from-to-4096 and promotions".into()
    }

    fn of_planes(&self) -> Option<&PlanesContract> {
        None
    }

    fn shows_ratings(&self) -> bool {
        true
    }

    fn heads(&self) -> Heads {
        Heads::BOTH
    }

    fn history(&self) -> usize {
        1
    }

    fn inputs(&self, batch: &[EvaluationRequest<'_>]) -> Vec<(&str, Tensor)> {
        let mut tokens = vec![0.0; batch.len() * 64 * PIECES];
        for (request, tokens) in batch.iter().zip(tokens.chunks_exact_mut(64 * PIECES)) {
            set_tokens(request.game, tokens);
        }
        let (mut own, mut other) = (Vec::with_capacity(batch.len()), Vec::with_capacity(batch.len()));
        for request in batch {
            let (ratings, turn) = (request.game.ratings(), request.game.turn());
            own.push(f32::from(ratings.of(turn).unwrap_or(USUAL_RATING)));
            other.push(f32::from(ratings.of(!turn).unwrap_or(USUAL_RATING)));
        }
        vec![
            (TOKENS, Tensor { shape: vec![64, PIECES], values: tokens }),
            (OWN_RATING, Tensor { shape: Vec::new(), values: own }),
            (OTHER_RATING, Tensor { shape: Vec::new(), values: other }),
        ]
    }

    fn outputs(&self) -> Vec<(&str, usize)> {
        vec![(MOVES, LOGITS), (VALUE, 3)]
    }

    fn evaluation(&self, request: &EvaluationRequest<'_>, outputs: &[&[f32]]) -> Evaluation {
        let priors = priors(request, |chess_move| outputs[0][index(request.game, chess_move)]);
        let mut value = [outputs[1][0], outputs[1][1], outputs[1][2]];
        softmax(&mut value, 1.0);
        let [loss, draw, win] = value;
        Evaluation { wdl: Wdl { win, draw, loss }, priors, moves_left: None }
    }
}

/// One for each piece, on its square as the mover sees it: pawn, knight, bishop, rook, queen and king of the mover, then the opponent's.
///
/// # Shapes
/// `[64][12]`
fn set_tokens(game: &Game, tokens: &mut [f32]) {
    let (board, turn) = (game.position().board(), game.turn());
    for square in board.occupied() {
        let Some(piece) = board.piece_at(square) else { continue };
        let seen = mirrored(usize::from(square), turn);
        let kind = piece.role as usize - Role::Pawn as usize;
        tokens[seen * PIECES + kind + if piece.color == turn { 0 } else { PIECES / 2 }] = 1.0;
    }
}

/// A square as the side to move sees it.
fn mirrored(square: usize, turn: Color) -> usize {
    if turn.is_black() { square ^ 0b111_000 } else { square }
}

/// The place of a move's logit. Castling is the king's two steps, and every promotion has its own place.
fn index(game: &Game, chess_move: Move) -> usize {
    let promotion = match chess_move.promotion() {
        None => return FromTo4096.index(game.position(), chess_move),
        Some(Role::Queen) => 0,
        Some(Role::Rook) => 1,
        Some(Role::Bishop) => 2,
        Some(_) => 3,
    };
    // Files are the same for both sides.
    let from = chess_move.from().map_or(0, |square| usize::from(square) % 8);
    64 * 64 + (from * 8 + usize::from(chess_move.to()) % 8) * 4 + promotion
}
