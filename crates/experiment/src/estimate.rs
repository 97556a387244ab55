//! Estimates of the time that the commands of an experiment will take on this machine, from measurements of a
//! few seconds. They measure CPU time, which hardly depends on other work on the machine.

mod engine;
mod playing;

use std::{
    cell::OnceCell,
    convert::Infallible,
    error::Error,
    fmt,
    path::{Path, PathBuf},
    thread,
};

use chess::StopSignal;
use figures::DurationText;
use training::{Recipe, SpeedRequest, TrainingSpeed, Validation, measure_training};

use crate::{
    Experiment, Learning, Step,
    step::{command_line, needs_data},
};

pub(crate) use engine::{PLIES_OF_A_GAME, engine_time, positions_of_games};
pub(crate) use playing::{MOVES_OF_A_GAME, Watched, watch};

/// Maximum samples of a measured step: three steps of the largest network take seconds.
const MOST_SAMPLES: usize = 32;

/// Samples of a measured step of a network that takes little time for [`MOST_SAMPLES`] of them.
const MANY_SAMPLES: usize = 1024;

/// CPU time of a measurement in seconds: the system counts it in hundredths.
const MEASURED: f64 = 0.5;

/// Most steps of a measurement.
const MOST_STEPS: f64 = 1000.0;

/// Functions that estimates need from the program.
#[derive(Clone, Copy)]
pub struct Probe<'a> {
    /// Ends a measurement.
    pub stop: &'a StopSignal,
    /// Counts, or estimates within seconds, the positions in files of games and positions; `None` if that is not possible.
    pub count_positions: fn(&[PathBuf]) -> Result<Option<u64>, String>,
}

/// Estimated time of a command.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// Wall-clock seconds on an otherwise idle machine; `None` if unknown.
    pub seconds: Option<f64>,
    /// Seconds of CPU time of all cores together.
    pub processor_seconds: Option<f64>,
    /// The basis of the number, or the reason for its absence.
    pub basis: String,
}

/// A command with its estimated time.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct PlannedStep {
    pub step: Step,
    pub estimate: Estimate,
}

/// Estimates a step of the estimator's experiment, or returns the reason why that is not possible.
pub(crate) type EstimateStep = fn(&Estimator<'_>, &Step) -> Result<Estimate, String>;

/// The speed measured over a few steps of training, per second of CPU time.
#[derive(Clone, Copy)]
struct Speed {
    /// Samples of training.
    training: f64,
    /// Positions that the network evaluates.
    judging: f64,
}

/// Estimates the steps of an experiment by measurements.
pub(crate) struct Estimator<'a> {
    experiment: &'a Experiment,
    probe: Probe<'a>,
    speed: OnceCell<Result<Speed, String>>,
}

impl Experiment {
    /// The commands, each with its estimated time. A command that already has its result takes no time.
    pub fn planned(&self, steps: Vec<Step>, probe: Probe<'_>) -> Vec<PlannedStep> {
        Estimator::new(self, probe).planned(steps)
    }
}

impl<'a> Estimator<'a> {
    pub(crate) fn new(experiment: &'a Experiment, probe: Probe<'a>) -> Self {
        Self { experiment, probe, speed: OnceCell::new() }
    }

    /// The commands, each with its estimated time.
    pub(crate) fn planned(&self, steps: Vec<Step>) -> Vec<PlannedStep> {
        let needs_data = needs_data(&steps, |step| Ok::<_, Infallible>(step.output.is_there()));
        let Ok(needs_data) = needs_data;
        steps.into_iter().map(|step| PlannedStep { estimate: self.of(&step, needs_data), step }).collect()
    }

    fn of(&self, step: &Step, needs_data: bool) -> Estimate {
        if step.output.is_there() {
            Estimate::nothing("already there")
        } else if step.is_data() && !needs_data {
            Estimate::nothing("not needed again")
        } else {
            Estimate::or_unknown((step.estimate)(self, step))
        }
    }

    /// The time of a command's games; `both` is 2 if the moves of both players count.
    fn games(&self, words: &[String], both: f64) -> Result<Estimate, String> {
        let (games, at_once) = (number_of(words, "--games")?, number_of(words, "--concurrency")?);
        let games = games.ok_or("the command decides its own length")? as f64;
        let at_once = (at_once.unwrap_or(1) as f64).clamp(1.0, cores() as f64);
        let seconds = self.seconds_a_move()?;
        let basis = format!("{games} games of {MOVES_OF_A_GAME} moves, each {}", DurationText(seconds));
        Ok(Estimate::on_cores(games * MOVES_OF_A_GAME * seconds * both, at_once, &basis))
    }

