//! A game searched position by position, without a server.

use chess::{
    CastlingMode, Color, Game, Limits, Position as _, Search, SearchError, SearchInfo, StopSignal, Wdl,
    print_san, print_uci_move,
};

use super::{
    accuracy::{ReviewScale, loss},
    view::{Judgement, ReviewPoint, SideSummary},
};

/// Moves of the best line that are kept.
const LINE_LENGTH: usize = 8;
/// Share of the visits from which on the search of a position has an opinion of its own about the move played.
const OPINION_SHARE: f64 = 0.1;

/// A review: every position is searched with the same budget, and each move gets what it cost.
///
/// A move costs the difference between the values of the positions before and after it. Both are uncertain, so a move that
/// the search would have played itself costs nothing, and one that the search of the position looked at closely costs no
/// more than it found there.
pub struct GameReview {
    game: Game,
    nodes: u64,
    scale: ReviewScale,
    points: Vec<ReviewPoint>,
}

/// What the search of one position found.
struct Look {
    point: ReviewPoint,
    /// Most that the move played here can cost, in points of win percentage, as the same search sees it.
    most: Option<f64>,
}

impl GameReview {
    /// A review that has not begun, with so many visits of each position.
    pub fn new(game: Game, nodes: u64, scale: ReviewScale) -> Self {
        Self { game, nodes, scale, points: Vec::new() }
    }

    /// Positions of the game.
    pub fn positions(&self) -> usize {
        self.game.history().len()
    }

    /// The positions searched so far, with what their moves cost where the next one is searched too.
    pub fn points(&self) -> &[ReviewPoint] {
        &self.points
    }

    /// Who moved first.
    pub fn first(&self) -> Color {
        self.game.history()[0].position.turn()
    }

    /// Searches the next position, with the tree below the move played where `search` kept one. False where none is left.
    ///
    /// # Errors
    /// [`SearchError`] of the search.
    pub fn advance(&mut self, search: &mut dyn Search, stop: &StopSignal) -> Result<bool, SearchError> {
        let ply = self.points.len();
        if ply == self.positions() {
            return Ok(false);
        }
        let look = self.look(search, stop, ply)?;
        if let Some(before) = self.points.last_mut() {
            let entry = &self.game.history()[before.ply].position;
            let drop = loss(before.white_percent, look.point.white_percent, entry.turn());
            let lost = before.most_loss.map_or(drop, |most| drop.min(most));
            before.loss = Some(lost);
            before.accuracy = Some(self.scale.move_accuracy(lost));
            let forced = entry.legal_moves().len() == 1;
            before.judgement = Some(if forced { Judgement::Forced } else { self.scale.judge(lost) });
        }
        self.points.push(ReviewPoint { most_loss: look.most, ..look.point });
        Ok(true)
    }

    /// A side's game in numbers, as far as it is searched.
    pub fn summary(&self, side: Color) -> SideSummary {
        let judged: Vec<&ReviewPoint> = self.points.iter().filter(|point| point.loss.is_some()).collect();
        let values: Vec<f64> = self.points.iter().map(|point| point.white_percent).collect();
        let free_loss =
            |point: &ReviewPoint| point.loss.filter(|_| point.judgement != Some(Judgement::Forced));
        let losses: Vec<Option<f64>> = judged.iter().map(|point| free_loss(point)).collect();
        let own = || judged.iter().filter(|point| self.mover(point.ply) == side);
        let count = |kind| own().filter(|point| point.judgement == Some(kind)).count();
        let free: Vec<f64> = own().filter_map(|point| free_loss(point)).collect();
        SideSummary {
            accuracy: self.scale.game_accuracy(&values, &losses, self.first(), side),
            mean_loss: (!free.is_empty()).then(|| free.iter().sum::<f64>() / free.len() as f64),
            inaccuracies: count(Judgement::Inaccuracy),
            mistakes: count(Judgement::Mistake),
            blunders: count(Judgement::Blunder),
            forced: count(Judgement::Forced),
        }
    }

    /// Who is to move after so many half-moves.
    pub fn mover(&self, ply: usize) -> Color {
        self.game.history()[ply].position.turn()
    }

    fn look(&self, search: &mut dyn Search, stop: &StopSignal, ply: usize) -> Result<Look, SearchError> {
        let game = self.game_at(ply);
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
                most_loss: None,
            }
        };
        let over = game
            .outcome()
            .filter(|_| position.legal_moves().is_empty() || ply + 1 == self.game.history().len());
        if let Some(outcome) = over {
            let wdl = if outcome.winner.is_some() { Wdl::LOSS } else { Wdl::DRAW };
            return Ok(Look { point: point(wdl, None, Vec::new(), None), most: None });
        }
        let limits = Limits { nodes: Some(self.nodes), ..Limits::default() };
        let decision = search.run(&game, &limits, stop, &mut |_| {})?;
        let wdl = decision.info.variations.first().map_or(Wdl::DRAW, |line| line.wdl);
        let visits: u64 = decision.info.root_moves.iter().map(|root| root.visits).sum();
        let played = self.game.moves().get(ply).copied();
        let found = decision.info.root_moves.iter().find(|root| Some(root.chess_move) == played);
        let best = print_uci_move(decision.best, CastlingMode::Standard);
        let line = best_line(&game, &decision.info);
        let most = if played == Some(decision.best) {
            Some(0.0)
        } else {
            let seen = found.filter(|root| root.visits as f64 >= OPINION_SHARE * visits as f64);
            let value = seen.and_then(|root| root.wdl).filter(|_| visits > 0);
            value.map(|own| 100.0 * f64::from((wdl.expected_score() - own.expected_score()).max(0.0)))
        };
        Ok(Look { point: point(wdl, Some(best), line, found.map(|root| root.prior)), most })
    }

    /// The game as it stood after so many half-moves, with its history.
    fn game_at(&self, ply: usize) -> Game {
        let mut game = self.game.clone();
        while game.ply() > ply {
            game.undo();
        }
        game
    }
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
