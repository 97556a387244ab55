//! The share of a person's moves that a network finds in held-out games, before and after it learned from the other games.

use std::path::Path;

use chess::{EvaluationRequest, Evaluator, Move};
use figures::Percent;
use files::{OutputError, OutputFile};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use strength::{
    metrics::{
        HumanMatch, PlayedPosition, Take,
        human::{HumanBand, OPENING_PLIES},
        read_played,
    },
    panel::{Answers, Lateness, Reply},
    statistics::Measurement,
};

use crate::PersonalError;

/// The file in the folder of a run trained on a person's games. The page offers such a network as an
/// opponent.
pub const PERSON_FILE: &str = "person.json";

/// First field of the file; never reused for something else.
const FORMAT: &str = "tabiya-person";

const VERSION: u32 = 1;

/// Positions evaluated together.
const BATCH: usize = 256;

/// Share of the person's moves that are found in held-out games, without the first ten half-moves of each game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PersonFile {
    format: String,
    version: u32,
    /// The network that the training started from.
    start: String,
    /// Its share of moves, with baselines.
    before: HumanBand,
    /// For each position whether it found the move: `1` or `0`.
    found_before: String,
    /// The share of the trained network.
    after: Option<HumanBand>,
    /// Gain, as a share of the positions; its interval is computed from the differences by game.
    gain: Option<Measurement>,
}

/// The held-out positions of a person's samples.
pub struct HeldOutMoves(Vec<PlayedPosition>);

impl HeldOutMoves {
    /// Reads them from the sample store.
    ///
    /// # Errors
    /// [`PersonalError::NothingHeldOut`], or an error if the store cannot be read.
    pub fn read(samples: &Path) -> Result<Self, PersonalError> {
        let all = Take { per_game: usize::MAX, sample: None };
        let found = read_played(samples, all, |facts| facts.ply >= OPENING_PLIES)?.positions;
        if found.is_empty() {
            return Err(PersonalError::NothingHeldOut { path: samples.into() });
        }
        Ok(Self(found))
    }

    /// Measures the network `start` before the training.
    ///
    /// # Errors
    /// [`PersonalError::Evaluator`].
    pub fn before(&self, start: &str, evaluator: &dyn Evaluator) -> Result<PersonFile, PersonalError> {
        let answers = self.answers(evaluator)?;
        Ok(PersonFile {
            format: FORMAT.into(),
            version: VERSION,
            start: start.into(),
            before: self.share(&answers),
            found_before: self.found(&answers).map(|found| if found { '1' } else { '0' }).collect(),
            after: None,
            gain: None,
        })
    }

    /// Measures the trained network and adds the difference.
    ///
    /// # Errors
    /// [`PersonalError::OtherPositions`] if the earlier measurement used other positions; [`PersonalError::Evaluator`].
    pub fn after(&self, known: PersonFile, evaluator: &dyn Evaluator) -> Result<PersonFile, PersonalError> {
        let (found, expected) = (known.found_before.len(), self.0.len());
        if found != expected {
            // Games were added or removed since then; the gain is defined on equal positions only.
            return Err(PersonalError::OtherPositions { found, expected });
        }
        let answers = self.answers(evaluator)?;
        let gain = Measurement::grouped_mean(&self.gains(&known.found_before, &answers), -1.0..=1.0);
        Ok(PersonFile { after: Some(self.share(&answers)), gain, ..known })
    }

    /// What was gained in each position, 1, 0 or -1, by game.
    fn gains(&self, found_before: &str, answers: &Answers<Move>) -> Vec<Vec<f64>> {
        // The gain is measured position by position, not as the difference of two shares: both networks see the same positions and judge
        // most of them alike, so the differences vary less than the answers, and the interval is narrower. They are grouped by game,
        // because moves of one game are not independent observations.
        let mut pairs = found_before.bytes().zip(self.found(answers));
        let mut games = Vec::new();
        for game in self.0.chunk_by(|one, other| one.game_number == other.game_number) {
            let mut gains = Vec::with_capacity(game.len());
            for (before, after) in pairs.by_ref().take(game.len()) {
                gains.push(f64::from(u8::from(after)) - f64::from(u8::from(before == b'1')));
            }
            games.push(gains);
        }
        games
    }

    /// The most likely move in each position.
    fn answers(&self, evaluator: &dyn Evaluator) -> Result<Answers<Move>, PersonalError> {
        let mut replies = Vec::with_capacity(self.0.len());
        for positions in self.0.chunks(BATCH) {
            let legal: Vec<Vec<Move>> = positions.iter().map(|one| one.game.legal_moves().to_vec()).collect();
            let requests: Vec<EvaluationRequest<'_>> = positions
                .iter()
                .zip(&legal)
                .map(|(one, legal_moves)| EvaluationRequest { game: &one.game, legal_moves })
                .collect();
            for (evaluation, legal) in evaluator.evaluate(&requests)?.iter().zip(&legal) {
                let moves = evaluation.priors.iter().zip(legal);
                let likeliest = moves.max_by(|(one, _), (other, _)| one.total_cmp(other));
                let (_, &likeliest) = likeliest.expect("a position of which a move was played has one");
                replies.push(Reply::Answer(likeliest));
            }
        }
        Ok(Answers { replies, late: Lateness::default() })
    }

    fn found<'a>(&'a self, answers: &'a Answers<Move>) -> impl Iterator<Item = bool> + 'a {
        self.0.iter().zip(&answers.replies).map(|(one, reply)| reply.answer() == Some(&one.played))
    }

