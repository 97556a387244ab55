//! `tabiya lichess`: the bot.

use std::{
    io::Write as _,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
};

use anyhow::{Context as _, Result};
use bot::{
    Bot, BotConfig, BotSettings, ConnectionSettings, EngineFactory, GameEngine, GameSetup, LogEvent,
    LogObserver, StopRequest, Token,
    config::{DEFAULT_CONFIG, PersonalConfig},
};
use chess::Evaluator;
use personal::{PersonalError, PersonalStore};
use player::{
    SearchSetup,
    levels::{at_level, level, limit},
};
use search::{SearchKind, search_kind};
use terminal::on_interrupt;

use crate::commands::engine_arguments::{EngineArguments, search_help};

const TOKEN_VARIABLE: &str = "TABIYA_LICHESS_TOKEN";

/// Play on Lichess as a bot
///
/// Accepts challenges and plays them until Ctrl-C. After the first Ctrl-C it finishes the running games; a second Ctrl-C
/// exits at once, and the next start resumes the games. The token of the bot's account comes from the environment variable
/// `TABIYA_LICHESS_TOKEN` or a file that only you can read. docs/bot.md explains accounts, tokens and services.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tabiya lichess --print-config
  tabiya lichess --token-file token --config bot.toml
  tabiya lichess --token-file token --net knights-el
  tabiya lichess --token-file token --option OwnBook=true --option BookFile=master.bin")]
pub(crate) struct Arguments {
    #[command(flatten)]
    engine: EngineArguments,
    #[arg(long, value_name = "NAME", help = search_help(), value_parser = search_kind)]
    search: Option<&'static SearchKind>,
    /// Play at this rating, as `UCI_Elo` does, for networks whose strength was measured
    #[arg(long, value_name = "ELO")]
    elo: Option<u16>,
    /// File with settings for challenges and games; default: the settings that --print-config prints
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// File with the token, readable only by you; default: the environment variable `TABIYA_LICHESS_TOKEN`
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Folder for finished games
    #[arg(long, value_name = "FOLDER", default_value = "games")]
    games: PathBuf,
    /// Address of the server
    #[arg(long, value_name = "ADDRESS", default_value = ConnectionSettings::URL)]
    url: String,
    /// Turn the account into a bot account and exit; it must not have played any games, and cannot be changed back
    #[arg(long)]
    upgrade: bool,
    /// Print a configuration with comments and exit
    #[arg(long)]
    print_config: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    if arguments.print_config {
        write!(std::io::stdout(), "{DEFAULT_CONFIG}").context("cannot write to standard output")?;
        return Ok(ExitCode::SUCCESS);
    }
    let settings = BotSettings {
        connection: ConnectionSettings {
            url: arguments.url.trim_end_matches('/').into(),
            ..ConnectionSettings::default()
        },
        config: config(arguments)?,
        games: arguments.games.clone(),
    };
    let token = token(arguments)?;
    if arguments.upgrade {
        Bot::upgrade(&settings, token)?;
        writeln!(std::io::stdout(), "The account is a bot account now.")?;
        return Ok(ExitCode::SUCCESS);
    }
    let engines = Arc::new(Searches::open(arguments)?);
    // Removes temporary files of a killed bot. Failures are harmless.
    let _ = files::remove_partial(&settings.games);
    let log = Log { personal: settings.config.personal.clone() };
    let bot = Bot::connect(settings, token, engines, Arc::new(log))?;
    let stop = StopRequest::default();
    let request = stop.clone();
    on_interrupt(move || request.ask())?;
    bot.run(&stop)?;
    Ok(ExitCode::SUCCESS)
}

fn config(arguments: &Arguments) -> Result<BotConfig> {
    let Some(path) = &arguments.config else { return Ok(BotConfig::default()) };
    let text = files::read_text(path).with_context(|| format!("cannot read {}", path.display()))?;
    BotConfig::parse(&text).with_context(|| path.display().to_string())
}

fn token(arguments: &Arguments) -> Result<Token> {
    if let Some(path) = &arguments.token_file {
        return Ok(Token::from_file(path)?);
    }
    let text = std::env::var(TOKEN_VARIABLE).ok().with_context(|| {
        format!("found no token; set {TOKEN_VARIABLE} or name a file with --token-file (docs/bot.md)")
    })?;
    Ok(Token::parse(&text, TOKEN_VARIABLE)?)
}

/// Prints one line for each event; journals add the time. Keeps the games of the person named in the configuration.
struct Log {
    personal: PersonalConfig,
}

impl LogObserver for Log {
    fn report(&self, report: &LogEvent) {
        let kept = match report {
            LogEvent::GameOver { file: Some(file), .. } => match self.keep(file) {
                Ok(true) => ", and among your personal games".to_owned(),
                Ok(false) => String::new(),
                Err(error) => format!("; not among your personal games: {error}"),
            },
            _ => String::new(),
        };
        // A closed stderr must not cost a game.
        let _ = writeln!(std::io::stderr(), "{report}{kept}");
    }
}

