//! Analysis of a whole game by networks without search: the divergence of two policies at each move, the likelihood of the moves
//! played among people of each rating, and the average loss of people of that rating.

use std::sync::Arc;

use chess::{EvaluationRequest, Evaluator, EvaluatorError, Game, Move, encoding::input::longest_history};
use review::{PlayedLevel, priors};
use serde::Serialize;
use utoipa::ToSchema;

use crate::engine::{EngineError, Engines, NetworkKind};

/// A network that plays like people of a rating.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct PortraitLevel {
    /// The network's id.
    pub(crate) network: String,
    pub(crate) rating: u32,
}

/// A move of the game.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct PortraitPly {
    /// Half-moves before it.
    pub(crate) ply: usize,
    /// Kullback-Leibler divergence of the second network's policy from the first's, nats; `null` without a second network, and if
    /// one of the two has no policy.
    pub(crate) divergence: Option<f64>,
    /// Probability of the move among people of each rating.
    pub(crate) likelihoods: Vec<f64>,
    /// Points of win percentage that it lost against the best move, by the network's value of the positions after each.
    pub(crate) lost: f64,
    /// Average loss of people of each rating in this position, on the same scale; one entry per rating.
    pub(crate) expected: Vec<f64>,
}

/// A side's play compared with that of people.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct PortraitStyle {
    /// The level of people whose moves are most like these; `null` if the moves do not tell.
    pub(crate) level: Option<PlayedLevel>,
    /// Mean points of win percentage lost a move, of the moves with a choice.
    pub(crate) lost: f64,
    /// Mean loss of people of each rating in the same positions, on the same scale.
    pub(crate) expected: Vec<f64>,
}

/// A game as networks see it.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct Portrait {
    /// The networks that play like people, weakest first.
    pub(crate) people: Vec<PortraitLevel>,
    pub(crate) plies: Vec<PortraitPly>,
    /// White's style; `null` without networks that play like people or moves of White's.
    pub(crate) white: Option<PortraitStyle>,
    /// Black's style.
    pub(crate) black: Option<PortraitStyle>,
}

/// Evaluators of a portrait.
pub(crate) struct PortraitNetworks<'a> {
    /// The network that supplies values and policy.
    pub(crate) first: &'a dyn Evaluator,
    /// The network it is compared with.
    pub(crate) second: Option<&'a dyn Evaluator>,
    /// The networks that play like people, weakest first.
    pub(crate) people: &'a [Person],
}

/// A network that plays like people, and whom it plays like.
pub(crate) struct Person {
    pub(crate) level: PortraitLevel,
    pub(crate) evaluator: Arc<dyn Evaluator>,
}

/// The bundled networks that play like people of a rating, the weakest first: differences to others would be due to training, not
/// to people.
///
/// # Errors
/// [`EngineError`].
pub(crate) fn people(engines: &dyn Engines) -> Result<Vec<Person>, EngineError> {
    let mut people = Vec::new();
    for network in engines.networks() {
        if let (NetworkKind::Human, None, None, Some(rating)) =
            (network.kind, &network.problem, &network.file, network.rating)
        {
            let evaluator = engines.evaluator(&network.id)?;
            people.push(Person { level: PortraitLevel { network: network.id, rating }, evaluator });
        }
    }
    people.sort_by_key(|person| person.level.rating);
    Ok(people)
}

