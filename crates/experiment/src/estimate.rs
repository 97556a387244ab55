//! Estimates of the time that the commands of an experiment will take on this machine, from measurements of a
//! few seconds.

mod engine;
mod playing;

use std::{cell::OnceCell, error::Error, fmt, path::Path, thread};

use chess::StopSignal;
use formatting::DurationText;
use training::{Recipe, SpeedRequest, measure_training};

use crate::{Experiment, Learning, Step, step::command_line};

pub(crate) use engine::{engine_time, positions_of_games};
pub(crate) use playing::{MOVES_OF_A_GAME, Watched, watch};

/// Maximum samples of a measured step: three steps of the largest network take seconds.
const MOST_SAMPLES: usize = 32;

/// Estimated time of a command.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// Wall-clock seconds; `None` if nothing is known.
    pub seconds: Option<f64>,
    /// The basis of the number, or the reason for its absence.
    pub basis: String,
}

/// A command with its estimated time.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "the fields are what their names say")]
pub struct PlannedStep {
    pub step: Step,
    pub estimate: Estimate,
}

/// Estimates a step of the estimator's experiment.
pub(crate) type EstimateStep = fn(&Estimator<'_>, &Step) -> Estimate;

/// The speed measured over a few steps of training.
#[derive(Clone, Copy)]
struct Speed {
    /// Samples per second of training.
    training: f64,
    /// Positions per second that the network evaluates on one core.
    judging: f64,
}

/// Estimates the steps of an experiment by measurements.
pub(crate) struct Estimator<'a> {
    experiment: &'a Experiment,
    stop: &'a StopSignal,
    speed: OnceCell<Result<Speed, String>>,
}

impl Experiment {
    /// The commands, each with its estimated time. A command that already has its result takes no time.
    pub fn planned(&self, steps: Vec<Step>, stop: &StopSignal) -> Vec<PlannedStep> {
        Estimator::new(self, stop).planned(steps)
    }
}

impl<'a> Estimator<'a> {
    pub(crate) fn new(experiment: &'a Experiment, stop: &'a StopSignal) -> Self {
        Self { experiment, stop, speed: OnceCell::new() }
    }

    /// The commands, each with its estimated time.
    pub(crate) fn planned(&self, steps: Vec<Step>) -> Vec<PlannedStep> {
        let with_estimate = |step| PlannedStep { estimate: self.of(&step), step };
        steps.into_iter().map(with_estimate).collect()
    }

    fn of(&self, step: &Step) -> Estimate {
        if step.output.is_there() {
            Estimate::known(0.0, "already there")
        } else {
            (step.estimate)(self, step)
        }
    }

    fn training(&self) -> Estimate {
        let Learning::Network(recipe) = &self.experiment.learning else {
            return Estimate::unknown("learners without a network take seconds to minutes");
        };
        match self.speed() {
            Ok(speed) => {
                let samples = recipe.training.steps * recipe.training.batch as u64;
                let basis = format!("{samples} samples at {:.0} a second, measured now", speed.training);
                Estimate::known(samples as f64 / speed.training, &basis)
            }
            Err(error) => Estimate::unknown(&error),
        }
    }

    /// The time of a command's games; `both` is 2 if the moves of both players count.
    fn games(&self, words: &[String], both: f64) -> Estimate {
        let (games, at_once) = match (number_of(words, "--games"), number_of(words, "--concurrency")) {
            (Ok(Some(games)), Ok(at_once)) => (f64::from(games), f64::from(at_once.unwrap_or(1))),
            (Ok(None), Ok(_)) => return Estimate::unknown("the command decides its own length"),
            (Err(error), _) | (_, Err(error)) => return Estimate::unknown(&error),
        };
        let at_once = at_once.clamp(1.0, cores() as f64);
        match self.seconds_a_move() {
            Ok(seconds) => {
                let total = games * MOVES_OF_A_GAME * seconds * both / at_once;
                let basis =
                    format!("{games} games of {MOVES_OF_A_GAME} moves, each {}", DurationText(seconds));
                Estimate::known(total, &basis)
            }
            Err(error) => Estimate::unknown(&error),
        }
    }

