//! The law suite of searches: a sound double passes, unsound ones are refused.

use chess::{
    Decision, Evaluation, EvaluationRequest, Evaluator, Game, Limits, Move, PrincipalVariation, RootMove,
    Score, Search, SearchError, SearchInfo, SearchOptions, StopSignal, Tunable, TunableKind, Value, Wdl,
    laws::{
        self, HashedEvaluator,
        search::{Symmetry, sees_sides_alike},
    },
};

/// Plays the first move it may and calls everything a draw. `fault` breaks one law.
struct FirstMove {
    fault: Fault,
    runs: u64,
}

#[derive(Clone, Copy, PartialEq)]
enum Fault {
    None,
    IgnoresSearchMoves,
    KeepsReportToItself,
    LosesVisits,
    Moody,
    StopsByItself,
    PlaysOn,
    RepeatsItself,
    CountsForWhite,
}

impl Search for FirstMove {
    fn describe(&self) -> String {
        "first move".into()
    }

    fn new_game(&mut self) {
        self.runs = 0;
    }

    fn run(
        &mut self,
        game: &Game,
        limits: &Limits,
        stop: &StopSignal,
        report: &mut dyn FnMut(&SearchInfo),
    ) -> Result<Decision, SearchError> {
        let legal = game.legal_moves();
        let wanted = |candidate: &Move| {
            self.fault == Fault::IgnoresSearchMoves
                || limits.search_moves.is_empty()
                || limits.search_moves.contains(candidate)
        };
        let Some(best) = legal.iter().copied().find(wanted) else {
            if self.fault == Fault::PlaysOn {
                return Err(SearchError::Evaluator(chess::EvaluatorError {
                    evaluator: String::new(),
                    batch: 1,
                    reason: String::new(),
                }));
            }
            return Err(SearchError::NoLegalMove { fen: game.fen() });
        };
        while limits.infinite && !stop.is_stopped() && self.fault != Fault::StopsByItself {
            std::thread::yield_now();
        }
        self.runs += 1;
        let nodes = limits.nodes.unwrap_or(1) + if self.fault == Fault::Moody { self.runs } else { 0 };
        let visits = if self.fault == Fault::LosesVisits { nodes / 2 } else { nodes };
        let wdl = if self.fault == Fault::CountsForWhite { Wdl::WIN } else { Wdl::DRAW };
        let root_move = RootMove { visits, wdl: Some(wdl), ..RootMove::unvisited(best, 1.0) };
        let line = PrincipalVariation { moves: vec![best], score: Score::Centipawns(0), wdl };
        let info = SearchInfo {
            depth: 1,
            selective_depth: 1,
            nodes,
            variations: vec![line],
            root_moves: vec![root_move; if self.fault == Fault::RepeatsItself { 2 } else { 1 }],
            ..SearchInfo::default()
        };
        if self.fault != Fault::KeepsReportToItself {
            report(&info);
        }
        if self.fault == Fault::Moody {
            self.runs += 1;
        }
        Ok(Decision { best, ponder: None, info })
    }
}

fn check(fault: Fault) {
    let mut games = laws::sample_games(9, 12);
    games.push(Game::from_fen("k7/8/1Q6/8/8/8/8/K7 b - - 0 1", chess::CastlingMode::Standard).unwrap());
    // A search that keeps a mood from one instance to the next is not deterministic.
    let mut made = 0;
    laws::search::check(
        &mut |_| {
            made += u64::from(fault == Fault::Moody);
            Box::new(FirstMove { fault, runs: made })
        },
        &SearchOptions::default(),
        &games,
    );
}

#[test]
fn a_sound_search_obeys_the_laws() {
    check(Fault::None);
}

#[test]
#[should_panic(expected = "law 1 (search_moves")]
fn refused_when_it_ignores_search_moves() {
    check(Fault::IgnoresSearchMoves);
}

#[test]
#[should_panic(expected = "law 4 (final report)")]
fn refused_without_a_final_report() {
    check(Fault::KeepsReportToItself);
}

#[test]
#[should_panic(expected = "law 3 (visits 30 add up to the nodes")]
fn refused_when_visits_are_lost() {
    check(Fault::LosesVisits);
}

#[test]
#[should_panic(expected = "law 3 (deterministic)")]
fn refused_when_not_deterministic() {
    check(Fault::Moody);
}

#[test]
#[should_panic(expected = "law 2 (infinite ends only when stopped)")]
fn refused_when_infinite_ends_by_itself() {
    check(Fault::StopsByItself);
}

#[test]
#[should_panic(expected = "a finished game has no move")]
fn refused_when_a_finished_game_is_searched() {
    check(Fault::PlaysOn);
}

#[test]
#[should_panic(expected = "law 5 (root moves)")]
fn refused_when_a_root_move_is_listed_twice() {
    check(Fault::RepeatsItself);
}

#[test]
#[should_panic(expected = "law 6 (options)")]
fn refused_when_options_are_ignored() {
    let depth =
        Tunable { name: "Depth", help: "", kind: TunableKind::Integer { default: 1, min: 1, max: 9 } };
    let mut changed = SearchOptions::default();
    changed.set(&depth, Value::Integer(2));
    laws::search::check_options(
        &mut |options| {
            let fault = if options == &changed { Fault::LosesVisits } else { Fault::None };
            Box::new(FirstMove { fault, runs: 0 })
        },
        [&SearchOptions::default(), &changed],
        &laws::sample_games(9, 2),
    );
}

