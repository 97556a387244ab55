//! From a network's name to a search: the one place that connects weights, evaluator and search.

pub(crate) mod learners;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::Context as _;
use chess::{
    Evaluator, Game, MaterialEvaluator, PolyglotBook, Search, SearchOptions, StrengthSetting, StrengthTable,
    Tablebases, UniformEvaluator, encoding::InputEncoding,
};
use network::{CpuOptions, Device, DeviceKind, Precision, Weights};
use search::{
    BookSearch, SEARCHES, SearchKind, book::BookOptions, imitation::ImitationOptions,
    temperature::TemperatureOptions,
};

use crate::bundled::{DEFAULT_NETWORK, HUMAN_NETWORK, bundled};

/// The arguments that name an engine, shared by every command that runs one.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct EngineArguments {
    /// Weights file, a bundled network: `default`, `human` (plays like people), or a baseline evaluator: `material`, `uniform`
    #[arg(long, value_name = "PATH", default_value = DEFAULT_NETWORK)]
    pub(crate) net: String,
    /// Device for the network: cpu, burn-cpu, or a device compiled in: cuda, vulkan, metal
    #[arg(long, default_value_t = DeviceKind::Cpu)]
    pub(crate) device: DeviceKind,
    /// Number format on the CPU: f32, bf16, or int8 for calibrated networks. Default: f32, unless a coarser one is measured to
    /// be much faster. The environment variable TABIYA_ISA selects the instruction set: portable, avx2, avx512, amx
    #[arg(long, value_name = "PRECISION")]
    pub(crate) precision: Option<Precision>,
    /// UCI option of the search, SyzygyPath or BookFile; may be repeated (`tabiya uci`, then `uci`, lists them)
    #[arg(long = "option", value_name = "NAME=VALUE", value_parser = parse_option)]
    pub(crate) options: Vec<(String, String)>,
}

/// Where and how a network is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Computation {
    pub(crate) device: DeviceKind,
    /// The number format on the CPU.
    pub(crate) precision: Option<Precision>,
}

impl From<DeviceKind> for Computation {
    fn from(device: DeviceKind) -> Self {
        Self { device, precision: None }
    }
}

/// An evaluator and what it was asked for as.
#[derive(Clone)]
pub(crate) struct OpenedEvaluator {
    pub(crate) evaluator: Arc<dyn Evaluator>,
    /// The name it was asked for by.
    pub(crate) net: String,
}

impl OpenedEvaluator {
    /// What it is and where it runs, for `info string` and game records.
    pub(crate) fn describe(&self) -> String {
        self.evaluator.describe()
    }
}

impl EngineArguments {
    pub(crate) fn open(&self) -> anyhow::Result<OpenedEvaluator> {
        open_evaluator(&self.net, self.computation())
    }

    /// Where and how its network is computed.
    pub(crate) fn computation(&self) -> Computation {
        Computation { device: self.device, precision: self.precision }
    }

    /// What its searches are built with: the defaults, changed by `--option`.
    pub(crate) fn search_setup(&self) -> anyhow::Result<SearchSetup> {
        SearchSetup::new(&self.options).context("--option")
    }
}

/// Opens a network, or an evaluator without one, by name, and asks it about the start position: one whose answers are no
/// probabilities is an error here and not in the middle of a game.
pub(crate) fn open_evaluator(
    net: &str,
    computation: impl Into<Computation>,
) -> anyhow::Result<OpenedEvaluator> {
    let Computation { device, precision } = computation.into();
    anyhow::ensure!(
        precision.is_none() || device == DeviceKind::Cpu,
        "precision: only networks on the CPU have a choice, this one is on {device}"
    );
    let options = CpuOptions { precision, ..CpuOptions::default() };
    let evaluator: Arc<dyn Evaluator> = match (net, bundled(net)) {
        ("material", _) => Arc::new(MaterialEvaluator),
        ("uniform", _) => Arc::new(UniformEvaluator),
        (_, Some(bundled)) => network::from_bytes(bundled.weights, &Device::open(device)?, options)
            .with_context(|| format!("the network {net} in this program"))?,
        (path, None) if learners::holds_learners(path) => {
            learners::open_learners(Path::new(path), Computation { device, precision })?
        }
        (path, None) => network::open(Path::new(path), &Device::open(device)?, options)?,
    };
    let start = Game::default();
    search::evaluate_one(evaluator.as_ref(), &start, &start.legal_moves())
        .with_context(|| format!("the network {net} cannot be used"))?;
    Ok(OpenedEvaluator { evaluator, net: net.into() })
}

