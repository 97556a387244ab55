//! `tabiya play`: a person against the engine, in the browser or in the terminal.

mod page;
mod tournament;

use std::{
    fs,
    io::{BufRead, Write},
    net::{IpAddr, Ipv4Addr},
    path::{Path, PathBuf},
    process::ExitCode,
    time::Duration,
};

use anyhow::Context as _;
use chess::diagram::{Drawing, PieceStyle};
use chess::{DEFAULT_NODES, Game, Limits, Search};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use player::{
    PlayerSpecification, RUNS,
    levels::{at_level, level, levels, limit},
};
use search::{SearchKind, search_kind};
use terminal::game::{GameSettings, Opponent, PersonSide, PlayChoice, SIDES, Strength, TerminalGame, ask};

use web::AllowedHost;

use crate::commands::{
    engine_arguments::{EngineArguments, search_help},
    named,
};

/// Play against the engine, in the browser or with --terminal
///
/// The page also analyses games and shows training runs and results. It works offline and listens on this machine only, unless
/// --host is given. Games are saved in games/ after every move.
///
/// In the terminal, moves are typed as `Nf3` or `g1f3`; `help` lists the other commands.
#[allow(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tabiya play --open\n  tabiya play --port 9000 --net runs/first/network.tabiya\n  \
                        tabiya play --terminal --color black --nodes 200\n  \
                        tabiya play --terminal --movetime 2000 --pgn evening.pgn\n  \
                        tabiya play --terminal --menu\n  tabiya play --terminal --opponent aichess"
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    engine: EngineArguments,
    /// Port of the page; 0 takes any free one
    #[arg(long, default_value_t = 8080, help_heading = "Page")]
    port: u16,
    /// Address to listen on; 0.0.0.0 opens the page to other machines (there is no password)
    #[arg(long, default_value_t = Ipv4Addr::LOCALHOST.into(), value_parser = listening_address, help_heading = "Page")]
    host: IpAddr,
    /// Host name that the page also accepts in requests, such as that of this machine or of a proxy, with or without a port; may be
    /// given several times
    #[arg(long, value_name = "NAME", help_heading = "Page")]
    allow_host: Vec<AllowedHost>,
    /// Open the page in the browser
    #[arg(long, help_heading = "Page")]
    open: bool,
    /// Folder of the games played on the page
    #[arg(long, value_name = "FOLDER", default_value = "games", help_heading = "Page")]
    games: PathBuf,
    /// Folder of the training runs that the page shows
    #[arg(long, value_name = "FOLDER", default_value = RUNS, help_heading = "Page")]
    runs: PathBuf,
    /// Folder of results that the page shows: output of `tabiya match --json` and other commands
    #[arg(long, value_name = "FOLDER", default_value = "results", help_heading = "Page")]
    results: PathBuf,
    /// Folder of networks to choose from: weights files and lc0 networks
    #[arg(long, value_name = "FOLDER", default_value = "nets", help_heading = "Page")]
    nets: PathBuf,
    /// Folder of your own games, to which the page adds games played on it if its settings allow it
    #[arg(long, value_name = "FOLDER", default_value = super::data::personal::PERSONAL_FOLDER, help_heading = "Page")]
    personal: PathBuf,
    /// Folder of game files, sample stores and books whose openings the page can show; may be given several times
    #[arg(long, value_name = "FOLDER", default_value = "data", help_heading = "Page")]
    data: Vec<PathBuf>,
    /// Folder of the opening tables that the page makes
    #[arg(long, value_name = "FOLDER", default_value = "openings", help_heading = "Page")]
    openings: PathBuf,
    /// Play in the terminal
    #[arg(long, help_heading = "Terminal")]
    terminal: bool,
    /// Your side
    #[arg(long, default_value = SIDES[0].0, value_parser = sides(), requires = "terminal", help_heading = "Terminal")]
    color: PersonSide,
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), requires = "terminal",
        help_heading = "Terminal", help = format!(
            "Visits per move of the engine; fewer visits make it weaker; default: those of a system's recipe, else {DEFAULT_NODES}"
        ))]
    nodes: Option<u64>,
    /// Time per move of the engine in milliseconds, instead of visits
    #[arg(long, value_name = "MS", conflicts_with = "nodes", value_parser = clap::value_parser!(u64).range(1..),
        requires = "terminal", help_heading = "Terminal")]
    movetime: Option<u64>,
    #[arg(long, value_name = "NAME", help = search_help(), value_parser = search_kind, requires = "terminal",
        help_heading = "Terminal")]
    search: Option<&'static SearchKind>,
    /// Rating of the engine instead of visits, for networks whose strength was measured
    #[arg(long, value_name = "ELO", conflicts_with_all = ["nodes", "movetime"], requires = "terminal",
        help_heading = "Terminal")]
    elo: Option<u16>,
    /// Network to play against, with its search and limits, named as in `tabiya match`: a reproduced system (aichess, cogs188), or
    /// net=PATH,nodes=100
    #[arg(long, value_name = "PLAYER", requires = "terminal",
        conflicts_with_all = ["nodes", "movetime", "search", "elo", "menu"], help_heading = "Terminal")]
    opponent: Option<PlayerSpecification>,
    /// Ask before the game who plays: you (with search, strength and side), or engines against each other
    #[arg(long, requires = "terminal", conflicts_with_all = ["color", "nodes", "movetime", "search", "elo"],
        help_heading = "Terminal")]
    menu: bool,
    /// Starting position as a FEN
    #[arg(long, value_name = "FEN", requires = "terminal", help_heading = "Terminal")]
    fen: Option<String>,
    /// PGN file to save the game to; by default a new one in `games/`
    #[arg(long, value_name = "FILE", requires = "terminal", help_heading = "Terminal")]
    pgn: Option<PathBuf>,
    /// Draw the board with letters instead of Unicode pieces
    #[arg(long, requires = "terminal", help_heading = "Terminal")]
    ascii: bool,
}

