//! Everything about the search that can be tuned, declared once.
//!
//! [`TUNABLES`] is the list from which UCI `option` lines, command-line flags and recipes derive.

use std::fmt;

use rand_xoshiro::{Xoshiro256PlusPlus, rand_core::SeedableRng};

/// A setting's value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// A real number.
    Float(f32),
    /// A whole number.
    Integer(u64),
    /// On or off.
    Flag(bool),
}

impl fmt::Display for Value {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Float(value) => write!(formatter, "{value}"),
            Self::Integer(value) => write!(formatter, "{value}"),
            Self::Flag(value) => write!(formatter, "{value}"),
        }
    }
}

/// What values a setting takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// A real number within bounds, both included.
    Float {
        /// Value when nothing is set.
        default: f32,
        /// Smallest value.
        min: f32,
        /// Largest value.
        max: f32,
    },
    /// A whole number within bounds, both included.
    Integer {
        /// Value when nothing is set.
        default: u64,
        /// Smallest value.
        min: u64,
        /// Largest value.
        max: u64,
    },
    /// On or off.
    Flag {
        /// Value when nothing is set.
        default: bool,
    },
}

/// One setting of [`PuctOptions`].
#[derive(Clone, Copy, Debug)]
pub struct Tunable {
    /// The name, in its UCI spelling.
    pub name: &'static str,
    /// What it does and where its default comes from.
    pub help: &'static str,
    /// Type, default and range.
    pub kind: Kind,
    read: fn(&PuctOptions) -> Value,
    write: fn(&mut PuctOptions, Value),
}

/// A setting was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OptionError {
    /// No setting has this name.
    #[error("unknown search option {found:?}; known are {known}")]
    Unknown {
        /// The name found.
        found: String,
        /// All names.
        known: String,
    },
    /// The text is no value of the setting's type and range.
    #[error("search option {name}: found {found:?}, expected {expected}")]
    Value {
        /// The setting.
        name: &'static str,
        /// The text found.
        found: String,
        /// What would have been accepted.
        expected: String,
    },
}

impl Tunable {
    /// The setting's current value.
    pub fn get(&self, options: &PuctOptions) -> Value {
        (self.read)(options)
    }

    /// Sets the setting from text, as UCI, a command line or a recipe gives it.
    ///
    /// # Errors
    /// [`OptionError::Value`] when the text is not of the setting's type or out of its range; the options are unchanged.
    pub fn set(&self, options: &mut PuctOptions, text: &str) -> Result<(), OptionError> {
        let parsed = match self.kind {
            Kind::Float { min, max, .. } => {
                text.trim().parse::<f32>().ok().filter(|value| (min..=max).contains(value)).map(Value::Float)
            }
            Kind::Integer { min, max, .. } => text
                .trim()
                .parse::<u64>()
                .ok()
                .filter(|value| (min..=max).contains(value))
                .map(Value::Integer),
            Kind::Flag { .. } => match text.trim().to_ascii_lowercase().as_str() {
                "true" | "on" | "1" => Some(Value::Flag(true)),
                "false" | "off" | "0" => Some(Value::Flag(false)),
                _ => None,
            },
        };
        let value = parsed.ok_or_else(|| OptionError::Value {
            name: self.name,
            found: text.to_owned(),
            expected: self.expected(),
        })?;
        (self.write)(options, value);
        Ok(())
    }

    /// The values that are accepted, in words.
    pub fn expected(&self) -> String {
        match self.kind {
            Kind::Float { min, max, .. } => format!("a number from {min} to {max}"),
            Kind::Integer { min, max, .. } => format!("a whole number from {min} to {max}"),
            Kind::Flag { .. } => "true or false".to_owned(),
        }
    }

    /// The line by which a UCI engine announces the setting. UCI has no real numbers; they travel as strings.
    pub fn uci_line(&self) -> String {
        match self.kind {
            Kind::Float { default, .. } => {
                format!("option name {} type string default {default}", self.name)
            }
            Kind::Integer { default, min, max } => {
                format!("option name {} type spin default {default} min {min} max {max}", self.name)
            }
            Kind::Flag { default } => format!("option name {} type check default {default}", self.name),
        }
    }
}

