//! The options of the engine: those that the search declares, and the standard UCI options.

use chess::{CastlingMode, SearchOptions, Tunable, TunableKind, Value};
use protocol::{OptionDeclaration, OptionKind, OptionValue, info::ShowWdl};
use search::{GeneralOptions, book::BookOptions, puct::NoiseOptions, temperature::TemperatureOptions};
use strength::{StrengthSetting, StrengthTable};

use crate::{
    levels::limit,
    search_setup::{BOOK_FILE, SYZYGY_PATH},
};

/// Largest spin declared: GUIs keep spins in 32 bits. Larger values of the search's own range are still accepted.
const LARGEST_SPIN: u64 = i32::MAX as u64;

/// Message if the strength of a network without a measured table should be limited.
const UNMEASURED: &str = "error: UCI_LimitStrength is on, but the strength of this network was not measured, so it plays at full \
    strength; `tabiya calibrate` measures it";

/// The options as the GUI has set them.
#[derive(Clone, Debug)]
pub(super) struct UciSettings {
    pub(super) search: SearchOptions,
    /// The castling notation of positions and moves.
    pub(super) castling_mode: CastlingMode,
    /// Setting for win/draw/loss in `info`.
    pub(super) show_wdl: ShowWdl,
    /// True if the end of a search lists every root move, in lc0's format.
    pub(super) verbose_move_stats: bool,
    /// Analysis mode: no random choices, no book, no restriction to table moves, no limited strength.
    analyse: bool,
    /// True to play at `elo`, if the network's strength was measured.
    limit_strength: bool,
    /// `None` until it is set: the highest rating of any network.
    elo: Option<i64>,
    strength: Option<StrengthTable>,
    declared: Vec<DeclaredOption>,
}

/// Work left after an option was set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FollowUp {
    Done,
    Say(String),
    ClearHash,
    OpenNetwork(String),
    /// Look for endgame tables in these folders; in none if the text is empty.
    OpenTables(String),
    /// Read this opening book; use none if the text is empty.
    OpenBook(String),
}