/// Reads an address to listen on, also as links write it.
fn listening_address(text: &str) -> Result<IpAddr, String> {
    if text.eq_ignore_ascii_case("localhost") {
        return Ok(Ipv4Addr::LOCALHOST.into());
    }
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    bare.parse().map_err(|_| {
        "expected localhost or an address such as 127.0.0.1, 0.0.0.0 or ::1; --port is a separate option, and a name for other machines is \
         --allow-host"
            .into()
    })
}

/// Reads the name of a side.
fn sides() -> impl TypedValueParser<Value = PersonSide> {
    PossibleValuesParser::new(SIDES.map(|(name, _)| name)).try_map(|text| named(&SIDES, &text))
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    if arguments.terminal { in_terminal(arguments) } else { page::run(arguments) }
}

fn in_terminal(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let game = match &arguments.fen {
        Some(fen) => Game::from_any_fen(fen).context("--fen")?,
        None => Game::default(),
    };
    let (mut input, mut out) = (std::io::stdin().lock(), std::io::stdout());
    let file = game_file(arguments.pgn.clone())?;
    let ready = match &arguments.opponent {
        Some(player) => Some(named_opponent(player, arguments.color)?),
        None => own_opponent(arguments, &file, &mut input, &mut out)?,
    };
    let Some(Ready { mut search, limits, side }) = ready else { return Ok(ExitCode::SUCCESS) };
    search.reseed(seconds_since_epoch());
    let person = side.color();
    let pieces = if arguments.ascii { PieceStyle::Ascii } else { PieceStyle::Unicode };
    let drawing = Drawing { pieces, bottom: person };
    let settings = GameSettings { person, limits, file, drawing, engine: search.describe() };
    let mut session = TerminalGame::new(game, search, settings);
    session.run(&mut input, &mut out)?;
    Ok(ExitCode::SUCCESS)
}

