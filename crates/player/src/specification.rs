//! Parsing and checking of the text by which a user names a player.

mod keys;

use std::{fmt, path::Path, str::FromStr};

use chess::DEFAULT_NODES;
use network::{DeviceKind, Precision};
use search::{SEARCHES, SearchKind};
use strength::{
    Pace,
    player::{MOVERS, Mover},
};

use self::keys::{ARGUMENT, KEYS, LIMITS, known_keys};
use crate::{
    bundled::{BUNDLED, bundled},
    error::SpecificationError,
    evaluators::{EVALUATORS, NamedEvaluator},
    recipe::{RUNS, recipe_player},
    systems::{SYSTEMS, SystemNetwork},
};

type Result<T> = std::result::Result<T, SpecificationError>;

/// A player as the user named it, checked as far as it can be without starting it.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "the fields are what their names say")]
pub struct PlayerSpecification {
    pub text: String,
    pub kind: PlayerKind,
    pub pace: Pace,
    /// Options for the engine or search, in order.
    pub options: Vec<(String, String)>,
    pub search: &'static SearchKind,
    pub device: DeviceKind,
    /// The number format of a network on the CPU.
    pub precision: Option<Precision>,
    /// The name in tables and records; the text where none was given.
    pub name: String,
}

/// The kind of player, as the text before the first comma names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlayerKind {
    /// A search on a network (or an evaluator without one), by the names of `--net`.
    Network(String),
    /// A UCI engine with its arguments.
    Uci(String, Vec<String>),
    /// A player that does not think.
    Mover(&'static Mover),
}

/// The players that think, by the beginning of their specification, beside those with a name of their own.
const KINDS: &[(&str, &str)] = &[
    ("net=PATH", "a network: ours, lc0's, or what Stockfish 15.1 writes on export_net"),
    ("net=PATH+PATH", "the mean of two networks"),
    ("net=uci:COMMAND:nodes=N", "a search whose positions a UCI engine judges; keys as below, with colons"),
    ("recipe=PATH", "what `tabiya run` trained (in runs), playing as its recipe says"),
    ("uci=COMMAND", "a UCI engine"),
];

impl FromStr for PlayerSpecification {
    type Err = SpecificationError;

    fn from_str(text: &str) -> Result<Self> {
        let mut parts = text.split(',');
        let mut found = Self::begun(parts.next().unwrap_or_default(), text)?;
        if parts.clone().any(|part| part.split_once('=').is_some_and(|(key, _)| LIMITS.contains(&key))) {
            // Limits that are given replace those of a recipe; they do not add to them.
            found.pace = Pace::default();
        }
        let mut seen = Vec::new();
        for part in parts {
            let (key, value) = part
                .split_once('=')
                .ok_or_else(|| SpecificationError::NoKey { found: part.into(), known: known_keys() })?;
            if value.is_empty() {
                return Err(SpecificationError::NoValue(key.into()));
            }
            if key != ARGUMENT && seen.contains(&key) {
                return Err(SpecificationError::Twice(key.into()));
            }
            seen.push(key);
            found.apply(key, value)?;
        }
        found.completed()
    }
}

impl fmt::Display for PlayerSpecification {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

impl PlayerSpecification {
    /// The player before its keys; `first` is the beginning of `text`.
    fn begun(first: &str, text: &str) -> Result<Self> {
        if let Some(("recipe", path)) = first.split_once('=') {
            let player = recipe_player(Path::new(path), Path::new(RUNS))?;
            return Ok(Self { text: text.into(), ..player });
        }
        if let Some(system) = SystemNetwork::find(first) {
            return Ok(Self { text: text.into(), ..system.found()? });
        }
        Ok(Self {
            text: text.into(),
            kind: kind(first)?,
            pace: Pace::default(),
            options: Vec::new(),
            search: &SEARCHES[0],
            device: DeviceKind::Cpu,
            precision: None,
            name: text.into(),
        })
    }

    fn apply(&mut self, key: &str, value: &str) -> Result<()> {
        let (word, name) = key.split_once('.').unwrap_or((key, ""));
        let has_name = !name.is_empty();
        match KEYS.iter().find(|known| known.word == word && known.form.contains('.') == has_name) {
            Some(known) => (known.set)(self, name, value),
            None => Err(SpecificationError::UnknownKey { found: key.into(), known: known_keys() }),
        }
    }

    /// A value that only networks have.
    fn of_network<T>(&self, key: &'static str, value: T) -> Result<T> {
        match self.kind {
            PlayerKind::Network(_) => Ok(value),
            _ => Err(SpecificationError::WrongKind { key, kinds: "networks" }),
        }
    }

