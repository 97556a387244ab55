//! The mean of several networks as one evaluator.

use std::{path::Path, sync::Arc};

use chess::{Evaluation, EvaluationRequest, Evaluator, EvaluatorError, Wdl};

use crate::judge::is_engine;

/// Separates the names of networks whose mean plays.
const SEPARATOR: char = '+';

/// The networks in a name: `A+B` is the mean of two, unless a file has that name or it is the command of an engine.
pub(crate) fn members(net: &str) -> Vec<&str> {
    if is_engine(net) || Path::new(net).exists() { vec![net] } else { net.split(SEPARATOR).collect() }
}

/// A network of a mean.
pub(crate) struct Member {
    pub(crate) evaluator: Arc<dyn Evaluator>,
    /// True if it prefers some moves to others.
    pub(crate) has_policy: bool,
}

/// The mean of the win, draw and loss probabilities of several networks, and of the priors of the networks that have a
/// policy. Each sees the position in its own encoding.
pub(crate) struct MeanEvaluator {
    members: Vec<Member>,
}

impl MeanEvaluator {
    /// An evaluator of at least one network.
    pub(crate) fn new(members: Vec<Member>) -> Self {
        Self { members }
    }
}

impl Evaluator for MeanEvaluator {
    fn describe(&self) -> String {
        let names: Vec<String> = self.members.iter().map(|member| member.evaluator.describe()).collect();
        format!("mean of {}", names.join(" and "))
    }

    fn evaluate(&self, batch: &[EvaluationRequest<'_>]) -> Result<Vec<Evaluation>, EvaluatorError> {
        let answers = self
            .members
            .iter()
            .map(|member| Ok((search::evaluate(member.evaluator.as_ref(), batch)?, member.has_policy)));
        let answers: Vec<(Vec<Evaluation>, bool)> = answers.collect::<Result<_, EvaluatorError>>()?;
        // Without any policy all priors are equal, and so is their mean.
        let all_vote = self.members.iter().all(|member| !member.has_policy);
        let of = |place: usize| {
            let all: Vec<&Evaluation> = answers.iter().map(|(answers, _)| &answers[place]).collect();
            let voters: Vec<&Evaluation> = answers
                .iter()
                .filter(|(_, votes)| all_vote || *votes)
                .map(|(answers, _)| &answers[place])
                .collect();
            Evaluation {
                wdl: Wdl {
                    win: mean(all.iter().map(|answer| answer.wdl.win)),
                    draw: mean(all.iter().map(|answer| answer.wdl.draw)),
                    loss: mean(all.iter().map(|answer| answer.wdl.loss)),
                },
                priors: (0..batch[place].legal_moves.len())
                    .map(|chess_move| mean(voters.iter().map(|answer| answer.priors[chess_move])))
                    .collect(),
                moves_left: all
                    .iter()
                    .any(|answer| answer.moves_left.is_some())
                    .then(|| mean(all.iter().filter_map(|answer| answer.moves_left))),
            }
        };
        Ok((0..batch.len()).map(of).collect())
    }

    fn history(&self) -> usize {
        self.members.iter().map(|member| member.evaluator.history()).max().unwrap_or(1)
    }

    fn preferred_batch(&self) -> usize {
        self.members.iter().map(|member| member.evaluator.preferred_batch()).max().unwrap_or(1)
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

    fn member(evaluator: impl Evaluator + 'static, has_policy: bool) -> Member {
        Member { evaluator: Arc::new(evaluator), has_policy }
    }

    fn asked(evaluator: &dyn Evaluator, game: &Game) -> Evaluation {
        search::evaluate_one(evaluator, game, &game.legal_moves()).unwrap()
    }

    #[test]
    fn a_mean_is_an_evaluator() {
        let networks = || [open_evaluator("default", None), open_evaluator("human", None)];
        let members =
            networks().map(|opened| Member { evaluator: opened.unwrap().evaluator, has_policy: true });
        laws::evaluator::check(&MeanEvaluator::new(members.into()), &laws::games::sample_games(3, 4), 1e-4);
    }

    #[test]
    fn a_mean_sees_both_sides_as_its_members_do() {
        let mean = MeanEvaluator::new(vec![member(MaterialEvaluator, false), member(UniformEvaluator, true)]);
        laws::evaluator::sees_sides_alike(&mean, &laws::sample_games(3, 30), 1e-6);
        laws::evaluator::counts_a_queen(&mean);
    }

    #[test]
    fn values_are_those_of_all_and_priors_those_of_networks_with_a_policy() {
        let game =
            Game::from_fen("4k3/8/8/8/8/8/P7/QRBNK3 w - - 0 1", chess::CastlingMode::Standard).unwrap();
        let network = open_evaluator("default", None).unwrap().evaluator;
        let own = asked(network.as_ref(), &game);
        let both = MeanEvaluator::new(vec![
            Member { evaluator: network, has_policy: true },
            member(UniformEvaluator, false),
        ]);
        let found = asked(&both, &game);
        assert_eq!(found.priors, own.priors);
        assert!((found.wdl.win - own.wdl.win / 2.0).abs() < 1e-6, "{:?} of {:?}", found.wdl, own.wdl);
        let none =
            MeanEvaluator::new(vec![member(MaterialEvaluator, false), member(UniformEvaluator, false)]);
        assert_eq!(asked(&none, &game).priors, asked(&UniformEvaluator, &game).priors);
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
