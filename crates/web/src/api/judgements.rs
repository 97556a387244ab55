//! Judgements of positions by networks: policy and value without any search.

use axum::extract::State;
use chess::{Evaluation, EvaluationRequest, Evaluator, Game, Heads, Wdl, print_san, print_uci_move};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Answer, body::Body};
use crate::{
    app::App,
    engine::{Engines, shortened},
    error::{ApiError, Refusal},
    game::replayed,
    limits::{LONGEST_GAME, MOST_JUDGED_POSITIONS, MOST_JUDGING_NETWORKS},
};

/// Positions to judge, and the networks that judge them.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct JudgementRequest {
    /// Ids of networks, 1 to 16.
    networks: Vec<String>,
    /// The positions, 1 to 32.
    positions: Vec<JudgedPosition>,
}

/// A position with the moves that led to it.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct JudgedPosition {
    /// The position before `moves`, FEN; the usual start if omitted.
    fen: Option<String>,
    /// The moves that lead to the position judged, UCI.
    #[serde(default)]
    moves: Vec<String>,
}

/// Judgements of one network.
#[derive(Debug, Default, Serialize, ToSchema)]
pub(crate) struct NetworkJudgement {
    /// Its id.
    network: String,
    /// Display name of the network; empty if it is unusable.
    engine: String,
    /// The reason why it is unusable, if it is.
    problem: Option<String>,
    /// False if it has no policy: the lists of moves are then empty.
    has_policy: bool,
    /// False if it has no value: `wdl` is then `null` everywhere.
    has_value: bool,
    /// One judgement for each position, in their order; none if it is unusable.
    positions: Vec<FirstSight>,
}

/// A network's judgement of one position, without search.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FirstSight {
    /// Win, draw and loss of the side to move; `null` if the game is over or the network has no value.
    #[schema(value_type = Option<(f32, f32, f32)>)]
    wdl: Option<[f32; 3]>,
    /// Every legal move, the likeliest first; none if the network has no policy.
    moves: Vec<JudgedMove>,
}

/// A move and its share of the policy.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct JudgedMove {
    /// The move in UCI notation.
    uci: String,
    /// The move in SAN.
    san: String,
    /// Its probability; those of all legal moves add up to one.
    prior: f32,
}

/// Policy and value of positions, straight from networks, without any search
#[utoipa::path(
    post, path = "/judgements", request_body = JudgementRequest,
    responses((status = 200, body = [NetworkJudgement]), (status = 422, body = Refusal))
)]
pub(crate) async fn judge(
    State(app): State<App>,
    Body(request): Body<JudgementRequest>,
) -> Answer<Vec<NetworkJudgement>> {
    let games = request.parse().map_err(|message| ApiError::invalid("invalid_judgement", message))?;
    app.answer(move |app| {
        let engines = app.engines.as_ref();
        Ok(request.networks.iter().map(|network| judgement(engines, network, &games)).collect())
    })
    .await
}

impl JudgementRequest {
    /// The games that end in the positions, or which part of the request is wrong.
    fn parse(&self) -> Result<Vec<Game>, String> {
        for (name, found, most) in [
            ("networks", self.networks.len(), MOST_JUDGING_NETWORKS),
            ("positions", self.positions.len(), MOST_JUDGED_POSITIONS),
        ] {
            if !(1..=most).contains(&found) {
                return Err(format!("{name}: found {found}, expected 1 to {most}"));
            }
        }
        let mut games = Vec::with_capacity(self.positions.len());
        for (index, position) in self.positions.iter().enumerate() {
            games.push(position.parse().map_err(|message| format!("position {}: {message}", index + 1))?);
        }
        Ok(games)
    }
}

impl JudgedPosition {
    fn parse(&self) -> Result<Game, String> {
        if self.moves.len() > LONGEST_GAME {
            return Err(format!("moves: found {}, expected at most {LONGEST_GAME}", self.moves.len()));
        }
        replayed(self.fen.as_deref(), &self.moves)
    }
}

fn judgement(engines: &dyn Engines, network: &str, games: &[Game]) -> NetworkJudgement {
    let id = shortened(network);
    let judged = engines.evaluator(network).map_err(|error| error.to_string()).and_then(|evaluator| {
        let positions = evaluate(evaluator.as_ref(), games).map_err(|error| error.to_string())?;
        Ok((evaluator, positions))
    });
    match judged {
        Ok((evaluator, positions)) => {
            let Heads { policy, value } = evaluator.heads();
            NetworkJudgement {
                network: id,
                engine: evaluator.describe(),
                problem: None,
                has_policy: policy,
                has_value: value,
                positions,
            }
        }
        Err(problem) => {
            NetworkJudgement { network: id, problem: Some(problem), ..NetworkJudgement::default() }
        }
    }
}

fn evaluate(evaluator: &dyn Evaluator, games: &[Game]) -> Result<Vec<FirstSight>, chess::EvaluatorError> {
    let legal: Vec<_> = games.iter().map(Game::legal_moves).collect();
    let mut requests = Vec::with_capacity(games.len());
    for (game, legal_moves) in games.iter().zip(&legal) {
        if !legal_moves.is_empty() {
            requests.push(EvaluationRequest { game, legal_moves });
        }
    }
    let mut evaluations = evaluator.evaluate(&requests)?.into_iter();
    let mut sights = Vec::with_capacity(games.len());
    for (game, moves) in games.iter().zip(&legal) {
        let evaluation = if moves.is_empty() { None } else { evaluations.next() };
        sights.push(describe(game, moves, evaluation, evaluator.heads()));
    }
    Ok(sights)
}

fn describe(game: &Game, legal: &[chess::Move], evaluation: Option<Evaluation>, heads: Heads) -> FirstSight {
    let Some(Evaluation { wdl: Wdl { win, draw, loss }, priors, .. }) = evaluation else {
        return FirstSight { wdl: None, moves: Vec::new() };
    };
    let shown = if heads.policy { legal } else { &[] };
    let mut moves: Vec<JudgedMove> = shown
        .iter()
        .zip(priors)
        .map(|(&chess_move, prior)| JudgedMove {
            uci: print_uci_move(chess_move, game.castling_mode()),
            san: print_san(game.position(), chess_move),
            prior,
        })
        .collect();
    moves.sort_by(|first, second| second.prior.total_cmp(&first.prior));
    FirstSight { wdl: heads.value.then_some([win, draw, loss]), moves }
}