impl Log {
    /// Adds a game to the personal ones, if the person played it.
    fn keep(&self, game: &Path) -> Result<bool, PersonalError> {
        let PersonalConfig { player, folder } = &self.personal;
        if player.is_empty() {
            return Ok(false);
        }
        // Games end on threads of their own, and other commands add and delete games.
        let _lock = PersonalStore::lock(folder)?;
        match PersonalStore::open_or_make(folder)?.add(game, player, &mut |_| {}) {
            // Games against others are not the person's.
            Err(PersonalError::NoSuchPlayer { .. }) => Ok(false),
            added => added.map(|_| true),
        }
    }
}

/// Builds the searches of the games; all share one network.
struct Searches {
    setup: SearchSetup,
    kind: &'static SearchKind,
    evaluator: Arc<dyn Evaluator>,
    nodes: Option<u64>,
}

impl Searches {
    fn open(arguments: &Arguments) -> Result<Self> {
        let player = arguments.engine.player(arguments.search);
        let mut setup = arguments.engine.search_setup(Some(&player))?;
        let opened = arguments.engine.open()?;
        let (mut thinker, mut nodes) = ((opened.evaluator.clone(), player.search), player.pace.nodes);
        if let Some(elo) = arguments.elo {
            let setting = level(&arguments.engine.net, elo).context("--elo")?;
            limit(&mut setup.options, setting);
            thinker = at_level(&opened, player.search, setting, arguments.engine.precision)?;
            nodes = Some(setting.nodes);
        }
        let (evaluator, kind) = thinker;
        Ok(Self { setup, kind, evaluator, nodes })
    }
}

impl EngineFactory for Searches {
    fn build(&self, setup: &GameSetup) -> Result<GameEngine, String> {
        let mut search = self.setup.make(self.kind, Arc::clone(&self.evaluator));
        search.new_game();
        // Games differ from each other, and each can be reproduced.
        search.reseed(xxhash_rust::xxh3::xxh3_64(setup.id.as_bytes()));
        Ok(GameEngine { search, nodes: self.nodes })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use clap::Parser as _;
    use files::FolderLock;

    use super::*;

    #[derive(clap::Parser)]
    struct Line {
        #[command(flatten)]
        arguments: Arguments,
    }

    #[test]
    fn a_system_plays_as_its_recipe_says_unless_another_search_is_named() {
        let opened = |arguments: &[&str]| {
            let line = ["lichess", "--net"].iter().chain(arguments);
            let searches = Searches::open(&Line::try_parse_from(line).unwrap().arguments).unwrap();
            (searches.kind.name, searches.nodes, searches.setup.temperature())
        };
        assert_eq!(opened(&["knights-el"]), ("value", Some(250), 0.0));
        assert_eq!(opened(&["mlx"]), ("policy", Some(1), 0.1));
        assert_eq!(opened(&["mlx", "--option", "Temperature=0.5"]), ("policy", Some(1), 0.5));
        assert_eq!(opened(&["mlx", "--search", "puct"]), ("puct", None, 0.1));
        assert_eq!(opened(&["material"]), ("auto", None, 0.0));
    }

    #[test]
    fn games_of_the_named_person_are_kept_and_no_others() {
        let folder = tempfile::tempdir().unwrap();
        let personal = PersonalConfig { player: "nora".into(), folder: folder.path().join("personal") };
        let game = |white: &str| {
            let file = folder.path().join("game.pgn");
            fs::write(&file, format!("[White \"{white}\"]\n[Black \"bot\"]\n\n1. e4 e5 1-0\n")).unwrap();
            file
        };
        let nobody = Log { personal: PersonalConfig { player: String::new(), ..personal.clone() } };
        assert!(!nobody.keep(&game("Nora")).unwrap());
        assert!(!personal.folder.exists(), "nobody has consented");
        let log = Log { personal };
        assert!(!log.keep(&game("Carl")).unwrap());
        assert!(log.keep(&game("Nora")).unwrap());
        assert_eq!(PersonalStore::open(&log.personal.folder).unwrap().count().unwrap(), 1);
        // Otherwise a game could be added between the deletion of the games and that of their folder.
        let deleting = FolderLock::take(&log.personal.folder).unwrap();
        let refused = log.keep(&game("Nora")).unwrap_err().to_string();
        assert!(refused.contains("is being written by another process"), "{refused}");
        drop(deleting);
        fs::write(log.personal.folder.join("personal.json"), "{").unwrap();
        assert!(log.keep(&game("Nora")).is_err(), "a damaged store is told");
    }
}