#[test]
#[should_panic(expected = "law 7 (a queen more)")]
fn refused_when_values_are_not_those_of_the_side_to_move() {
    let make = &mut |_: &SearchOptions| -> Box<dyn Search> {
        Box::new(FirstMove { fault: Fault::CountsForWhite, runs: 0 })
    };
    laws::search::check_sides(make, &SearchOptions::default());
}

/// Values each move by the position after it, with an evaluator that sees both sides alike.
#[derive(Clone, Copy)]
enum OnePly {
    Sound,
    /// Of the moves whose values agree in tenths, it takes the generator's first.
    Coarse,
    /// Plays for White, whoever is to move.
    PlaysForWhite,
    /// Plays well, and reports White's value.
    ReportsWhitesValue,
}

impl Search for OnePly {
    fn describe(&self) -> String {
        "one half-move".into()
    }

    fn run(
        &mut self,
        game: &Game,
        limits: &Limits,
        _stop: &StopSignal,
        report: &mut dyn FnMut(&SearchInfo),
    ) -> Result<Decision, SearchError> {
        let white = game.turn().is_white();
        let value = |chess_move: Move| {
            let after = game.after(chess_move);
            let legal_moves = after.legal_moves();
            let request = EvaluationRequest { game: &after, legal_moves: &legal_moves };
            let Evaluation { wdl, .. } = HashedEvaluator.evaluate(&[request]).unwrap().remove(0);
            if matches!(self, Self::PlaysForWhite) { wdl.for_white(after.turn()) } else { wdl.flipped() }
        };
        let wanted =
            |candidate: &Move| limits.search_moves.is_empty() || limits.search_moves.contains(candidate);
        let moves = game.legal_moves().into_iter().filter(wanted);
        let mut valued: Vec<(Move, Wdl)> = moves.map(|chess_move| (chess_move, value(chess_move))).collect();
        let rank = |wdl: Wdl| {
            let score = wdl.expected_score();
            if matches!(self, Self::Coarse) { (10.0 * score).round() } else { score }
        };
        valued.sort_by(|one, other| rank(other.1).total_cmp(&rank(one.1)));
        let shown =
            |wdl: Wdl| if matches!(self, Self::ReportsWhitesValue) && !white { wdl.flipped() } else { wdl };
        let found = |&(chess_move, wdl): &(Move, Wdl)| RootMove {
            visits: 1,
            wdl: Some(shown(wdl)),
            ..RootMove::unvisited(chess_move, 1.0)
        };
        let (best, wdl) = valued[0];
        let line = PrincipalVariation { moves: vec![best], score: Score::Centipawns(0), wdl: shown(wdl) };
        let info = SearchInfo {
            nodes: valued.len() as u64,
            variations: vec![line],
            root_moves: valued.iter().map(found).collect(),
            ..SearchInfo::default()
        };
        report(&info);
        Ok(Decision { best, ponder: None, info })
    }
}

fn check_sides_alike(search: OnePly, symmetry: Symmetry) {
    let make = &mut |_: &SearchOptions| -> Box<dyn Search> { Box::new(search) };
    let (options, games) = (SearchOptions::default(), laws::sample_games(9, 60));
    sees_sides_alike(make, &options, &Limits::default(), symmetry, &games);
}

#[test]
fn a_search_that_sees_sides_alike_but_for_ties_obeys_the_law() {
    check_sides_alike(OnePly::Sound, Symmetry::Exact);
    check_sides_alike(OnePly::Sound, Symmetry::UpToTies(0.0));
    check_sides_alike(OnePly::Coarse, Symmetry::UpToOrder);
    check_sides_alike(OnePly::Coarse, Symmetry::UpToTies(0.1));
}

#[test]
#[should_panic(expected = "law 8")]
fn refused_when_ties_depend_on_the_side_and_none_are_claimed() {
    check_sides_alike(OnePly::Coarse, Symmetry::Exact);
}

#[test]
#[should_panic(expected = "law 8 (best move)")]
fn refused_when_it_plays_for_white() {
    check_sides_alike(OnePly::PlaysForWhite, Symmetry::Exact);
}

#[test]
#[should_panic(expected = "law 8 (root moves)")]
fn refused_when_it_plays_for_white_whatever_the_order() {
    check_sides_alike(OnePly::PlaysForWhite, Symmetry::UpToOrder);
}

#[test]
#[should_panic(expected = "law 8 (best value)")]
fn refused_when_it_plays_for_white_whatever_the_ties() {
    check_sides_alike(OnePly::PlaysForWhite, Symmetry::UpToTies(0.1));
}

#[test]
#[should_panic(expected = "law 8 (root moves)")]
fn refused_when_it_reports_the_values_of_white() {
    check_sides_alike(OnePly::ReportsWhitesValue, Symmetry::Exact);
}

#[test]
#[should_panic(expected = "law 8 (best value)")]
fn refused_when_it_reports_the_values_of_white_whatever_the_ties() {
    check_sides_alike(OnePly::ReportsWhitesValue, Symmetry::UpToTies(0.1));
}
