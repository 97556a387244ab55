//! Loss of moves: the difference between a player's moves and the best ones, judged by an engine.

use chess::{Game, Limits, Move, Score, StopSignal};
use dataset::{EvaluationCurve, Stage};
use serde::{Deserialize, Serialize};

use crate::{
    panel::{Panel, PanelError, Reply},
    player::{Player, PlayerError},
    statistics::{Measurement, grouped},
};

/// Evaluations are clamped to this many centipawns, and mates count as this many: beyond it the game is
/// decided.
pub const CLAMP: i32 = 1000;

/// The amount by which a move is worse than the judge's best.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loss {
    /// Not below 0.
    pub centipawns: f64,
    /// Expected score lost, from 0 to 1, by Lichess's winning chances ([`EvaluationCurve::Lichess`]).
    pub expected: f64,
}

/// Mean loss per move of one mover.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct CentipawnLoss {
    pub player: String,
    /// Mean loss per move; the interval counts games, not moves, as independent.
    pub mean: Measurement,
    /// Mean loss per move of the expected score, from 0 to 1.
    pub expected: Measurement,
    /// Share of moves that lose 100 centipawns or more.
    pub blunders: Measurement,
}

/// Difference of two movers' losses in the same positions, whose interval is far narrower than those of the
/// two means.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LossDifference {
    /// Centipawns per move that the first mover loses more; the interval counts games, not moves, as independent.
    pub mean: Measurement,
    /// Positions in which their losses differ.
    pub different: u64,
}

/// A position with the moves to judge in it, one for each mover; `None` if a mover gave none.
#[derive(Clone, Debug)]
pub struct JudgedPosition {
    /// The game it comes from.
    pub game_number: usize,
    /// The position, with its history.
    pub game: Game,
    /// The moves, with the movers in the same order in every position.
    pub played: Vec<Option<Move>>,
}

/// Losses of the moves in each position, by the judge.
#[derive(Clone, Debug)]
pub struct Losses {
    /// The loss of each mover in each position; `None` without a move or a judgement.
    pub of_positions: Vec<Vec<Option<Loss>>>,
    /// Positions without a judgement.
    pub unjudged: u64,
    /// Reason for the first of them.
    pub reason: Option<String>,
}

/// Judges the moves of positions: the judge's evaluation of the position less its evaluation after the move, both for the
/// mover, not below 0. The judge, the player of the panel, evaluates each position, and each different move in it, once.
///
/// # Errors
/// [`PanelError`] if the judge does not start, when it was interrupted, or without a position.
pub fn losses(panel: &Panel<'_>, positions: &[JudgedPosition]) -> Result<Losses, PanelError> {
    let answers = panel.ask(positions, |judge, limits, position: &JudgedPosition| {
        judged(judge, limits, panel.stop, position)
    })?;
    let mut found = Losses { of_positions: Vec::new(), unjudged: 0, reason: None };
    for (reply, position) in answers.replies.into_iter().zip(positions) {
        let reason = match reply {
            Reply::Answer(Some(losses)) => {
                found.of_positions.push(losses);
                continue;
            }
            Reply::Answer(None) => "it gave no evaluation".into(),
            Reply::Failure(error) => error.to_string(),
        };
        found.unjudged += 1;
        found.reason.get_or_insert(reason);
        found.of_positions.push(vec![None; position.played.len()]);
    }
    Ok(found)
}

/// The losses of the moves of a position; `None` if the judge gives no evaluation of it or of one after a move.
fn judged(
    judge: &mut dyn Player,
    limits: &Limits,
    stop: &StopSignal,
    position: &JudgedPosition,
) -> Result<Option<Vec<Option<Loss>>>, PlayerError> {
    let best = judge.choose(&position.game, limits, stop)?;
    let Some(highest) = best.info.score.map(clamped) else { return Ok(None) };
    // The judge's own move loses nothing: a second evaluation of it would add the noise of a second search.
    let mut known = vec![(best.chess_move, Loss { centipawns: 0.0, expected: 0.0 })];
    let mut losses = Vec::with_capacity(position.played.len());
    for &played in &position.played {
        let Some(played) = played else {
            losses.push(None);
            continue;
        };
        if let Some((_, loss)) = known.iter().find(|(one, _)| *one == played) {
            losses.push(Some(*loss));
            continue;
        }
        let after = position.game.after(played);
        let own = match after.outcome().map(|outcome| outcome.winner) {
            // Over after the mover's own move: the mover has given mate.
            Some(Some(_)) => CLAMP,
            Some(None) => 0,
            None => match judge.choose(&after, limits, stop)?.info.score.map(clamped) {
                Some(score) => -score,
                None => return Ok(None),
            },
        };
        let loss = Loss::between(highest, own);
        known.push((played, loss));
        losses.push(Some(loss));
    }
    Ok(Some(losses))
}

impl Loss {
    /// Loss of a move worth `played` in a position worth `best`, both in centipawns within [`CLAMP`].
    fn between(best: i32, played: i32) -> Self {
        let expected = f64::from((expected_score(best) - expected_score(played)).max(0.0));
        Self { centipawns: f64::from((best - played).max(0)), expected }
    }
}

fn expected_score(centipawns: i32) -> f32 {
    // The curve is the same at every stage of a game.
    EvaluationCurve::Lichess.wdl_of_centipawns(centipawns as f32, Stage::START).expected_score()
}

