//! Parsing and checking of the text by which a user names a player.

mod keys;

use std::{fmt, str::FromStr};

use network::Precision;
use protocol::process::UciProcessConfig;
use search::{SEARCHES, SearchKind};
use strength::Pace;

use self::keys::{ARGUMENT, KEYS, LIMITS, known_keys};
use crate::{
    error::SpecificationError,
    kinds::{NETWORK, PLAYER_FORMS, PlayerKind},
    systems::SystemNetwork,
};

type Result<T> = std::result::Result<T, SpecificationError>;

/// A player as the user named it, checked as far as it can be without starting it.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "the fields are what their names say")]
pub struct PlayerSpecification {
    pub text: String,
    pub(crate) kind: &'static PlayerKind,
    /// The subject that the kind plays with: the name of an evaluator, or a command.
    pub(crate) subject: String,
    pub(crate) arguments: Vec<String>,
    pub pace: Pace,
    /// Options for the engine or search, in order.
    pub options: Vec<(String, String)>,
    pub search: &'static SearchKind,
    /// The number format of a network; chosen for the network and the machine if unset.
    pub precision: Option<Precision>,
    /// The name in tables and records; the text if no name was given.
    pub name: String,
}

impl FromStr for PlayerSpecification {
    type Err = SpecificationError;

    fn from_str(text: &str) -> Result<Self> {
        let parts = parts(text)?;
        let (first, parts) =
            parts.split_first().map_or(("", &[][..]), |(first, rest)| (first.as_str(), rest));
        begun(first)?.with_keys(text, parts)
    }
}

impl fmt::Display for PlayerSpecification {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

impl PlayerSpecification {
    /// A player of this kind before its keys.
    pub(crate) fn new(kind: &'static PlayerKind, subject: &str) -> Self {
        Self {
            text: String::new(),
            kind,
            subject: subject.into(),
            arguments: Vec::new(),
            pace: Pace::default(),
            options: Vec::new(),
            search: &SEARCHES[0],
            precision: None,
            name: String::new(),
        }
    }

    /// The player that a name of `--net` stands for: a network of a reproduced system plays as its recipe says, every other
    /// evaluator with the default search and without limits. Another search, if one is given, plays without the limits that the
    /// recipe sets for its own.
    pub fn of_net(net: &str, search: Option<&'static SearchKind>) -> Self {
        let plain = || Self { text: net.into(), name: net.into(), ..Self::new(&NETWORK, net) };
        let player = SystemNetwork::find(net).map_or_else(plain, SystemNetwork::player);
        match search {
            Some(search) => Self { search, pace: Pace::default(), ..player },
            None => player,
        }
    }

    /// The options of the player, replaced by these where they are the same.
    pub fn options_with(&self, others: &[(String, String)]) -> Vec<(String, String)> {
        self.options.iter().chain(others).cloned().collect()
    }

    /// The player with the keys after its beginning; `text` names it.
    pub(crate) fn with_keys(mut self, text: &str, parts: &[String]) -> Result<Self> {
        if self.name.is_empty() || self.name == self.text {
            self.name = text.into();
        }
        self.text = text.into();
        if parts.iter().any(|part| part.split_once('=').is_some_and(|(key, _)| LIMITS.contains(&key))) {
            // Limits that are given replace those of a recipe; they do not add to them.
            self.pace = Pace::default();
        }
        let mut seen = Vec::new();
        for part in parts {
            let (key, value) = part
                .split_once('=')
                .ok_or_else(|| SpecificationError::NoKey { found: part.clone(), known: known_keys() })?;
            if value.is_empty() {
                return Err(SpecificationError::NoValue(key.into()));
            }
            if key != ARGUMENT && seen.contains(&key) {
                return Err(SpecificationError::Twice(key.into()));
            }
            seen.push(key);
            self.apply(key, value)?;
        }
        (self.kind.complete)(&mut self)?;
        Ok(self)
    }

