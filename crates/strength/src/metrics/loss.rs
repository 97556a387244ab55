//! How much worse the moves of a player are than the best ones, as an engine judges them.

use chess::{Game, Limits, Move, Score, StopSignal};
use serde::{Deserialize, Serialize};

use crate::{
    matches::Contestant,
    panel::{Reply, ask},
    player::{Player, PlayerError},
    statistics::Measurement,
};

/// Evaluations count up to this many centipawns, mates as this many: beyond it a difference decides nothing more.
pub const CLAMP: i32 = 1000;

/// Centipawns lost a move.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CentipawnLoss {
    /// Who played.
    pub player: String,
    /// Mean loss a move; the interval counts games, not moves, as independent.
    pub mean: Measurement,
    /// Share of moves that lose 100 centipawns or more.
    pub blunders: Measurement,
}

/// A position with the moves to judge in it, one of each mover; `None` where a mover gave none.
#[derive(Clone, Debug)]
pub struct JudgedPosition {
    /// Which game it is from.
    pub game_number: usize,
    /// The position, with its history.
    pub game: Game,
    /// The moves, movers in the same order in every position.
    pub played: Vec<Option<Move>>,
}

/// The loss of each move, in centipawns: the judge's evaluation of the position less that after the move, both for the
/// mover, not below 0. `None` where there is no move, where the judge gave no evaluation, or where `stop` came first. The judge
/// looks at each position, and at each different move in it, once.
///
/// # Errors
/// [`PlayerError::Start`] when the judge does not start.
pub fn losses(
    judge: &Contestant,
    positions: &[JudgedPosition],
    threads: (usize, &StopSignal),
    observe: &mut dyn FnMut(),
) -> Result<Vec<Vec<Option<f64>>>, PlayerError> {
    let stop = threads.1;
    let put = |player: &mut dyn Player, limits: &Limits, judged: &JudgedPosition| {
        let best = player.choose(&judged.game, limits, stop)?;
        let mut known = vec![(best.chess_move, Some(0.0))];
        for &played in judged.played.iter().flatten() {
            if known.iter().any(|(one, _)| *one == played) {
                continue;
            }
            let mut after = judged.game.clone();
            after.play_unchecked(played);
            let own = match after.outcome().map(|outcome| outcome.winner) {
                Some(Some(_)) => Some(CLAMP),
                Some(None) => Some(0),
                None => player.choose(&after, limits, stop)?.info.score.map(|score| -clamped(score)),
            };
            let loss = best.info.score.zip(own).map(|(best, own)| f64::from((clamped(best) - own).max(0)));
            known.push((played, loss));
        }
        let loss_of = |played: Move| known.iter().find(|(one, _)| *one == played)?.1;
        Ok(judged.played.iter().map(|played| loss_of((*played)?)).collect())
    };
    let replies = ask(judge, positions, threads, put, observe)?;
    let losses = |(reply, position): (Option<Reply<Vec<Option<f64>>>>, &JudgedPosition)| match reply {
        Some(Reply::Answer(losses)) => losses,
        Some(Reply::Failure(_)) | None => vec![None; position.played.len()],
    };
    Ok(replies.into_iter().zip(positions).map(losses).collect())
}

fn clamped(score: Score) -> i32 {
    match score {
        Score::Centipawns(centipawns) => centipawns.clamp(-CLAMP, CLAMP),
        Score::Mate(moves) if moves > 0 => CLAMP,
        Score::Mate(_) => -CLAMP,
    }
}

impl CentipawnLoss {
    /// Sums up the losses of one mover. `None` without judged moves.
    pub fn new(
        player: &str,
        mover: usize,
        positions: &[JudgedPosition],
        losses: &[Vec<Option<f64>>],
    ) -> Option<Self> {
        let judged: Vec<(usize, f64)> = positions
            .iter()
            .zip(losses)
            .filter_map(|(one, losses)| Some((one.game_number, (*losses.get(mover)?)?)))
            .collect();
        let groups = |value: &dyn Fn(f64) -> f64| -> Vec<Vec<f64>> {
            let games = judged.chunk_by(|one, other| one.0 == other.0);
            games.map(|game| game.iter().map(|&(_, loss)| value(loss)).collect()).collect()
        };
        Some(Self {
            player: player.into(),
            mean: Measurement::grouped_mean(&groups(&|loss| loss))?,
            blunders: Measurement::grouped_mean(&groups(&|loss| f64::from(u8::from(loss >= 100.0))))?,
        })
    }
}

impl std::fmt::Display for CentipawnLoss {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            formatter,
            "  {:<24} {:.1} centipawns lost a move (95 %), {} lose 100 or more, {} moves",
            self.player,
            self.mean,
            self.blunders.percent(),
            self.mean.samples
        )
    }
}

#[cfg(test)]
mod tests {
    use chess::CastlingMode;

    use super::*;
    use crate::player::{Choice, MoveInfo};

    /// Sees white material less black and plays the first move.
    struct Counter;

    impl Player for Counter {
        fn name(&self) -> &'static str {
            "counter"
        }

        fn new_game(&mut self, _seed: u64) -> Result<(), PlayerError> {
            Ok(())
        }

        fn choose(&mut self, game: &Game, _: &Limits, _: &StopSignal) -> Result<Choice, PlayerError> {
            let score = Some(Score::Centipawns(chess::evaluator::material_balance(game.position()) * 100));
            Ok(Choice { chess_move: game.legal_moves()[0], info: MoveInfo { score, ..MoveInfo::default() } })
        }
    }

    #[test]
    fn losses_are_differences_seen_by_the_mover() {
        let judge = Contestant::new("counter", || Ok(Box::new(Counter)));
        let judged = |fen: &str, played: &str| {
            let game = Game::from_fen(fen, CastlingMode::Standard).unwrap();
            let played = chess::parse_uci_move(game.position(), played).unwrap();
            let first = game.legal_moves()[0];
            JudgedPosition { game_number: 0, game, played: vec![Some(played), None, Some(first)] }
        };
        let positions = [
            // Mate counts as the clamp: nothing lost.
            judged("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", "d1d8"),
            // Stalemate throws a queen away.
            judged("7k/8/6K1/8/8/8/5Q2/8 w - - 0 1", "f2f7"),
        ];
        let found = losses(&judge, &positions, (1, &StopSignal::default()), &mut || ()).unwrap();
        assert_eq!(found[0][..2], [Some(0.0), None]);
        assert!(found[1][0].unwrap() >= 800.0, "{found:?}");
        assert_eq!(found[1][2], Some(0.0), "the judge's own move loses nothing");
        let sum = CentipawnLoss::new("x", 0, &positions, &found).unwrap();
        assert_eq!((sum.mean.samples, sum.blunders.value), (2, 0.5));
        assert!(CentipawnLoss::new("x", 1, &positions, &found).is_none());
    }
}
