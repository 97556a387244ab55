//! A game searched position by position.

use chess::{
    Color, Game, Limits, Position as _, Search, SearchError, SearchInfo, StopSignal, Thinker, Wdl, print_san,
    print_uci_move,
};

use crate::{
    point::{Judgement, ReviewPoint, SideSummary},
    scale::{ReviewScale, loss},
};

/// Moves of the best line that are kept.
const LINE_LENGTH: usize = 8;
/// Share of the visits from which a position's own search is trusted about the move played: with a few hundred visits, a tenth
/// of them is tens of evaluations after the move. Chosen, not tuned.
const OPINION_SHARE: f64 = 0.1;

/// A review: every position is searched with the same budget, and each move gets its cost.
///
/// A move costs the difference between the values of the positions before and after it. Both are uncertain,
/// so the search's own best move costs nothing, and a move that the search of its position examined closely
/// costs at most the gap found there.
pub struct GameReview {
    game: Game,
    nodes: u64,
    scale: ReviewScale,
    points: Vec<ReviewPoint>,
}

/// Result of searching one position.
struct Look {
    point: ReviewPoint,
    /// Maximum cost of the move played, in points of win percentage, by the search of this position.
    most: Option<f64>,
}

impl GameReview {
    /// A review with no position searched yet and `nodes` visits for each position.
    pub fn new(game: Game, nodes: u64, scale: ReviewScale) -> Self {
        Self { game, nodes, scale, points: Vec::new() }
    }

    /// Number of positions to search: those of the game, including the last.
    pub fn positions(&self) -> usize {
        self.game.history().len()
    }

    /// The positions searched so far, with the cost of their moves if the next one has been searched too.
    pub fn points(&self) -> &[ReviewPoint] {
        &self.points
    }

    /// The side that moved first.
    pub fn first(&self) -> Color {
        self.game.history()[0].position.turn()
    }

    /// Searches the next position, with the tree below the move played if `search` kept one. False if no position is left.
    ///
    /// # Errors
    /// [`SearchError`] of the search.
    pub fn advance(&mut self, search: &mut dyn Search, stop: &StopSignal) -> Result<bool, SearchError> {
        let ply = self.points.len();
        if ply == self.positions() {
            return Ok(false);
        }
        let look = self.look(search, stop, ply)?;
        self.points.push(ReviewPoint { most_loss: look.most, ..look.point });
        if ply > 0 {
            self.judge(ply - 1);
        }
        if self.points.len() == self.positions() {
            self.settle();
        }
        Ok(true)
    }

    /// The cost of the move played at half-move `ply`, by the values of the positions around it.
    fn judge(&mut self, ply: usize) {
        let entry = &self.game.history()[ply].position;
        let after = self.points[ply + 1].white_percent;
        let before = &mut self.points[ply];
        let drop = loss(before.white_percent, after, entry.turn());
        let lost = before.most_loss.map_or(drop, |most| drop.min(most));
        before.loss = Some(lost);
        before.accuracy = Some(self.scale.move_accuracy(lost));
        let forced = entry.legal_moves().len() == 1;
        before.judgement = Some(if forced { Judgement::Forced } else { self.scale.judge(lost) });
    }

