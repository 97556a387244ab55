//! `tabiya calibrate`.

mod level;

use std::{
    collections::BTreeMap,
    io::Write as _,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context as _, Result, ensure};
use chess::StopSignal;
use level::{ENOUGH_GAMES, first_level, is_one_sided, second_level};
use output::OutputFile;
use player::{
    PlayerSpecification, bundled,
    levels::{imitator, strength_file},
    network_hash,
};
use serde_json::json;
use strength::{
    Contestant, Match, StrengthLevel, StrengthSetting, StrengthTable,
    matches::{EarlyEnd, GameRecord, GameSummary},
    statistics::{PoolRating, PoolResult, Standing, rate_pool},
    table::text_table,
};

use crate::{
    commands::{
        ladder::engine::{Engine, engine_pace},
        match_::progress::Progress,
    },
    game_folder::GameFolder,
    interrupt::stop_on_interrupt,
    machine::{machine, program},
    match_options::{MatchOptions, even},
};

/// Measure the rating of settings of a network, for `UCI_Elo` and the levels of the board.
///
/// A setting is a number of nodes, or the rating of people whose moves the human-like network plays, and a temperature for the
/// choice of the move. Each setting plays the next weaker one and two levels of the engine, one after the other, each nearest to what
/// is known of its rating by then; 20 games with a level are enough where 19 points are lost or won. All games together give the
/// ratings on the engine's scale, with 95 % bootstrap intervals. The table is written beside the network as NET.strength.json, where
/// the engine finds it. People's moves are those of the network itself where it sees ratings, otherwise those of `human`, whose
/// table has the levels below all others.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  tabiya calibrate nets/default.tabiya --games 40 --work calibration\n  tabiya calibrate \
    human --settings human-1000:1,human-1600:0.5 --out people.json"
)]
pub(crate) struct Arguments {
    /// Weights file, or a bundled network: `default`, `human`
    net: String,
    /// Settings, weakest first
    #[arg(
        long,
        value_name = "NODES:TEMPERATURE|human-RATING:TEMPERATURE,...",
        value_delimiter = ',',
        default_value = "1:4,1:2,1:1.4,1:1,1:0.7,1:0.4,1:0,4:0,16:0,64:0,256:0,1024:0"
    )]
    settings: Vec<StrengthSetting>,
    /// Games of each setting against its neighbour, and as many against both levels of the engine together
    #[arg(long, default_value_t = 40, value_name = "N", value_parser = even)]
    games: u32,
    /// Engine with `UCI_Elo` levels
    #[arg(long, default_value = "stockfish", value_name = "COMMAND")]
    engine: String,
    /// Time per move of the engine, in milliseconds
    #[arg(long, default_value_t = 100, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    movetime: u64,
    /// Nodes per move of the engine, instead of time
    #[arg(long, value_name = "N", conflicts_with = "movetime")]
    nodes: Option<u64>,
    #[command(flatten)]
    options: MatchOptions,
    /// Folder for the games, needed for --resume
    #[arg(long, value_name = "FOLDER")]
    work: Option<PathBuf>,
    /// Continue the calibration in the folder
    #[arg(long, requires = "work")]
    resume: bool,
    /// File for the table, instead of NET.strength.json
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let out = match (&arguments.out, arguments.net.as_str()) {
        (Some(path), _) => path.clone(),
        (None, net) if bundled(net).is_some() => {
            anyhow::bail!(
                "the network built into the program is no file beside which to write the table: name one with --out"
            )
        }
        (None, net) => strength_file(net),
    };
    let hash = network_hash(&arguments.net)?;
    let hash = hash.context("this evaluator has no network; its strength has no place")?;
    let output = OutputFile::open(&out)?;
    ensure!(
        arguments.settings.len() > 1,
        "--settings: found {}, expected at least two",
        arguments.settings.len()
    );
    let pace = engine_pace(arguments.nodes, arguments.movetime);
    let engine = Engine::open(&arguments.engine, pace, 100, None)?;
    let people = imitator(&arguments.net);
    let players = arguments
        .settings
        .iter()
        .map(|setting| player(&arguments.net, people, *setting))
        .collect::<Result<Vec<_>>>()?;
    let (folder, done) = match &arguments.work {
        Some(path) => {
            let mut setup = arguments.options.setup();
            setup.insert("net".into(), json!(arguments.net));
            setup.insert("settings".into(), json!(arguments.settings));
            setup.insert("engine".into(), json!([engine.name, engine.pace.to_string()]));
            setup.insert("games".into(), json!(arguments.games));
            setup.insert("levels".into(), json!(2));
            let (folder, done) = GameFolder::open(path, &setup.into(), arguments.resume)?;
            (Some(folder), done)
        }
        None => (None, Vec::new()),
    };
    let stop = stop_on_interrupt()?;
    let mut games: BTreeMap<usize, Vec<GameSummary>> = BTreeMap::new();
    for entry in done {
        games.entry(entry.pairing).or_default().push(entry.game);
    }
    let progress = Progress::new(arguments.games as usize * (2 * players.len() - 1));
    let mut calibration =
        Calibration { arguments, engine, players, results: Vec::new(), games, folder, progress, stop };
    if let Some(end) = calibration.play()? {
        return Err(anyhow::Error::new(end).context("the calibration ended early"));
    }
    calibration.progress.finish();
    let table = calibration.table(hash)?;
    output.finish(&(serde_json::to_string_pretty(&table)? + "\n"))?;
    show(&table, &out)?;
    Ok(ExitCode::SUCCESS)
}