fn clamped(score: Score) -> i32 {
    match score {
        Score::Centipawns(centipawns) => centipawns.clamp(-CLAMP, CLAMP),
        Score::Mate(moves) if moves > 0 => CLAMP,
        Score::Mate(_) => -CLAMP,
    }
}

impl Losses {
    /// `value` of the losses of each position, game by game; positions without a value are left out.
    fn by_game(
        &self,
        positions: &[JudgedPosition],
        value: impl Fn(&[Option<Loss>]) -> Option<f64>,
    ) -> Vec<Vec<f64>> {
        let judged: Vec<_> = positions.iter().zip(&self.of_positions).collect();
        grouped(&judged, |(position, _)| position.game_number, |(_, losses)| value(losses))
    }

    /// `value` of the losses of one mover, game by game.
    fn of_mover(
        &self,
        mover: usize,
        positions: &[JudgedPosition],
        value: impl Fn(Loss) -> f64,
    ) -> Vec<Vec<f64>> {
        self.by_game(positions, |losses| Some(value((*losses.get(mover)?)?)))
    }
}

impl CentipawnLoss {
    /// Sums up the losses of one mover. `None` without judged moves.
    pub fn new(player: &str, mover: usize, positions: &[JudgedPosition], losses: &Losses) -> Option<Self> {
        let centipawns = losses.of_mover(mover, positions, |loss| loss.centipawns);
        let expected = losses.of_mover(mover, positions, |loss| loss.expected);
        let blunders =
            losses.of_mover(mover, positions, |loss| f64::from(u8::from(loss.centipawns >= 100.0)));
        Some(Self {
            player: player.into(),
            mean: Measurement::grouped_mean(&centipawns, 0.0..=f64::from(2 * CLAMP))?,
            expected: Measurement::grouped_mean(&expected, 0.0..=1.0)?,
            blunders: Measurement::grouped_mean(&blunders, 0.0..=1.0)?,
        })
    }
}

impl LossDifference {
    /// The loss of the first mover less that of the second, over positions in which both were evaluated;
    /// `None` without such a position.
    pub fn new(first: usize, second: usize, positions: &[JudgedPosition], losses: &Losses) -> Option<Self> {
        let games = losses.by_game(positions, |losses| {
            Some((*losses.get(first)?)?.centipawns - (*losses.get(second)?)?.centipawns)
        });
        let most = f64::from(2 * CLAMP);
        Some(Self {
            mean: Measurement::grouped_mean(&games, -most..=most)?,
            different: games.iter().flatten().filter(|&&difference| difference != 0.0).count() as u64,
        })
    }
}

impl std::fmt::Display for LossDifference {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { mean, different } = self;
        write!(
            formatter,
            "{mean:.1} centipawns lost a move (95 %), another loss in {different} of {} moves",
            mean.samples
        )
    }
}

impl std::fmt::Display for CentipawnLoss {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            formatter,
            "  {:<24} {:.1} centipawns lost a move (95 %), {:.4} of the expected score, {} lose 100 or more, {} moves",
            self.player,
            self.mean,
            self.expected,
            self.blunders.percent(),
            self.mean.samples
        )
    }
}

#[cfg(test)]
mod tests {
    use chess::CastlingMode;

    use super::*;
    use crate::{
        matches::Contestant,
        player::{Choice, MoveInfo},
    };

    /// Evaluates as White's material less Black's and plays the first move.
    struct Counter;

    impl Player for Counter {
        fn name(&self) -> &'static str {
            "counter"
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
            // A mate counts as the clamp: no loss.
            judged("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", "d1d8"),
            // Stalemate throws a queen away.
            judged("7k/8/6K1/8/8/8/5Q2/8 w - - 0 1", "f2f7"),
        ];
        let panel = Panel { contestant: &judge, threads: 1, stop: &StopSignal::default(), observe: &|| () };
        let found = losses(&panel, &positions).unwrap();
        let nothing = Loss { centipawns: 0.0, expected: 0.0 };
        assert_eq!(found.of_positions[0][..2], [Some(nothing), None]);
        let thrown_away = found.of_positions[1][0].unwrap();
        assert!(thrown_away.centipawns >= 800.0, "{found:?}");
        // 1 / (1 + e^(-0.00368208 v)) less a half.
        let expected = 1.0 / (1.0 + (-0.003_682_08 * thrown_away.centipawns).exp()) - 0.5;
        assert!((thrown_away.expected - expected).abs() < 1e-5, "{thrown_away:?}");
        assert_eq!(found.of_positions[1][2], Some(nothing), "the judge's own move loses nothing");
        assert_eq!((found.unjudged, &found.reason), (0, &None));
        let sum = CentipawnLoss::new("x", 0, &positions, &found).unwrap();
        assert_eq!((sum.mean.samples, sum.blunders.value), (2, 0.5));
        assert!(CentipawnLoss::new("x", 1, &positions, &found).is_none());
        let more = LossDifference::new(0, 2, &positions, &found).unwrap();
        assert_eq!((more.mean.value, more.different), (sum.mean.value, 1), "{more}");
        let less = LossDifference::new(2, 0, &positions, &found).unwrap();
        assert!((less.mean.value + more.mean.value).abs() < 1e-9, "{less}");
        assert!(LossDifference::new(0, 1, &positions, &found).is_none());
    }
}
