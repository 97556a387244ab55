//! The text by which a user names a player, taken apart and checked.

use std::{fmt, path::Path, str::FromStr, time::Duration};

use anyhow::{Context as _, Result, bail, ensure};
use network::{DeviceKind, Precision};
use search::{SEARCHES, SearchKind, search_kind};
use strength::Pace;

use crate::{
    bundled::{DEFAULT_NETWORK, HUMAN_NETWORK},
    experiment::Experiment,
};

/// The kinds of players: how a specification begins, and what plays then.
const KINDS: &[(&str, &str)] = &[
    ("default", "the bundled network"),
    ("human", "the bundled network that plays like people of the rating in option.PlayerRating"),
    ("net=PATH", "a network; net=material and net=uniform search without one"),
    ("recipe=PATH", "what `tabiya run` trained (in runs), playing as its recipe says"),
    ("uci=COMMAND", "a UCI engine"),
    ("random", "any legal move"),
    ("first", "the first legal move in python-chess's order"),
    ("material", "the move that wins most material at once"),
];

/// The keys that may follow, and what they set.
const KEYS: &[(&str, &str)] = &[
    ("nodes=N", "nodes a move"),
    ("depth=N", "depth a move"),
    ("movetime=MS", "milliseconds a move"),
    ("tc=[MOVES/]SECONDS[+INCREMENT]", "a clock for the game"),
    (
        "search=NAME",
        "how a network chooses: puct, plain-puct, policy, value, mcts, policy-rollouts, alpha-beta",
    ),
    ("option.NAME=VALUE", "an option of the engine or the search"),
    ("device=KIND", "where a network runs: cpu, burn-cpu, cuda, vulkan, metal"),
    ("precision=NAME", "number format of a network on the CPU: f32, bf16, int8"),
    ("arg=TEXT", "an argument of the engine's command"),
    ("name=NAME", "the name in tables and game records"),
];

/// The keys of [`KEYS`] that limit a move.
const LIMITS: [&str; 4] = ["nodes", "depth", "movetime", "tc"];

/// Where `tabiya run` trains what recipes name.
const RUNS: &str = "runs";

/// Default nodes of a network: lc0's reference setting.
const DEFAULT_NODES: u64 = 800;

/// A player as the user named it, checked as far as it can be without starting it.
#[derive(Clone, Debug)]
pub(crate) struct PlayerSpecification {
    /// The text as given.
    pub(crate) text: String,
    pub(crate) kind: Kind,
    /// How much it may think about a move.
    pub(crate) pace: Pace,
    /// Options for the engine or search, in order.
    pub(crate) options: Vec<(String, String)>,
    /// How a network chooses its moves.
    pub(crate) search: &'static SearchKind,
    /// Where a network runs.
    pub(crate) device: DeviceKind,
    /// The number format of a network on the CPU.
    pub(crate) precision: Option<Precision>,
    /// The name in tables and records; the text where none was given.
    pub(crate) name: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A search on a network (or an evaluator without one), by the names of `--net`.
    Network(String),
    /// A UCI engine with its arguments.
    Uci(String, Vec<String>),
    Random,
    /// The first legal move.
    First,
    Material,
}

impl FromStr for PlayerSpecification {
    /// In full: the command line shows no chain of causes.
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        parse(text).map_err(|error| format!("{error:#}"))
    }
}

