//! Monte Carlo tree search with games played out to the end: plain (UCB1 and random moves), and with priors (PUCT and
//! moves drawn from the policy).

use std::sync::Arc;

use chess::{
    Color, Decision, Evaluator, Game, Limits, Move, RootMove, Search, SearchError, SearchInfo, SearchOptions,
    StopSignal, Wdl,
};
use rand::RngExt as _;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::{
    GeneralOptions,
    candidates::candidates,
    evaluate::evaluate_one,
    findings::{self, Counts},
    puct::PuctOptions,
    score::score_of,
    temperature::draw,
    time::{TimeManager, TimeOptions},
    tunables::tunables,
};

tunables! {
    /// What only searches that play games out read.
    RolloutOptions

    "UcbExploration" ucb_exploration: f32 = 1.414 in 0.0, 100.0;
    "Exploration of plain Monte Carlo tree search, on a scale from 0 (loss) to 1 (win) (UCB1's square root of 2)."

    "RolloutPlies" rollout_plies: u64 = 60 in 0, 1000;
    "Half-moves after which a game played out is left to the evaluator."
}

/// How moves are chosen, in the tree and in the games played out from its leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guidance {
    /// UCB1 (Auer, Cesa-Bianchi, Fischer 2002; Kocsis and Szepesvari 2006) and random moves.
    Chance,
    /// PUCT and moves drawn from the evaluator's policy.
    Policy,
}

/// Tree search that values a leaf by playing the game out. A game that is not over after `RolloutPlies` half-moves is
/// worth what the evaluator says about its last position; a drawn one is worth half.
pub struct RolloutSearch {
    evaluator: Arc<dyn Evaluator>,
    settings: Settings,
    guidance: Guidance,
    random: Xoshiro256PlusPlus,
    evaluations: u64,
}

struct Settings {
    puct: PuctOptions,
    rollouts: RolloutOptions,
    general: GeneralOptions,
    time: TimeOptions,
}

impl Settings {
    fn read(options: &SearchOptions) -> Self {
        Self {
            puct: PuctOptions::read(options),
            rollouts: RolloutOptions::read(options),
            general: GeneralOptions::read(options),
            time: TimeOptions::read(options),
        }
    }
}

/// A position in the tree.
struct Node {
    chess_move: Option<Move>,
    prior: f32,
    visits: u32,
    /// Sum of the results for the side that moved into the node: 1 for a win, 0 for a loss.
    score: f64,
    draws: f64,
    children: Vec<usize>,
    expanded: bool,
}

impl Node {
    fn new(chess_move: Option<Move>, prior: f32) -> Self {
        Self { chess_move, prior, visits: 0, score: 0.0, draws: 0.0, children: Vec::new(), expanded: false }
    }

    fn mean(&self) -> f64 {
        self.score / f64::from(self.visits.max(1))
    }

    /// Mean result for the side that moved into the node.
    fn wdl(&self) -> Wdl {
        let draw = (self.draws / f64::from(self.visits.max(1))) as f32;
        crate::score::wdl_from((2.0 * self.mean() - 1.0) as f32, draw)
    }
}

impl RolloutSearch {
    /// A search with this guidance.
    pub fn new(evaluator: Arc<dyn Evaluator>, options: &SearchOptions, guidance: Guidance) -> Self {
        let settings = Settings::read(options);
        let random = settings.general.random(0);
        Self { evaluator, settings, guidance, random, evaluations: 0 }
    }

    /// One playout: down the tree, to the end of the game, and back.
    fn playout(&mut self, tree: &mut Vec<Node>, root: &Game) -> Result<(), SearchError> {
        let mut game = root.clone();
        let mut path = vec![0];
        let mut node = 0;
        // 1. Select.
        while tree[node].expanded && !tree[node].children.is_empty() {
            node = self.select(tree, node);
            game.play_unchecked(tree[node].chess_move.expect("only the root has none"));
            path.push(node);
        }
        // 2. Expand what was visited before, and step into it.
        let over = path.len() > 1 && game.outcome().is_some();
        if !over && !tree[node].expanded && (tree[node].visits > 0 || node == 0) {
            self.expand(tree, node, &game)?;
            node = self.select(tree, node);
            game.play_unchecked(tree[node].chess_move.expect("only the root has none"));
            path.push(node);
        }
        // 3. Play out, seen by the side that moved into the leaf.
        let mover_is_white = game.turn().is_black();
        let for_white = self.play_out(game)?;
        let mut result = if mover_is_white { for_white } else { for_white.flipped() };
        // 4. Back up.
        for &id in path.iter().rev() {
            let node = &mut tree[id];
            node.visits += 1;
            node.score += f64::from(result.expected_score());
            node.draws += f64::from(result.draw);
            result = result.flipped();
        }
        Ok(())
    }

    fn expand(&mut self, tree: &mut Vec<Node>, node: usize, game: &Game) -> Result<(), SearchError> {
        let moves: Vec<Move> = game.legal_moves().into_iter().collect();
        let priors = match self.guidance {
            Guidance::Chance => vec![1.0 / moves.len().max(1) as f32; moves.len()],
            Guidance::Policy => self.evaluate(game, &moves)?.1,
        };
        add_children(tree, node, &moves, &priors);
        Ok(())
    }