fn show(table: &StrengthTable, out: &Path) -> Result<()> {
    let header = ["setting", "rating (95 %)", "games"];
    let rows = table.levels.iter().map(|level| {
        vec![
            level.setting.to_string(),
            format!("{:.0} ({:.0} to {:.0})", level.elo, level.lower, level.upper),
            level.games.to_string(),
        ]
    });
    writeln!(std::io::stdout(), "{}", text_table(&header, rows))?;
    writeln!(std::io::stdout(), "{}\nwritten to {}", table.conditions, out.display())?;
    Ok(())
}

/// The network, or the one that plays people's moves at its levels, at a setting, by the text that names it everywhere.
fn player(net: &str, people: &str, setting: StrengthSetting) -> Result<Contestant> {
    let StrengthSetting { nodes, temperature, imitated } = setting;
    let player = match imitated {
        Some(rating) => format!("net={people},search=policy,option.PlayerRating={rating}"),
        None => format!("net={net}"),
    };
    let text = format!("{player},nodes={nodes},option.Temperature={temperature}");
    let specification: PlayerSpecification = text.parse()?;
    Ok(specification.contestant()?)
}

/// The games of a calibration.
struct Calibration<'a> {
    arguments: &'a Arguments,
    engine: Engine,
    players: Vec<Contestant>,
    /// Players of the pool: settings first, then the engine's levels.
    results: Vec<PoolResult>,
    /// Games that were finished earlier, by the number of their match.
    games: BTreeMap<usize, Vec<GameSummary>>,
    folder: Option<GameFolder>,
    progress: Progress,
    stop: StopSignal,
}