/// An opponent that is ready to play.
struct Ready {
    search: Box<dyn Search>,
    limits: Limits,
    /// The person's side.
    side: PersonSide,
}

fn named_opponent(player: &PlayerSpecification, side: PersonSide) -> anyhow::Result<Ready> {
    let pace = player.pace;
    anyhow::ensure!(
        pace.clock.is_none(),
        "--opponent: there is no clock in the terminal; give nodes= or movetime="
    );
    let limits =
        Limits { nodes: pace.nodes, depth: pace.depth, move_time: pace.move_time, ..Limits::default() };
    let search = player.network().context("--opponent")?.into_searches()();
    Ok(Ready { search, limits, side })
}

/// The network of `--net`, set up by the other options or the answers to the menu; `None` if the person
/// leaves, or has watched engines play each other, whose games are then in `file`.
fn own_opponent(
    arguments: &Arguments,
    file: &Path,
    input: &mut dyn BufRead,
    out: &mut dyn Write,
) -> anyhow::Result<Option<Ready>> {
    let net = &arguments.engine.net;
    let (player, opened) = (arguments.engine.player(arguments.search), arguments.engine.open()?);
    let opponent = if arguments.menu {
        let measured = levels(net)?.map(|table| table.range());
        match ask(input, out, measured, &tournament::systems(), tournament::entrant)? {
            Some(PlayChoice::Person(opponent)) => opponent,
            Some(PlayChoice::Engines(engines)) => {
                tournament::run(engines, file)?;
                return Ok(None);
            }
            None => return Ok(None),
        }
    } else {
        chosen(arguments, &player)
    };
    let mut setup = arguments.engine.search_setup(Some(&player))?;
    let mut thinker = (opened.evaluator.clone(), opponent.search);
    let limits = match opponent.strength {
        Strength::Nodes(nodes) => Limits { nodes: Some(nodes), ..Limits::default() },
        Strength::MoveTime(time) => Limits { move_time: Some(time), ..Limits::default() },
        Strength::Elo(elo) => {
            let setting = level(net, elo).context("--elo")?;
            limit(&mut setup.options, setting);
            thinker = at_level(&opened, opponent.search, setting, arguments.engine.precision)?;
            Limits { nodes: Some(setting.nodes), ..Limits::default() }
        }
    };
    let (evaluator, kind) = thinker;
    Ok(Some(Ready { search: setup.make(kind, evaluator), limits, side: opponent.side }))
}

/// The opponent that the command line describes.
fn chosen(arguments: &Arguments, player: &PlayerSpecification) -> Opponent {
    let strength = match (arguments.elo, arguments.movetime) {
        (Some(elo), _) => Strength::Elo(elo),
        (None, Some(milliseconds)) => Strength::MoveTime(Duration::from_millis(milliseconds)),
        (None, None) => Strength::Nodes(arguments.nodes.or(player.pace.nodes).unwrap_or(DEFAULT_NODES)),
    };
    Opponent { search: player.search, strength, side: arguments.color }
}

/// The file for the game; its folder is created.
fn game_file(chosen: Option<PathBuf>) -> anyhow::Result<PathBuf> {
    let file = chosen
        .or_else(free_file)
        .context("games/ has a game of this minute for each second: choose another --pgn")?;
    anyhow::ensure!(!file.exists(), "{} exists already: choose another --pgn", file.display());
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)
            .with_context(|| format!("cannot create the folder {}", folder.display()))?;
    }
    Ok(file)
}

/// A new file named after the second. Two games may begin in one second, so those of the next minute are tried too.
fn free_file() -> Option<PathBuf> {
    let seconds = seconds_since_epoch();
    let mut files = (seconds..seconds + 60).map(|number| PathBuf::from(format!("games/{number}.pgn")));
    files.find(|file| !file.exists())
}

fn seconds_since_epoch() -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