impl PuctOptions {
    /// Sets one setting by name. Capitals, spaces and underscores in the name do not matter.
    ///
    /// # Errors
    /// [`OptionError`] when no setting has this name or the text is no value for it; the options are unchanged.
    pub fn set(&mut self, name: &str, text: &str) -> Result<(), OptionError> {
        let tunable = find(name).ok_or_else(|| OptionError::Unknown {
            found: name.to_owned(),
            known: TUNABLES.iter().map(|tunable| tunable.name).collect::<Vec<_>>().join(", "),
        })?;
        tunable.set(self, text)
    }

    /// The generator of temperature and noise for one game; equal settings and game seeds give the same one.
    pub(crate) fn random(&self, game_seed: u64) -> Xoshiro256PlusPlus {
        Xoshiro256PlusPlus::seed_from_u64(self.seed ^ game_seed)
    }
}

/// The setting of this name. Capitals, spaces and underscores do not matter, so that `Move Overhead`, `MoveOverhead` and
/// `move_overhead` are the same.
pub fn find(name: &str) -> Option<&'static Tunable> {
    let wanted = canonical(name);
    TUNABLES.iter().find(|tunable| canonical(tunable.name) == wanted)
}

fn canonical(name: &str) -> String {
    name.chars()
        .filter(|letter| !matches!(letter, ' ' | '_' | '-'))
        .map(|letter| letter.to_ascii_lowercase())
        .collect()
}

/// The types of the settings' fields.
trait Setting: Sized {
    /// The value, where it is of this type.
    fn unwrap_value(value: Value) -> Option<Self>;
}

impl Setting for f32 {
    fn unwrap_value(value: Value) -> Option<Self> {
        if let Value::Float(value) = value { Some(value) } else { None }
    }
}

impl Setting for u64 {
    fn unwrap_value(value: Value) -> Option<Self> {
        if let Value::Integer(value) = value { Some(value) } else { None }
    }
}

impl Setting for bool {
    fn unwrap_value(value: Value) -> Option<Self> {
        if let Value::Flag(value) = value { Some(value) } else { None }
    }
}

macro_rules! kind {
    (f32, $default:expr, $min:expr, $max:expr) => {
        Kind::Float { default: $default, min: $min, max: $max }
    };
    (u64, $default:expr, $min:expr, $max:expr) => {
        Kind::Integer { default: $default, min: $min, max: $max }
    };
    (bool, $default:expr, $min:expr, $max:expr) => {
        Kind::Flag { default: $default }
    };
}

macro_rules! value {
    (f32, $value:expr) => {
        Value::Float($value)
    };
    (u64, $value:expr) => {
        Value::Integer($value)
    };
    (bool, $value:expr) => {
        Value::Flag($value)
    };
}

