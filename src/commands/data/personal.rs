//! `tabiya data personal`: the games of one person, to train a network that imitates that person.

use std::{
    io::Write as _,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Result, ensure};
use dataset::{GameResult, source::BadRecord};
use files::{FolderLock, path_text};
use personal::{AddedGames, LEAST_GAMES, PersonalGame, PersonalStore};
use serde_json::json;

/// Default folder of the games; also the one to which the page adds games, if it may.
pub(crate) const PERSONAL_FOLDER: &str = "personal";

/// Keep your own games to train a network that plays like you.
///
/// Games stay on this machine, in the folder personal/: moves, result, ratings and time control, without names, dates or
/// comments. `tabiya train recipes/you --from human` trains on them; `delete` removes them. The page adds games played on
/// it only if its settings allow it.
#[derive(Debug, clap::Args)]
#[command(arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Add(Add),
    List(List),
    Delete(Delete),
}

/// Add your games from files of games, without duplicates
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tabiya data personal add lichess_me_2024.pgn --player me
  tabiya data personal add games --player Human")]
struct Add {
    /// Files of games, folders or zip archives of them; - is stdin
    #[arg(value_name = "GAMES", required = true)]
    inputs: Vec<PathBuf>,
    /// Your name in the games, in upper or lower case; games of other players are left out. In games played on the page your
    /// name is Human
    #[arg(long, value_name = "NAME")]
    player: String,
    #[command(flatten)]
    place: Place,
    /// Print the counts as JSON
    #[arg(long)]
    json: bool,
}

/// List your games
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: tabiya data personal list")]
struct List {
    #[command(flatten)]
    place: Place,
    /// Print the games as JSON
    #[arg(long)]
    json: bool,
}

/// Delete some of your games, or all of them with their folder
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tabiya data personal delete 0123456789abcdef
  tabiya data personal delete --all")]
struct Delete {
    /// Names of games, as `list` shows them
    #[arg(value_name = "GAME", required_unless_present = "all", conflicts_with = "all")]
    games: Vec<String>,
    /// Delete all games and their samples. Networks trained on them stay
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    place: Place,
}

#[derive(Debug, clap::Args)]
struct Place {
    /// Folder of the games
    #[arg(long, value_name = "FOLDER", default_value = PERSONAL_FOLDER)]
    personal: PathBuf,
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    match &arguments.command {
        Command::Add(arguments) => add(arguments)?,
        Command::List(arguments) => list(arguments)?,
        Command::Delete(arguments) => delete(arguments)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn add(arguments: &Add) -> Result<()> {
    let folder = &arguments.place.personal;
    // A mistyped file must not leave an empty store behind.
    for input in arguments.inputs.iter().filter(|input| *input != Path::new("-")) {
        ensure!(input.exists(), "{}: found nothing, expected a file or folder of games", input.display());
    }
    let _lock = FolderLock::take(folder)?;
    let store = PersonalStore::open_or_make(folder)?;
    let mut sum = AddedGames::default();
    for input in &arguments.inputs {
        let added = store.add(input, &arguments.player, &mut |bad: &BadRecord| {
            // A closed stderr must not keep games from being added.
            let _ = writeln!(std::io::stderr(), "{bad}");
        })?;
        sum = sum + added;
    }
    let games = store.count()?;
    let mut out = std::io::stdout();
    if arguments.json {
        writeln!(out, "{}", json!({ "folder": path_text(folder), "games": games, "last": sum }))?;
        return Ok(());
    }
    let AddedGames { added, known, of_others, broken, .. } = sum;
    writeln!(
        out,
        "{}: {added} games added, {known} known already, {of_others} of others, {broken} broken; {games} games in all",
        folder.display()
    )?;
    let next = if games < LEAST_GAMES {
        format!("a network can be trained on them after {} more", LEAST_GAMES - games)
    } else {
        "tabiya train recipes/you --from human makes a network that plays like you".into()
    };
    writeln!(out, "{next}; tabiya data personal delete --all removes them")?;
    Ok(())
}

fn list(arguments: &List) -> Result<()> {
    let store = PersonalStore::open(&arguments.place.personal)?;
    let games = store.games()?;
    let mut out = std::io::stdout();
    if arguments.json {
        let page = store.collects_from_page()?;
        writeln!(out, "{}", json!({ "folder": path_text(store.folder()), "page": page, "games": games }))?;
        return Ok(());
    }
    for PersonalGame { id, white, plies, result, rating, opponent_rating } in &games {
        let result = match result {
            Some(GameResult::Win) => "won",
            Some(GameResult::Draw) => "drawn",
            Some(GameResult::Loss) => "lost",
            None => "?",
        };
        let side = if *white { "White" } else { "Black" };
        writeln!(
            out,
            "{id}  {side}  {result:5}  {plies:3} half-moves  {} against {}",
            rating_text(*rating),
            rating_text(*opponent_rating)
        )?;
    }
    writeln!(out, "{} games in {}", games.len(), store.folder().display())?;
    Ok(())
}

fn rating_text(rating: Option<u16>) -> String {
    rating.map_or_else(|| "-".to_owned(), |rating| rating.to_string())
}

fn delete(arguments: &Delete) -> Result<()> {
    let folder = &arguments.place.personal;
    let store = PersonalStore::open(folder)?;
    let mut out = std::io::stdout();
    // Also keeps a training from reading samples that are being removed.
    let _lock = FolderLock::take(folder)?;
    if arguments.all {
        let games = store.count()?;
        store.delete()?;
        writeln!(
            out,
            "{games} games deleted with {}; networks that learned from them, such as runs/you, have to be deleted separately",
            folder.display()
        )?;
        return Ok(());
    }
    for game in &arguments.games {
        store.remove(game)?;
    }
    writeln!(out, "{} games deleted, {} left", arguments.games.len(), store.count()?)?;
    Ok(())
}
