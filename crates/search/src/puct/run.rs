//! One search from its first visit to its decision.
//!
//! ```text
//! alone            until the root has edges             nothing to share before, and hints and noise change the root's edges
//! alone            hints, noise, plan, mates in one     `prepare_root`
//! with helpers     until a limit or a full tree         `search_until_full`
//!   alone          prune the tree                       then helpers again
//! alone            the root's own priors again, decision, report
//! ```
//!
//! Whatever reorders edges, frees nodes or promotes a root needs the tree for itself ("what threads may rely on", in `tree`), so
//! it runs in a stretch without helpers. The scope of `search_until_full` ends them: after it, all their writes are visible
//! here and their stocks of memory are back in the pool.

use std::{thread, time::Duration};

use chess::{Decision, EvaluatorError, Heads, Position, PrincipalVariation, RootMove, SearchInfo, Wdl};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{
    branches::branches,
    choice::{choose, fresh_alternative, put_first},
    control::{Control, Verdict},
    gumbel::HalvingPlan,
    noise,
    numbers::{REPORT_CHANGES_EVERY, STOP_WAIT, VISIT_WAIT},
    playouts::{self, Feed, Playouts},
    priors::{edges, set_at_root},
    ranking, root,
    shared::{Parts, Shared, Statistics},
    tree::{Edge, ROOT, State},
};
use crate::{
    cache::evaluation_key, evaluate::evaluate_one, hints::HintContext, moves::played, packed::PackedMove,
    score::score_of,
};

/// The last report, to detect changes.
#[derive(Clone, Copy, PartialEq, Eq)]
struct RootSummary {
    depth: u32,
    best: Option<usize>,
}

/// A search in progress, seen by its main thread, which makes playouts like the others and decides when to end.
pub(crate) struct PuctRun<'a> {
    shared: &'a Shared<'a>,
    parts: Parts<'a>,
    control: Control<'a>,
    playouts: Box<dyn Playouts + 'a>,
    random: &'a mut Xoshiro256PlusPlus,
    /// Time of the last look for news; time and content of the last report.
    looked: Duration,
    reported: (Duration, RootSummary),
    /// The root's edges before noise; empty without noise.
    quiet_edges: Vec<Edge>,
}

impl<'a> PuctRun<'a> {
    pub(crate) fn new(
        shared: &'a Shared<'a>,
        control: Control<'a>,
        random: &'a mut Xoshiro256PlusPlus,
    ) -> Self {
        Self {
            shared,
            parts: shared.parts,
            control,
            playouts: playouts::new(shared),
            random,
            looked: Duration::ZERO,
            reported: (Duration::ZERO, RootSummary { depth: 0, best: None }),
            quiet_edges: Vec::new(),
        }
    }

    /// Searches until the limits are reached, then decides.
    pub(crate) fn run(mut self, report: &mut dyn FnMut(&SearchInfo)) -> Result<Decision, EvaluatorError> {
        // Alone until the root is open: there is nothing to share before.
        let goes_on = self.search_while(&|run| !run.is_root_open(), report)?;
        if !goes_on && !self.is_root_open() && self.answers_at_once() {
            self.shared.set_limit(1);
            self.playouts.batch()?;
        }
        if goes_on {
            self.prepare_root()?;
            while self.search_until_full(report)? {
                if !self.parts.tree.prune() {
                    self.control.expect_no_growth();
                }
            }
        }
        if !self.quiet_edges.is_empty() {
            set_at_root(self.parts.tree, self.parts.game.turn(), &self.quiet_edges);
        }
        let decision = self.decide();
        self.playouts.rest();
        report(&decision.info);
        Ok(decision)
    }

    /// True once the root was evaluated and has edges.
    fn is_root_open(&self) -> bool {
        self.parts.tree.node(ROOT).edge_count > 0
    }

    /// True for an evaluator that takes microseconds: a search that is stopped before its first visit still requests its policy at
    /// the root, and would otherwise play any legal move.
    fn answers_at_once(&self) -> bool {
        self.control.node_limit() > 0
            && Feed::of(self.parts.evaluator, &self.parts.settings.puct) == Feed::Positions
    }

