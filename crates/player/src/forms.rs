//! The beginning of the text that names a player: a row of [`FORMS`] each.

use std::{path::Path, str::FromStr};

use search::SearchKind;
use strength::{Pace, player::MOVERS};

use crate::{
    error::SpecificationError,
    evaluators::EVALUATORS,
    keys::KEYS,
    recipe::{RUNS, recipe_player},
    specification::{PlayerSpecification, Subject},
    systems::{BUNDLED, SYSTEMS, SystemNetwork, WITH_SEARCH},
};

/// A form of the text before the first comma.
struct Form {
    /// The rows for `--help`: texts of this form, each with its meaning.
    help: fn() -> Vec<(String, String)>,
    /// The player before its keys; `None` if the text does not have this form.
    parse: fn(&str) -> Option<Result<PlayerSpecification, SpecificationError>>,
}

/// Every form, in the order in which they are tried and shown in `--help`.
const FORMS: &[Form] = &[
    Form {
        help: || BUNDLED.iter().map(|network| row(network.name, network.help)).collect(),
        parse: |text| {
            let network = BUNDLED.iter().find(|network| network.name == text)?;
            Some(Ok(PlayerSpecification::new(Subject::Network(network.name.into()))))
        },
    },
    Form {
        help: help_of_net,
        parse: |text| {
            let net = text.strip_prefix("net=").filter(|net| !net.is_empty())?;
            Some(Ok(PlayerSpecification::of_net(net, None)))
        },
    },
    Form {
        help: || {
            vec![row(
                "recipe=PATH",
                "the player of an experiment: what `tabiya run` trained (in runs), with the search of its recipe",
            )]
        },
        parse: |text| {
            text.strip_prefix("recipe=").map(|path| recipe_player(Path::new(path), Path::new(RUNS)))
        },
    },
    Form {
        help: || vec![row("uci=COMMAND", "a UCI engine")],
        parse: |text| Subject::engine(text).map(PlayerSpecification::new).map(Ok),
    },
    Form {
        help: || {
            let names = SYSTEMS.iter().map(|system| row(system.network.name, system.network.help));
            let help = "the network of a system with a search of this program, such as knights-el-search";
            names.chain([row(&format!("NAME{WITH_SEARCH}"), help)]).collect()
        },
        parse: |text| {
            let own = SystemNetwork::find(text).map(SystemNetwork::player);
            let known = own.or_else(|| SystemNetwork::find_searching(text)?.player_with_search()).map(Ok);
            known.or_else(|| {
                let blind = SystemNetwork::find(text.strip_suffix(WITH_SEARCH)?)?;
                Some(Err(SpecificationError::NothingToSearch(blind.network.name)))
            })
        },
    },
    Form {
        help: || MOVERS.iter().map(|mover| row(mover.name, mover.help)).collect(),
        parse: |text| {
            let mover = MOVERS.iter().find(|mover| mover.name == text)?;
            Some(Ok(PlayerSpecification::new(Subject::Mover(mover))))
        },
    },
];

/// A row of a form's help.
fn row(form: &str, help: &str) -> (String, String) {
    (form.to_owned(), help.to_owned())
}

fn help_of_net() -> Vec<(String, String)> {
    let judge = "a search whose positions a UCI engine judges; keys as below, with colons";
    let files = [
        (
            "net=PATH",
            "a network with the default search: ours, lc0's, or what Stockfish 15.1 writes on export_net",
        ),
        ("net=PATH+PATH", "the mean of two networks"),
        ("net=uci:COMMAND:nodes=N", judge),
    ];
    let without_file = EVALUATORS.iter().map(|evaluator| {
        (format!("net={}", evaluator.name), format!("a search without a network: {}", evaluator.help))
    });
    files.iter().map(|(form, help)| row(form, help)).chain(without_file).collect()
}

impl FromStr for PlayerSpecification {
    type Err = SpecificationError;

    fn from_str(text: &str) -> Result<Self, SpecificationError> {
        Self::read(text, |first| {
            FORMS.iter().find_map(|form| (form.parse)(first)).unwrap_or_else(|| {
                let known: Vec<String> = beginnings().map(|(form, _)| form).collect();
                Err(SpecificationError::Kind { found: first.into(), known: known.join(", ") })
            })
        })
    }
}

impl PlayerSpecification {
    /// The player for a name of `--net`: a network of a reproduced system plays with the search and limits of
    /// its recipe, every other evaluator with the default search and no limits. With `search`, the recipe's
    /// limits do not apply.
    pub fn of_net(net: &str, search: Option<&'static SearchKind>) -> Self {
        let player = match SystemNetwork::find(net) {
            Some(system) => system.player(),
            None => Self { text: net.into(), name: net.into(), ..Self::new(Subject::Network(net.into())) },
        };
        match search {
            Some(search) => Self { search, pace: Pace::default(), ..player },
            None => player,
        }
    }
}

/// The rows of all forms.
fn beginnings() -> impl Iterator<Item = (String, String)> {
    FORMS.iter().flat_map(|form| (form.help)())
}

fn help_line(form: &str, help: &str) -> String {
    format!("  {form:<32}{help}")
}

/// The forms and keys as a table for `--help`.
pub fn help() -> String {
    let players: Vec<String> = beginnings().map(|(form, help)| help_line(&form, &help)).collect();
    let mut keys = Vec::with_capacity(KEYS.len());
    for key in KEYS {
        let values = (key.values)();
        let listed = if values.is_empty() { String::new() } else { format!(": {}", values.join(", ")) };
        keys.push(help_line(key.form, &format!("{}{listed}", key.help)));
    }
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
pub fn of_recipe(path: &str) -> Result<PlayerSpecification, SpecificationError> {
    format!("recipe={path}").parse()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use chess::DEFAULT_NODES;
    use search::SEARCHES;
    use strength::player::MOVERS;

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
        // Quotes elsewhere are kept.
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
             net=material, net=uniform, recipe=PATH, uci=COMMAND, cogs188, cogs188-corrected, catfish-v3, catfish-corrected, aichess, aichess-corrected, mlx, mlx-corrected, knights-sl, knights-el, knights-el-corrected, knights-e4, knights-e3, knights-e1, NAME-search, random, first, material"
        ));
        assert!(refused("stockfish").contains("begins with \"stockfish\""));
        assert!(refused("net=").contains("begins with"));
        assert!(refused("knights-sl-search").contains("knights-sl has no value"));
        assert!(refused("default,node=5").contains("unknown key \"node\"; expected one of nodes=N, depth=N"));
        assert!(refused("default,nodes").contains("expected KEY=VALUE"));
        assert!(refused("default,nodes=").contains("value is missing"));
        assert!(refused("default,nodes=many").contains("found \"many\", expected a whole number"));
        assert!(refused("default,nodes=0").contains("expected at least 1"));
        assert!(refused("default,nodes=1,nodes=2").contains("given twice"));
        assert!(refused("random,nodes=5").contains("does not search"));
        assert!(refused("default,search=minimax").contains("expected one of auto, puct, plain-puct, policy"));
        assert!(refused("random,search=value").contains("search is for networks"));
        assert!(refused("default,arg=-x").contains("UCI engines"));
        assert!(refused("random,precision=f32").contains("precision is for networks"));
        assert!(refused("default,precision=f8").contains("expected one of f32, bf16, int8"));
        assert!(refused("uci=stockfish").contains("needs one of nodes, depth, movetime, tc"));
        assert!(refused("uci=stockfish,tc=fast").contains("\"fast\" is not a clock"));
    }
}
