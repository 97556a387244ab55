//! Monte Carlo tree search with games played out to the end: plain (UCB1 and random moves), and with priors (PUCT and
//! moves drawn from the policy).

mod tree;

use std::{sync::Arc, time::Duration};

use chess::{
    Color, Decision, EvaluationRequest, Evaluator, Game, Limits, MOST_MOVES, Move, Search, SearchError,
    SearchInfo, SearchOptions, StopSignal, Wdl,
};
use rand::RngExt as _;

use self::tree::{Node, ROOT, Tree};
use crate::{
    evaluate::{evaluate_one, values},
    general_options::SeededRandom,
    puct::PuctOptions,
    root_moves::candidates,
    search_report::{self, Counts},
    temperature::draw,
    time::{TimeManager, TimeOptions},
    tunables::tunables,
};

tunables! {
    /// Options of the searches with rollouts.
    RolloutOptions

    "RolloutPlies" rollout_plies: u64 = 60 in 0, 1000;
    "Half-moves after which a rollout ends and the evaluator judges its last position."

    "RolloutChoices" rollout_choices: u64 = 0 in 0, MOST_MOVES as u64;
    "Number of moves, in the order of the move generator, from which a policy rollout chooses; 0 for all (COGS188: 5)."

    "RolloutRandom" rollout_random: f32 = 0.0 in 0.0, 1.0;
    "Share of the moves of a policy rollout that are drawn uniformly from all legal moves (COGS188: 0.1)."

    "ExpandByPrior" expand_by_prior: bool = false in false, true;
    "In the search with policy rollouts, visit every move of a position once, in an order drawn from the priors, before the formula chooses (COGS188)."

    "FinalValue" final_value: f32 = 0.0 in 0.0, 1.0;
    "Weight of the mean result, against the share of the visits, in the final choice among moves with at least a tenth of the visits; 0 plays the most visited move (COGS188: 0.7)."
}

/// Exploration of plain Monte Carlo tree search, on a scale from 0 (loss) to 1 (win): about the square root of 2 of UCB1.
const UCB_EXPLORATION: f32 = 1.414;

/// Choice of moves, in the tree and in the rollouts from its leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guidance {
    /// UCB1 (Auer, Cesa-Bianchi, Fischer 2002; Kocsis and Szepesvari 2006) and random moves.
    Chance,
    /// PUCT and moves drawn from the evaluator's policy.
    Policy,
}

/// Tree search that values a leaf by playing the game out. A game not over after `RolloutPlies` plies has the
/// evaluator's value of its last position; a draw counts 1/2. A full tree is pruned of its least visited
/// nodes.
pub struct RolloutSearch {
    evaluator: Arc<dyn Evaluator>,
    settings: Settings,
    guidance: Guidance,
    random: SeededRandom,
    evaluations: u64,
}

struct Settings {
    puct: PuctOptions,
    rollouts: RolloutOptions,
    time: TimeOptions,
}

impl Settings {
    fn read(options: &SearchOptions) -> Self {
        Self {
            puct: PuctOptions::read(options),
            rollouts: RolloutOptions::read(options),
            time: TimeOptions::read(options),
        }
    }
}

impl RolloutSearch {
    /// A search with this guidance.
    pub fn new(evaluator: Arc<dyn Evaluator>, options: &SearchOptions, guidance: Guidance) -> Self {
        let (settings, random) = (Settings::read(options), SeededRandom::new(options));
        Self { evaluator, settings, guidance, random, evaluations: 0 }
    }

    /// One playout: down the tree, to the end of the game, and back.
    fn playout(&mut self, tree: &mut Tree, root: &Game) -> Result<(), SearchError> {
        let mut game = root.clone();
        let mut path = vec![ROOT];
        let mut node = ROOT;
        // 1. Select.
        while !tree.nodes[node].children.is_empty() {
            node = self.follow(tree, node, &mut game);
            path.push(node);
        }
        // 2. Expand a node that was visited before, and descend into it.
        if tree.nodes[node].visits > 0 && game.outcome().is_none() {
            let moves: Vec<Move> = game.legal_moves().into_iter().collect();
            let priors = self.priors(&game, &moves)?;
            tree.open(node, &moves, &priors);
            node = self.follow(tree, node, &mut game);
            path.push(node);
        }
        // 3. Play out. Nodes keep results from the view of the side that moved into them, so that a parent compares its children
        // without turning them; on the way back the view changes with every node.
        let mover_is_white = game.turn().is_black();
        let for_white = self.play_out(game)?;
        let mut result = if mover_is_white { for_white } else { for_white.flipped() };
        // 4. Back up.
        for &place in path.iter().rev() {
            let node = &mut tree.nodes[place];
            node.visits += 1;
            node.score += f64::from(result.expected_score());
            node.draws += f64::from(result.draw);
            result = result.flipped();
        }
        Ok(())
    }

