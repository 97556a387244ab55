//! The mean of several networks as one evaluator.

use std::{path::Path, sync::Arc};

use chess::{Evaluation, EvaluationRequest, Evaluator, EvaluatorError, Heads, Wdl};

use crate::judge::is_engine;

/// Separates the names of the networks of a mean.
const SEPARATOR: char = '+';

/// The networks in a name: `A+B` is the mean of two, unless a file has that name or it is the command of an engine.
pub(crate) fn members(net: &str) -> Vec<&str> {
    if is_engine(net) || Path::new(net).exists() { vec![net] } else { net.split(SEPARATOR).collect() }
}

/// The mean of the win, draw and loss probabilities of the networks that have a value, and of the priors of those that have a
/// policy. Each sees the position in its own encoding.
pub(crate) struct MeanEvaluator {
    members: Vec<Arc<dyn Evaluator>>,
}

impl MeanEvaluator {
    /// An evaluator of at least one network.
    pub(crate) fn new(members: Vec<Arc<dyn Evaluator>>) -> Self {
        Self { members }
    }
}

impl Evaluator for MeanEvaluator {
    fn describe(&self) -> String {
        let names: Vec<String> = self.members.iter().map(|member| member.describe()).collect();
        format!("mean of {}", names.join(" and "))
    }

    fn evaluate(&self, batch: &[EvaluationRequest<'_>]) -> Result<Vec<Evaluation>, EvaluatorError> {
        let mut outputs = Vec::with_capacity(self.members.len());
        for member in &self.members {
            let evaluations = search::evaluate(member.as_ref(), batch)?;
            outputs.push(MemberOutputs { evaluations, heads: member.heads() });
        }
        let heads = self.heads();
        let places = batch.iter().enumerate();
        Ok(places
            .map(|(place, request)| mean_evaluation(&outputs, heads, place, request.legal_moves.len()))
            .collect())
    }

    fn heads(&self) -> Heads {
        Heads {
            policy: self.members.iter().any(|member| member.heads().policy),
            value: self.members.iter().any(|member| member.heads().value),
        }
    }

    fn history(&self) -> usize {
        self.members.iter().map(|member| member.history()).max().unwrap_or(1)
    }

    fn preferred_batch(&self) -> usize {
        self.members.iter().map(|member| member.preferred_batch()).max().unwrap_or(1)
    }
}

/// The outputs of one member for a batch.
struct MemberOutputs {
    evaluations: Vec<Evaluation>,
    heads: Heads,
}

/// The mean of the outputs of all members in the position `place`, which has `moves` legal moves. `heads` are those of the mean.
fn mean_evaluation(outputs: &[MemberOutputs], heads: Heads, place: usize, moves: usize) -> Evaluation {
    // A member without a head has no say in it: its constants would only pull the others towards a draw or towards equal shares. If no
    // member has the head, all outputs are the same constants, and so is their mean.
    let (mut judges, mut voters) = (Vec::new(), Vec::new());
    for member in outputs {
        let output = &member.evaluations[place];
        if member.heads.value || !heads.value {
            judges.push(output);
        }
        if member.heads.policy || !heads.policy {
            voters.push(output);
        }
    }
    Evaluation {
        wdl: Wdl {
            win: mean(judges.iter().map(|output| output.wdl.win)),
            draw: mean(judges.iter().map(|output| output.wdl.draw)),
            loss: mean(judges.iter().map(|output| output.wdl.loss)),
        },
        priors: (0..moves)
            .map(|chess_move| mean(voters.iter().map(|output| output.priors[chess_move])))
            .collect(),
        moves_left: judges
            .iter()
            .any(|output| output.moves_left.is_some())
            .then(|| mean(judges.iter().filter_map(|output| output.moves_left))),
    }
}

fn mean(numbers: impl Iterator<Item = f32>) -> f32 {
    let (sum, count) = numbers.fold((0.0, 0.0_f32), |(sum, count), number| (sum + number, count + 1.0));
    sum / count
}

#[cfg(test)]
mod tests {
    use chess::{Game, MaterialEvaluator, UniformEvaluator, laws};

    use super::*;
    use crate::open_evaluator;

    fn asked(evaluator: &dyn Evaluator, game: &Game) -> Evaluation {
        search::evaluate_one(evaluator, game, &game.legal_moves()).unwrap()
    }

    #[test]
    fn a_mean_is_an_evaluator() {
        let networks = || [open_evaluator("default", None), open_evaluator("human", None)];
        let members = networks().map(|opened| opened.unwrap().evaluator);
        laws::evaluator::check(&MeanEvaluator::new(members.into()), &laws::games::sample_games(3, 4), 1e-4);
    }

    #[test]
    fn a_mean_sees_both_sides_as_its_members_do() {
        let mean = MeanEvaluator::new(vec![Arc::new(MaterialEvaluator), Arc::new(UniformEvaluator)]);
        laws::evaluator::sees_sides_alike(&mean, &laws::sample_games(3, 30), 1e-6);
        laws::evaluator::counts_a_queen(&mean);
    }

    #[test]
    fn values_are_those_of_all_and_priors_those_of_networks_with_a_policy() {
        let game =
            Game::from_fen("4k3/8/8/8/8/8/P7/QRBNK3 w - - 0 1", chess::CastlingMode::Standard).unwrap();
        let network = open_evaluator("default", None).unwrap().evaluator;
        let own = asked(network.as_ref(), &game);
        let both = MeanEvaluator::new(vec![network, Arc::new(MaterialEvaluator)]);
        let found = asked(&both, &game);
        assert_eq!(found.priors, own.priors);
        let material = asked(&MaterialEvaluator, &game);
        let expected = f32::midpoint(own.wdl.win, material.wdl.win);
        assert!((found.wdl.win - expected).abs() < 1e-6, "{:?} of {:?}", found.wdl, own.wdl);
        let blind = MeanEvaluator::new(vec![Arc::new(MaterialEvaluator), Arc::new(UniformEvaluator)]);
        assert_eq!(blind.heads(), Heads { policy: false, value: true });
        assert_eq!(asked(&blind, &game), material, "an evaluator without heads has no say");
    }

    #[test]
    fn a_file_with_a_plus_in_its_name_is_one_network() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a+b.tabiya");
        std::fs::write(&file, "").unwrap();
        assert_eq!(members(file.to_str().unwrap()).len(), 1);
        assert_eq!(members("a.tabiya+b.tabiya"), ["a.tabiya", "b.tabiya"]);
    }
}