/// Reads a network's weights by name: a file, or a bundled network.
pub(crate) fn read_weights(net: &str) -> anyhow::Result<Weights> {
    match bundled(net) {
        Some(bundled) => Weights::from_bytes(bundled.weights, "built-in network")
            .with_context(|| format!("the network {net} in this program")),
        None => Ok(Weights::read(Path::new(net))?),
    }
}

/// What a search is built with besides its evaluator.
#[derive(Clone, Debug, Default)]
pub(crate) struct SearchSetup {
    /// The options.
    pub(crate) options: SearchOptions,
    /// Endgame tables.
    pub(crate) tables: Option<Arc<Tablebases>>,
    /// The opening book, used where `OwnBook` is set.
    pub(crate) book: Option<Arc<PolyglotBook>>,
}

impl SearchSetup {
    /// The defaults, changed by names and values. Unusable folders, tables and books are an error, because the user has just
    /// typed their names.
    pub(crate) fn new(pairs: &[(String, String)]) -> anyhow::Result<Self> {
        let mut setup = Self::default();
        for (name, value) in pairs {
            if name.eq_ignore_ascii_case(SYZYGY_PATH) {
                let (opened, problems) = Tablebases::open(value);
                anyhow::ensure!(problems.is_empty(), "{name}={value}: {}", problems.join("; "));
                setup.tables = Some(Arc::new(opened));
            } else if name.eq_ignore_ascii_case(BOOK_FILE) {
                let book = PolyglotBook::read(Path::new(value)).with_context(|| format!("{name}={value}"))?;
                setup.book = Some(Arc::new(book));
            } else {
                search::options::set(&mut setup.options, name, value)
                    .with_context(|| format!("{name}={value}"))?;
            }
        }
        let own_book = BookOptions::read(&setup.options).own_book;
        anyhow::ensure!(
            !own_book || setup.book.is_some(),
            "OwnBook=true: found no {BOOK_FILE}=FILE, expected one"
        );
        anyhow::ensure!(own_book || setup.book.is_none(), "{BOOK_FILE} has no effect without OwnBook=true");
        Ok(setup)
    }

    /// Makes it the setup of a level: its temperature and whom it imitates. For the caller remain its nodes, and who plays:
    /// [`at_level`].
    pub(crate) fn limit(&mut self, level: StrengthSetting) {
        limit(&mut self.options, level);
    }

    /// A search of this kind on an evaluator, behind the book where there is one.
    pub(crate) fn make(&self, kind: &SearchKind, evaluator: Arc<dyn Evaluator>) -> Box<dyn Search> {
        let search = kind.build(evaluator, &self.options, self.tables.clone());
        match &self.book {
            Some(book) => Box::new(BookSearch::new(search, Arc::clone(book), &self.options)),
            None => search,
        }
    }
}

/// Makes them the options of a level.
pub(crate) fn limit(options: &mut SearchOptions, level: StrengthSetting) {
    TemperatureOptions { temperature: level.temperature, ..TemperatureOptions::read(options) }.write(options);
    if let Some(rating) = level.imitated {
        ImitationOptions { rating: rating.into(), ..ImitationOptions::read(options) }.write(options);
    }
}

