//! Tuning by games: one match of two mirrored settings per iteration.

use std::{fmt, path::PathBuf};

use files::OutputFile;
use serde_json::{Value, json};

use super::{CampaignError, MatchPlan, PlayedGames, Round, Rules};
use crate::{
    matches::{Contestant, Match},
    opening::OpeningBook,
    tuning::{Spsa, draw},
};

/// Iterations between two drawings of the path.
const DRAW_EVERY: u32 = 10;

/// Builds a player of this name with these values of the tuned options.
type MakePlayer = Box<dyn Fn(&str, &[f64]) -> Contestant>;

/// A run of [`Spsa`]. Rounds are numbered by iterations.
pub struct Tuning {
    spsa: Spsa,
    /// Pairs of games per iteration.
    pairs: u32,
    rules: Rules,
    openings: OpeningBook,
    make: MakePlayer,
    drawing: PathBuf,
    /// The iteration whose games are played.
    running: Option<u32>,
}

impl Tuning {
    /// Default number of pairs of games per iteration.
    pub const PAIRS: u32 = 4;

    /// A new run, without games. `drawing` is the SVG file for the path of the values.
    ///
    /// # Errors
    /// [`CampaignError::Opening`].
    pub fn new(
        spsa: Spsa,
        pairs: u32,
        rules: Rules,
        make: impl Fn(&str, &[f64]) -> Contestant + 'static,
        drawing: PathBuf,
    ) -> Result<Self, CampaignError> {
        let games = spsa.iterations().saturating_mul(pairs).saturating_mul(2);
        let openings = rules.book(games)?;
        Ok(Self { spsa, pairs, rules, openings, make: Box::new(make), drawing, running: None })
    }

    /// Options and values so far.
    pub fn spsa(&self) -> &Spsa {
        &self.spsa
    }

    /// Draws the path of the values.
    ///
    /// # Errors
    /// [`CampaignError::Drawing`] and [`CampaignError::Output`].
    pub fn draw(&self) -> Result<(), CampaignError> {
        let path = self.drawing.clone();
        let image = draw(&self.spsa).map_err(|reason| CampaignError::Drawing { path, reason })?;
        Ok(OutputFile::open(&self.drawing)?.finish(&image)?)
    }

    /// The result of the tuning of `player` at this rate; the `--json` output.
    pub fn report(&self, player: &str, rate: f64) -> Value {
        let spsa = &self.spsa;
        let options = spsa.options().iter().zip(spsa.values());
        let options: Vec<Value> = options
            .map(|(option, value)| json!({ "name": option.name, "start": option.start, "value": value }))
            .collect();
        json!({
            "kind": "tabiya-tuning-1",
            "player": player,
            "iterations": spsa.done(),
            "games": u64::from(spsa.done()) * u64::from(self.pairs) * 2,
            "rate": rate,
            "options": options,
            "path": spsa.path(),
        })
    }
}

impl MatchPlan for Tuning {
    fn next(&mut self, played: &PlayedGames) -> Result<Option<Round>, CampaignError> {
        if let Some(iteration) = self.running.take() {
            let tally = played.standing(iteration as usize).games();
            self.spsa.update(tally.wins as f64 - tally.losses as f64);
            let is_over = self.spsa.done() == self.spsa.iterations();
            if is_over || self.spsa.done().is_multiple_of(DRAW_EVERY) {
                self.draw()?;
            }
        }
        let iteration = self.spsa.done();
        if iteration == self.spsa.iterations() {
            return Ok(None);
        }
        self.running = Some(iteration);
        let [first, second] = self.spsa.pair();
        let next_match = Match {
            contestants: [(self.make)("first", &first), (self.make)("second", &second)],
            openings: self.openings.clone().from_pair(iteration * self.pairs),
            settings: self.rules.settings(self.pairs * 2, iteration.into()),
        };
        Ok(Some(Round { number: iteration as usize, next_match }))
    }

    fn games(&self) -> u64 {
        u64::from(self.spsa.iterations()) * u64::from(self.pairs) * 2
    }

    fn status(&self) -> Option<String> {
        Some(self.to_string())
    }
}

/// The options with their values.
impl fmt::Display for Tuning {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, (option, value)) in self.spsa.options().iter().zip(self.spsa.values()).enumerate() {
            let separator = if number == 0 { "" } else { ", " };
            write!(formatter, "{separator}{} {value:.4}", option.name)?;
        }
        Ok(())
    }
}