    /// Adds the default limits and refuses what the kind of player does not have.
    fn completed(mut self) -> Result<Self> {
        let limited = self.pace != Pace::default();
        match self.kind {
            PlayerKind::Mover(_) if limited => Err(SpecificationError::NoLimits),
            PlayerKind::Mover(_) if !self.options.is_empty() => Err(SpecificationError::NoOptions),
            PlayerKind::Uci(..) if !limited => Err(SpecificationError::Unlimited),
            PlayerKind::Uci(..) if self.asks_for_a_rating_at_full_strength() => {
                Err(SpecificationError::FullStrength)
            }
            PlayerKind::Network(_) if !limited => {
                self.pace.nodes = Some(DEFAULT_NODES);
                Ok(self)
            }
            PlayerKind::Mover(_) | PlayerKind::Uci(..) | PlayerKind::Network(_) => Ok(self),
        }
    }

    fn asks_for_a_rating_at_full_strength(&self) -> bool {
        let value_of = |wanted: &str| {
            let option = self.options.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted));
            option.map(|(_, value)| value.as_str())
        };
        value_of("UCI_Elo").is_some() && value_of("UCI_LimitStrength") != Some("true")
    }
}

fn kind(text: &str) -> Result<PlayerKind> {
    match text.split_once('=') {
        None if bundled(text).is_some() => Some(PlayerKind::Network(text.into())),
        None => MOVERS.iter().find(|mover| mover.name == text).map(PlayerKind::Mover),
        Some(("net", path)) if !path.is_empty() => Some(PlayerKind::Network(path.into())),
        Some(("uci", command)) if !command.is_empty() => Some(PlayerKind::Uci(command.into(), Vec::new())),
        Some(_) => None,
    }
    .ok_or_else(|| SpecificationError::Kind {
        found: text.into(),
        known: beginnings().map(|(form, _)| form).collect::<Vec<_>>().join(", "),
    })
}

/// The beginnings of specifications, each with what it names.
fn beginnings() -> impl Iterator<Item = (String, String)> {
    let bundled = BUNDLED.iter().map(|network| (network.name, network.help));
    let systems = SYSTEMS.iter().map(|system| (system.name, system.title));
    let movers = MOVERS.iter().map(|mover| (mover.name, mover.help));
    let without_network = |evaluator: &NamedEvaluator| {
        (format!("net={}", evaluator.name), format!("a search without a network: {}", evaluator.help))
    };
    let owned = |(form, help): (&str, &str)| (form.to_owned(), help.to_owned());
    bundled
        .chain(KINDS.iter().copied())
        .map(owned)
        .chain(EVALUATORS.iter().map(without_network))
        .chain(systems.chain(movers).map(owned))
}

/// The beginnings and keys as a table for `--help`.
pub fn help() -> String {
    let row = |form: &str, help: &str| format!("  {form:<32}{help}");
    let players: Vec<String> = beginnings().map(|(form, help)| row(&form, &help)).collect();
    let keys = KEYS.iter().map(|key| match (key.values)() {
        values if values.is_empty() => row(key.form, key.help),
        values => row(key.form, &format!("{}: {}", key.help, values.join(", "))),
    });
    let keys: Vec<String> = keys.collect();
    format!(
        "Players:\n{}\nfollowed by any of these, separated by commas:\n{}",
        players.join("\n"),
        keys.join("\n")
    )
}

