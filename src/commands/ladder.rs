//! `tabiya ladder`.

pub(crate) mod engine;

use std::{
    io::Write as _,
    path::PathBuf,
    process::ExitCode,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result};
use chess::StopSignal;
use engine::{Engine, engine_pace};
use player::{PlayerSpecification, help, identity, of_recipe};
use serde_json::json;
use strength::{
    Contestant, Match,
    ladder::{Ladder, LadderLine, LadderPlan, LadderReport},
    matches::{ContestantConditions, EarlyEnd, GameSummary},
    statistics::Standing,
};

use crate::{
    commands::match_::progress::Progress,
    game_folder::GameFolder,
    interrupt::stop_on_interrupt,
    match_options::{MatchOptions, even},
};

/// Measure a player's rating on the scale of an engine's `UCI_Elo` levels.
///
/// The opponents are the levels of one engine, lowest first, in the range that it declares. Climbing ends at the first level
/// against which the player scores less than 25 %; the remaining games go to the most informative levels. The result is the
/// most likely rating with a 95 % bootstrap interval, or a bound if all games were lost or won. Beyond the highest level the
/// engine plays at full strength with fixed nodes; it has no rating there, so only the Elo difference is measured.
#[derive(Debug, clap::Args)]
#[command(after_long_help = format!("{}\n\nExample:\n  tabiya ladder default,movetime=100 --games 400 --out ladders/default", help()))]
pub(crate) struct Arguments {
    /// Player to rate
    #[arg(required_unless_present = "recipe")]
    player: Option<PlayerSpecification>,
    /// Rate the player of an experiment, as recipe=PATH
    #[arg(long, value_name = "RECIPE", value_parser = of_recipe, conflicts_with = "player")]
    recipe: Option<PlayerSpecification>,
    /// Engine with `UCI_Elo` levels: a command in PATH or /usr/games
    #[arg(long, default_value = "stockfish", value_name = "COMMAND")]
    engine: String,
    /// Time per move of the engine at its levels, in milliseconds
    #[arg(long, default_value_t = 100, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    movetime: u64,
    /// Nodes per move of the engine at its levels, instead of time
    #[arg(long, value_name = "N", conflicts_with = "movetime")]
    nodes: Option<u64>,
    /// Elo between neighbouring levels
    #[arg(long, default_value_t = 100, value_name = "ELO", value_parser = clap::value_parser!(u32).range(1..))]
    step: u32,
    /// Lowest level to play, instead of the engine's lowest
    #[arg(long, value_name = "ELO")]
    from: Option<i64>,
    /// Total number of games; climbing may need more
    #[arg(long, default_value_t = 200, value_name = "N", value_parser = even)]
    games: u32,
    /// Games per level while climbing
    #[arg(long, default_value_t = 10, value_name = "N", value_parser = even)]
    probe: u32,
    /// Node counts for the engine at full strength, beyond its highest level
    #[arg(long, default_value = "1000,4000,16000,64000", value_name = "N,N", value_delimiter = ',')]
    beyond: Vec<u64>,
    #[command(flatten)]
    options: MatchOptions,
    /// Folder for games and result, needed for --resume
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Continue the ladder in the folder
    #[arg(long, requires = "out")]
    resume: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

impl Arguments {
    fn rated(&self) -> Result<&PlayerSpecification> {
        self.player.as_ref().or(self.recipe.as_ref()).context("found no player, expected PLAYER or --recipe")
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let rated = arguments.rated()?;
    let player = rated.contestant()?;
    let pace = engine_pace(arguments.nodes, arguments.movetime);
    let engine = Engine::open(&arguments.engine, pace, i64::from(arguments.step), arguments.from)?;
    let levels: Vec<f64> = engine.levels.iter().map(|&level| level as f64).collect();
    let plan = LadderPlan { probe: arguments.probe, games: arguments.games, batch: arguments.probe };
    let (folder, done) = match &arguments.out {
        Some(path) => {
            let (folder, done) = GameFolder::open(path, &setup(arguments, rated, &engine), arguments.resume)?;
            (Some(folder), done)
        }
        None => (None, Vec::new()),
    };
    let stop = stop_on_interrupt()?;
    let mut climb = Climb {
        arguments,
        rated,
        player,
        engine,
        ladder: Ladder::new(&levels, plan),
        beyond: vec![Standing::default(); arguments.beyond.len()],
        games: Vec::new(),
        names: [String::new(), String::new()],
        folder,
        progress: Progress::new(arguments.games as usize),
        stop,
    };
    for entry in done {
        climb.count(entry.pairing, entry.game);
    }
    let started = Instant::now();
    let ended = climb.play()?;
    climb.progress.finish();
    climb.report(started.elapsed())?;
    match ended {
        None => Ok(ExitCode::SUCCESS),
        Some(reason) => Err(anyhow::Error::new(reason).context("the ladder ended early")),
    }
}

fn setup(arguments: &Arguments, rated: &PlayerSpecification, engine: &Engine) -> serde_json::Value {
    let mut setup = arguments.options.setup();
    setup.insert("player".into(), json!(rated.to_string()));
    setup.insert("engine".into(), json!(engine.name));
    setup.insert("levels".into(), json!(engine.levels));
    setup.insert("pace".into(), json!(engine.pace.to_string()));
    setup.insert("beyond".into(), json!(arguments.beyond));
    setup.into()
}

/// The climb from the command line to the report.
struct Climb<'a> {
    arguments: &'a Arguments,
    rated: &'a PlayerSpecification,
    player: Contestant,
    engine: Engine,
    ladder: Ladder,
    beyond: Vec<Standing>,
    /// Every finished game with the number of its opponent: levels first, then those beyond.
    games: Vec<(usize, GameSummary)>,
    names: [String; 2],
    folder: Option<GameFolder>,
    progress: Progress,
    stop: StopSignal,
}

impl Climb<'_> {
    fn count(&mut self, opponent: usize, game: GameSummary) {
        match opponent.checked_sub(self.engine.levels.len()) {
            None => self.ladder.add(opponent, game.pair, game.half_points()),
            Some(beyond) => self.beyond[beyond].add(game.pair, game.half_points()),
        }
        self.games.push((opponent, game));
    }

