//! The search of one position of a game.

use chess::{
    Game, Limits, Position as _, Search, SearchError, SearchInfo, StopSignal, Thinker, Wdl, print_san,
    print_uci_move,
};

use crate::point::ReviewPoint;

/// Moves of the best line that are kept.
const LINE_LENGTH: usize = 8;
/// Share of the visits from which a position's own search is trusted about the move played: with a few hundred visits, a tenth
/// of them is tens of evaluations after the move. Chosen, not tuned.
const OPINION_SHARE: f64 = 0.1;

/// Searches the position of `game` after `ply` half-moves; the costs of moves are left open.
pub(super) fn look(
    game: &Game,
    ply: usize,
    nodes: u64,
    search: &mut dyn Search,
    stop: &StopSignal,
) -> Result<ReviewPoint, SearchError> {
    let (moves, positions) = (game.moves(), game.history().len());
    let game = game.at_ply(ply);
    let position = game.position();
    let turn = position.turn();
    let point = |wdl: Wdl, best, line, prior| {
        let white = wdl.for_white(turn);
        ReviewPoint {
            ply,
            white_wdl: [white.win, white.draw, white.loss],
            white_percent: 100.0 * f64::from(white.expected_score()),
            best,
            line,
            loss: None,
            accuracy: None,
            judgement: None,
            prior,
            best_prior: None,
            favourite: None,
            second_look: false,
            most_loss: None,
        }
    };
    let over = game.outcome().filter(|_| position.legal_moves().is_empty() || ply + 1 == positions);
    if let Some(outcome) = over {
        let wdl = if outcome.winner.is_some() { Wdl::LOSS } else { Wdl::DRAW };
        return Ok(point(wdl, None, Vec::new(), None));
    }
    let limits = Limits { nodes: Some(nodes), ..Limits::default() };
    let thinker = Thinker { game, limits, stop: stop.clone() };
    let decision = thinker.ask(search, &mut |_| {})?;
    let game = thinker.game;
    let wdl = decision.info.variations.first().map_or(Wdl::DRAW, |line| line.wdl);
    let visits: u64 = decision.info.root_moves.iter().map(|root| root.visits).sum();
    let played = moves.get(ply).copied();
    let found = decision.info.root_moves.iter().find(|root| Some(root.chess_move) == played);
    let best = print_uci_move(decision.best, game.castling_mode());
    let line = best_line(&game, &decision.info);
    let most_loss = if played == Some(decision.best) {
        Some(0.0)
    } else {
        let seen = found.filter(|root| root.visits as f64 >= OPINION_SHARE * visits as f64);
        let value = seen.and_then(|root| root.wdl).filter(|_| visits > 0);
        value.map(|own| 100.0 * f64::from((wdl.expected_score() - own.expected_score()).max(0.0)))
    };
    let (roots, has_policy) = (&decision.info.root_moves, decision.info.heads.policy);
    let best_root = roots.iter().find(|root| root.chess_move == decision.best);
    let favourite = roots.iter().max_by(|one, other| one.prior.total_cmp(&other.prior));
    Ok(ReviewPoint {
        best_prior: best_root.filter(|_| has_policy).map(|root| root.prior),
        favourite: favourite.map(|root| print_uci_move(root.chess_move, game.castling_mode())),
        most_loss,
        ..point(wdl, Some(best), line, found.filter(|_| has_policy).map(|root| root.prior))
    })
}

fn best_line(game: &Game, info: &SearchInfo) -> Vec<String> {
    let mut position = game.position().clone();
    let moves = info.variations.first().map(|line| line.moves.as_slice()).unwrap_or_default();
    let moves = moves.iter().take(LINE_LENGTH);
    moves
        .map(|&chess_move| {
            let san = print_san(&position, chess_move);
            position.play_unchecked(chess_move);
            san
        })
        .collect()
}
