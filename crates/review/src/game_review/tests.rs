use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use chess::{
    Decision, Limits, Move, PrincipalVariation, RootMove, Score, SearchInfo, Wdl, laws::colour_flipped,
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
        let value = |white| value_of(game, white);
        let best = parse_uci_move(game.position(), best).unwrap();
        let played_here = PLAYED.get(game.ply()).map(|uci| parse_uci_move(game.position(), uci).unwrap());
        let roots = game.legal_moves().into_iter().map(|one| {
            let seen = played.filter(|_| Some(one) == played_here);
            let wdl = if one == best { Some(white) } else { seen }.map(value);
            RootMove { visits: if wdl.is_some() { 100 } else { 1 }, wdl, ..RootMove::unvisited(one, 0.05) }
        });
        Ok(decision(best, roots.collect(), value(white)))
    }
}

/// The value for the side to move where White's win percentage is `white`.
fn value_of(game: &Game, white: f32) -> Wdl {
    let win = game.turn().fold_wb(white, 100.0 - white) / 100.0;
    Wdl { win, draw: 0.0, loss: 1.0 - win }
}

fn decision(best: Move, root_moves: Vec<RootMove>, wdl: Wdl) -> Decision {
    let variations = vec![PrincipalVariation { moves: vec![best], score: Score::Centipawns(0), wdl }];
    Decision { best, ponder: None, info: SearchInfo { root_moves, variations, ..SearchInfo::default() } }
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
    assert!(review.run(&mut [search], &StopSignal::default(), &mut |_| ()).unwrap());
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

/// A game of 33 positions, none of which comes twice.
fn long_game() -> Game {
    let white = "a2a3 b2b3 c2c3 d2d3 e2e3 f2f3 g2g3 h2h3 a3a4 b3b4 c3c4 d3d4 e3e4 f3f4 g3g4 h3h4".split(' ');
    let mut game = Game::default();
    for (white, black) in white.zip(["g8f6", "f6g8"].into_iter().cycle()) {
        game.play_uci(white).unwrap();
        game.play_uci(black).unwrap();
    }
    game
}

/// Its results depend on the searches since the last new game, as those of a search that keeps its tree. After every twelfth
/// half-move White seems lost.
#[derive(Default)]
struct Remembering(usize);

impl Search for Remembering {
    fn describe(&self) -> String {
        "remembering".into()
    }

    fn new_game(&mut self) {
        self.0 = 0;
    }

    fn run(
        &mut self,
        game: &Game,
        limits: &Limits,
        _: &StopSignal,
        _: &mut dyn FnMut(&SearchInfo),
    ) -> Result<Decision, SearchError> {
        self.0 += 1;
        let moves = game.legal_moves();
        let number = game.ply() + 29 * self.0 + limits.nodes.unwrap() as usize;
        let base = if game.ply() % 12 == 5 { 10 } else { 45 };
        let roots = moves.iter().map(|&one| RootMove::unvisited(one, 0.05)).collect();
        let wdl = value_of(game, (base + number % 3) as f32);
        Ok(decision(moves[number % moves.len()], roots, wdl))
    }
}

/// The long game reviewed on this number of threads.
fn reviewed_on(threads: usize, observe: &mut dyn FnMut(&GameReview)) -> GameReview {
    let mut memories: Vec<Remembering> = (0..threads).map(|_| Remembering::default()).collect();
    let mut searches: Vec<&mut dyn Search> =
        memories.iter_mut().map(|search| search as &mut dyn Search).collect();
    let mut review = GameReview::new(long_game(), 100, ReviewScale::CALIBRATED);
    assert!(review.run(&mut searches, &StopSignal::default(), observe).unwrap());
    review
}

#[test]
fn a_review_is_the_same_for_any_number_of_threads() {
    let [one, two, five] = [1, 2, 5].map(|threads| {
        let review = reviewed_on(threads, &mut |_| ());
        let summaries = Color::ALL.map(|side| review.summary(side));
        serde_json::to_string(&(review.points(), review.second_looks(), summaries)).unwrap()
    });
    assert!(one.contains("\"second_look\":true") && one.contains("\"second_look\":false"), "{one}");
    assert_eq!(two, one);
    assert_eq!(five, one);
}

#[test]
fn progress_counts_up_on_any_number_of_threads() {
    for threads in [1, 2, 5] {
        let mut seen = Vec::new();
        let review = reviewed_on(threads, &mut |review: &GameReview| {
            let second = review.points().iter().filter(|point| point.second_look).count();
            seen.push((review.points().len(), second));
        });
        let second_looks = review.second_looks().unwrap();
        assert!(seen.is_sorted(), "{seen:?}");
        assert_eq!(seen.last(), Some(&(review.positions(), second_looks)));
        assert_eq!(seen.len(), review.positions() + second_looks, "a report after each search");
    }
}

/// How the search of the first position ends the review; those of others end when they are stopped.
#[derive(Clone, Copy, PartialEq)]
enum End {
    Stop,
    Failure,
    Panic,
}

struct Ending {
    end: End,
    searches: Arc<AtomicUsize>,
}

impl Search for Ending {
    fn describe(&self) -> String {
        "ending".into()
    }

    fn new_game(&mut self) {}

    fn run(
        &mut self,
        game: &Game,
        _: &Limits,
        stop: &StopSignal,
        _: &mut dyn FnMut(&SearchInfo),
    ) -> Result<Decision, SearchError> {
        self.searches.fetch_add(1, Ordering::SeqCst);
        match self.end {
            _ if game.ply() > 0 => {
                while !stop.is_stopped() {
                    thread::yield_now();
                }
            }
            End::Stop => stop.stop(),
            End::Failure => return Err(SearchError::Open("out of order".into())),
            End::Panic => panic!("no tree"),
        }
        Ok(decision(game.legal_moves()[0], Vec::new(), Wdl::DRAW))
    }
}

#[test]
fn a_stop_an_error_and_a_panic_end_all_threads() {
    for (end, expected) in [
        (End::Stop, Ok(false)),
        (End::Failure, Err("out of order")),
        (End::Panic, Err("the search panicked: no tree")),
    ] {
        let (stop, searches) = (StopSignal::default(), Arc::new(AtomicUsize::new(0)));
        let mut endings = [0; 3].map(|_| Ending { end, searches: Arc::clone(&searches) });
        let mut threads = endings.each_mut().map(|ending| ending as &mut dyn Search);
        let mut review = GameReview::new(long_game(), 1, ReviewScale::CALIBRATED);
        let found = review.run(&mut threads, &stop, &mut |_| ()).map_err(|error| error.to_string());
        assert_eq!(found, expected.map_err(str::to_owned));
        assert!(stop.is_stopped() && searches.load(Ordering::SeqCst) <= 3);
        assert_eq!((review.points().len(), review.second_looks()), (0, None), "cut short, so not counted");
    }
}

#[test]
fn a_review_that_is_stopped_before_it_begins_searches_nothing() {
    let stop = StopSignal::default();
    stop.stop();
    let mut review = GameReview::new(long_game(), 1, ReviewScale::CALIBRATED);
    let mut search = Remembering::default();
    assert!(!review.run(&mut [&mut search], &stop, &mut |_| ()).unwrap());
    assert_eq!((search.0, review.points().len()), (0, 0));
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
