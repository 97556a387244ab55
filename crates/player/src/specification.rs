//! A player as the user named it; `keys` and `forms` read the text.

use std::fmt;

use network::Precision;
use protocol::process::UciProcessConfig;
use search::{SEARCHES, SearchKind};
use strength::{Pace, player::Mover};

/// A player as the user named it, checked as far as it can be without starting it.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct PlayerSpecification {
    pub text: String,
    pub(crate) subject: Subject,
    pub pace: Pace,
    /// Options for the engine or search, in order.
    pub options: Vec<(String, String)>,
    pub search: &'static SearchKind,
    /// The number format of a network; chosen for the network and the machine if unset.
    pub precision: Option<Precision>,
    /// The name in tables and records; the text if no name was given.
    pub name: String,
}

/// The network, engine or other subject that plays.
#[derive(Clone, Debug)]
pub(crate) enum Subject {
    /// A search over an evaluator, by the evaluator's name.
    Network(String),
    /// A UCI engine, by its command.
    Engine { command: String, arguments: Vec<String> },
    /// A player without a search.
    Mover(&'static Mover),
}

impl Subject {
    /// The engine of `uci=COMMAND`.
    pub(crate) fn engine(text: &str) -> Option<Self> {
        let command = text.strip_prefix("uci=").filter(|command| !command.is_empty())?;
        Some(Self::Engine { command: command.into(), arguments: Vec::new() })
    }
}

impl fmt::Display for PlayerSpecification {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

impl PlayerSpecification {
    /// A player before its keys.
    pub(crate) fn new(subject: Subject) -> Self {
        Self {
            text: String::new(),
            subject,
            pace: Pace::default(),
            options: Vec::new(),
            search: &SEARCHES[0],
            precision: None,
            name: String::new(),
        }
    }

    /// The options of the player, replaced by these where they are the same.
    pub fn options_with(&self, others: &[(String, String)]) -> Vec<(String, String)> {
        self.options.iter().chain(others).cloned().collect()
    }

    /// The name of the evaluator that the player searches with, by the names of `--net`; `None` if it is not a search of this program.
    pub fn net(&self) -> Option<&str> {
        match &self.subject {
            Subject::Network(net) => Some(net),
            Subject::Engine { .. } | Subject::Mover(_) => None,
        }
    }

    /// Command line and options of the player's engine; `None` if it is not one.
    pub fn process(&self) -> Option<UciProcessConfig> {
        let Subject::Engine { command, arguments } = &self.subject else { return None };
        let options = self.options.iter().map(|(name, value)| (name.clone(), Some(value.clone())));
        Some(UciProcessConfig {
            command: command.clone(),
            arguments: arguments.clone(),
            options: options.collect(),
            ..UciProcessConfig::default()
        })
    }

    pub(crate) fn is_limited(&self) -> bool {
        self.pace != Pace::default()
    }
}