macro_rules! tunables {
    ($($name:literal $field:ident: $type:ident = $default:literal in $min:literal, $max:literal; $help:literal)+) => {
        /// The settings of [`crate::Puct`]; the defaults suit one thread on a CPU.
        #[derive(Clone, Debug, PartialEq)]
        pub struct PuctOptions {
            $(#[doc = $help] pub $field: $type,)+
        }

        impl Default for PuctOptions {
            fn default() -> Self {
                Self { $($field: $default,)+ }
            }
        }

        /// Every setting: UCI name, meaning, type, default and range.
        pub const TUNABLES: &[Tunable] = &[$(Tunable {
            name: $name,
            help: $help,
            kind: kind!($type, $default, $min, $max),
            read: |options| value!($type, options.$field),
            write: |options, value| {
                if let Some(value) = <$type>::unwrap_value(value) {
                    options.$field = value;
                }
            },
        },)+];
    };
}

tunables! {
    "CPuct" cpuct: f32 = 1.745 in 0.0, 100.0;
    "Exploration: weight of the prior against the value at few visits (lc0's default)."

    "CPuctFactor" cpuct_factor: f32 = 3.894 in 0.0, 1000.0;
    "How fast exploration grows with the logarithm of the visits (lc0's default)."

    "CPuctBase" cpuct_base: f32 = 38739.0 in 1.0, 1e9;
    "Visits around which exploration starts to grow (lc0's default)."

    "FpuReduction" fpu_reduction: f32 = 0.33 in -100.0, 100.0;
    "First-play urgency: an unvisited move is worth its parent less this times the root of the visited prior (lc0's default)."

    "CPuctVariance" cpuct_variance: f32 = 0.0 in 0.0, 1.0;
    "How far exploration follows the spread of the values below a node: 0 not at all, 1 in proportion (Monty: 0.81)."

    "CPuctDeviation" cpuct_deviation: f32 = 0.28 in 0.01, 1.0;
    "The standard deviation of values that leaves exploration as it is (Monty's value)."

    "PolicyTemperature" policy_temperature: f32 = 1.359 in 0.1, 10.0;
    "Priors are raised to the inverse of this and normalised: above 1 explores more (lc0's default)."

    "ForcingPrior" forcing_prior: f32 = 0.1 in 0.0, 0.9;
    "Share of the prior given in equal parts to the moves that check, capture or queen, so that no policy can hide them."

    "MaterialNodes" material_nodes: u64 = 100_000 in 0, 10_000_000;
    "Most nodes of an alpha-beta over material alone before each search, whose best moves get a share of the prior; 0 for none."

    "MaterialPrior" material_prior: f32 = 0.8 in 0.0, 1.0;
    "Share that the moves which win material by that search take from the priors of those that do not."

    "QuiescenceWeight" quiescence_weight: f32 = 0.3 in 0.0, 2.0;
    "What a pawn that the side to move wins by captures adds to the evaluator's value, in log-odds; 0 trusts the evaluator alone."

    "LcbDeviations" lcb_deviations: f32 = 0.0 in 0.0, 100.0;
    "Of the seriously tried root moves the one is played whose value less this many standard errors is largest; 0: the most visited."

    "Threads" threads: u64 = 1 in 1, 64;
    "Threads that search one tree together. With more than one a search is not repeatable."

    "MiniBatchSize" mini_batch_size: u64 = 0 in 0, 1024;
    "Positions in evaluation at one time, in equal parts for the threads; 0 takes what the evaluator prefers. Small batches search better, large ones feed a GPU."

    "MultiPV" multi_pv: u64 = 1 in 1, 218;
    "Lines reported, best first."

    "Hash" hash: u64 = 256 in 1, 8192;
    "Memory in MiB, three quarters for the tree and one for evaluations; a search whose tree is full ends with the best move found."

    "Move Overhead" move_overhead: u64 = 100 in 0, 10000;
    "Milliseconds kept back on every move for the interface, the connection and other programs on the machine."

    "SlowMover" slow_mover: f32 = 1.0 in 0.01, 10.0;
    "Scales the time used for a move under a clock."

    "SmartPruning" smart_pruning: f32 = 1.33 in 0.0, 10.0;
    "Under a clock, stop once the second move cannot catch up in the remaining time divided by this; 0 never (lc0's default)."

    "Temperature" temperature: f32 = 0.0 in 0.0, 100.0;
    "Randomness of the move played: probability proportional to visits^(1/temperature); 0 always plays the best move."

    "TemperaturePlies" temperature_plies: u64 = 0 in 0, 1000;
    "Half-moves of the game during which the temperature applies; 0 for the whole game."

    "TopK" top_k: u64 = 0 in 0, 218;
    "Moves among which a temperature chooses when the policy plays without search; 0 for all of them."

    "UcbExploration" ucb_exploration: f32 = 1.414 in 0.0, 100.0;
    "Exploration of plain Monte Carlo tree search, on a scale from 0 (loss) to 1 (win) (UCB1's square root of 2)."

    "RolloutPlies" rollout_plies: u64 = 60 in 0, 1000;
    "Half-moves after which a game played out is left to the evaluator."

    "NoiseEpsilon" noise_epsilon: f32 = 0.0 in 0.0, 1.0;
    "Share of Dirichlet noise in the priors of the root; 0 for none, 0.25 in AlphaZero's self-play."

    "NoiseAlpha" noise_alpha: f32 = 0.3 in 0.001, 100.0;
    "Concentration of the root noise (AlphaZero's value for chess)."

    "Seed" seed: u64 = 0 in 0, 18_446_744_073_709_551_615;
    "Seed of temperature and noise; the same seed gives the same game."

    "ReportInterval" report_interval: u64 = 1000 in 10, 60000;
    "Milliseconds after which a running search reports even when neither its best move nor its depth has changed."

    "Branches" branches: u64 = 0 in 0, 1000;
    "Most visited nodes of the tree that each report lists, for programs that draw it; 0 for none."

    "SyzygyFastPlay" syzygy_fast_play: bool = true in false, true;
    "In a position that the endgame tables know, consider only the moves they call best, which wins every won one; off to compare all."

    "TreeReuse" tree_reuse: bool = true in false, true;
    "Keep the part of the tree below the moves played for the next search."
}

#[cfg(test)]
mod tests;