    /// Seconds that the experiment's player takes per move, on one core.
    pub(crate) fn seconds_a_move(&self) -> Result<f64, String> {
        let player = self.experiment.player(Path::new(player::RUNS));
        let player = player.map_err(|error| causes(&error))?;
        playing::seconds_a_move(&player, || match self.experiment.learning {
            Learning::Network(_) => self.speed().map(|speed| speed.judging),
            Learning::Learners(_) => Err("the speed of learners is not known before they are trained".into()),
        })
    }

    fn speed(&self) -> Result<Speed, String> {
        let Learning::Network(recipe) = &self.experiment.learning else {
            return Err("there is no network".into());
        };
        self.speed.get_or_init(|| measured(recipe)).clone()
    }
}

/// Why a command that takes little time is not estimated.
pub(crate) const SHORT: &str = "short compared with the other steps";

/// The estimate of a command that takes little time.
pub(crate) fn short(_: &Estimator<'_>, _: &Step) -> Result<Estimate, String> {
    Err(SHORT.into())
}

/// The estimate of a command whose work is known once the data exists.
pub(crate) fn depends_on_positions(_: &Estimator<'_>, _: &Step) -> Result<Estimate, String> {
    Err("depends on how many positions there are".into())
}

/// The estimate of a measurement of the network's predictions.
pub(crate) fn held_out(estimator: &Estimator<'_>, step: &Step) -> Result<Estimate, String> {
    let positions = number_of(&step.arguments, "--positions")?.unwrap_or(Validation::POSITIONS.into());
    let speed = estimator.speed()?;
    let basis = format!("at most {positions} positions at {:.0} a second of a core", speed.judging);
    Ok(Estimate::on_cores(positions as f64 / speed.judging, cores() as f64, &basis))
}

pub(crate) fn training(estimator: &Estimator<'_>, _: &Step) -> Result<Estimate, String> {
    let Learning::Network(recipe) = &estimator.experiment.learning else {
        return Err("learners without a network take seconds to minutes".into());
    };
    let speed = estimator.speed()?;
    let samples = recipe.training.steps * recipe.training.batch as u64;
    let made = recipe.stream.as_ref().map(|stream| format!(" without the time to make {stream}"));
    let basis = format!(
        "{samples} samples at {:.0} a second of a core, measured now{}",
        speed.training,
        made.unwrap_or_default()
    );
    Ok(Estimate::on_cores(samples as f64 / speed.training, threads_of(recipe) as f64, &basis))
}

/// The estimate of a match, in which the opponents' time is not known.
pub(crate) fn match_games(estimator: &Estimator<'_>, step: &Step) -> Result<Estimate, String> {
    estimator.games(&step.arguments, 1.0)
}

/// The estimate of a ladder, on which the opponent thinks for as long as the player.
pub(crate) fn ladder_games(estimator: &Estimator<'_>, step: &Step) -> Result<Estimate, String> {
    estimator.games(&step.arguments, 2.0)
}

fn threads_of(recipe: &Recipe) -> usize {
    match recipe.training.threads {
        0 => cores(),
        threads => threads,
    }
}

/// Trains a fresh network of the recipe for some steps, in batches of `most_samples` or fewer.
fn speed_of(recipe: &Recipe, steps: usize, most_samples: usize) -> Result<TrainingSpeed, String> {
    let request = SpeedRequest {
        spec: recipe.network.clone(),
        precision: recipe.training.precision,
        batch: recipe.training.batch.min(most_samples),
        threads: threads_of(recipe),
        shuffle_window: MOST_SAMPLES,
        steps,
    };
    measure_training(&request, None).map_err(|error| causes(&error))
}

/// Trains a fresh network of the recipe on random numbers: for one step and, if that is short, for more.
fn measured(recipe: &Recipe) -> Result<Speed, String> {
    let threads = threads_of(recipe);
    let mut speed = speed_of(recipe, 1, MOST_SAMPLES)?;
    let work = speed.seconds.total() * threads as f64;
    if work < MEASURED {
        let many = work < MEASURED / 50.0;
        let samples = if many { MANY_SAMPLES } else { MOST_SAMPLES };
        let per_step = work * recipe.training.batch.min(samples) as f64 / speed.batch as f64;
        let steps = (MEASURED / per_step).clamp(1.0, MOST_STEPS) as usize;
        speed = speed_of(recipe, steps, samples)?;
    }
    // Nothing was counted for a network that is quicker than a tick of the clock.
    let per_processor_second = speed.positions_per_processor_second.filter(|rate| rate.is_finite());
    let measured = per_processor_second.unwrap_or(speed.positions_per_second / threads as f64);
    // The update of a step costs the same for any batch, so a larger one than the measured spreads it over more samples.
    let update = speed.seconds.update / speed.seconds.total();
    let spread = update * speed.batch as f64 / recipe.training.batch as f64;
    let training = measured / (1.0 - update + spread);
    // If the parts of a step are not known, the forward pass is taken as a third of it.
    let share = match (speed.seconds.encode + speed.seconds.forward) / speed.seconds.total() {
        0.0 => 1.0 / 3.0,
        share => share,
    };
    Ok(Speed { training, judging: measured / share })
}