/// Errors of setting an option.
#[derive(Debug, thiserror::Error)]
pub(super) enum SetOptionError {
    /// No option has this name.
    #[error("unknown option {0:?}; `uci` lists the known ones")]
    Unknown(String),
    /// Not a value of this option of the search.
    #[error(transparent)]
    Search(#[from] chess::OptionError),
    /// Not a value that its declaration allows.
    #[error(transparent)]
    Declaration(#[from] protocol::OptionError),
}

#[derive(Clone, Debug)]
struct DeclaredOption {
    declaration: OptionDeclaration,
    effect: Effect,
}

/// Effect of setting an option.
#[derive(Clone, Copy, Debug)]
enum Effect {
    Search(&'static Tunable),
    /// A switch of the session.
    Switch(fn(&mut UciSettings, bool)),
    LimitStrength,
    Elo,
    ClearHash,
    /// A text that the session acts on.
    Text(fn(String) -> FollowUp),
    /// Information from the GUI that has no effect on this engine.
    Note,
    /// A feature that this engine lacks, with the message; silent if set to its default.
    Missing(&'static str),
}

impl Effect {
    /// True for the options that only a network of measured strength has.
    fn is_rating(self) -> bool {
        matches!(self, Self::LimitStrength | Self::Elo)
    }
}

impl UciSettings {
    /// The settings of an engine that starts with this network, its levels and these search options.
    pub(super) fn new(net: &str, search: SearchOptions, strength: Option<StrengthTable>) -> Self {
        Self {
            declared: declared_options(net, strength.as_ref(), &search),
            search,
            castling_mode: CastlingMode::Standard,
            show_wdl: ShowWdl::No,
            verbose_move_stats: false,
            analyse: false,
            limit_strength: false,
            elo: None,
            strength,
        }
    }

    /// Resets the options set by one player's recipe, and sets those of another's.
    pub(super) fn change_options(
        &mut self,
        old: &[(String, String)],
        new: &[(String, String)],
    ) -> Result<(), chess::OptionError> {
        for tunable in old.iter().filter_map(|(name, _)| search::options::find(name)) {
            self.search.set(tunable, tunable.default_value());
        }
        new.iter().try_for_each(|(name, value)| search::options::set(&mut self.search, name, value))
    }

    /// Sets the measured strength of another network and declares its ratings. Returns what the GUI should know: it reads the declarations
    /// once, so a range that has changed is said, and so is a limited strength that was not measured.
    pub(super) fn set_strength(&mut self, strength: Option<StrengthTable>) -> Option<String> {
        let before = self.strength.as_ref().map(elo_range);
        self.strength = strength;
        let Some(table) = &self.strength else {
            // The options of the last network stay known: a GUI may go on sending them.
            return self.limit_strength.then(|| UNMEASURED.into());
        };
        let place = self.declared.iter().position(|option| option.effect.is_rating());
        self.declared.retain(|option| !option.effect.is_rating());
        let place = place.unwrap_or(self.declared.len());
        self.declared.splice(place..place, rating_options(table));
        let (min, max) = elo_range(table);
        if before == Some((min, max)) {
            return None;
        }
        let range = format!("UCI_Elo is {min} to {max} now");
        Some(match self.elo.filter(|elo| !(min..=max).contains(elo)) {
            Some(elo) => format!("{range}, and {elo} plays at {}", elo.clamp(min, max)),
            None => range,
        })
    }

    /// The search options that result from all settings, and the level to which a limited strength limits the search.
    pub(super) fn effective_search(&self) -> (SearchOptions, Option<StrengthSetting>) {
        let mut search = self.search.clone();
        let temperature = TemperatureOptions::read(&search);
        if self.analyse {
            TemperatureOptions { temperature: 0.0, ..temperature }.write(&mut search);
            NoiseOptions { epsilon: 0.0 }.write(&mut search);
            GeneralOptions { syzygy_fast_play: false, ..GeneralOptions::read(&search) }.write(&mut search);
            BookOptions { own_book: false, ..BookOptions::read(&search) }.write(&mut search);
            return (search, None);
        }
        match &self.strength {
            Some(table) if self.limit_strength => {
                let elo = self.elo.unwrap_or(elo_range(table).1);
                let setting = table.setting_for(elo as f64);
                limit(&mut search, setting);
                (search, Some(setting))
            }
            _ => (search, None),
        }
    }

    /// Every option, as declared to the GUI. It offers a rating as soon as it knows those of ratings, so they are declared only if the
    /// network can play at one.
    pub(super) fn declarations(&self) -> impl Iterator<Item = &OptionDeclaration> {
        let is_measured = self.strength.is_some();
        let declared = self.declared.iter().filter(move |option| is_measured || !option.effect.is_rating());
        declared.map(|option| &option.declaration)
    }

    pub(super) fn set(&mut self, name: &str, value: Option<&str>) -> Result<FollowUp, SetOptionError> {
        let option = self.find(name).ok_or_else(|| SetOptionError::Unknown(name.into()))?;
        if let Effect::Search(tunable) = option.effect {
            self.search.set(tunable, tunable.parse(value.unwrap_or_default())?);
            return Ok(FollowUp::Done);
        }
        let effect = option.effect;
        // GUIs send every declared option back with its default; a complaint about each would hide the real ones.
        let is_default = option.declaration.check(Some(&default_text(&option.declaration.kind)));
        let value = option.declaration.check(value)?;
        let is_default = is_default.is_ok_and(|default| default == value);
        Ok(match (effect, value) {
            (Effect::Switch(turn), OptionValue::Check(on)) => {
                turn(self, on);
                FollowUp::Done
            }
            (Effect::Text(follow_up), OptionValue::Text(text)) => follow_up(text),
            (Effect::ClearHash, _) => FollowUp::ClearHash,
            (Effect::LimitStrength, OptionValue::Check(on)) => {
                self.limit_strength = on;
                let unmeasured = on && self.strength.is_none();
                if unmeasured { FollowUp::Say(UNMEASURED.into()) } else { FollowUp::Done }
            }
            (Effect::Elo, OptionValue::Spin(elo)) => {
                self.elo = Some(elo);
                FollowUp::Done
            }
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

/// Every option: the standard ones, one line each, then those of the search. GUIs send the declared defaults back, so the engine
/// starts with exactly these values.
fn declared_options(
    net: &str,
    strength: Option<&StrengthTable>,
    search: &SearchOptions,
) -> Vec<DeclaredOption> {
    let no_opponent = Effect::Missing("UCI_Opponent has no effect: every opponent is treated alike");
    let mut options = vec![
        declared("WeightsFile", text(net), Effect::Text(FollowUp::OpenNetwork)),
        declared("Clear Hash", OptionKind::Button, Effect::ClearHash),
        // The GUI's `go ponder` decides whether to ponder; a move to ponder on is always named.
        declared("Ponder", OptionKind::Check { default: false }, Effect::Note),
        switch("UCI_Chess960", |settings, on| settings.castling_mode = CastlingMode::from_chess960(on)),
        switch("UCI_ShowWDL", |settings, on| settings.show_wdl = if on { ShowWdl::Yes } else { ShowWdl::No }),
        switch("UCI_AnalyseMode", |settings, on| settings.analyse = on),
        declared("UCI_Opponent", text(""), no_opponent),
        declared(SYZYGY_PATH, text(""), Effect::Text(FollowUp::OpenTables)),
        declared(BOOK_FILE, text(""), Effect::Text(FollowUp::OpenBook)),
        switch("VerboseMoveStats", |settings, on| settings.verbose_move_stats = on),
    ];
    options.extend(strength.into_iter().flat_map(rating_options));
    for tunable in search::options::tunables() {
        let kind = kind_of(tunable, search.get(tunable));
        options.push(declared(tunable.name, kind, Effect::Search(tunable)));
    }
    options
}

/// Lowest and highest `UCI_Elo`, as spins are declared.
fn elo_range(table: &StrengthTable) -> (i64, i64) {
    let (min, max) = table.range();
    (min.into(), max.into())
}

/// The options of a network whose strength was measured.
fn rating_options(table: &StrengthTable) -> [DeclaredOption; 2] {
    let (min, max) = elo_range(table);
    [
        declared("UCI_LimitStrength", OptionKind::Check { default: false }, Effect::LimitStrength),
        declared("UCI_Elo", OptionKind::Spin { default: max, min, max }, Effect::Elo),
    ]
}

fn declared(name: &str, kind: OptionKind, effect: Effect) -> DeclaredOption {
    DeclaredOption { declaration: OptionDeclaration { name: name.into(), kind }, effect }
}

fn switch(name: &str, turn: fn(&mut UciSettings, bool)) -> DeclaredOption {
    declared(name, OptionKind::Check { default: false }, Effect::Switch(turn))
}

fn text(default: &str) -> OptionKind {
    OptionKind::Text { default: default.into() }
}

fn spin(number: u64) -> i64 {
    number.min(LARGEST_SPIN) as i64
}

/// An option with its value at the start. UCI has no real numbers; they travel as strings.
fn kind_of(tunable: &Tunable, value: Value) -> OptionKind {
    match (&tunable.kind, value) {
        (TunableKind::Integer { min, max, .. }, Value::Integer(default)) => {
            OptionKind::Spin { default: spin(default), min: spin(*min), max: spin(*max) }
        }
        (_, Value::Flag(default)) => OptionKind::Check { default },
        (_, value) => OptionKind::Text { default: value.to_string() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> UciSettings {
        settings_with(None)
    }

    fn settings_with(strength: Option<StrengthTable>) -> UciSettings {
        UciSettings::new("material", SearchOptions::default(), strength)
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
            "OwnBook",
            "BookFile",
            "UCI_ShowWDL",
            "UCI_AnalyseMode",
            "UCI_Opponent",
            "Clear Hash",
            "WeightsFile",
        ] {
            assert_eq!(settings.declarations().filter(|option| option.is_named(name)).count(), 1, "{name}");
        }
        assert_eq!(settings.declarations().count(), 10 + search::options::tunables().count());
    }

    #[test]
    fn every_default_is_accepted_and_changes_nothing() {
        let mut settings = settings();
        let declarations: Vec<OptionDeclaration> = settings.declarations().cloned().collect();
        for declaration in declarations {
            if ["WeightsFile", SYZYGY_PATH, BOOK_FILE].iter().any(|name| declaration.is_named(name))
                || declaration.kind == OptionKind::Button
            {
                continue;
            }
            let value = default_text(&declaration.kind);
            assert_eq!(
                settings.set(&declaration.name, Some(&value)).unwrap(),
                FollowUp::Done,
                "{declaration}"
            );
        }
        assert_eq!(settings.search, SearchOptions::default());
    }

    #[test]
    fn options_take_effect_whatever_the_spelling() {
        let mut settings = settings();
        settings.set("multipv", Some("3")).unwrap();
        settings.set("move_overhead", Some("150")).unwrap();
        settings.set("uci_chess960", Some("true")).unwrap();
        settings.set("UCI_ShowWDL", Some("true")).unwrap();
        assert_eq!(settings.search, search::options::parse("MultiPV=3 MoveOverhead=150").unwrap());
        assert_eq!(settings.castling_mode, CastlingMode::Chess960);
        assert_eq!(settings.show_wdl, ShowWdl::Yes);
        assert_eq!(settings.set("Clear Hash", None).unwrap(), FollowUp::ClearHash);
    }

    #[test]
    fn tables_are_looked_for_where_the_option_says() {
        let mut settings = settings();
        let follow_up = settings.set("SyzygyPath", Some("/a:/b")).unwrap();
        assert_eq!(follow_up, FollowUp::OpenTables("/a:/b".into()));
        assert_eq!(settings.set("SyzygyPath", Some("<empty>")).unwrap(), FollowUp::OpenTables(String::new()));
        assert_eq!(settings.set("bookfile", Some("a.bin")).unwrap(), FollowUp::OpenBook("a.bin".into()));
    }

    #[test]
    fn a_measured_strength_can_be_limited_except_in_analysis() {
        let level = |elo, nodes, temperature| strength::StrengthLevel {
            setting: StrengthSetting::search(nodes, temperature),
            elo,
            lower: elo,
            upper: elo,
            games: 1,
        };
        let table = |levels: [strength::StrengthLevel; 2]| {
            StrengthTable::new("net".into(), "hash".into(), "conditions".into(), levels.into()).unwrap()
        };
        let mut settings = settings_with(Some(table([level(1000.0, 1, 1.0), level(2000.0, 100, 0.0)])));
        assert_eq!(settings.effective_search(), (SearchOptions::default(), None));
        settings.set("UCI_Elo", Some("1500")).unwrap();
        settings.set("UCI_LimitStrength", Some("true")).unwrap();
        let (search, limit) = settings.effective_search();
        assert_eq!(
            (TemperatureOptions::read(&search).temperature, limit),
            (0.5, Some(StrengthSetting::search(10, 0.5)))
        );
        assert!(settings.set("UCI_Elo", Some("2001")).is_err());
        let complaint = settings.set_strength(None);
        assert_eq!(complaint.as_deref(), Some(UNMEASURED), "another network, never measured");
        let offers =
            |settings: &UciSettings| settings.declarations().any(|option| option.is_named("UCI_Elo"));
        assert!(!offers(&settings));
        let again = settings.set("UCI_LimitStrength", Some("true")).unwrap();
        assert_eq!(again, FollowUp::Say(UNMEASURED.into()));
        settings.set("UCI_LimitStrength", Some("false")).unwrap();
        assert_eq!(settings.set_strength(None), None);
        // One that is stronger throughout: its range is declared instead, and holds.
        let second = table([level(2200.0, 7, 0.0), level(2600.0, 900, 0.0)]);
        let said = settings.set_strength(Some(second));
        assert_eq!(said.as_deref(), Some("UCI_Elo is 2200 to 2600 now, and 1500 plays at 2200"));
        let count = settings.declarations().filter(|option| option.is_named("UCI_Elo")).count();
        assert!(count == 1 && offers(&settings));
        settings.set("UCI_LimitStrength", Some("true")).unwrap();
        assert_eq!(settings.effective_search().1, Some(StrengthSetting::search(7, 0.0)));
        assert!(settings.set("UCI_Elo", Some("1500")).is_err());
        settings.set("UCI_Elo", Some("2600")).unwrap();
        assert_eq!(settings.effective_search().1, Some(StrengthSetting::search(900, 0.0)));
        settings.set("UCI_AnalyseMode", Some("true")).unwrap();
        let (search, level) = settings.effective_search();
        let (temperature, general) = (TemperatureOptions::read(&search), GeneralOptions::read(&search));
        assert_eq!((temperature.temperature, general.syzygy_fast_play, level), (0.0, false, None));
    }

    #[test]
    fn what_has_no_effect_says_so_and_what_is_wrong_is_refused() {
        let mut settings = settings();
        assert!(matches!(settings.set("UCI_Opponent", Some("GM 2800 human")).unwrap(), FollowUp::Say(_)));
        assert!(settings.set("UCI_LimitStrength", Some("true")).is_err(), "nothing was measured");
        let level = strength::StrengthLevel {
            setting: StrengthSetting::search(5, 0.0),
            elo: 1800.0,
            lower: 1700.0,
            upper: 1900.0,
            games: 1,
        };
        let table = StrengthTable::new("net".into(), "hash".into(), "here".into(), vec![level]).unwrap();
        let said = settings.set_strength(Some(table));
        assert_eq!(said.as_deref(), Some("UCI_Elo is 1800 to 1800 now"));
        settings.set("UCI_LimitStrength", Some("true")).unwrap();
        assert_eq!(settings.effective_search().1, Some(StrengthSetting::search(5, 0.0)), "its highest");
        assert!(settings.set("Threads", Some("0")).is_err());
        assert!(settings.set("CPuct", Some("lots")).is_err());
        let error = settings.set("Contempt", Some("0")).unwrap_err();
        assert!(error.to_string().contains("unknown option \"Contempt\""), "{error}");
    }
}
