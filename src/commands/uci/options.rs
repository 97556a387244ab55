//! The options of the engine: those of the search, which are declared there, and those that GUIs and bots set everywhere.

use chess::{
    CastlingMode,
    uci::{OptionDeclaration, OptionKind, OptionValue, info::ShowWdl},
};
use search::{Kind, PuctOptions, TUNABLES, Tunable};

use crate::engine::EngineArguments;

/// Largest spin declared: GUIs keep spins in 32 bits. Larger values of the search's own range are still accepted.
const LARGEST_SPIN: u64 = i32::MAX as u64;

/// What is set.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    /// The search's options.
    pub(super) search: PuctOptions,
    /// The rules by which positions and moves are read.
    pub(super) castling_mode: CastlingMode,
    /// Whether `info` carries win/draw/loss.
    pub(super) show_wdl: ShowWdl,
    declared: Vec<DeclaredOption>,
}

/// What is left to do after an option was set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FollowUp {
    /// Nothing.
    Done,
    /// Tell the user.
    Say(String),
    /// Forget the search tree.
    ClearHash,
    /// Open this network.
    OpenNetwork(String),
}

#[derive(Clone, Debug)]
struct DeclaredOption {
    declaration: OptionDeclaration,
    effect: Effect,
}

/// What setting an option does.
#[derive(Clone, Copy, Debug)]
enum Effect {
    Search(&'static Tunable),
    Threads,
    Chess960,
    ShowWdl,
    ClearHash,
    Network,
    /// The GUI tells us something that changes nothing here by its nature.
    Note,
    /// A feature that does not exist here; the text says so. Setting the default is no news.
    Missing(&'static str),
}

impl Settings {
    /// The defaults for an engine started with these arguments.
    pub(super) fn new(engine: &EngineArguments) -> anyhow::Result<Self> {
        Ok(Self {
            search: engine.search_options()?,
            castling_mode: CastlingMode::Standard,
            show_wdl: ShowWdl::No,
            declared: declared_options(&engine.net),
        })
    }

    /// Every option, as declared to the GUI.
    pub(super) fn declarations(&self) -> impl Iterator<Item = &OptionDeclaration> {
        self.declared.iter().map(|option| &option.declaration)
    }

    /// Sets an option.
    pub(super) fn set(&mut self, name: &str, value: Option<&str>) -> anyhow::Result<FollowUp> {
        let option = self
            .find(name)
            .ok_or_else(|| anyhow::anyhow!("unknown option {name:?}; `uci` lists the known ones"))?;
        if let Effect::Search(tunable) = option.effect {
            tunable.set(&mut self.search, value.unwrap_or_default())?;
            return Ok(FollowUp::Done);
        }
        let effect = option.effect;
        let is_default = option.declaration.check(Some(&default_text(&option.declaration.kind)));
        let value = option.declaration.check(value)?;
        let is_default = is_default.is_ok_and(|default| default == value);
        Ok(match (effect, value) {
            (Effect::Chess960, OptionValue::Check(on)) => {
                self.castling_mode = CastlingMode::from_chess960(on);
                FollowUp::Done
            }
            (Effect::ShowWdl, OptionValue::Check(on)) => {
                self.show_wdl = if on { ShowWdl::Yes } else { ShowWdl::No };
                FollowUp::Done
            }
            (Effect::ClearHash, _) => FollowUp::ClearHash,
            (Effect::Network, OptionValue::Text(net)) => FollowUp::OpenNetwork(net),
            (Effect::Threads, OptionValue::Spin(threads)) if threads > 1 => FollowUp::Say(format!(
                "Threads {threads} has no effect: this version searches with one thread"
            )),
            (Effect::Missing(text), _) if !is_default => FollowUp::Say(text.into()),
            _ => FollowUp::Done,
        })
    }

    /// The option of this name; a search option also by its name without spaces, as command lines write it.
    fn find(&self, name: &str) -> Option<&DeclaredOption> {
        self.declared.iter().find(|option| option.declaration.is_named(name)).or_else(|| {
            let tunable = search::options::find(name)?;
            self.declared.iter().find(|option| option.declaration.is_named(tunable.name))
        })
    }
}

fn default_text(kind: &OptionKind) -> String {
    match kind {
        OptionKind::Check { default } => default.to_string(),
        OptionKind::Spin { default, .. } => default.to_string(),
        OptionKind::Combo { default, .. } | OptionKind::Text { default } => default.clone(),
        OptionKind::Button => String::new(),
    }
}

/// Every option: the standard ones, one line each, then those of the search.
fn declared_options(net: &str) -> Vec<DeclaredOption> {
    let text = |default: &str| OptionKind::Text { default: default.into() };
    let off = OptionKind::Check { default: false };
    let standard: [(&str, OptionKind, Effect); 9] = [
        ("WeightsFile", text(net), Effect::Network),
        ("Threads", OptionKind::Spin { default: 1, min: 1, max: 1024 }, Effect::Threads),
        ("Clear Hash", OptionKind::Button, Effect::ClearHash),
        // Whether to ponder is decided by the GUI's `go ponder`; a move to ponder on is always named.
        ("Ponder", off.clone(), Effect::Note),
        ("UCI_Chess960", off.clone(), Effect::Chess960),
        ("UCI_ShowWDL", off.clone(), Effect::ShowWdl),
        (
            "UCI_AnalyseMode",
            off,
            Effect::Missing("UCI_AnalyseMode has no effect: analysis and play search alike"),
        ),
        (
            "UCI_Opponent",
            text(""),
            Effect::Missing("UCI_Opponent has no effect: every opponent is treated alike"),
        ),
        (
            "SyzygyPath",
            text(""),
            Effect::Missing("SyzygyPath has no effect: this version probes no tablebases"),
        ),
    ];
    standard
        .into_iter()
        .chain(TUNABLES.iter().map(|tunable| (tunable.name, kind_of(tunable), Effect::Search(tunable))))
        .map(|(name, kind, effect)| DeclaredOption {
            declaration: OptionDeclaration { name: name.into(), kind },
            effect,
        })
        .collect()
}

/// UCI has no real numbers; they travel as strings.
fn kind_of(tunable: &Tunable) -> OptionKind {
    match tunable.kind {
        Kind::Float { default, .. } => OptionKind::Text { default: default.to_string() },
        Kind::Integer { default, min, max } => OptionKind::Spin {
            default: default.min(LARGEST_SPIN) as i64,
            min: min.min(LARGEST_SPIN) as i64,
            max: max.min(LARGEST_SPIN) as i64,
        },
        Kind::Flag { default } => OptionKind::Check { default },
    }
}

#[cfg(test)]
mod tests {
    use network::DeviceKind;

    use super::*;

    fn settings() -> Settings {
        let engine = EngineArguments {
            net: "material".into(),
            device: DeviceKind::Cpu,
            precision: None,
            options: Vec::new(),
        };
        Settings::new(&engine).unwrap()
    }

    #[test]
    fn what_guis_send_to_everyone_is_declared_once() {
        let settings = settings();
        for name in [
            "Hash",
            "Threads",
            "Move Overhead",
            "Ponder",
            "MultiPV",
            "UCI_Chess960",
            "SyzygyPath",
            "UCI_ShowWDL",
            "UCI_AnalyseMode",
            "UCI_Opponent",
            "Clear Hash",
            "WeightsFile",
        ] {
            assert_eq!(settings.declarations().filter(|option| option.is_named(name)).count(), 1, "{name}");
        }
        assert_eq!(settings.declarations().count(), 9 + TUNABLES.len());
    }

    #[test]
    fn every_default_is_accepted_and_changes_nothing() {
        let mut settings = settings();
        let declarations: Vec<OptionDeclaration> = settings.declarations().cloned().collect();
        for declaration in declarations {
            if declaration.is_named("WeightsFile") || declaration.kind == OptionKind::Button {
                continue;
            }
            let value = default_text(&declaration.kind);
            assert_eq!(
                settings.set(&declaration.name, Some(&value)).unwrap(),
                FollowUp::Done,
                "{declaration}"
            );
        }
        assert_eq!(settings.search, PuctOptions::default());
    }

    #[test]
    fn options_take_effect_whatever_the_spelling() {
        let mut settings = settings();
        settings.set("multipv", Some("3")).unwrap();
        settings.set("move_overhead", Some("100")).unwrap();
        settings.set("uci_chess960", Some("true")).unwrap();
        settings.set("UCI_ShowWDL", Some("true")).unwrap();
        assert_eq!((settings.search.multi_pv, settings.search.move_overhead), (3, 100));
        assert_eq!(settings.castling_mode, CastlingMode::Chess960);
        assert_eq!(settings.show_wdl, ShowWdl::Yes);
        assert_eq!(settings.set("Clear Hash", None).unwrap(), FollowUp::ClearHash);
    }

    #[test]
    fn what_has_no_effect_says_so_and_what_is_wrong_is_refused() {
        let mut settings = settings();
        assert!(matches!(settings.set("Threads", Some("4")).unwrap(), FollowUp::Say(_)));
        assert!(matches!(settings.set("SyzygyPath", Some("/tables")).unwrap(), FollowUp::Say(_)));
        assert_eq!(settings.set("SyzygyPath", Some("<empty>")).unwrap(), FollowUp::Done);
        assert!(settings.set("Threads", Some("0")).is_err());
        assert!(settings.set("CPuct", Some("lots")).is_err());
        let error = settings.set("Contempt", Some("0")).unwrap_err();
        assert!(error.to_string().contains("unknown option \"Contempt\""), "{error}");
    }
}