impl Estimate {
    /// Work of `processor_seconds` of CPU time, spread over `cores` cores.
    pub(crate) fn on_cores(processor_seconds: f64, cores: f64, basis: &str) -> Self {
        Self {
            seconds: Some(processor_seconds / cores),
            processor_seconds: Some(processor_seconds),
            basis: basis.into(),
        }
    }

    /// A step that is not run.
    pub(crate) fn nothing(reason: &str) -> Self {
        Self::on_cores(0.0, 1.0, reason)
    }

    /// The estimate, or the reason for its absence.
    pub(crate) fn or_unknown(estimate: Result<Self, String>) -> Self {
        estimate.unwrap_or_else(|basis| Self { seconds: None, processor_seconds: None, basis })
    }
}

impl fmt::Display for Estimate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.seconds {
            Some(0.0) => formatter.write_str(&self.basis),
            Some(seconds) => {
                let processor = DurationText(self.processor_seconds.unwrap_or(seconds));
                let seconds = DurationText(seconds);
                write!(formatter, "about {seconds}, {processor} of CPU time: {}", self.basis)
            }
            None => write!(formatter, "not estimated: {}", self.basis),
        }
    }
}

/// The lines of a plan: each command with its estimate as a comment of the shell, and the sum.
pub fn plan_lines(planned: &[PlannedStep]) -> Vec<String> {
    let mut lines = Vec::with_capacity(planned.len() + 1);
    for PlannedStep { step, estimate } in planned {
        lines.push(format!("tabiya {}  # {estimate}", command_line(&step.arguments)));
    }
    let estimates: Vec<&Estimate> = planned.iter().map(|planned| &planned.estimate).collect();
    lines.push(total_line(&estimates));
    lines
}

/// The sum of the estimates, and how many steps it leaves out.
fn total_line(estimates: &[&Estimate]) -> String {
    let total = DurationText(estimates.iter().filter_map(|one| one.seconds).sum());
    let processor = DurationText(estimates.iter().filter_map(|one| one.processor_seconds).sum());
    let without = match estimates.iter().filter(|one| one.seconds.is_none()).count() {
        0 => String::new(),
        1 => ", without the step that is not estimated".to_owned(),
        unknown => format!(", without the {unknown} steps that are not estimated"),
    };
    format!("# in total about {total} on an idle machine, {processor} of CPU time{without}")
}

/// The value of an option among the words of a command.
fn option_of<'a>(words: &'a [String], option: &str) -> Option<&'a str> {
    words.iter().position(|word| word == option).and_then(|place| words.get(place + 1)).map(String::as_str)
}

/// The number given for an option; `None` if the command uses its default.
///
/// # Errors
/// The option with the text found instead of a number.
fn number_of(words: &[String], option: &str) -> Result<Option<u64>, String> {
    let Some(text) = option_of(words, option) else { return Ok(None) };
    text.parse().map(Some).map_err(|_| format!("{option}: found {text:?}, expected a number"))
}

pub(crate) fn causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_total_says_what_it_leaves_out() {
        let known = |seconds: f64| Estimate::on_cores(2.0 * seconds, 2.0, "x");
        let unknown = Estimate::or_unknown(Err("x".into()));
        let start = "# in total about";
        assert_eq!(
            total_line(&[&known(20.0), &known(40.0)]),
            format!("{start} 60 s on an idle machine, 2 min of CPU time")
        );
        let one = format!("{start} 40 s on an idle machine, 80 s of CPU time");
        assert_eq!(
            total_line(&[&unknown, &known(40.0)]),
            format!("{one}, without the step that is not estimated")
        );
        assert_eq!(
            total_line(&[&unknown, &known(40.0), &unknown]),
            format!("{one}, without the 2 steps that are not estimated")
        );
        assert_eq!(known(20.0).to_string(), "about 20 s, 40 s of CPU time: x");
    }

    #[test]
    fn what_is_no_number_is_named() {
        let words = ["match", "--games", "20", "--concurrency", "two", "--max-positions", "5000000000"];
        let words = words.map(String::from);
        assert_eq!(number_of(&words, "--games"), Ok(Some(20)));
        assert_eq!(number_of(&words, "--processes"), Ok(None));
        assert_eq!(number_of(&words, "--max-positions"), Ok(Some(5_000_000_000)), "stores hold billions");
        let error = number_of(&words, "--concurrency").unwrap_err();
        assert_eq!(error, "--concurrency: found \"two\", expected a number");
        assert_eq!(positions_of_games(&words), Some(1800));
    }
}