    /// The name of the evaluator that the player searches with, by the names of `--net`; `None` if it is not a search of this program.
    pub fn net(&self) -> Option<&str> {
        (self.kind.net)(self)
    }

    /// Command line and options of the player's engine; `None` if it is not one.
    pub fn process(&self) -> Option<UciProcessConfig> {
        (self.kind.process)(self)
    }

    pub(crate) fn is_limited(&self) -> bool {
        self.pace != Pace::default()
    }

    fn apply(&mut self, key: &str, value: &str) -> Result<()> {
        let (word, name) = key.split_once('.').unwrap_or((key, ""));
        let has_name = !name.is_empty();
        let known = KEYS
            .iter()
            .find(|known| known.word == word && known.form.contains('.') == has_name)
            .ok_or_else(|| SpecificationError::UnknownKey { found: key.into(), known: known_keys() })?;
        match known.of {
            Some(kind) if !std::ptr::eq(kind, self.kind) => {
                Err(SpecificationError::WrongKind { key: known.word, kinds: kind.plural })
            }
            _ => (known.set)(self, name, value),
        }
    }
}

/// The parts between commas. A value in quotes may contain commas, and a quote in it is written twice, as in CSV; the quotes are removed.
fn parts(text: &str) -> Result<Vec<String>> {
    let unclosed = || SpecificationError::Quote { found: text.into() };
    let (mut parts, mut rest) = (Vec::new(), Some(text));
    while let Some(from) = rest {
        let end = from.find(',').unwrap_or(from.len());
        let value = from[..end].find('=').map(|equals| equals + 1);
        let Some(value) = value.filter(|&value| from[value..].starts_with('"')) else {
            parts.push(from[..end].into());
            rest = from.get(end + 1..);
            continue;
        };
        let mut part = from[..value].to_owned();
        let mut quoted = &from[value + 1..];
        loop {
            let close = quoted.find('"').ok_or_else(unclosed)?;
            part.push_str(&quoted[..close]);
            quoted = &quoted[close + 1..];
            match quoted.strip_prefix('"') {
                Some(after) => {
                    part.push('"');
                    quoted = after;
                }
                None => break,
            }
        }
        parts.push(part);
        rest = match quoted.strip_prefix(',') {
            None if quoted.is_empty() => None,
            None => return Err(unclosed()),
            after => after,
        };
    }
    Ok(parts)
}

/// The player before its keys; `first` is the text before the first comma.
fn begun(first: &str) -> Result<PlayerSpecification> {
    let unknown = || {
        let known: Vec<String> = beginnings().map(|(form, _)| form).collect();
        Err(SpecificationError::Kind { found: first.into(), known: known.join(", ") })
    };
    PLAYER_FORMS.iter().find_map(|form| (form.parse)(first)).unwrap_or_else(unknown)
}

fn beginnings() -> impl Iterator<Item = (String, String)> {
    PLAYER_FORMS.iter().flat_map(|form| (form.help)())
}

/// The forms and keys as a table for `--help`.
pub fn help() -> String {
    let row = |form: &str, help: &str| format!("  {form:<32}{help}");
    let players: Vec<String> = beginnings().map(|(form, help)| row(&form, &help)).collect();
    let keys = KEYS.iter().map(|key| match (key.values)() {
        values if values.is_empty() => row(key.form, key.help),
        values => row(key.form, &format!("{}: {}", key.help, values.join(", "))),
    });
    let keys: Vec<String> = keys.collect();
    format!(
        "Players:\n{}\nfollowed by any of these, separated by commas (a value with a comma is put in quotes, as in name=\"A, B\"):\n{}",
        players.join("\n"),
        keys.join("\n")
    )
}

/// The player of a recipe, as named by the option `--recipe` of several commands.
///
/// # Errors
/// [`SpecificationError`] if the file is not a recipe with a player.
pub fn of_recipe(path: &str) -> Result<PlayerSpecification> {
    format!("recipe={path}").parse()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use chess::DEFAULT_NODES;
    use strength::player::MOVERS;

    use super::*;
    use crate::evaluators::EVALUATORS;

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
        assert_eq!(net.net(), Some("runs/first/best.safetensors"));
        assert_eq!(net.pace, Pace { move_time: Some(Duration::from_millis(100)), ..Pace::default() });
        assert_eq!(net.options, [("Cpuct".to_string(), "1.5".to_string())]);
        let uci = parsed(
            "uci=stockfish,option.UCI_LimitStrength=true,option.UCI_Elo=1500,movetime=100,name=SF1500",
        );
        let process = uci.process().unwrap();
        assert_eq!((process.command.as_str(), process.arguments.len()), ("stockfish", 0));
        assert_eq!((uci.options.len(), uci.net()), (2, None));
        assert_eq!((uci.name.as_str(), parsed("random").name.as_str()), ("SF1500", "random"));
        let lc0 = parsed("uci=lc0,arg=-w,arg=maia.pb.gz,nodes=1").process().unwrap();
        assert_eq!((lc0.command.as_str(), lc0.arguments), ("lc0", vec!["-w".into(), "maia.pb.gz".into()]));
        assert_eq!(
            (parsed("default").search.name, parsed("default,search=value").search.name),
            ("auto", "value")
        );
        assert_eq!(parsed("uci=x,tc=40/60+0.6").pace.to_string(), "clock 40/60+0.6");
    }

