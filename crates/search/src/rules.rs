//! Rules of play that hold whatever the search: a mate at once, and variety in the opening.

use chess::{
    Decision, Game, Limits, Position as _, RootMove, Score, Search, SearchError, SearchInfo, SearchOptions,
    StopSignal, Wdl,
};

use crate::{
    candidates::candidates,
    findings::{self, Counts},
    moves::mating_move,
    seeded_random::SeededRandom,
    tunables::tunables,
    variety::draw_rank,
};

tunables! {
    /// Which rules hold.
    RuleOptions

    "MateFirst" mate_first: bool = false in false, true;
    "Plays a move that mates at once without any search."

    "OpeningVariety" opening_variety: bool = false in false, true;
    "Plays the best move in 65, the second in 20, the third in 10 and the fourth in 5 %: to own move 7, 5 and 3; mates always."
}

/// A search under rules of play. Without any that is on, it decides as the search itself does.
pub(crate) struct RuledSearch {
    inner: Box<dyn Search>,
    rules: RuleOptions,
    random: SeededRandom,
}

impl RuledSearch {
    /// `inner` under the rules that the options switch on.
    pub(crate) fn new(inner: Box<dyn Search>, options: &SearchOptions) -> Self {
        Self { inner, rules: RuleOptions::read(options), random: SeededRandom::new(options) }
    }

    /// What there is to say about a move that mates, if there is one.
    fn mate(&self, game: &Game, limits: &Limits) -> Option<SearchInfo> {
        let moves = candidates(game, limits).ok()?;
        let place = mating_move(game.position(), &moves)?;
        let known = RootMove {
            visits: 1,
            wdl: Some(Wdl::WIN),
            score: Some(Score::Mate(1)),
            ..RootMove::unvisited(moves[place], 1.0)
        };
        let others = moves.iter().filter(|&&other| other != moves[place]);
        let root_moves = std::iter::once(known).chain(others.map(|&other| RootMove::unvisited(other, 0.0)));
        let counts = Counts { depth: 1, nodes: 1, ..Counts::default() };
        Some(findings::info(root_moves.collect(), counts, self.random.general()))
    }

    /// Another of the ranked moves, by the table of the opening.
    fn vary(&mut self, game: &Game, mut decision: Decision) -> Decision {
        let ranked = &decision.info.root_moves;
        let mates = matches!(ranked[0].score, Some(Score::Mate(moves)) if moves > 0);
        if !mates {
            let own_move = game.position().fullmoves().get();
            let chosen = &ranked[draw_rank(own_move, ranked.len(), self.random.generator())];
            (decision.best, decision.ponder) = (chosen.chess_move, chosen.variation.get(1).copied());
        }
        decision
    }
}

impl Search for RuledSearch {
    fn describe(&self) -> String {
        self.inner.describe()
    }

    fn new_game(&mut self) {
        self.inner.new_game();
        self.random.new_game();
    }

    fn reseed(&mut self, seed: u64) {
        self.inner.reseed(seed);
        self.random.reseed(seed);
    }

    fn set_options(&mut self, options: &SearchOptions) {
        self.inner.set_options(options);
        self.random.set_options(options);
        self.rules = RuleOptions::read(options);
    }

    fn run(
        &mut self,
        game: &Game,
        limits: &Limits,
        stop: &StopSignal,
        report: &mut dyn FnMut(&SearchInfo),
    ) -> Result<Decision, SearchError> {
        // An analysis is to be as long as was asked for.
        let plays = !limits.infinite && !limits.ponder;
        if plays
            && self.rules.mate_first
            && let Some(info) = self.mate(game, limits)
        {
            return Ok(findings::decide(info, 0, report));
        }
        let decision = self.inner.run(game, limits, stop, report)?;
        Ok(if plays && self.rules.opening_variety { self.vary(game, decision) } else { decision })
    }
}