/// An evaluator and the kind of search on it.
pub(crate) type Thinker = (Arc<dyn Evaluator>, &'static SearchKind);

/// Who plays at a level of an engine: its own search or, where people are imitated, the policy of its [`imitator`].
pub(crate) fn at_level(
    own: &OpenedEvaluator,
    search: &'static SearchKind,
    level: StrengthSetting,
    computation: Computation,
) -> anyhow::Result<Thinker> {
    match level.imitated {
        Some(_) => Ok((open_imitator(own, computation)?, imitation_kind())),
        None => Ok((own.evaluator.clone(), search)),
    }
}

/// The network that plays people's moves at the levels of another one: that one itself where it sees the players' ratings,
/// otherwise the bundled human-like one.
pub(crate) fn imitator(net: &str) -> &str {
    let shows_ratings =
        |weights: Weights| weights.spec.input_encoding().is_ok_and(<dyn InputEncoding>::shows_ratings);
    if read_weights(net).is_ok_and(shows_ratings) { net } else { HUMAN_NETWORK }
}

/// Opens the [`imitator`] of an engine.
pub(crate) fn open_imitator(
    own: &OpenedEvaluator,
    computation: Computation,
) -> anyhow::Result<Arc<dyn Evaluator>> {
    match imitator(&own.net) {
        net if net == own.net => Ok(own.evaluator.clone()),
        net => Ok(open_evaluator(net, computation)?.evaluator),
    }
}

/// The kind of search that plays a network's policy, and so like the people that it learned from.
pub(crate) fn imitation_kind() -> &'static SearchKind {
    SEARCHES.iter().find(|kind| kind.name == "policy").expect("a test finds it")
}

/// The option that names the opening book, as other engines call it.
pub(crate) const BOOK_FILE: &str = "BookFile";

/// The option that names the folders of the endgame tables, as every engine calls it.
pub(crate) const SYZYGY_PATH: &str = "SyzygyPath";

/// The file beside a network that holds its measured strength.
pub(crate) fn strength_file(net: &str) -> PathBuf {
    PathBuf::from(format!("{net}.strength.json"))
}

/// The measured strength of a network: the file `NET.strength.json` beside it, made by `tabiya calibrate`; `None` without that
/// file. A table of another network is an error; the bundled table is checked by tests and ignored if it does not match.
pub(crate) fn strength_table(net: &str) -> anyhow::Result<Option<StrengthTable>> {
    if let Some(bundled) = bundled(net) {
        let table = (!bundled.strength.is_empty()).then(|| StrengthTable::from_json(bundled.strength));
        let table = table.transpose().context("the strength table built into this program")?;
        return Ok(table.filter(|table| table.network_hash == hash_of(bundled.weights)));
    }
    let file = strength_file(net);
    let text = match std::fs::read_to_string(&file) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error).with_context(|| format!("cannot read {}", file.display())),
    };
    let table = StrengthTable::from_json(&text).with_context(|| file.display().to_string())?;
    let hash = network_hash(net)?;
    anyhow::ensure!(
        hash.as_deref() == Some(table.network_hash.as_str()),
        "{}: found the strength of a network with the hash {}, expected {}; measure anew with `tabiya calibrate {net}` or \
         remove the file",
        file.display(),
        table.network_hash,
        hash.as_deref().unwrap_or("of a file")
    );
    Ok(Some(table))
}

/// The levels at which a network is played against, where its strength was measured: below its own, people's moves.
pub(crate) fn levels(net: &str) -> anyhow::Result<Option<StrengthTable>> {
    let (own, people) = (strength_table(net)?, strength_table(HUMAN_NETWORK)?);
    Ok(match (own, people) {
        (Some(own), Some(people)) if imitator(net) != net => Some(own.above(&people)),
        (own, _) => own,
    })
}