    fn share(&self, answers: &Answers<Move>) -> HumanBand {
        HumanMatch::new(&self.0, answers).expect("every position has an answer, and there is one").overall
    }
}

impl PersonFile {
    /// The file of a run.
    ///
    /// # Errors
    /// [`PersonalError::Damaged`], or an error if it cannot be read.
    pub fn read(run: &Path) -> Result<Self, PersonalError> {
        let path = run.join(PERSON_FILE);
        let text = files::read_text(&path).map_err(OutputError::io("read", &path))?;
        let found = match serde_json::from_str::<Self>(&text) {
            Ok(file) if file.format == FORMAT && file.version == VERSION => return Ok(file),
            Ok(file) => format!("format {:?} version {}", file.format, file.version),
            Err(error) => error.to_string(),
        };
        Err(PersonalError::Damaged { path, found, expected: format!("format {FORMAT:?} version {VERSION}") })
    }

    /// Writes it into the folder of a run.
    ///
    /// # Errors
    /// [`PersonalError::Output`].
    pub fn write(&self, run: &Path) -> Result<(), PersonalError> {
        let path = run.join(PERSON_FILE);
        let text = serde_json::to_string_pretty(self)
            .map_err(|error| OutputError::io("write", &path)(error.into()))?;
        Ok(OutputFile::open(&path)?.finish(text)?)
    }

    /// The entry in the summary of the run.
    pub fn summary(&self) -> Value {
        let Self { start, before, after, gain, .. } = self;
        serde_json::json!({ "start": start, "before": before, "after": after, "gain": gain })
    }

    /// The result in words.
    pub fn describe(&self) -> String {
        let HumanBand { matched, games, random, .. } = &self.before;
        let before = format!(
            "your move in {} positions of {games} held-out games: {} {}, a random mover {}",
            matched.samples,
            self.start,
            matched.percent(),
            Percent(*random)
        );
        let (Some(after), Some(gain)) = (&self.after, self.gain) else { return before };
        format!("{before}; now {}, a gain of {} by game", after.matched.percent(), gain.percent())
    }
}

#[cfg(test)]
mod tests {
    use chess::{Evaluation, EvaluatorError, UniformEvaluator, Wdl};
    use dataset::{BuildConfig, NoObserver, build};

    use super::*;

    /// An evaluator that prefers captures to all other moves.
    struct Greedy;

    impl Evaluator for Greedy {
        fn describe(&self) -> String {
            "greedy".into()
        }

        fn history(&self) -> usize {
            1
        }

        fn evaluate(&self, batch: &[EvaluationRequest<'_>]) -> Result<Vec<Evaluation>, EvaluatorError> {
            let evaluate = |request: &EvaluationRequest<'_>| {
                let liking = |one: &Move| if one.is_capture() { 100.0_f32 } else { 1.0 };
                let all: f32 = request.legal_moves.iter().map(liking).sum();
                let priors = request.legal_moves.iter().map(|one| liking(one) / all).collect();
                Evaluation { wdl: Wdl::DRAW, priors, moves_left: None }
            };
            Ok(batch.iter().map(evaluate).collect())
        }
    }

    /// Four games with three captures after their first ten half-moves.
    fn held_out(folder: &Path) -> HeldOutMoves {
        let moves = "1. e4 d5 2. Nc3 Nf6 3. Nf3 Nc6 4. a3 a6 5. h3 h6 6. exd5 Nxd5 7. Nxd5 Qxd5";
        let games = ["c4", "c3", "d4", "d3"].map(|last| format!("{moves} 8. {last} 1-0\n\n")).concat();
        std::fs::write(folder.join("games.pgn"), games).unwrap();
        let samples = folder.join("samples");
        let config =
            BuildConfig { validation_share: 1.0, ..BuildConfig::new(&samples, [folder.join("games.pgn")]) };
        build(&config, &mut NoObserver).unwrap();
        HeldOutMoves::read(&samples).unwrap()
    }

    #[test]
    fn before_and_after_are_compared_position_by_position() {
        let folder = tempfile::tempdir().unwrap();
        let moves = held_out(folder.path());
        let before = moves.before("uniform", &UniformEvaluator).unwrap();
        assert_eq!((before.before.games, before.before.matched.samples), (4, 20), "five moves of each game");
        before.write(folder.path()).unwrap();
        let known = PersonFile::read(folder.path()).unwrap();
        assert_eq!(known, before);
        let after = moves.after(known, &Greedy).unwrap();
        let (share, gain) = (after.after.clone().unwrap().matched, after.gain.unwrap());
        assert!(share.value > after.before.matched.value, "{after:?}");
        assert!((gain.value - (share.value - after.before.matched.value)).abs() < 1e-9);
        assert!(gain.lower <= gain.value && gain.value <= gain.upper);
        let same = moves.after(before, &UniformEvaluator).unwrap();
        assert_eq!(same.gain.unwrap().value, 0.0);
        assert!(same.describe().contains("20 positions of 4 held-out games"), "{}", same.describe());
    }

    #[test]
    fn other_positions_and_other_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let moves = held_out(folder.path());
        let mut known = moves.before("uniform", &UniformEvaluator).unwrap();
        known.found_before.pop();
        assert!(
            moves.after(known.clone(), &UniformEvaluator).unwrap_err().to_string().contains("19 positions")
        );
        known.version = 2;
        known.write(folder.path()).unwrap();
        assert!(PersonFile::read(folder.path()).unwrap_err().to_string().contains("version 2"));
    }
}