/// The player of a recipe, as the option `--recipe` of several commands names it.
///
/// # Errors
/// [`SpecificationError`] if the file is not a recipe with a player.
pub fn of_recipe(path: &str) -> Result<PlayerSpecification> {
    format!("recipe={path}").parse()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn parsed(text: &str) -> PlayerSpecification {
        text.parse().unwrap()
    }

    fn refused(text: &str) -> String {
        text.parse::<PlayerSpecification>().unwrap_err().to_string()
    }

    #[test]
    fn the_forms_of_the_design() {
        assert_eq!(parsed("default").pace.nodes, Some(DEFAULT_NODES));
        let net = parsed("net=runs/first/best.safetensors,movetime=100,option.Cpuct=1.5");
        assert_eq!(net.kind, PlayerKind::Network("runs/first/best.safetensors".into()));
        assert_eq!(net.pace, Pace { move_time: Some(Duration::from_millis(100)), ..Pace::default() });
        assert_eq!(net.options, [("Cpuct".to_string(), "1.5".to_string())]);
        let uci = parsed(
            "uci=stockfish,option.UCI_LimitStrength=true,option.UCI_Elo=1500,movetime=100,name=SF1500",
        );
        assert_eq!(uci.kind, PlayerKind::Uci("stockfish".into(), vec![]));
        assert_eq!(uci.options.len(), 2);
        assert_eq!((uci.name.as_str(), parsed("random").name.as_str()), ("SF1500", "random"));
        assert_eq!(
            parsed("uci=lc0,arg=-w,arg=maia.pb.gz,nodes=1").kind,
            PlayerKind::Uci("lc0".into(), vec!["-w".into(), "maia.pb.gz".into()])
        );
        assert_eq!(
            (parsed("default").search.name, parsed("default,search=value").search.name),
            ("auto", "value")
        );
        assert_eq!(parsed("uci=x,tc=40/60+0.6").pace.to_string(), "clock 40/60+0.6");
    }

    #[test]
    fn a_recipe_is_what_it_trains_and_how_that_plays() {
        let plain = parsed("recipe=../../recipes/mlx");
        assert_eq!(plain.kind, PlayerKind::Network("runs/mlx/network.tabiya".into()));
        assert_eq!((plain.search.name, plain.name.as_str(), plain.pace.nodes), ("policy", "mlx", Some(1)));
        let temperature = ("Temperature".to_string(), "0.1".to_string());
        assert_eq!(plain.options[0], temperature);
        let changed =
            parsed("recipe=../../recipes/knights-classical,movetime=50,option.Temperature=0,name=other");
        assert_eq!(changed.kind, PlayerKind::Network("runs/knights-classical/learners.tabiya".into()));
        assert_eq!((changed.pace.nodes, changed.pace.move_time), (None, Some(Duration::from_millis(50))));
        assert_eq!((changed.options.last().unwrap().1.as_str(), changed.name.as_str()), ("0", "other"));
        assert_eq!(
            changed.text,
            "recipe=../../recipes/knights-classical,movetime=50,option.Temperature=0,name=other"
        );
        assert!(refused("recipe=no/such").contains("no/such"));
    }

    #[test]
    fn the_help_names_every_search_every_mover_and_every_evaluator() {
        let help = help();
        assert!(EVALUATORS.iter().all(|known| help.contains(&format!("net={} ", known.name))), "{help}");
        assert!(SEARCHES.iter().all(|kind| help.contains(kind.name)), "{help}");
        assert!(MOVERS.iter().all(|mover| help.contains(mover.name)), "{help}");
    }

    /// A rating asked for was ignored by the engine, which played at full strength.
    #[test]
    fn s1_k1_a_rating_needs_limited_strength() {
        for options in ["", "option.UCI_LimitStrength=false,"] {
            let message = refused(&format!("uci=stockfish,{options}option.uci_elo=1500,movetime=100"));
            assert!(message.contains("add option.UCI_LimitStrength=true"), "{message}");
        }
        parsed("uci=stockfish,option.UCI_LimitStrength=true,option.UCI_Elo=1500,movetime=100");
    }

    #[test]
    fn errors_name_what_is_known() {
        assert!(refused("").contains(
            "expected one of default, cnn, human, net=PATH, net=PATH+PATH, net=uci:COMMAND:nodes=N, recipe=PATH, uci=COMMAND, \
             net=material, net=uniform, cogs188, catfish-corrected, aichess, mlx, knights-sl, knights-el, random, first, material"
        ));
        assert!(refused("stockfish").contains("begins with \"stockfish\""));
        assert!(refused("net=").contains("begins with"));
        assert!(refused("default,node=5").contains("unknown key \"node\"; expected one of nodes=N, depth=N"));
        assert!(refused("default,nodes").contains("expected KEY=VALUE"));
        assert!(refused("default,nodes=").contains("value is missing"));
        assert!(refused("default,nodes=many").contains("found \"many\", expected a whole number"));
        assert!(refused("default,nodes=0").contains("expected at least 1"));
        assert!(refused("default,nodes=1,nodes=2").contains("given twice"));
        assert!(refused("random,nodes=5").contains("does not think"));
        assert!(refused("default,search=minimax").contains("expected one of auto, puct, plain-puct, policy"));
        assert!(refused("random,search=value").contains("search is for networks"));
        assert!(refused("default,arg=-x").contains("UCI engines"));
        assert!(refused("random,precision=f32").contains("precision is for networks"));
        assert!(refused("default,precision=f8").contains("expected one of f32, bf16, int8"));
        assert!(refused("uci=stockfish").contains("needs one of nodes, depth, movetime, tc"));
        assert!(refused("uci=stockfish,tc=fast").contains("\"fast\" is not a clock"));
    }
}