/// The setting at which a network plays at this rating, as `UCI_Elo` finds it. A rating beyond what was measured is an error.
pub(crate) fn level(net: &str, elo: u16) -> anyhow::Result<StrengthSetting> {
    let table = levels(net)?.with_context(|| {
        format!("--elo {elo}: the strength of {net} was not measured; `tabiya calibrate` measures it")
    })?;
    let (low, high) = table.range();
    anyhow::ensure!(
        (low..=high).contains(&i32::from(elo)),
        "--elo: found {elo}, expected {low} to {high}, what was measured of {net}"
    );
    Ok(table.setting_for(f64::from(elo)))
}

/// XXH3 of a network's file, 128 bits, hexadecimal; `None` for evaluators without a network.
pub(crate) fn network_hash(net: &str) -> anyhow::Result<Option<String>> {
    match (net, bundled(net)) {
        ("material" | "uniform", _) => Ok(None),
        (_, Some(bundled)) => Ok(Some(hash_of(bundled.weights))),
        (path, None) => {
            let bytes = std::fs::read(path).with_context(|| format!("cannot read the network {path}"))?;
            Ok(Some(hash_of(&bytes)))
        }
    }
}

fn hash_of(bytes: &[u8]) -> String {
    format!("{:032x}", xxhash_rust::xxh3::xxh3_128(bytes))
}