    fn priors(&mut self, game: &Game, moves: &[Move]) -> Result<Vec<f32>, SearchError> {
        match self.guidance {
            Guidance::Chance => Ok(vec![1.0 / moves.len() as f32; moves.len()]),
            Guidance::Policy => self.policy(game, moves),
        }
    }

    /// Plays the move to the child that [`RolloutSearch::select`] chooses.
    fn follow(&mut self, tree: &Tree, node: usize, game: &mut Game) -> usize {
        let unvisited = self.drawn_unvisited(&tree.nodes, node);
        let child = unvisited.unwrap_or_else(|| self.select(&tree.nodes, node));
        game.play_unchecked(tree.nodes[child].chess_move.expect("only the root has none"));
        child
    }

    /// An unvisited child, drawn from the priors, if the options prefer unvisited children.
    fn drawn_unvisited(&mut self, tree: &[Node], node: usize) -> Option<usize> {
        if self.guidance == Guidance::Chance || !self.settings.rollouts.expand_by_prior {
            return None;
        }
        let unvisited: Vec<usize> =
            tree[node].children.clone().filter(|&child| tree[child].visits == 0).collect();
        // A prior of zero is still visited, after the others.
        let weights: Vec<f64> =
            unvisited.iter().map(|&child| f64::from(tree[child].prior.max(f32::MIN_POSITIVE))).collect();
        (!unvisited.is_empty()).then(|| unvisited[draw(&weights, 1.0, self.random.generator())])
    }

    /// The child to follow: an unvisited one first (UCB1), or the largest `Q + U` (PUCT with an unvisited Q of the parent).
    fn select(&self, tree: &[Node], node: usize) -> usize {
        let parent = &tree[node];
        let best = parent.children.clone().max_by(|&left, &right| {
            let bounds = [left, right].map(|child| self.bound(parent, &tree[child]));
            // The first of equal ones.
            bounds[0].total_cmp(&bounds[1]).then(right.cmp(&left))
        });
        best.expect("it was opened and the game is not over")
    }

    /// The value of a child with the term that draws the search to moves that were seldom visited.
    fn bound(&self, parent: &Node, child: &Node) -> f64 {
        match self.guidance {
            Guidance::Chance if child.visits == 0 => f64::INFINITY,
            Guidance::Chance => {
                let spread = f64::from(parent.visits.max(1)).ln() / f64::from(child.visits);
                child.mean() + f64::from(UCB_EXPLORATION) * spread.sqrt()
            }
            Guidance::Policy => {
                let constant = self.settings.puct.exploration(parent.visits);
                let scale = f64::from(constant) / 2.0 * f64::from(parent.visits.max(1)).sqrt();
                let value = if child.visits == 0 { 1.0 - parent.mean() } else { child.mean() };
                value + scale * f64::from(child.prior) / f64::from(1 + child.visits)
            }
        }
    }

    /// The result of a game played on from here, seen by White.
    fn play_out(&mut self, mut game: Game) -> Result<Wdl, SearchError> {
        for _ in 0..self.settings.rollouts.rollout_plies {
            if let Some(result) = result(&game) {
                return Ok(result);
            }
            let moves: Vec<Move> = game.legal_moves().into_iter().collect();
            let guidance = self.guidance;
            let chosen = match guidance {
                Guidance::Chance => self.random_place(&moves),
                Guidance::Policy if self.plays_at_random() => self.random_place(&moves),
                Guidance::Policy => {
                    let priors = self.policy(&game, self.choices(&moves))?;
                    let weights: Vec<f64> = priors.into_iter().map(f64::from).collect();
                    draw(&weights, 1.0, self.random.generator())
                }
            };
            game.play_unchecked(moves[chosen]);
        }
        if let Some(result) = result(&game) {
            return Ok(result);
        }
        let moves: Vec<Move> = game.legal_moves().into_iter().collect();
        self.evaluations += 1;
        let request = EvaluationRequest { game: &game, legal_moves: &moves };
        Ok(values(self.evaluator.as_ref(), &[request])?.swap_remove(0).for_white(game.turn()))
    }

