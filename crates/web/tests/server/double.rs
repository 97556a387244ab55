//! Test doubles of networks: the evaluator counts pieces, and the search visits each legal move once.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use chess::{
    Branch, Color, Decision, Evaluation, EvaluationRequest, Evaluator, EvaluatorError, Game, Limits,
    MaterialEvaluator, Position as _, PrincipalVariation, RootMove, Score, Search, SearchError, SearchInfo,
    StopSignal, UniformEvaluator, Wdl,
    encoding::{input::TabiyaPlanes, picture::Seen},
    shakmaty::{Bitboard, Rank, Role},
};
use web::{
    EngineError, Engines, Level, NetworkDetail, NetworkKind, NetworkSummary, SearchSettings, SeenPlanes,
};

pub(crate) const NETWORK: &str = "double";
/// The name of a network that does not open.
pub(crate) const BROKEN: &str = "broken";
/// The name of an evaluator without a policy and a value.
pub(crate) const BLIND: &str = "blind";
/// The name of a network without a policy, whose search has a defect.
pub(crate) const PANICKING: &str = "panicking";

#[derive(Default)]
pub(crate) struct Doubles {
    /// Searches in memory.
    pub(crate) searches: Arc<AtomicUsize>,
    /// The content of every network.
    pub(crate) content: Arc<Mutex<String>>,
}

/// Counts pieces and has a policy, in which all moves happen to be alike.
struct WithPolicy;

impl Evaluator for WithPolicy {
    fn describe(&self) -> String {
        MaterialEvaluator.describe()
    }

    fn evaluate(&self, batch: &[EvaluationRequest<'_>]) -> Result<Vec<Evaluation>, EvaluatorError> {
        MaterialEvaluator.evaluate(batch)
    }
}

/// Networks that play like people, with their ratings: the weaker is twice as fond of pawn moves as of others, the stronger half as
/// fond.
const PEOPLE: [(&str, u32, f32); 2] = [("people-1000", 1000, 2.0), ("people-2000", 2000, 0.5)];

/// Values as [`MaterialEvaluator`]; a pawn move has this many times the prior of another one.
struct FondOfPawns(f32);

impl Evaluator for FondOfPawns {
    fn describe(&self) -> String {
        "fond of pawns".into()
    }