    /// Searches with all threads until the limits are reached (false) or the tree needs room (true).
    fn search_until_full(&mut self, report: &mut dyn FnMut(&SearchInfo)) -> Result<bool, EvaluatorError> {
        let shared = self.shared;
        shared.resume();
        thread::scope(|scope| {
            // New threads for each stretch: they start in some tens of microseconds, and a stretch ends only with the search or
            // with a full tree. Threads that sleep in between would need a handshake for what the end of the scope gives for
            // nothing.
            for _ in 1..shared.threads {
                scope.spawn(|| playouts::help(shared));
            }
            // Also if the main thread panics: the scope waits for its threads.
            let _finish = FinishOnDrop(shared);
            self.search_while(&|run| !run.parts.tree.is_full(), report)
        })
    }

    /// Searches until the limits are reached (false) or `wanted` no longer holds (true).
    fn search_while(
        &mut self,
        wanted: &dyn Fn(&Self) -> bool,
        report: &mut dyn FnMut(&SearchInfo),
    ) -> Result<bool, EvaluatorError> {
        loop {
            if let Some(error) = self.shared.take_failure() {
                return Err(error);
            }
            match self.control.verdict(self.parts.tree, &self.shared.statistics()) {
                Verdict::Finish => return Ok(false),
                // The tree is solved or the limit reached, but the protocol forbids an answer before `stop` (`go infinite`,
                // pondering): helpers idle on a limit of zero.
                Verdict::Wait => {
                    self.shared.set_limit(0);
                    thread::sleep(STOP_WAIT);
                }
                Verdict::Continue if !wanted(self) => return Ok(true),
                Verdict::Continue => {
                    self.shared.set_limit(self.control.node_limit());
                    if self.playouts.batch()? == 0 && self.shared.threads > 1 {
                        thread::sleep(VISIT_WAIT);
                    }
                    self.report_news(report);
                }
            }
        }
    }

    /// Hints for a root that an earlier search opened as an ordinary node, noise if it is wanted, and a search for mates in
    /// one, which no prior should be able to hide.
    fn prepare_root(&mut self) -> Result<(), EvaluatorError> {
        if self.shared.root_priors.get().is_none() {
            self.hint_reused_root()?;
        }
        if self.parts.settings.noise.epsilon > 0.0 {
            let turn = self.parts.game.turn();
            self.quiet_edges = noise::add(self.parts.tree, turn, &self.parts.settings.noise, self.random);
        }
        if self.parts.settings.gumbel.moves > 0 {
            let (options, visits) = (&self.parts.settings.gumbel, self.control.largest_visits());
            let plan = HalvingPlan::draw(self.parts.tree, options, visits, self.random);
            let _ = self.shared.plan.set(plan);
        }
        if self.parts.tree.node(ROOT).state != State::Won
            && let Some(edge) = self.untried_mate()
        {
            // Moved to the front of the moves without a child, where the next child is created.
            let mut edges = self.parts.tree.edges(ROOT);
            let tried = tried(&edges);
            edges[tried..=edge].rotate_right(1);
            self.parts.tree.set_edges(ROOT, &edges);
            self.playouts.visit_final_move(tried);
        }
        Ok(())
    }

    /// Gives the root of an earlier search's tree the priors that a new root would have.
    fn hint_reused_root(&self) -> Result<(), EvaluatorError> {
        let Parts { game, candidates, cache, evaluator, hints, tree, .. } = self.parts;
        let remembered = cache.get(evaluation_key(game, self.shared.history), candidates.len());
        let mut evaluation = if let Some(remembered) = remembered {
            remembered.recall()
        } else {
            self.shared.count(&Statistics { evaluations: 1, ..Statistics::default() });
            evaluate_one(evaluator, game, candidates)?
        };
        self.shared.keep_root_priors(candidates, &evaluation.priors);
        let place = HintContext { position: game.position(), moves: candidates, depth: 0 };
        hints.apply(&place, &mut evaluation.priors);
        set_at_root(tree, game.turn(), &edges(candidates, &evaluation.priors, game.turn()));
        Ok(())
    }