    /// Seconds that the experiment's player takes per move.
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

/// The estimate of a command that takes little time.
pub(crate) fn short(_: &Estimator<'_>, _: &Step) -> Estimate {
    Estimate::unknown("short compared with the other steps")
}

/// The estimate of a command whose work is known once the data exists.
pub(crate) fn depends_on_positions(_: &Estimator<'_>, _: &Step) -> Estimate {
    Estimate::unknown("depends on how many positions there are")
}

pub(crate) fn training(estimator: &Estimator<'_>, _: &Step) -> Estimate {
    estimator.training()
}

/// The estimate of a match, in which the opponents' time is not known.
pub(crate) fn match_games(estimator: &Estimator<'_>, step: &Step) -> Estimate {
    estimator.games(&step.arguments, 1.0)
}

/// The estimate of a ladder, on which the opponent thinks for as long as the player.
pub(crate) fn ladder_games(estimator: &Estimator<'_>, step: &Step) -> Estimate {
    estimator.games(&step.arguments, 2.0)
}

/// Trains a fresh network of the recipe for three steps on random numbers.
fn measured(recipe: &Recipe) -> Result<Speed, String> {
    let threads = match recipe.training.threads {
        0 => cores(),
        threads => threads,
    };
    let request = SpeedRequest {
        spec: recipe.network.clone(),
        precision: recipe.training.precision,
        batch: recipe.training.batch.min(MOST_SAMPLES),
        threads,
        shuffle_window: MOST_SAMPLES,
        steps: 1,
    };
    let speed = measure_training(&request, None).map_err(|error| causes(&error))?;
    let seconds = match speed.seconds.encode + speed.seconds.forward {
        // If the parts of a step are not known, the forward pass is taken as a third of it.
        0.0 => speed.seconds.total() / 3.0,
        seconds => seconds,
    };
    let judging = speed.batch as f64 / seconds / threads as f64;
    Ok(Speed { training: speed.positions_per_second, judging })
}

impl Estimate {
    pub(crate) fn known(seconds: f64, basis: &str) -> Self {
        Self { seconds: Some(seconds), basis: basis.into() }
    }

    pub(crate) fn unknown(basis: &str) -> Self {
        Self { seconds: None, basis: basis.into() }
    }
}

impl fmt::Display for Estimate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.seconds {
            Some(0.0) => formatter.write_str(&self.basis),
            Some(seconds) => write!(formatter, "about {}: {}", DurationText(seconds), self.basis),
            None => write!(formatter, "not estimated: {}", self.basis),
        }
    }
}

/// The lines of a plan: each command with its estimate as a comment of the shell, and the sum.
pub fn plan_lines(planned: &[PlannedStep]) -> Vec<String> {
    let line = |PlannedStep { step, estimate }: &PlannedStep| {
        format!("tabiya {}  # {estimate}", command_line(&step.arguments))
    };
    let mut lines: Vec<String> = planned.iter().map(line).collect();
    lines.push(total_line(planned.iter().map(|planned| planned.estimate.seconds)));
    lines
}

/// The sum of the estimated seconds, and how many steps it leaves out.
fn total_line(seconds: impl Iterator<Item = Option<f64>> + Clone) -> String {
    let total = DurationText(seconds.clone().flatten().sum());
    let without = match seconds.filter(Option::is_none).count() {
        0 => String::new(),
        1 => ", without the step that is not estimated".to_owned(),
        unknown => format!(", without the {unknown} steps that are not estimated"),
    };
    format!("# in total about {total}{without}; other work on this machine lengthens it")
}

/// The value of an option among the words of a command.
fn option_of<'a>(words: &'a [String], option: &str) -> Option<&'a str> {
    words.iter().position(|word| word == option).and_then(|place| words.get(place + 1)).map(String::as_str)
}

/// The number given for an option; `None` if the command uses its default.
///
/// # Errors
/// The option with the text found instead of a number.
fn number_of(words: &[String], option: &str) -> Result<Option<u32>, String> {
    let number =
        |text: &str| text.parse().map_err(|_| format!("{option}: found {text:?}, expected a number"));
    option_of(words, option).map(number).transpose()
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
        let line = |seconds: &[Option<f64>]| total_line(seconds.iter().copied());
        let other_work = "; other work on this machine lengthens it";
        assert_eq!(line(&[Some(20.0), Some(40.0)]), format!("# in total about 60 s{other_work}"));
        assert_eq!(
            line(&[None, Some(40.0)]),
            format!("# in total about 40 s, without the step that is not estimated{other_work}")
        );
        assert_eq!(
            line(&[None, Some(40.0), None]),
            format!("# in total about 40 s, without the 2 steps that are not estimated{other_work}")
        );
    }

    #[test]
    fn what_is_no_number_is_named() {
        let words = ["match", "--games", "20", "--concurrency", "two"].map(String::from);
        assert_eq!(number_of(&words, "--games"), Ok(Some(20)));
        assert_eq!(number_of(&words, "--processes"), Ok(None));
        let error = number_of(&words, "--concurrency").unwrap_err();
        assert_eq!(error, "--concurrency: found \"two\", expected a number");
        assert_eq!(positions_of_games(&words), Some(1800));
    }
}