    fn evaluate(&self, batch: &[EvaluationRequest<'_>]) -> Result<Vec<Evaluation>, EvaluatorError> {
        let mut found = MaterialEvaluator.evaluate(batch)?;
        for (evaluation, request) in found.iter_mut().zip(batch) {
            let moves = request.legal_moves.iter();
            let weights = moves.map(|one| if one.role() == Role::Pawn { self.0 } else { 1.0 });
            let weights: Vec<f32> = weights.collect();
            let sum: f32 = weights.iter().sum();
            evaluation.priors = weights.iter().map(|weight| weight / sum).collect();
        }
        Ok(found)
    }
}

/// Plays the first legal move. It likes pawns at home: each white pawn that has not moved is worth 6 points of win percentage
/// to White, each black one to Black, so that games can be reviewed with known results.
struct FirstMove {
    searches: Arc<AtomicUsize>,
    panics: bool,
}

impl Drop for FirstMove {
    fn drop(&mut self) {
        self.searches.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Search for FirstMove {
    fn describe(&self) -> String {
        "first move".into()
    }

    fn run(
        &mut self,
        game: &Game,
        limits: &Limits,
        stop: &StopSignal,
        report: &mut dyn FnMut(&SearchInfo),
    ) -> Result<Decision, SearchError> {
        assert!(!self.panics, "a child without a parent");
        let moves = game.legal_moves();
        let Some(&best) = moves.first() else {
            return Err(SearchError::NoLegalMove { fen: game.fen() });
        };
        let turn = game.turn();
        let home = |color: Color| {
            let pawns = game.position().board().pawns() & game.position().board().by_color(color);
            (pawns & Bitboard::from_rank(color.fold_wb(Rank::Second, Rank::Seventh))).count() as f32
        };
        let win = (0.5 + 0.06 * (home(turn) - home(!turn))).clamp(0.0, 1.0);
        let wdl = Wdl { win, draw: 0.0, loss: 1.0 - win };
        let mut info = SearchInfo {
            variations: vec![PrincipalVariation { moves: vec![best], score: Score::Centipawns(0), wdl }],
            root_moves: moves.iter().map(|&one| RootMove::unvisited(one, 1.0 / moves.len() as f32)).collect(),
            ..SearchInfo::default()
        };
        info.branches = line_of_first_moves(game, wdl);
        loop {
            info.nodes += 1;
            if let Some(root) = info.root_moves.first_mut() {
                root.visits += 1;
            }
            report(&info);
            if stop.is_stopped() || limits.nodes.is_some_and(|nodes| info.nodes >= nodes) {
                return Ok(Decision { best, ponder: None, info });
            }
            if limits.nodes.is_none() {
                thread::sleep(Duration::from_millis(1));
            }
        }
    }
}

/// The first legal move and the first answer to it, as a tree of two nodes.
fn line_of_first_moves(game: &Game, wdl: Wdl) -> Vec<Branch> {
    let mut after = game.clone();
    let mut branches = Vec::new();
    for parent in [None, Some(0)] {
        let Some(&chess_move) = after.legal_moves().first() else { break };
        branches.push(Branch { parent, chess_move, visits: 1, wdl });
        after.play(chess_move).unwrap();
    }
    branches
}

fn summary(id: &str, problem: Option<&str>) -> NetworkSummary {
    NetworkSummary {
        id: id.into(),
        name: id.into(),
        kind: NetworkKind::Baseline,
        file: None,
        bytes: None,
        shape: None,
        parameters: None,
        rating: None,
        measurements: Vec::new(),
        problem: problem.map(Into::into),
    }
}

impl Engines for Doubles {
    fn networks(&self) -> Vec<NetworkSummary> {
        let people = PEOPLE.map(|(id, rating, _)| NetworkSummary {
            kind: NetworkKind::Human,
            rating: Some(rating),
            ..summary(id, None)
        });
        let others = [summary(NETWORK, None), summary(BROKEN, Some("found nothing, expected weights"))];
        others.into_iter().chain(people).collect()
    }

    fn levels(&self) -> Vec<Level> {
        let (name, network) = ("Beginner".into(), NETWORK.into());
        vec![Level { name, network, nodes: 3, temperature: 0.5, measurement: None }]
    }

    fn network(&self, network: &str) -> Result<NetworkDetail, EngineError> {
        let summary = self.networks().into_iter().find(|one| one.id == network);
        let summary = summary.ok_or_else(|| EngineError::Unknown { network: network.into() })?;
        let (facts, layers, metrics) = (Vec::new(), Vec::new(), Vec::new());
        Ok(NetworkDetail { summary, facts, layers, metrics, recipe: String::new() })
    }

    fn evaluator(&self, network: &str) -> Result<Arc<dyn Evaluator>, EngineError> {
        if let Some((_, _, fondness)) = PEOPLE.iter().find(|(id, _, _)| *id == network) {
            return Ok(Arc::new(FondOfPawns(*fondness)));
        }
        match network {
            NETWORK => Ok(Arc::new(WithPolicy)),
            PANICKING => Ok(Arc::new(MaterialEvaluator)),
            BLIND => Ok(Arc::new(UniformEvaluator)),
            BROKEN => Err(EngineError::Broken { network: network.into(), reason: "found nothing".into() }),
            _ => Err(EngineError::Unknown { network: network.into() }),
        }
    }

    fn content(&self, network: &str) -> Result<Option<String>, EngineError> {
        self.evaluator(network)?;
        Ok(Some(self.content.lock().unwrap().clone()))
    }

    fn planes(&self, network: &str, game: &Game) -> Result<Option<SeenPlanes>, EngineError> {
        self.evaluator(network)?;
        Ok(Some((&TabiyaPlanes, Seen::new(&TabiyaPlanes, game))))
    }

    fn search(&self, network: &str, _: &SearchSettings) -> Result<Box<dyn Search>, EngineError> {
        self.evaluator(network)?;
        self.searches.fetch_add(1, Ordering::SeqCst);
        Ok(Box::new(FirstMove { searches: Arc::clone(&self.searches), panics: network == PANICKING }))
    }

    fn recognise(&self, file: &str, bytes: &[u8]) -> Result<NetworkSummary, EngineError> {
        match bytes {
            b"network" => Ok(summary(file, None)),
            _ => Err(EngineError::Refused {
                file: file.into(),
                reason: format!("found {} bytes at offset 0, expected a network", bytes.len()),
            }),
        }
    }

    fn keep(&self, file: &str, bytes: &[u8]) -> Result<NetworkSummary, EngineError> {
        self.recognise(file, bytes)
    }
}