impl fmt::Display for PlayerSpecification {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

/// The kinds and keys as a table for `--help`.
pub(crate) fn help() -> String {
    let rows = |list: &[(&str, &str)]| {
        list.iter().map(|(form, meaning)| format!("  {form:<32}{meaning}")).collect::<Vec<_>>().join("\n")
    };
    format!("Players:\n{}\nfollowed by any of these, separated by commas:\n{}", rows(KINDS), rows(KEYS))
}

fn parse(text: &str) -> Result<PlayerSpecification> {
    let mut parts = text.split(',');
    let mut found = begun(parts.next().unwrap_or_default(), text)?;
    if parts.clone().any(|part| part.split_once('=').is_some_and(|(key, _)| LIMITS.contains(&key))) {
        // Limits that are given replace those of a recipe; they do not add to them.
        found.pace = Pace::default();
    }
    let mut seen = Vec::new();
    for part in parts {
        let (key, value) = part
            .split_once('=')
            .with_context(|| format!("found {part:?}, expected KEY=VALUE; known are {}", forms(KEYS)))?;
        ensure!(!value.is_empty(), "{key}: the value is missing");
        ensure!(key == "arg" || !seen.contains(&key), "{key} is given twice");
        seen.push(key);
        apply(&mut found, key, value)?;
    }
    check(found)
}

/// The player before its keys; `first` is the beginning of `text`.
fn begun(first: &str, text: &str) -> Result<PlayerSpecification> {
    if let Some(("recipe", path)) = first.split_once('=') {
        let player = Experiment::open(Path::new(path))?.player(Path::new(RUNS))?;
        return Ok(PlayerSpecification { text: text.into(), ..player });
    }
    Ok(PlayerSpecification {
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

/// The player of a recipe, as the option `--recipe` of several commands names it.
pub(crate) fn of_recipe(path: &str) -> Result<PlayerSpecification, String> {
    format!("recipe={path}").parse()
}

fn kind(text: &str) -> Result<Kind> {
    Ok(match text.split_once('=') {
        None if [DEFAULT_NETWORK, HUMAN_NETWORK].contains(&text) => Kind::Network(text.into()),
        None if text == "random" => Kind::Random,
        None if text == "first" => Kind::First,
        None if text == "material" => Kind::Material,
        Some(("net", path)) if !path.is_empty() => Kind::Network(path.into()),
        Some(("uci", command)) if !command.is_empty() => Kind::Uci(command.into(), Vec::new()),
        _ => bail!("begins with {text:?}; expected one of {}", forms(KINDS)),
    })
}

fn apply(found: &mut PlayerSpecification, key: &str, value: &str) -> Result<()> {
    let pace = &mut found.pace;
    match key {
        "nodes" => pace.nodes = Some(positive(key, value)?),
        "depth" => pace.depth = Some(positive(key, value)?.try_into().context("depth")?),
        "movetime" => pace.move_time = Some(Duration::from_millis(positive(key, value)?)),
        "tc" => pace.clock = Some(value.parse()?),
        "name" => found.name = value.into(),
        "arg" => match &mut found.kind {
            Kind::Uci(_, arguments) => arguments.push(value.into()),
            _ => bail!("arg is for UCI engines; this player has no command"),
        },
        "search" => match found.kind {
            Kind::Network(_) => found.search = search_kind(value)?,
            _ => bail!("search is for networks"),
        },
        "device" => match found.kind {
            Kind::Network(_) => found.device = value.parse()?,
            _ => bail!("device is for networks"),
        },
        "precision" => match found.kind {
            Kind::Network(_) => found.precision = Some(value.parse()?),
            _ => bail!("precision is for networks"),
        },
        _ => match key.strip_prefix("option.") {
            Some(name) if !name.is_empty() => found.options.push((name.into(), value.into())),
            _ => bail!("unknown key {key:?}; known are {}", forms(KEYS)),
        },
    }
    Ok(())
}

/// Completes the limits and refuses what the kind of player does not have.
fn check(mut found: PlayerSpecification) -> Result<PlayerSpecification> {
    let pace = &mut found.pace;
    let limited = *pace != Pace::default();
    match found.kind {
        Kind::Random | Kind::First | Kind::Material => {
            ensure!(!limited, "this player does not think: nodes, depth, movetime and tc do not apply");
            ensure!(found.options.is_empty(), "this player has no options");
        }
        Kind::Network(_) if !limited => pace.nodes = Some(DEFAULT_NODES),
        Kind::Uci(..) => {
            ensure!(limited, "a UCI engine needs one of nodes, depth, movetime, tc");
            let value_of = |wanted: &str| {
                let mut options = found.options.iter();
                options.find(|(name, _)| name.eq_ignore_ascii_case(wanted)).map(|(_, value)| value.as_str())
            };
            ensure!(
                value_of("UCI_Elo").is_none() || value_of("UCI_LimitStrength") == Some("true"),
                "option.UCI_Elo has no effect at full strength: add option.UCI_LimitStrength=true"
            );
        }
        Kind::Network(_) => {}
    }
    Ok(found)
}

fn positive(key: &str, value: &str) -> Result<u64> {
    let number: u64 =
        value.parse().with_context(|| format!("{key}: found {value:?}, expected a whole number"))?;
    ensure!(number > 0, "{key}: found 0, expected at least 1");
    Ok(number)
}

fn forms(list: &[(&str, &str)]) -> String {
    list.iter().map(|(form, _)| *form).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> PlayerSpecification {
        text.parse().unwrap()
    }

    fn refused(text: &str) -> String {
        text.parse::<PlayerSpecification>().unwrap_err()
    }

    #[test]
    fn the_forms_of_the_design() {
        assert_eq!(parsed("default").pace.nodes, Some(800));
        let net = parsed("net=runs/first/best.safetensors,movetime=100,option.Cpuct=1.5");
        assert_eq!(net.kind, Kind::Network("runs/first/best.safetensors".into()));
        assert_eq!(net.pace, Pace { move_time: Some(Duration::from_millis(100)), ..Pace::default() });
        assert_eq!(net.options, [("Cpuct".to_string(), "1.5".to_string())]);
        let uci = parsed(
            "uci=stockfish,option.UCI_LimitStrength=true,option.UCI_Elo=1500,movetime=100,name=SF1500",
        );
        assert_eq!(uci.kind, Kind::Uci("stockfish".into(), vec![]));
        assert_eq!(uci.options.len(), 2);
        assert_eq!((uci.name.as_str(), parsed("random").name.as_str()), ("SF1500", "random"));
        assert_eq!(
            parsed("uci=lc0,arg=-w,arg=maia.pb.gz,nodes=1").kind,
            Kind::Uci("lc0".into(), vec!["-w".into(), "maia.pb.gz".into()])
        );
        assert_eq!(
            (parsed("default").search.name, parsed("default,search=value").search.name),
            ("puct", "value")
        );
        assert_eq!(parsed("uci=x,tc=40/60+0.6").pace.to_string(), "clock 40/60+0.6");
    }

    #[test]
    fn a_recipe_is_what_it_trains_and_how_that_plays() {
        let plain = parsed("recipe=recipes/mlx");
        assert_eq!(plain.kind, Kind::Network("runs/mlx/network.tabiya".into()));
        assert_eq!((plain.search.name, plain.name.as_str(), plain.pace.nodes), ("policy", "mlx", Some(1)));
        let temperature = ("Temperature".to_string(), "0.1".to_string());
        assert_eq!(plain.options[0], temperature);
        let changed = parsed("recipe=recipes/knights-classical,movetime=50,option.Temperature=0,name=other");
        assert_eq!(changed.kind, Kind::Network("runs/knights-classical/learners.tabiya".into()));
        assert_eq!((changed.pace.nodes, changed.pace.move_time), (None, Some(Duration::from_millis(50))));
        assert_eq!((changed.options.last().unwrap().1.as_str(), changed.name.as_str()), ("0", "other"));
        assert_eq!(
            changed.text,
            "recipe=recipes/knights-classical,movetime=50,option.Temperature=0,name=other"
        );
        assert!(refused("recipe=no/such").contains("no/such"));
    }

    #[test]
    fn the_help_names_every_search() {
        assert!(search::SEARCHES.iter().all(|kind| help().contains(kind.name)));
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
            "expected one of default, human, net=PATH, recipe=PATH, uci=COMMAND, random, first, material"
        ));
        assert!(refused("stockfish").contains("begins with \"stockfish\""));
        assert!(refused("net=").contains("begins with"));
        assert!(refused("default,node=5").contains("unknown key \"node\"; known are nodes=N, depth=N"));
        assert!(refused("default,nodes").contains("expected KEY=VALUE"));
        assert!(refused("default,nodes=").contains("value is missing"));
        assert!(refused("default,nodes=many").contains("found \"many\", expected a whole number"));
        assert!(refused("default,nodes=0").contains("expected at least 1"));
        assert!(refused("default,nodes=1,nodes=2").contains("given twice"));
        assert!(refused("random,nodes=5").contains("does not think"));
        assert!(refused("default,search=minimax").contains("known are puct, plain-puct, policy, value"));
        assert!(refused("random,search=value").contains("search is for networks"));
        assert!(refused("default,arg=-x").contains("UCI engines"));
        assert!(refused("random,precision=f32").contains("precision is for networks"));
        assert!(refused("default,precision=f8").contains("known are f32, bf16, int8"));
        assert!(refused("uci=stockfish").contains("needs one of nodes, depth, movetime, tc"));
        assert!(refused("uci=stockfish,tc=fast").contains("\"fast\" is no clock"));
    }
}
