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
    let played = game.moves().get(ply).copied();
    let is_last = ply + 1 == game.history().len();
    let game = game.at_ply(ply);
    let position = game.position();
    let turn = position.turn();
    // A draw by repetition, by fifty moves or for lack of material is the value only where the players stopped: they may have played on.
    if let Some(outcome) = game.outcome().filter(|_| position.legal_moves().is_empty() || is_last) {
        let wdl = if outcome.winner.is_some() { Wdl::LOSS } else { Wdl::DRAW };
        return Ok(unjudged(ply, wdl.for_white(turn)));
    }
    let limits = Limits { nodes: Some(nodes), ..Limits::default() };
    let thinker = Thinker { game, limits, stop: stop.clone() };
    let decision = thinker.ask(search, &mut |_| {})?;
    let game = thinker.game;
    let roots = &decision.info.root_moves;
    let wdl = decision.info.variations.first().map_or(Wdl::DRAW, |line| line.wdl);
    let visits: u64 = roots.iter().map(|root| root.visits).sum();
    let played_root = roots.iter().find(|root| Some(root.chess_move) == played);
    let best_root = roots.iter().find(|root| root.chess_move == decision.best);
    let favourite = roots.iter().max_by(|one, other| one.prior.total_cmp(&other.prior));
    // What this search itself thinks of the move that was played, if it has looked at it often enough to have an opinion.
    let most_loss = if played == Some(decision.best) {
        Some(0.0)
    } else {
        let seen = played_root.filter(|root| root.visits as f64 >= OPINION_SHARE * visits as f64);
        let value = seen.and_then(|root| root.wdl).filter(|_| visits > 0);
        value.map(|own| 100.0 * f64::from((wdl.expected_score() - own.expected_score()).max(0.0)))
    };
    let has_policy = decision.info.heads.policy;
    Ok(ReviewPoint {
        best: Some(print_uci_move(decision.best, game.castling_mode())),
        line: best_line(&game, &decision.info),
        prior: played_root.filter(|_| has_policy).map(|root| root.prior),
        best_prior: best_root.filter(|_| has_policy).map(|root| root.prior),
        favourite: favourite.map(|root| print_uci_move(root.chess_move, game.castling_mode())),
        most_loss,
        ..unjudged(ply, wdl.for_white(turn))
    })
}

/// The point of a position with this value for White, without moves.
fn unjudged(ply: usize, white: Wdl) -> ReviewPoint {
    ReviewPoint {
        ply,
        white_wdl: [white.win, white.draw, white.loss],
        white_percent: 100.0 * f64::from(white.expected_score()),
        best: None,
        line: Vec::new(),
        loss: None,
        accuracy: None,
        judgement: None,
        prior: None,
        best_prior: None,
        favourite: None,
        second_look: false,
        most_loss: None,
    }
}

fn best_line(game: &Game, info: &SearchInfo) -> Vec<String> {
    let mut position = game.position().clone();
    let moves = info.variations.first().map(|line| line.moves.as_slice()).unwrap_or_default();
    let mut line = Vec::new();
    for &chess_move in moves.iter().take(LINE_LENGTH) {
        line.push(print_san(&position, chess_move));
        position.play_unchecked(chess_move);
    }
    line
}