    fn untried_mate(&self) -> Option<usize> {
        let edges = self.parts.tree.edges(ROOT);
        (tried(&edges)..edges.len()).find(|&edge| {
            let position = self.parts.game.position();
            let chess_move = edges[edge].chess_move.unpack(position);
            chess_move.is_some_and(|chess_move| played(position, chess_move).is_checkmate())
        })
    }

    fn report_news(&mut self, report: &mut dyn FnMut(&SearchInfo)) {
        let (last, headline) = self.reported;
        let now = self.control.time().elapsed();
        if now.saturating_sub(self.looked) < REPORT_CHANGES_EVERY || !self.is_root_open() {
            return;
        }
        self.looked = now;
        let news = RootSummary { depth: self.depth(), best: ranking::best(self.parts.tree, ROOT) };
        let silence = Duration::from_millis(self.parts.settings.general.report_interval);
        if news != headline || now.saturating_sub(last) >= silence {
            self.reported = (now, news);
            report(&self.info());
        }
    }

    /// The average depth of the leaves visited, at least 1.
    fn depth(&self) -> u32 {
        let statistics = self.shared.statistics();
        (statistics.depth_sum / statistics.visits.max(1)).max(1) as u32
    }

    fn info(&self) -> SearchInfo {
        let tree = self.parts.tree;
        let statistics = self.shared.statistics();
        let settings = self.parts.settings;
        let listed = usize::try_from(settings.puct.branches).unwrap_or(usize::MAX);
        let mut variations = root::variations(tree, self.parts.game, settings.general.lines());
        if variations.is_empty() {
            // Stopped before the first visit: nothing is known, so report a level score.
            let moves = vec![self.parts.candidates[0]];
            variations.push(PrincipalVariation { moves, score: score_of(Wdl::DRAW), wdl: Wdl::DRAW });
        }
        let mut root_moves =
            root::moves(tree, self.parts.game, self.shared.formula(), self.evaluator_priors());
        if root_moves.is_empty() {
            root_moves = self.unvisited_moves();
        }
        SearchInfo {
            depth: self.depth(),
            selective_depth: statistics.max_depth.max(1),
            nodes: statistics.visits,
            evaluations: statistics.evaluations,
            cache_hits: statistics.cache_hits,
            table_hits: statistics.table_hits,
            elapsed: self.control.time().elapsed(),
            hash_full: tree.fill(),
            variations,
            root_moves,
            branches: branches(tree, self.parts.game, listed),
            heads: Heads::BOTH,
        }
    }

    fn decide(&mut self) -> Decision {
        let mut info = self.info();
        let tree = self.parts.tree;
        let mut chosen = 0;
        if let Some(plan) = self.shared.plan.get() {
            put_first(&mut info, plan.decide(tree));
        } else {
            let temperature = &self.parts.settings.temperature;
            chosen = choose(tree, &info.root_moves, temperature, self.parts.game, self.random);
            // Another move than the favourite was drawn by chance, and is played even if it repeats. An analysis names the best move.
            if chosen == 0
                && !self.control.time().waits_for_stop()
                && let Some(fresh) = fresh_alternative(self.parts.game, &info.root_moves)
            {
                put_first(&mut info, fresh);
            }
        }
        let chosen = &info.root_moves[chosen];
        Decision { best: chosen.chess_move, ponder: chosen.variation.get(1).copied(), info }
    }

    /// The evaluator's own priors of the candidates; none if the search ended before they were requested.
    fn evaluator_priors(&self) -> &[(PackedMove, f32)] {
        self.shared.root_priors.get().map_or(&[], Vec::as_slice)
    }

    fn unvisited_moves(&self) -> Vec<RootMove> {
        let candidates = self.parts.candidates;
        let prior = 1.0 / candidates.len() as f32;
        candidates.iter().map(|&chess_move| RootMove::unvisited(chess_move, prior)).collect()
    }
}

/// Edges at the front that have a child.
fn tried(edges: &[Edge]) -> usize {
    edges.iter().take_while(|edge| edge.child.is_some()).count()
}

/// Ends the helpers' work when it is dropped.
struct FinishOnDrop<'a>(&'a Shared<'a>);

impl Drop for FinishOnDrop<'_> {
    fn drop(&mut self) {
        self.0.finish();
    }
}
