//! One search from its first visit to its decision.

use std::time::Duration;

use chess::{Decision, EvaluatorError, Game, Position, PrincipalVariation, RootMove, SearchInfo, Wdl};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{
    control::{Control, Verdict},
    evaluate::under_temperature,
    noise,
    packed::PackedMove,
    playouts::Playouts,
    root, temperature,
    tree::{Edge, ROOT, State},
};
use crate::{PuctOptions, score::score_of};

// Something new is reported at most this often; anything at all at least every `PuctOptions::report_interval`.
const REPORT_CHANGES_EVERY: Duration = Duration::from_millis(50);
// How long to sleep between looks at the stop signal when there is nothing left to search.
const WAIT: Duration = Duration::from_millis(1);

/// What was last reported, to tell what is news.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Headline {
    depth: u32,
    best: Option<usize>,
}

/// A search in progress.
pub(crate) struct Session<'a> {
    game: &'a Game,
    options: &'a PuctOptions,
    control: Control<'a>,
    playouts: Playouts<'a>,
    random: &'a mut Xoshiro256PlusPlus,
    /// When news was last looked for, when something was last reported, and what.
    looked: Duration,
    reported: (Duration, Headline),
    /// The root's edges before noise; empty without noise.
    quiet_edges: Vec<Edge>,
}

impl<'a> Session<'a> {
    pub(crate) fn new(
        game: &'a Game,
        options: &'a PuctOptions,
        control: Control<'a>,
        playouts: Playouts<'a>,
        random: &'a mut Xoshiro256PlusPlus,
    ) -> Self {
        let reported = (Duration::ZERO, Headline { depth: 0, best: None });
        let looked = Duration::ZERO;
        Self { game, options, control, playouts, random, looked, reported, quiet_edges: Vec::new() }
    }

    /// Searches until the limits are reached, then decides.
    pub(crate) fn run(mut self, report: &mut dyn FnMut(&SearchInfo)) -> Result<Decision, EvaluatorError> {
        let mut root_prepared = false;
        loop {
            match self.control.verdict(self.playouts.tree, &self.playouts.statistics) {
                Verdict::Finish => break,
                Verdict::Wait => std::thread::sleep(WAIT),
                Verdict::Continue if !root_prepared && self.playouts.tree.node(ROOT).edge_count > 0 => {
                    root_prepared = true;
                    self.prepare_root();
                }
                Verdict::Continue => {
                    let visits_left = self.control.visits_left(self.playouts.statistics.visits);
                    self.playouts.batch(visits_left)?;
                    self.report_news(report);
                }
            }
        }
        if !self.quiet_edges.is_empty() {
            noise::set_priors(self.playouts.tree, self.game.turn(), &self.quiet_edges);
        }
        let decision = self.decide();
        report(&decision.info);
        Ok(decision)
    }

    /// Noise where it is wanted, and a look for mates in one, which no prior should be able to hide.
    fn prepare_root(&mut self) {
        if self.options.noise_epsilon > 0.0 {
            let turn = self.game.turn();
            self.quiet_edges = noise::add(self.playouts.tree, turn, self.options, self.random);
        }
        if self.playouts.tree.node(ROOT).state != State::Won
            && let Some(edge) = self.untried_mate()
        {
            // Moved to the front of the moves without a child, where the next child is created.
            let tried = usize::from(self.playouts.tree.node(ROOT).child_count);
            self.playouts.tree.edges_mut(ROOT)[tried..=edge].rotate_right(1);
            self.playouts.visit_final_move(tried);
        }
    }

    fn untried_mate(&self) -> Option<usize> {
        let tree = &*self.playouts.tree;
        let tried = usize::from(tree.node(ROOT).child_count);
        let edges = tree.edges(ROOT);
        (tried..edges.len()).find(|&edge| {
            let mut position = self.game.position().clone();
            edges[edge].chess_move.unpack(&position).is_some_and(|chess_move| {
                position.play_unchecked(chess_move);
                position.is_checkmate()
            })
        })
    }

    fn report_news(&mut self, report: &mut dyn FnMut(&SearchInfo)) {
        let (last, headline) = self.reported;
        let now = self.control.elapsed();
        if now.saturating_sub(self.looked) < REPORT_CHANGES_EVERY
            || self.playouts.tree.node(ROOT).edge_count == 0
        {
            return;
        }
        self.looked = now;
        let news = Headline { depth: self.depth(), best: root::best(self.playouts.tree, ROOT) };
        if news != headline || now.saturating_sub(last) >= Duration::from_millis(self.options.report_interval)
        {
            self.reported = (now, news);
            report(&self.info());
        }
    }

    /// The average depth of the leaves visited, at least 1.
    fn depth(&self) -> u32 {
        let statistics = &self.playouts.statistics;
        (statistics.depth_sum / statistics.visits.max(1)).max(1) as u32
    }

    fn info(&self) -> SearchInfo {
        let tree = &*self.playouts.tree;
        let statistics = &self.playouts.statistics;
        let lines = usize::try_from(self.options.multi_pv).unwrap_or(usize::MAX);
        let mut variations = root::variations(tree, self.game, lines);
        if variations.is_empty() {
            // Stopped before the first visit: nothing is known, which a level score says best.
            let moves = vec![self.playouts.candidates[0]];
            variations.push(PrincipalVariation { moves, score: score_of(Wdl::DRAW), wdl: Wdl::DRAW });
        }
        let mut root_moves = root::moves(tree, self.game, self.options, &self.evaluator_priors());
        if root_moves.is_empty() {
            root_moves = self.unvisited_moves();
        }
        SearchInfo {
            depth: self.depth(),
            selective_depth: statistics.max_depth.max(1),
            nodes: statistics.visits,
            evaluations: statistics.evaluations,
            cache_hits: 0,
            table_hits: 0,
            elapsed: self.control.elapsed(),
            hash_full: tree.fill(),
            variations,
            root_moves,
        }
    }

    fn decide(&mut self) -> Decision {
        let info = self.info();
        let tree = &*self.playouts.tree;
        let chosen = temperature::choose(tree, &info.root_moves, self.options, self.game, self.random);
        let chosen = &info.root_moves[chosen];
        Decision { best: chosen.chess_move, ponder: chosen.variation.get(1).copied(), info }
    }

    /// The evaluator's own priors: as it gave them or, for a root evaluated by an earlier search, with the policy
    /// temperature undone.
    fn evaluator_priors(&self) -> Vec<(PackedMove, f32)> {
        if !self.playouts.root_priors.is_empty() {
            return self.playouts.root_priors.clone();
        }
        let edges = self.playouts.tree.edges(ROOT);
        let tempered: Vec<f32> = edges.iter().map(|edge| edge.prior.get()).collect();
        let priors = under_temperature(&tempered, self.options.policy_temperature);
        edges.iter().map(|edge| edge.chess_move).zip(priors).collect()
    }

    fn unvisited_moves(&self) -> Vec<RootMove> {
        let candidates = self.playouts.candidates;
        let prior = 1.0 / candidates.len() as f32;
        candidates.iter().map(|&chess_move| RootMove::unvisited(chess_move, prior)).collect()
    }
}