    fn random_place(&mut self, moves: &[Move]) -> usize {
        self.random.generator().random_range(0..moves.len())
    }

    /// True if the next move of a policy's rollout is left to chance; no number is drawn if no move is.
    fn plays_at_random(&mut self) -> bool {
        let share = self.settings.rollouts.rollout_random;
        share > 0.0 && self.random.generator().random_range(0.0..1.0_f32) < share
    }

    /// The moves that a policy's rollout chooses from.
    fn choices<'a>(&self, moves: &'a [Move]) -> &'a [Move] {
        match self.settings.rollouts.rollout_choices as usize {
            0 => moves,
            most => &moves[..most.min(moves.len())],
        }
    }

    fn info(&self, tree: &Tree, nodes: u64, elapsed: Duration) -> SearchInfo {
        let ranked = tree.root_moves(self.settings.rollouts.final_value);
        let depth = ranked.first().map_or(1, |best| best.variation.len() as u32);
        let counts = Counts { depth, nodes, evaluations: self.evaluations, elapsed };
        search_report::info(ranked, counts, self.random.general())
    }

    /// The evaluator's priors of these moves.
    fn policy(&mut self, game: &Game, moves: &[Move]) -> Result<Vec<f32>, SearchError> {
        self.evaluations += 1;
        Ok(evaluate_one(self.evaluator.as_ref(), game, moves)?.priors)
    }
}

impl Search for RolloutSearch {
    fn describe(&self) -> String {
        let kind = match self.guidance {
            Guidance::Chance => "UCB1 with random rollouts",
            Guidance::Policy => "PUCT with policy rollouts",
        };
        format!("{kind}, {}", self.evaluator.describe())
    }

    fn new_game(&mut self) {
        self.random.new_game();
    }

    fn reseed(&mut self, seed: u64) {
        self.random.reseed(seed);
    }

    fn set_options(&mut self, options: &SearchOptions) {
        self.random.set_options(options);
        self.settings = Settings::read(options);
    }

    fn run(
        &mut self,
        game: &Game,
        limits: &Limits,
        stop: &StopSignal,
        report: &mut dyn FnMut(&SearchInfo),
    ) -> Result<Decision, SearchError> {
        let moves = candidates(game, limits)?;
        let mut time = TimeManager::new(game, limits, stop, &self.settings.time);
        self.evaluations = 0;
        let priors = self.priors(game, &moves)?;
        let mut tree = Tree::new(self.random.general().bytes());
        tree.open(ROOT, &moves, &priors);
        let interval = Duration::from_millis(self.random.general().report_interval);
        let (mut nodes, mut reported) = (0, Duration::ZERO);
        while !time.is_over(nodes) && limits.depth.is_none_or(|depth| !reaches(depth, game, &tree.line(ROOT)))
        {
            if tree.is_full() {
                tree.prune();
            }
            self.playout(&mut tree, game)?;
            nodes += 1;
            let elapsed = time.elapsed();
            if elapsed.saturating_sub(reported) >= interval {
                reported = elapsed;
                report(&self.info(&tree, nodes, elapsed));
            }
        }
        time.hold();
        Ok(search_report::decide(self.info(&tree, nodes, time.elapsed()), 0, report))
    }
}

/// True if a line has this length or ends the game before.
fn reaches(depth: u32, game: &Game, line: &[Move]) -> bool {
    let mut game = game.clone();
    for &chess_move in line {
        game.play_unchecked(chess_move);
    }
    line.len() >= depth as usize || game.outcome().is_some()
}

/// The result of a game that is over, seen by White.
fn result(game: &Game) -> Option<Wdl> {
    Some(match game.outcome()?.winner {
        Some(Color::White) => Wdl::WIN,
        Some(Color::Black) => Wdl::LOSS,
        None => Wdl::DRAW,
    })
}