impl Calibration<'_> {
    /// Plays from the weakest setting to the strongest; gives why it ended earlier.
    fn play(&mut self) -> Result<Option<EarlyEnd>> {
        let all = self.arguments.games;
        let half = (all / 2).next_multiple_of(2);
        for number in 0..self.players.len() {
            if number > 0 {
                let end = self.play_match(3 * number - 1, [number, number - 1], all)?;
                if end.is_some() {
                    return Ok(end);
                }
            }
            let mut before = None;
            for (part, games) in [half, all - half].into_iter().enumerate() {
                let Some(level) = self.next_level(number, before).filter(|_| games > 0) else {
                    self.progress.leave_out(games);
                    continue;
                };
                let pairing = [number, self.players.len() + level];
                let end = self.play_match(3 * number + part, pairing, games)?;
                if end.is_some() {
                    return Ok(end);
                }
                before = Some(level);
            }
        }
        Ok(None)
    }

    /// The level of the engine for a setting's next games, after those against the level `before`.
    fn next_level(&self, player: usize, before: Option<usize>) -> Option<usize> {
        let (levels, known) = (&self.engine.levels, self.ratings()[player].elo);
        match before {
            None => Some(first_level(levels, known)),
            Some(before) => second_level(levels, known, before, &self.results.last()?.standing),
        }
    }

    fn ratings(&self) -> Vec<PoolRating> {
        let unknown = std::iter::repeat_n(None, self.players.len());
        let known = self.engine.levels.iter().map(|&level| Some(level as f64));
        let anchors: Vec<Option<f64>> = unknown.chain(known).collect();
        rate_pool(&anchors, &self.results, self.arguments.options.seed)
    }

    fn play_match(&mut self, number: usize, pairing: [usize; 2], all: u32) -> Result<Option<EarlyEnd>> {
        let contestants = pairing.map(|player| match player.checked_sub(self.players.len()) {
            None => self.players[player].clone(),
            Some(level) => self.engine.at_level(self.engine.levels[level]),
        });
        let options = &self.arguments.options;
        let mut settings = options.settings(all);
        settings.seed = settings.seed.wrapping_add(number as u64);
        let mut battle = Match { contestants, openings: options.book(all)?, settings };
        let names = battle.contestants.each_ref().map(|contestant| contestant.name.clone());
        let done = self.games.remove(&number).unwrap_or_default();
        self.progress.begin(&names, done.len());
        let (folder, progress) = (&mut self.folder, &self.progress);
        let mut observe = |record: &GameRecord, standing: &Standing| {
            if let Some(folder) = &mut *folder {
                folder.append(number, record, &names)?;
            }
            progress.show(standing);
            Ok(())
        };
        let probe = if pairing[1] < self.players.len() { all } else { all.min(ENOUGH_GAMES) };
        let begun = done.iter().map(|game| game.index + 1).max().unwrap_or(0);
        battle.settings.games = probe.max(begun.next_multiple_of(2));
        let mut summary = battle.resume(&done, &self.stop, &mut observe)?;
        if summary.ended_early.is_none() && battle.settings.games < all {
            if is_one_sided(&summary.standing) {
                self.progress.leave_out(all - battle.settings.games);
            } else {
                battle.settings.games = all;
                summary = battle.resume(&summary.games, &self.stop, &mut observe)?;
            }
        }
        self.results.push(PoolResult { first: pairing[0], second: pairing[1], standing: summary.standing });
        Ok(summary.ended_early)
    }

    /// The settings that have a rating with both ends of its interval; the others are named in the conditions.
    fn table(&self, hash: String) -> Result<StrengthTable> {
        let ratings = self.ratings();
        let games = |player: usize| -> u64 {
            let own = self.results.iter().filter(|result| result.first == player || result.second == player);
            own.map(|result| result.standing.games().games()).sum()
        };
        let (mut levels, mut unrated) = (Vec::new(), Vec::new());
        for (player, &setting) in self.arguments.settings.iter().enumerate() {
            let PoolRating { elo, lower, upper } = ratings[player];
            match (elo, lower, upper) {
                (Some(elo), Some(lower), Some(upper)) => {
                    levels.push(StrengthLevel { setting, elo, lower, upper, games: games(player) });
                }
                _ => unrated.push(setting.to_string()),
            }
        }
        let options = &self.arguments.options;
        let mut conditions = format!(
            "on the scale of {} UCI_Elo, {} a move; {} games a match, openings {}, seed {}; {}; {}",
            self.engine.name,
            self.engine.pace,
            self.arguments.games,
            options.openings,
            options.seed,
            machine(),
            program()
        );
        if !unrated.is_empty() {
            conditions += "; without a rating, because all games were lost or won: ";
            conditions += &unrated.join(", ");
        }
        let net = &self.arguments.net;
        let name = Path::new(net).file_name().map_or_else(|| net.into(), |name| name.to_string_lossy());
        Ok(StrengthTable::new(name.into_owned(), hash, conditions, levels)?)
    }
}