fn parse_option(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => Ok((name.trim().into(), value.trim().into())),
        _ => Err(format!("found {text:?}, expected NAME=VALUE")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundled::BUNDLED;

    #[test]
    fn evaluators_without_a_network_are_named_choices() {
        for net in ["material", "uniform"] {
            let opened = open_evaluator(net, DeviceKind::Cpu).unwrap();
            assert!(opened.evaluator.describe().starts_with(net), "{}", opened.evaluator.describe());
        }
    }

    #[test]
    fn a_missing_network_is_an_error_and_never_replaced() {
        let error = open_evaluator("no/such.tabiya", DeviceKind::Cpu).err().expect("there is no such file");
        assert!(format!("{error:#}").contains("no/such.tabiya"), "{error:#}");
    }

    #[test]
    fn tables_that_are_not_there_are_an_error_on_the_command_line() {
        let pairs = [("syzygypath".to_owned(), "no/such/folder".to_owned())];
        let error = SearchSetup::new(&pairs).expect_err("there is no such folder");
        assert!(format!("{error:#}").contains("no/such/folder"), "{error:#}");
    }

    #[test]
    fn a_book_and_the_wish_to_use_it_belong_together() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("book.bin").display().to_string();
        let start = Game::default();
        let entry = chess::polyglot::BookEntry::new(start.position(), start.legal_moves()[0], 1);
        std::fs::write(&file, PolyglotBook::new(vec![entry]).to_bytes()).unwrap();
        let setup = |pairs: &[(&str, &str)]| {
            let pairs: Vec<_> = pairs.iter().map(|&(name, value)| (name.into(), value.into())).collect();
            SearchSetup::new(&pairs).map_err(|error| format!("{error:#}"))
        };
        assert!(setup(&[("OwnBook", "true"), ("bookfile", &file)]).unwrap().book.is_some());
        assert!(setup(&[("BookFile", &file)]).unwrap_err().contains("without OwnBook=true"));
        assert!(setup(&[("OwnBook", "true")]).unwrap_err().contains("BookFile=FILE"));
        let missing = setup(&[("OwnBook", "true"), ("BookFile", "no/such.bin")]).unwrap_err();
        assert!(missing.contains("no/such.bin"), "{missing}");
    }

    #[test]
    fn only_a_measured_strength_is_offered() {
        let folder = tempfile::tempdir().unwrap();
        let net = folder.path().join("net.tabiya").display().to_string();
        assert_eq!(strength_table(&net).unwrap(), None);
        std::fs::write(&net, "weights").unwrap();
        let file = strength_file(&net);
        let setting = StrengthSetting::search(10, 0.5);
        let level = chess::StrengthLevel { setting, elo: 1000.0, lower: 900.0, upper: 1100.0, games: 100 };
        let hash = network_hash(&net).unwrap().unwrap();
        let table = StrengthTable::new("net".into(), hash, "conditions".into(), vec![level]).unwrap();
        std::fs::write(&file, serde_json::to_string(&table).unwrap()).unwrap();
        assert_eq!(strength_table(&net).unwrap(), Some(table));
        std::fs::write(&net, "other weights").unwrap();
        let other = format!("{:#}", strength_table(&net).unwrap_err());
        assert!(other.contains("net.tabiya.strength.json") && other.contains("measure anew"), "{other}");
        std::fs::write(&file, "[]").unwrap();
        assert!(format!("{:#}", strength_table(&net).unwrap_err()).contains("net.tabiya.strength.json"));
        assert_eq!(strength_table("material").unwrap(), None);
    }

    #[test]
    fn the_strength_tables_in_the_program_are_of_the_networks_in_the_program() {
        for network in BUNDLED {
            if network.strength.is_empty() {
                assert_eq!(strength_table(network.name).unwrap(), None);
                continue;
            }
            let table = StrengthTable::from_json(network.strength).unwrap();
            assert_eq!(
                table.network_hash,
                hash_of(network.weights),
                "nets/{0}.tabiya has changed: measure it with `tabiya calibrate nets/{0}.tabiya`, or remove the table",
                network.name
            );
            assert_eq!(strength_table(network.name).unwrap(), Some(table));
        }
    }

    #[test]
    fn a_level_that_imitates_people_is_played_by_the_human_like_network() {
        let own = OpenedEvaluator { evaluator: Arc::new(UniformEvaluator), net: "uniform".into() };
        let of = |level| at_level(&own, &search::SEARCHES[0], level, DeviceKind::Cpu.into()).unwrap();
        let (evaluator, kind) = of(StrengthSetting::search(10, 0.5));
        assert_eq!((evaluator.describe(), kind.name), (own.describe(), "puct"));
        let level = StrengthSetting::imitation(1100, 0.7);
        let (evaluator, kind) = of(level);
        assert!(evaluator.describe().starts_with("human"), "{}", evaluator.describe());
        assert_eq!(kind.name, "policy");
        let mut options = SearchOptions::default();
        limit(&mut options, level);
        let (imitation, chance) = (ImitationOptions::read(&options), TemperatureOptions::read(&options));
        assert_eq!((imitation.rating, chance.temperature), (1100, 0.7));
    }

    #[test]
    fn a_network_that_sees_ratings_plays_its_own_imitations() {
        let folder = tempfile::tempdir().unwrap();
        let copy = |name: &str| {
            let file = folder.path().join(name).display().to_string();
            std::fs::write(&file, bundled(name).unwrap().weights).unwrap();
            file
        };
        let (people, other) = (copy(HUMAN_NETWORK), copy(DEFAULT_NETWORK));
        assert_eq!((imitator(&people), imitator(&other)), (people.as_str(), HUMAN_NETWORK));
        assert_eq!(["human", "default", "uniform"].map(imitator), [HUMAN_NETWORK; 3]);
        let own = open_evaluator(&people, DeviceKind::Cpu).unwrap();
        let level = StrengthSetting::imitation(1100, 0.7);
        let (evaluator, kind) = at_level(&own, &search::SEARCHES[0], level, DeviceKind::Cpu.into()).unwrap();
        assert!(Arc::ptr_eq(&evaluator, &own.evaluator));
        assert_eq!(kind.name, "policy");
    }

    #[test]
    fn options_are_split_at_the_first_equals_sign() {
        assert_eq!(parse_option("A b = c=d"), Ok(("A b".into(), "c=d".into())));
        assert!(parse_option("Hash").is_err());
        assert!(parse_option("=3").is_err());
    }
}