    /// Backs values up once from the end: replaces a position's value by the value after its move, but by no
    /// more than the gap that its own search saw between this move and the best one. A value that is off by
    /// an inaccuracy or more becomes the nearest value that is not: otherwise the previous move would be
    /// blamed for a value that the next one refutes. Smaller differences are noise between two searches and
    /// are kept.
    fn settle(&mut self) {
        for ply in (0..self.points.len() - 1).rev() {
            let turn = self.mover(ply);
            let for_mover = |percent: f64| turn.fold_wb(percent, 100.0 - percent);
            let next = self.points[ply + 1].clone();
            let point = &mut self.points[ply];
            let (own, found) = (for_mover(point.white_percent), for_mover(next.white_percent));
            let backed = own.clamp(found, found + point.most_loss.unwrap_or(100.0));
            if (backed - own).abs() >= self.scale.limits[0] {
                let share = (backed - own) / (found - own);
                point.white_percent += share * (next.white_percent - point.white_percent);
                for (part, after) in point.white_wdl.iter_mut().zip(next.white_wdl) {
                    *part += share as f32 * (after - *part);
                }
            }
            self.judge(ply);
        }
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

    /// The side to move after `ply` half-moves.
    pub fn mover(&self, ply: usize) -> Color {
        self.game.history()[ply].position.turn()
    }

    fn look(&self, search: &mut dyn Search, stop: &StopSignal, ply: usize) -> Result<Look, SearchError> {
        let game = self.game.at_ply(ply);
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
        let thinker = Thinker { game, limits, stop: stop.clone() };
        let decision = thinker.ask(search, &mut |_| {})?;
        let game = thinker.game;
        let wdl = decision.info.variations.first().map_or(Wdl::DRAW, |line| line.wdl);
        let visits: u64 = decision.info.root_moves.iter().map(|root| root.visits).sum();
        let played = self.game.moves().get(ply).copied();
        let found = decision.info.root_moves.iter().find(|root| Some(root.chess_move) == played);
        let best = print_uci_move(decision.best, game.castling_mode());
        let line = best_line(&game, &decision.info);
        let most = if played == Some(decision.best) {
            Some(0.0)
        } else {
            let seen = found.filter(|root| root.visits as f64 >= OPINION_SHARE * visits as f64);
            let value = seen.and_then(|root| root.wdl).filter(|_| visits > 0);
            value.map(|own| 100.0 * f64::from((wdl.expected_score() - own.expected_score()).max(0.0)))
        };
        let (roots, has_policy) = (&decision.info.root_moves, decision.info.heads.policy);
        let best_root = roots.iter().find(|root| root.chess_move == decision.best);
        let favourite = roots.iter().max_by(|one, other| one.prior.total_cmp(&other.prior));
        let point = ReviewPoint {
            best_prior: best_root.filter(|_| has_policy).map(|root| root.prior),
            favourite: favourite.map(|root| print_uci_move(root.chess_move, game.castling_mode())),
            ..point(wdl, Some(best), line, found.filter(|_| has_policy).map(|root| root.prior))
        };
        Ok(Look { point, most })
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

#[cfg(test)]
mod tests {
    use chess::{Decision, PrincipalVariation, RootMove, Score, laws::colour_flipped, parse_uci_move};
    use proptest::prelude::{Strategy, prop, prop_assert, prop_assert_eq, proptest};

    use super::*;

    const PLAYED: [&str; 4] = ["e2e4", "e7e5", "g1f3", "b8c6"];

    /// A search with scripted results per position: White's win percentage, the best move, and the value of
    /// the move played.
    struct Script(Vec<(f32, &'static str, Option<f32>)>);

    impl Search for Script {
        fn describe(&self) -> String {
            "script".into()
        }

        fn new_game(&mut self) {}

        fn run(
            &mut self,
            game: &Game,
            _: &Limits,
            _: &StopSignal,
            _: &mut dyn FnMut(&SearchInfo),
        ) -> Result<Decision, SearchError> {
            let (white, best, played) = self.0[game.ply()];
            let value = |white: f32| {
                let win = game.turn().fold_wb(white, 100.0 - white) / 100.0;
                Wdl { win, draw: 0.0, loss: 1.0 - win }
            };
            let best = parse_uci_move(game.position(), best).unwrap();
            let played_here = PLAYED.get(game.ply()).map(|uci| parse_uci_move(game.position(), uci).unwrap());
            let roots = game.legal_moves().into_iter().map(|one| {
                let seen = played.filter(|_| Some(one) == played_here);
                let wdl = if one == best { Some(white) } else { seen }.map(value);
                RootMove {
                    visits: if wdl.is_some() { 100 } else { 1 },
                    wdl,
                    ..RootMove::unvisited(one, 0.05)
                }
            });
            let info = SearchInfo {
                root_moves: roots.collect(),
                variations: vec![PrincipalVariation {
                    moves: vec![best],
                    score: Score::Centipawns(0),
                    wdl: value(white),
                }],
                ..SearchInfo::default()
            };
            Ok(Decision { best, ponder: None, info })
        }
    }

    /// Evaluates a game as the script evaluates the game with colours swapped.
    struct Flipped(Script);

    impl Search for Flipped {
        fn describe(&self) -> String {
            "flipped script".into()
        }

        fn new_game(&mut self) {}

        fn run(
            &mut self,
            game: &Game,
            limits: &Limits,
            stop: &StopSignal,
            report: &mut dyn FnMut(&SearchInfo),
        ) -> Result<Decision, SearchError> {
            let mut decision = self.0.run(&colour_flipped(game), limits, stop, report)?;
            decision.best = decision.best.to_mirrored();
            for root in &mut decision.info.root_moves {
                root.chess_move = root.chess_move.to_mirrored();
            }
            for line in &mut decision.info.variations {
                line.moves.iter_mut().for_each(|played| *played = played.to_mirrored());
            }
            Ok(decision)
        }
    }

    /// Four plies with scripted values; the last value is that of the final position.
    fn reviewed(script: [(f32, &'static str, Option<f32>); 5]) -> GameReview {
        let mut game = Game::default();
        for uci in PLAYED {
            game.play_uci(uci).unwrap();
        }
        finished(GameReview::new(game, 1, ReviewScale::CALIBRATED), &mut Script(script.to_vec()))
    }

    fn finished(mut review: GameReview, search: &mut dyn Search) -> GameReview {
        while review.advance(search, &StopSignal::default()).unwrap() {}
        review
    }

    fn shown(review: &GameReview) -> Vec<(i32, i32)> {
        let whole = |value: f64| value.round() as i32;
        review
            .points()
            .iter()
            .map(|point| (whole(point.white_percent), whole(point.loss.unwrap_or(0.0))))
            .collect()
    }

    #[test]
    fn a_value_that_the_next_move_refutes_blames_nobody() {
        // After 1. e4 the search sees White lost, but no longer after Black's best move.
        let review = reviewed([
            (50.0, "d2d4", None),
            (10.0, "e7e5", None),
            (48.0, "g1f3", None),
            (48.0, "b8c6", None),
            (48.0, "a2a3", None),
        ]);
        assert_eq!(shown(&review), [(50, 2), (48, 0), (48, 0), (48, 0), (48, 0)]);
        // Another move was thought better by three points, so the position is worth three points more than the move played.
        let near = reviewed([
            (50.0, "d2d4", None),
            (10.0, "c7c5", Some(13.0)),
            (48.0, "g1f3", None),
            (48.0, "b8c6", None),
            (48.0, "a2a3", None),
        ]);
        assert_eq!(shown(&near)[..2], [(50, 5), (45, 3)]);
    }

    #[test]
    fn a_real_blunder_stays_one_and_noise_is_left_alone() {
        let review = reviewed([
            (50.0, "d2d4", None),
            (52.0, "c7c5", None),
            (90.0, "g1f3", None),
            (88.0, "g8f6", None),
            (91.0, "a2a3", None),
        ]);
        assert_eq!(shown(&review), [(50, 0), (52, 38), (90, 0), (88, 3), (91, 0)]);
    }

    /// Arbitrary results of the searches of the four plies.
    fn scripts() -> impl Strategy<Value = [(f32, &'static str, Option<f32>); 5]> {
        let moves =
            [["e2e4", "d2d4"], ["e7e5", "c7c5"], ["g1f3", "b1c3"], ["b8c6", "g8f6"], ["a2a3", "a2a3"]];
        moves.map(|pair| {
            (0..=100_u8, prop::sample::select(pair.to_vec()), prop::option::of(0..=100_u8))
                .prop_map(|(white, best, played)| (f32::from(white), best, played.map(f32::from)))
        })
    }

    proptest! {
        #[test]
        fn marks_agree_with_the_curve(script in scripts()) {
            // No move is marked that the curve does not show, and the curve hides no loss worth a mark.
            let review = reviewed(script);
            for (ply, pair) in review.points().windows(2).enumerate() {
                let drop = loss(pair[0].white_percent, pair[1].white_percent, review.mover(ply));
                let lost = pair[0].loss.unwrap();
                prop_assert!(lost <= drop + 1e-6, "{drop} at {ply}: {lost}");
                prop_assert!(drop < lost + ReviewScale::CALIBRATED.limits[0], "{drop} at {ply}: {lost}");
                let share: f32 = pair[0].white_wdl.iter().sum();
                prop_assert!((share - 1.0).abs() < 1e-5);
                let white = f64::from(pair[0].white_wdl[0]) * 100.0;
                prop_assert!((white - pair[0].white_percent).abs() < 0.01);
            }
        }

        #[test]
        fn a_game_of_best_moves_is_perfect(mut script in scripts()) {
            for ((_, best, _), played) in script.iter_mut().zip(PLAYED) {
                *best = played;
            }
            let review = reviewed(script);
            for side in Color::ALL {
                let summary = review.summary(side);
                prop_assert!((summary.accuracy.unwrap() - 100.0).abs() < 1e-9, "{summary:?}");
                prop_assert_eq!(summary.mean_loss, Some(0.0));
            }
        }

        #[test]
        fn the_same_game_with_colours_swapped_has_the_same_review(script in scripts()) {
            let review = reviewed(script);
            let game = colour_flipped(&review.game);
            let flipped = finished(GameReview::new(game, 1, review.scale), &mut Flipped(Script(script.to_vec())));
            for (one, other) in review.points().iter().zip(flipped.points()) {
                prop_assert!((one.white_percent + other.white_percent - 100.0).abs() < 1e-3);
                prop_assert_eq!(one.judgement, other.judgement);
                let [one, other] = [one, other].map(|point| point.loss.unwrap_or_default());
                prop_assert!((one - other).abs() < 1e-3, "{one} and {other}");
            }
            for side in Color::ALL {
                let [one, other] = [review.summary(side), flipped.summary(!side)];
                prop_assert!((one.accuracy.unwrap() - other.accuracy.unwrap()).abs() < 1e-2);
            }
        }
    }
}