    #[test]
    fn a_value_in_quotes_may_have_commas() {
        let uci = parsed(r#"uci="/opt/a,b/engine",arg="x,nodes=3",arg=-y,nodes=1,name="A, ""B""""#);
        let process = uci.process().unwrap();
        assert_eq!((process.command.as_str(), uci.name.as_str()), ("/opt/a,b/engine", r#"A, "B""#));
        assert_eq!((process.arguments, uci.pace.nodes), (vec!["x,nodes=3".into(), "-y".into()], Some(1)));
        assert_eq!(parsed(r#"net="a=b,c.tabiya",nodes=2"#).net(), Some("a=b,c.tabiya"));
        // Quotes elsewhere are what they are.
        assert_eq!(parsed(r#"uci=x,arg=--a="b",nodes=1"#).process().unwrap().arguments, [r#"--a="b""#]);
        assert_eq!(parsed(r#"uci=a"b"c,nodes=1"#).process().unwrap().command, r#"a"b"c"#);
        for text in [r#"uci="a,nodes=1"#, r#"uci="a"b,nodes=1"#, r#"uci="a"",nodes=1"#] {
            assert!(refused(text).contains("closing quote"), "{text}");
        }
        assert!(refused(r#"uci=x,nodes=1,name="""#).contains("value is missing"));
    }

    #[test]
    fn a_recipe_is_what_it_trains_and_how_that_plays() {
        let plain = parsed("recipe=../../recipes/mlx");
        assert_eq!(plain.net(), Some("runs/mlx/network.tabiya"));
        assert_eq!((plain.search.name, plain.name.as_str(), plain.pace.nodes), ("policy", "mlx", Some(1)));
        let temperature = ("Temperature".to_string(), "0.1".to_string());
        assert_eq!(plain.options[0], temperature);
        let changed =
            parsed("recipe=../../recipes/knights-classical,movetime=50,option.Temperature=0,name=other");
        assert_eq!(changed.net(), Some("runs/knights-classical/learners.tabiya"));
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

    /// The engine ignored the requested rating and played at full strength.
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
            "expected one of default, cnn, human, net=PATH, net=PATH+PATH, net=uci:COMMAND:nodes=N, \
             net=material, net=uniform, recipe=PATH, uci=COMMAND, cogs188, cogs188-corrected, catfish-v3, catfish-corrected, aichess, aichess-corrected, mlx, mlx-corrected, knights-sl, knights-el, knights-e4, knights-e3, knights-e1, NAME-search, random, first, material"
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