impl Portrait {
    /// Evaluates every move of a game.
    ///
    /// # Errors
    /// Any error of a network.
    pub(crate) fn of(game: &Game, networks: &PortraitNetworks<'_>) -> Result<Self, EvaluatorError> {
        let people: Vec<PortraitLevel> = networks.people.iter().map(|person| person.level.clone()).collect();
        let mut plies = Vec::with_capacity(game.moves().len());
        // The moves of White and of Black that had a choice: forced ones say nothing about a style.
        let mut chosen: [Vec<usize>; 2] = [Vec::new(), Vec::new()];
        let mut replayed = game.clone();
        while replayed.undo().is_some() {}
        for (ply, &played) in game.moves().iter().enumerate() {
            // With the moves before it, as many as any encoding looks back, but not all: each evaluation copies the game.
            plies.push(look(&replayed.tail(longest_history()), ply, played, networks)?);
            if replayed.legal_moves().len() > 1 {
                chosen[replayed.turn().fold_wb(0, 1)].push(ply);
            }
            replayed.play_unchecked(played);
        }
        let [white, black] = chosen.map(|own| {
            let own: Vec<&PortraitPly> = own.into_iter().map(|ply| &plies[ply]).collect();
            style(&people, &own)
        });
        Ok(Self { people, plies, white, black })
    }
}

fn look(
    game: &Game,
    ply: usize,
    played: Move,
    networks: &PortraitNetworks<'_>,
) -> Result<PortraitPly, EvaluatorError> {
    let legal = game.legal_moves();
    let divergence = match networks.second {
        Some(second) if networks.first.heads().policy && second.heads().policy => {
            Some(divergence(&priors(networks.first, game, &legal)?, &priors(second, game, &legal)?))
        }
        _ => None,
    };
    let losses = losses(game, &legal, networks.first)?;
    let place = legal.iter().position(|&one| one == played);
    let (mut likelihoods, mut expected) = (Vec::new(), Vec::new());
    for person in networks.people {
        let priors = priors(person.evaluator.as_ref(), game, &legal)?;
        likelihoods.push(place.map_or(0.0, |place| f64::from(priors[place])));
        expected.push(priors.iter().zip(&losses).map(|(&prior, loss)| f64::from(prior) * loss).sum());
    }
    let lost = place.map_or(0.0, |place| losses[place]);
    Ok(PortraitPly { ply, divergence, likelihoods, lost, expected })
}

/// Loss of each legal move against the best, by the value of the position after it. Positions that end the game have their exact
/// value.
fn losses(game: &Game, legal: &[Move], evaluator: &dyn Evaluator) -> Result<Vec<f64>, EvaluatorError> {
    let mut after = Vec::with_capacity(legal.len());
    for &chess_move in legal {
        let game = game.after(chess_move);
        let moves = game.legal_moves();
        after.push((game, moves));
    }
    let mut open = Vec::new();
    for (game, moves) in &after {
        if game.outcome().is_none() {
            open.push(EvaluationRequest { game, legal_moves: moves });
        }
    }
    // One batch for all positions: a network takes less time for them together than one by one.
    let evaluations = if open.is_empty() { Vec::new() } else { evaluator.evaluate(&open)? };
    let mut evaluations = evaluations.into_iter();
    let mut scores = Vec::with_capacity(legal.len());
    for (game, _) in &after {
        scores.push(match game.outcome() {
            Some(outcome) if outcome.winner.is_some() => 100.0,
            Some(_) => 50.0,
            None => {
                let found = evaluations.next().expect("law 1: an answer for each request");
                100.0 * (1.0 - f64::from(found.wdl.expected_score()))
            }
        });
    }
    let best = scores.iter().copied().fold(0.0, f64::max);
    Ok(scores.into_iter().map(|score| best - score).collect())
}

/// Kullback-Leibler divergence of the second distribution from the first, nats.
fn divergence(first: &[f32], second: &[f32]) -> f64 {
    let pairs = first.iter().zip(second).map(|(&p, &q)| (f64::from(p), f64::from(q)));
    let sum: f64 = pairs.filter(|(p, _)| *p > 0.0).map(|(p, q)| p * (p / q.max(1e-9)).ln()).sum();
    sum.max(0.0)
}

