//! The same training or experiment at a fraction of its size.

use std::{fmt, path::Path, str::FromStr};

use super::Recipe;

/// The fraction of an experiment's games, steps and positions that is used: more than 0 and less than 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale(f64);

impl Scale {
    /// The share of a count, but at least `least` of it, or all if there are fewer.
    pub fn of(self, count: u64, least: u64) -> u64 {
        ((count as f64 * self.0).round() as u64).max(least.min(count))
    }

    /// The name of a run, a store or another file at this scale, always different from the unscaled name.
    pub fn name(self, name: &str) -> String {
        format!("{name}-at-{self}")
    }

    /// The path of a file in the folder of another recipe's run (`runs/NAME/FILE`) at this scale; other paths
    /// are unchanged.
    pub fn path_in_run(self, path: &str, runs: &Path) -> String {
        let parts = Path::new(path)
            .strip_prefix(runs)
            .ok()
            .and_then(Path::to_str)
            .and_then(|rest| rest.split_once('/'));
        match parts {
            Some((name, file)) => runs.join(self.name(name)).join(file).display().to_string(),
            None => path.into(),
        }
    }
}

impl fmt::Display for Scale {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl FromStr for Scale {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let scale = text.parse().ok().filter(|scale| *scale > 0.0 && *scale < 1.0);
        scale
            .map(Self)
            .ok_or_else(|| format!("found {text:?}, expected a number between 0 and 1, such as 0.01"))
    }
}

/// Fewest steps of a scaled training, and fewest positions of its validations and statistics. Chosen: enough to see a loss fall.
const LEAST_STEPS: u64 = 20;
const LEAST_POSITIONS: u64 = 512;

/// Most validations and checkpoints of a scaled training: with the recipe's numbers of them, it would do little else.
const VALIDATIONS: u64 = 4;
const CHECKPOINTS: u64 = 2;

/// Fewest lines of the log, for a curve.
const LOG_LINES: u64 = 20;

impl Recipe {
    /// The training at a fraction of its steps, with validations and checkpoints to match. The batch stays, because rates are chosen
    /// for it.
    #[must_use]
    pub fn at_scale(mut self, scale: Scale) -> Self {
        let training = &mut self.training;
        let steps = scale.of(training.steps, LEAST_STEPS);
        self.schedule.stretch(training.steps, steps);
        training.steps = steps;
        let shortest = steps.div_ceil(VALIDATIONS);
        training.validation_interval = scale.of(training.validation_interval, 1).max(shortest);
        let shortest = steps.div_ceil(CHECKPOINTS);
        training.checkpoint_interval = scale.of(training.checkpoint_interval, 1).max(shortest);
        training.log_interval = training.log_interval.min(steps.div_ceil(LOG_LINES));
        for positions in [&mut training.validation_positions, &mut training.statistics_positions] {
            *positions = scale.of(*positions as u64, LEAST_POSITIONS) as usize;
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_is_a_fraction_with_a_name() {
        let scale: Scale = "0.01".parse().unwrap();
        assert_eq!([scale.of(20_000, 20), scale.of(1000, 20), scale.of(5, 20)], [200, 20, 5]);
        assert_eq!(scale.name("mlx"), "mlx-at-0.01");
        let in_run = |path| scale.path_in_run(path, Path::new("runs"));
        assert_eq!(in_run("runs/knights-el/network.tabiya"), "runs/knights-el-at-0.01/network.tabiya");
        assert_eq!([in_run("default"), in_run("nets/x.tabiya")], ["default", "nets/x.tabiya"]);
        for text in ["0", "1", "-0.5", "NaN", "half"] {
            assert!(text.parse::<Scale>().unwrap_err().contains("between 0 and 1"), "{text}");
        }
    }

    #[test]
    fn a_scaled_training_is_valid_and_keeps_the_shape_of_its_schedule() {
        let text =
            "title = \"t\"\ndata = \"s\"\n[training]\nsteps = 5000\n[network]\nblocks = 1\nchannels = 8\n";
        for (schedule, scaled) in [
            ("kind = \"cosine\"\npeak = 1.0\nlast = 0.1\nwarmup = 500\ntail = 100", [5, 1, 0]),
            ("kind = \"plateau\"\npeak = 1.0\nlast = 0.1\nwarmup = 500\nfall = 4000\ntail = 100", [5, 1, 40]),
        ] {
            let recipe = Recipe::from_toml(&format!("{text}[schedule]\n{schedule}"), "whole").unwrap();
            let small = recipe.at_scale("0.01".parse().unwrap());
            small.check("small").unwrap();
            assert_eq!(small.training.steps, 50);
            assert_eq!([small.training.validation_interval, small.training.checkpoint_interval], [13, 25]);
            assert_eq!(small.schedule.least_steps(), scaled.iter().sum::<u64>());
        }
        let steps = "kind = \"steps\"\npeak = 1.0\nfactor = 0.5\nat = [1000, 4000]\nwarmup = 0";
        let recipe = Recipe::from_toml(&format!("{text}[schedule]\n{steps}"), "whole").unwrap();
        let small = recipe.at_scale("0.01".parse().unwrap());
        assert_eq!(
            [small.schedule.rate(9, 50), small.schedule.rate(10, 50), small.schedule.rate(40, 50)],
            [1.0, 0.5, 0.25]
        );
    }
}