    /// The child to follow: an unvisited one first (UCB1), or the largest `Q + U` (PUCT with an unvisited Q of the parent).
    fn select(&mut self, tree: &[Node], node: usize) -> usize {
        let parent = &tree[node];
        let urge = |child: &Node| match self.guidance {
            Guidance::Chance if child.visits == 0 => f64::INFINITY,
            Guidance::Chance => {
                let spread = f64::from(parent.visits.max(1)).ln() / f64::from(child.visits);
                child.mean() + f64::from(self.settings.rollouts.ucb_exploration) * spread.sqrt()
            }
            Guidance::Policy => {
                let constant = self.settings.puct.exploration(parent.visits);
                let scale = f64::from(constant) / 2.0 * f64::from(parent.visits.max(1)).sqrt();
                let value = if child.visits == 0 { 1.0 - parent.mean() } else { child.mean() };
                value + scale * f64::from(child.prior) / f64::from(1 + child.visits)
            }
        };
        let best = parent.children.iter().copied().max_by(|&left, &right| {
            // Of equal ones the first.
            urge(&tree[left]).total_cmp(&urge(&tree[right])).then(right.cmp(&left))
        });
        best.expect("it was expanded and the game goes on")
    }

    /// The result of a game played on from here, seen by White.
    fn play_out(&mut self, mut game: Game) -> Result<Wdl, SearchError> {
        for _ in 0..self.settings.rollouts.rollout_plies {
            if let Some(result) = result(&game) {
                return Ok(result);
            }
            let moves: Vec<Move> = game.legal_moves().into_iter().collect();
            let chosen = match self.guidance {
                Guidance::Chance => self.random.random_range(0..moves.len()),
                Guidance::Policy => {
                    let weights: Vec<f64> =
                        self.evaluate(&game, &moves)?.1.into_iter().map(f64::from).collect();
                    draw(&weights, 1.0, &mut self.random)
                }
            };
            game.play_unchecked(moves[chosen]);
        }
        if let Some(result) = result(&game) {
            return Ok(result);
        }
        let moves: Vec<Move> = game.legal_moves().into_iter().collect();
        Ok(self.evaluate(&game, &moves)?.0.for_white(game.turn()))
    }

    /// Value and priors of a position.
    fn evaluate(&mut self, game: &Game, moves: &[Move]) -> Result<(Wdl, Vec<f32>), SearchError> {
        self.evaluations += 1;
        let answer = evaluate_one(self.evaluator.as_ref(), game, moves)?;
        Ok((answer.wdl, answer.priors))
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
        self.random = self.settings.general.random(0);
    }

    fn reseed(&mut self, seed: u64) {
        self.random = self.settings.general.random(seed);
    }

    fn set_options(&mut self, options: &SearchOptions) {
        let seed = self.settings.general.seed;
        self.settings = Settings::read(options);
        if self.settings.general.seed != seed {
            self.new_game();
        }
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
        let priors = match self.guidance {
            Guidance::Chance => vec![1.0 / moves.len() as f32; moves.len()],
            Guidance::Policy => self.evaluate(game, &moves)?.1,
        };
        let mut tree = vec![Node::new(None, 1.0)];
        add_children(&mut tree, 0, &moves, &priors);
        let room = self.settings.general.bytes() / size_of::<Node>();
        let mut nodes = 0;
        while !time.is_over(nodes) {
            if tree.len() >= room {
                time.hold();
                break;
            }
            self.playout(&mut tree, game)?;
            nodes += 1;
        }
        let mut ranked: Vec<RootMove> =
            tree[0].children.iter().map(|&child| root_move(&tree, child)).collect();
        ranked.sort_by_key(|root_move| std::cmp::Reverse(root_move.visits));
        let depth = ranked.first().map_or(1, |best| best.variation.len() as u32);
        let counts = Counts { depth, nodes, evaluations: self.evaluations, elapsed: time.elapsed() };
        Ok(findings::decide(findings::info(ranked, counts, &self.settings.general), 0, report))
    }
}

/// The result of a game that is over, seen by White.
fn result(game: &Game) -> Option<Wdl> {
    let white = |winner: Color| if winner.is_white() { Wdl::WIN } else { Wdl::LOSS };
    game.outcome().map(|outcome| outcome.winner.map_or(Wdl::DRAW, white))
}

fn add_children(tree: &mut Vec<Node>, node: usize, moves: &[Move], priors: &[f32]) {
    let first = tree.len();
    tree.extend(moves.iter().zip(priors).map(|(&chess_move, &prior)| Node::new(Some(chess_move), prior)));
    tree[node].children = (first..tree.len()).collect();
    tree[node].expanded = true;
}

/// A root move with the line of most visits that begins with it.
fn root_move(tree: &[Node], child: usize) -> RootMove {
    let node = &tree[child];
    let mut variation = Vec::new();
    let mut next = Some(child);
    while let Some(id) = next {
        variation.extend(tree[id].chess_move);
        let replies = tree[id].children.iter().copied().filter(|&reply| tree[reply].visits > 0);
        next = replies.max_by_key(|&reply| (tree[reply].visits, std::cmp::Reverse(reply)));
    }
    let wdl = (node.visits > 0).then(|| node.wdl());
    RootMove {
        chess_move: variation[0],
        visits: u64::from(node.visits),
        wdl,
        prior: node.prior,
        improved: None,
        exploration: None,
        score: wdl.map(score_of),
        variation,
    }
}
