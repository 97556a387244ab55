//! Labels from a UCI engine: its lines become scores of moves, its best line the evaluation.

use chess::{Game, Limits, Score, StopSignal};
use dataset::{Label, PolicyLabel, packed_move::PackedMove, record::SearchEffort, sample::SearchValue};
use protocol::{Answer, Go, UciProcess};

use super::{Labeller, LabellerKind, Labellers, MULTI_PV, in_words, one_by_one};
use crate::LabellingError;

/// UCI engines.
pub(super) const KIND: LabellerKind = LabellerKind {
    fits: |player| player.process().is_some(),
    check: |_| Ok(()),
    open: |request| {
        let mut player = request.player.clone();
        player.options.extend(request.lines.map(|lines| (MULTI_PV.into(), lines.to_string())));
        let config = player.process().expect("`fits` has seen it");
        let (limits, ahead) = (player.pace.limits(), usize::from(request.ahead));
        Ok(Labellers {
            limits: in_words(&player),
            make: Box::new(move || {
                let (process, limits) = (UciProcess::spawn(&config)?, limits.clone());
                Ok(Box::new(EngineLabeller { process, limits, ahead }))
            }),
        })
    },
};

/// An engine process and the limits of its searches.
struct EngineLabeller {
    process: UciProcess,
    limits: Limits,
    /// Positions written before the first is answered.
    ahead: usize,
}

impl EngineLabeller {
    fn label_of(&self, game: &Game, answer: &Answer) -> Result<Label, LabellingError> {
        label(game, answer).ok_or_else(|| LabellingError::NoEvaluation {
            engine: self.process.name().into(),
            fen: game.fen(),
        })
    }
}

impl Labeller for EngineLabeller {
    fn name(&self) -> &str {
        self.process.name()
    }

    fn forget(&mut self) -> Result<(), LabellingError> {
        Ok(self.process.new_game()?)
    }

    fn label(&mut self, game: &Game, stop: &StopSignal) -> Result<Label, LabellingError> {
        let go = Go::from_limits(&self.limits, game.turn(), game.castling_mode());
        let answer = self.process.go_until(game, &go, stop, &mut |_info| ())?;
        self.label_of(game, &answer)
    }

    fn label_all(&mut self, games: &[Game], stop: &StopSignal) -> Result<Vec<Label>, LabellingError> {
        if self.ahead < 2 {
            return one_by_one(games, stop, &mut |game| self.label(game, stop));
        }
        // If it was stopped, only answered positions have labels; the caller throws those away.
        let answers = self.process.go_through(games, &self.limits, self.ahead, stop)?;
        games.iter().zip(&answers).map(|(game, answer)| self.label_of(game, answer)).collect()
    }
}

/// The label in an answer; `None` without any evaluation, or with one that cannot be.
///
/// The evaluation is that of the move played. Several moves are labelled only if the best is among them.
fn label(game: &Game, answer: &Answer) -> Option<Label> {
    let (evaluation, mut lines) = answer.judgement(game)?;
    // A position with a move is not mate. A store that says so cannot be read, and all its labels would be lost.
    if evaluation == Score::Mate(0) {
        return None;
    }
    lines.retain(|&(_, score)| score != Score::Mate(0));
    let reported = answer.info()?;
    Some(Label {
        best_move: PackedMove::pack(answer.best),
        evaluation: Some(evaluation),
        policy: if lines.len() > 1 {
            PolicyLabel::Scores(
                lines.iter().map(|&(first, score)| (PackedMove::pack(first), score)).collect(),
            )
        } else {
            PolicyLabel::BestMove
        },
        search_value: reported.wdl.map(|wdl| SearchValue::new(wdl.into())),
        effort: SearchEffort {
            depth: reported.depth.and_then(|depth| u16::try_from(depth).ok()),
            nodes: answer.nodes,
        },
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use chess::notation::parse_uci_move;
    use protocol::{Info, Response};

    use super::*;

    fn answer(game: &Game, best: &str, lines: &[&str]) -> Answer {
        let info = |line: &&str| match line.parse() {
            Ok(Response::Info(info)) => *info,
            other => panic!("{line}: {other:?}"),
        };
        let infos: Vec<Info> = lines.iter().map(info).collect();
        let best = parse_uci_move(game.position(), best).unwrap();
        Answer { best, ponder: None, infos, nodes: Some(3001), elapsed: Duration::ZERO }
    }

    fn scores(game: &Game, scores: &[(&str, Score)]) -> PolicyLabel {
        let pack = |text| PackedMove::pack(parse_uci_move(game.position(), text).unwrap());
        PolicyLabel::Scores(scores.iter().map(|&(text, score)| (pack(text), score)).collect())
    }

    #[test]
    fn lines_become_scores_with_the_move_played_first() {
        let game = Game::default();
        let lines = [
            "info depth 9 multipv 1 score cp 40 pv e2e4 e7e5",
            "info depth 8 multipv 2 score mate 7 pv d2d4",
            "info depth 8 multipv 3 score cp 12 pv e2e4",
            "info depth 8 multipv 4 score cp -3 pv a2a3",
        ];
        let found = label(&game, &answer(&game, "d2d4", &lines)).unwrap();
        let (forty, mate) = (Score::Centipawns(40), Score::Mate(7));
        let policy = scores(&game, &[("d2d4", mate), ("e2e4", forty), ("a2a3", Score::Centipawns(-3))]);
        assert_eq!((found.evaluation, found.policy), (Some(mate), policy));
        assert_eq!(found.effort, SearchEffort { depth: Some(9), nodes: Some(3001) });
        assert_eq!(found.search_value, None);
    }

    #[test]
    fn one_line_is_a_best_move_with_an_evaluation() {
        let game = Game::default();
        let one = ["info depth 3 score cp 5 wdl 250 600 150 pv g1f3"];
        let found = label(&game, &answer(&game, "g1f3", &one)).unwrap();
        assert_eq!((found.evaluation, found.policy), (Some(Score::Centipawns(5)), PolicyLabel::BestMove));
        assert_eq!(found.search_value, Some(SearchValue { win: 2500, loss: 1500 }));
    }

    #[test]
    fn a_best_move_without_a_line_of_its_own_has_the_evaluation_alone() {
        let game = Game::default();
        let lines =
            ["info depth 3 multipv 1 score cp 5 pv g1f3", "info depth 3 multipv 2 score cp 4 pv e2e4"];
        let found = label(&game, &answer(&game, "a2a4", &lines)).unwrap();
        assert_eq!((found.evaluation, found.policy), (Some(Score::Centipawns(5)), PolicyLabel::BestMove));
        assert_eq!(label(&game, &answer(&game, "a2a4", &[])), None);
    }

    #[test]
    fn a_mate_in_nought_is_no_evaluation() {
        let game = Game::default();
        let mated =
            ["info depth 3 multipv 1 score mate 0 pv g1f3", "info depth 3 multipv 2 score cp 4 pv e2e4"];
        assert_eq!(label(&game, &answer(&game, "g1f3", &mated[..1])), None);
        assert_eq!(label(&game, &answer(&game, "g1f3", &mated)), None);
        let found = label(&game, &answer(&game, "e2e4", &mated)).unwrap();
        assert_eq!((found.evaluation, found.policy), (Some(Score::Centipawns(4)), PolicyLabel::BestMove));
    }
}
