use chess::{
    Decision, Limits, PrincipalVariation, RootMove, Score, SearchInfo, Wdl, laws::colour_flipped,
    parse_uci_move,
};
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
            RootMove { visits: if wdl.is_some() { 100 } else { 1 }, wdl, ..RootMove::unvisited(one, 0.05) }
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

/// Answers a second look by a script of its own, and counts the searches of each position.
struct TwoLooks {
    first: Script,
    second: Script,
    searches: [usize; 5],
}

impl Search for TwoLooks {
    fn describe(&self) -> String {
        "two scripts".into()
    }

    fn new_game(&mut self) {}

    fn run(
        &mut self,
        game: &Game,
        limits: &Limits,
        stop: &StopSignal,
        report: &mut dyn FnMut(&SearchInfo),
    ) -> Result<Decision, SearchError> {
        self.searches[game.ply()] += 1;
        let script = if limits.nodes == Some(1) { &mut self.first } else { &mut self.second };
        script.run(game, limits, stop, report)
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
    reviewed_by(&mut Script(script.to_vec()))
}

fn reviewed_by(search: &mut dyn Search) -> GameReview {
    let mut game = Game::default();
    for uci in PLAYED {
        game.play_uci(uci).unwrap();
    }
    finished(GameReview::new(game, 1, ReviewScale::CALIBRATED), search)
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

/// The first look at the default number of visits put `??` on good moves.
#[test]
fn a_mark_of_the_first_look_is_looked_at_again() {
    // At first, 2. Nf3 seems to lose forty points, and the position at the end confirms it.
    let first = [
        (50.0, "e2e4", None),
        (50.0, "e7e5", None),
        (50.0, "b1c3", None),
        (10.0, "b8c6", None),
        (10.0, "a2a3", None),
    ];
    let same = first.map(|(_, best, played)| (10.0, best, played));
    let better = first.map(|(_, best, played)| (48.0, best, played));
    let looked_at = |second: [(f32, &'static str, Option<f32>); 5]| {
        let mut search =
            TwoLooks { first: Script(first.to_vec()), second: Script(second.to_vec()), searches: [0; 5] };
        let review = reviewed_by(&mut search);
        (shown(&review), search.searches, review)
    };
    let (values, searches, review) = looked_at(better);
    assert_eq!(values, [(50, 0), (48, 0), (48, 0), (48, 0), (48, 0)]);
    // Before the opponent's move, before and after 2. Nf3, and the position that still refutes the one before it.
    assert_eq!((searches, review.second_looks()), ([1, 2, 2, 2, 2], Some(4)));
    assert_eq!(
        review.points().iter().map(|point| point.second_look).collect::<Vec<_>>(),
        searches.map(|count| count == 2)
    );
    // A position that was lost before blames nobody.
    let (values, searches, _) = looked_at(same);
    assert_eq!(values, [(10, 0); 5]);
    assert_eq!(searches, [2, 2, 2, 2, 1]);
}

/// Arbitrary results of the searches of the four plies.
fn scripts() -> impl Strategy<Value = [(f32, &'static str, Option<f32>); 5]> {
    let moves = [["e2e4", "d2d4"], ["e7e5", "c7c5"], ["g1f3", "b1c3"], ["b8c6", "g8f6"], ["a2a3", "a2a3"]];
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
    fn no_mark_rests_on_a_first_look(first in scripts(), second in scripts()) {
        let mut search =
            TwoLooks { first: Script(first.to_vec()), second: Script(second.to_vec()), searches: [0; 5] };
        let review = reviewed_by(&mut search);
        let looked = |ply: usize| review.points()[ply].second_look;
        for (ply, point) in review.points().iter().enumerate() {
            let marked = !matches!(point.judgement, None | Some(Judgement::Fine | Judgement::Forced));
            prop_assert!(!marked || looked(ply) && looked(ply + 1), "{ply}: {:?}", review.points());
            prop_assert_eq!(search.searches[ply], 1 + usize::from(looked(ply)));
        }
        prop_assert_eq!(review.second_looks(), Some((0..5).filter(|&ply| looked(ply)).count()));
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