/// The style of a side with these moves; `None` without moves or networks that play like people.
fn style(people: &[PortraitLevel], plies: &[&PortraitPly]) -> Option<PortraitStyle> {
    if people.is_empty() || plies.is_empty() {
        return None;
    }
    let ratings: Vec<f64> = people.iter().map(|one| f64::from(one.rating)).collect();
    let likelihoods: Vec<&[f64]> = plies.iter().map(|ply| ply.likelihoods.as_slice()).collect();
    let count = plies.len() as f64;
    let expected =
        (0..people.len()).map(|level| plies.iter().map(|ply| ply.expected[level]).sum::<f64>() / count);
    Some(PortraitStyle {
        level: PlayedLevel::estimate(&ratings, &likelihoods),
        lost: plies.iter().map(|ply| ply.lost).sum::<f64>() / count,
        expected: expected.collect(),
    })
}

#[cfg(test)]
mod tests {
    use chess::{MaterialEvaluator, UniformEvaluator};

    use super::*;

    fn level(rating: u32) -> PortraitLevel {
        PortraitLevel { network: format!("people-{rating}"), rating }
    }

    fn ply(likelihoods: &[f64]) -> PortraitPly {
        PortraitPly {
            ply: 0,
            divergence: None,
            likelihoods: likelihoods.into(),
            lost: 3.0,
            expected: vec![1.0; likelihoods.len()],
        }
    }

    #[test]
    fn a_hanging_queen_costs_what_the_evaluator_says_and_a_mate_nothing() {
        // 1. Qh5 g6 2. Qxh7?: the rook takes the queen.
        let mut game = Game::default();
        for uci in ["e2e4", "e7e5", "d1h5", "g7g6", "h5h7", "h8h7"] {
            game.play_uci(uci).unwrap();
        }
        let people = [
            Person { level: level(1000), evaluator: Arc::new(UniformEvaluator) },
            Person { level: level(2000), evaluator: Arc::new(MaterialEvaluator) },
        ];
        let first = MaterialEvaluator;
        let networks = PortraitNetworks { first: &first, second: Some(&UniformEvaluator), people: &people };
        let portrait = Portrait::of(&game, &networks).unwrap();
        assert_eq!(portrait.plies.len(), 6);
        assert!((portrait.plies[0].likelihoods[0] - 0.05).abs() < 1e-6, "one of twenty moves");
        assert!(portrait.plies[5].lost < 1e-6, "taking the queen is best");
        assert!(portrait.plies[5].expected[0] > 10.0, "{:?}", portrait.plies[5]);
        assert!(portrait.plies.iter().all(|ply| ply.divergence.is_none()), "neither has a policy");
        let mut mate = Game::default();
        for uci in ["f2f3", "e7e5", "g2g4", "d8h4"] {
            mate.play_uci(uci).unwrap();
        }
        let mated = Portrait::of(&mate, &networks).unwrap();
        assert!(mated.plies[3].lost < 1e-6 && mated.plies[3].expected[0] > 30.0, "{:?}", mated.plies[3]);
    }

    #[test]
    fn equal_policies_do_not_diverge_and_others_do_as_worked_out() {
        assert!(divergence(&[0.5, 0.5], &[0.5, 0.5]).abs() < 1e-9);
        let found = divergence(&[1.0, 0.0], &[0.25, 0.75]);
        assert!((found - 4_f64.ln()).abs() < 1e-6, "{found}");
    }

    #[test]
    fn a_side_has_a_level_once_it_has_enough_moves() {
        let people = [1000, 1500, 2000].map(level);
        let alike = ply(&[0.2, 0.4, 0.2]);
        let enough = style(&people, &[&alike; 30]).unwrap();
        let level = enough.level.unwrap();
        assert_eq!((level.moves, level.rating), (30, 1500.0));
        assert_eq!((enough.lost, enough.expected), (3.0, vec![1.0; 3]));
        let few = style(&people, &[&alike; 3]).unwrap();
        assert_eq!((few.level, few.lost), (None, 3.0));
        assert!(style(&[], &[&ply(&[])]).is_none() && style(&people, &[]).is_none());
    }
}