    /// Plays until the ladder is done; gives why it ended earlier.
    fn play(&mut self) -> Result<Option<EarlyEnd>> {
        while let Some((rung, games)) = self.ladder.next() {
            if let Some(end) = self.play_against(rung, games)? {
                return Ok(Some(end));
            }
        }
        if self.ladder.is_topped() {
            for number in 0..self.beyond.len() {
                if let Some(end) =
                    self.play_against(self.engine.levels.len() + number, self.arguments.probe)?
                {
                    return Ok(Some(end));
                }
                let games = self.beyond[number].games();
                if games.points() < strength::ladder::TOO_STRONG * games.games() as f64 {
                    break;
                }
            }
        }
        Ok(None)
    }

    /// Plays against one opponent until there are so many games with it.
    fn play_against(&mut self, opponent: usize, games: u32) -> Result<Option<EarlyEnd>> {
        let levels = self.engine.levels.len();
        let contestant = match opponent.checked_sub(levels) {
            None => self.engine.at_level(self.engine.levels[opponent]),
            Some(beyond) => self.engine.at_nodes(self.arguments.beyond[beyond]),
        };
        let done: Vec<GameSummary> = self
            .games
            .iter()
            .filter(|(number, _)| *number == opponent)
            .map(|(_, game)| game.clone())
            .collect();
        let highest = done.iter().map(|game| game.pair * 2 + 2).max().unwrap_or(0);
        let games = games.max(highest);
        let mut settings = self.arguments.options.settings(games);
        settings.seed = settings.seed.wrapping_add(opponent as u64);
        let openings = self.arguments.options.book(self.arguments.games.max(games))?;
        let battle = Match { contestants: [self.player.clone(), contestant], openings, settings };
        let names = battle.contestants.each_ref().map(|contestant| contestant.name.clone());
        self.progress.continue_with(&names, self.games.len() - done.len());
        let (folder, progress) = (&mut self.folder, &self.progress);
        let summary = battle.resume(&done, &self.stop, &mut |record, standing| {
            if let Some(folder) = folder {
                folder.append(opponent, record, &names)?;
            }
            progress.show(standing);
            Ok(())
        })?;
        self.names.clone_from(&summary.names);
        let before: Vec<u32> = done.iter().map(|game| game.index).collect();
        for game in summary.games.into_iter().filter(|game| !before.contains(&game.index)) {
            self.count(opponent, game);
        }
        Ok(summary.ended_early)
    }

    fn report(&self, elapsed: Duration) -> Result<()> {
        if self.games.is_empty() {
            return Ok(());
        }
        let report = self.result(elapsed)?;
        let json = serde_json::to_string_pretty(&report)?;
        let shown = if self.arguments.json { json.clone() } else { report.to_string() };
        // First of all: hours of games must not end without a result because the disk is full.
        let printed = writeln!(std::io::stdout(), "{shown}");
        if let Some(folder) = &self.folder {
            folder.finish(&json)?;
        }
        printed.context("cannot write the result to standard output")
    }

    fn result(&self, elapsed: Duration) -> Result<LadderReport> {
        let arguments = self.arguments;
        let name =
            |name: &String, otherwise: &str| if name.is_empty() { otherwise.into() } else { name.clone() };
        let players = [
            ContestantConditions::new(
                self.rated.to_string(),
                name(&self.names[0], &self.player.name),
                self.player.pace,
                identity(self.rated),
            ),
            ContestantConditions::new(
                self.engine.command.clone(),
                self.engine.name.clone(),
                self.engine.pace,
                vec![("options".into(), "UCI_LimitStrength=true, UCI_Elo=LEVEL".into())],
            ),
        ];
        let book = arguments.options.book(arguments.games)?;
        let conditions = arguments.options.conditions(players, &book, arguments.games, None);
        let levels =
            self.ladder.rungs().iter().filter(|rung| rung.standing.games().games() > 0).map(|rung| {
                LadderLine::new(format!("UCI_Elo {:.0}", rung.elo), Some(rung.elo), &rung.standing)
            });
        let beyond =
            self.beyond.iter().zip(&arguments.beyond).filter(|(standing, _)| standing.games().games() > 0);
        Ok(LadderReport {
            kind: LadderReport::KIND.into(),
            conditions,
            plan: LadderPlan { probe: arguments.probe, games: arguments.games, batch: arguments.probe },
            rating: self.ladder.rating(arguments.options.seed),
            levels: levels.collect(),
            beyond: beyond
                .map(|(standing, nodes)| LadderLine::new(format!("full, {nodes} nodes"), None, standing))
                .collect(),
            failures: self.games.iter().filter(|(_, game)| game.termination.is_failure()).count() as u64,
            seconds: elapsed.as_secs_f64(),
        })
    }
}
