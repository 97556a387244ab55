//! `tabiya lichess` as a process, against the server of the bot's own tests.

#![cfg(unix)]
#[allow(dead_code, reason = "the tests of the bot use the rest")]
#[path = "../crates/bot/tests/bot/double.rs"]
mod double;

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::Path,
    process::{Child, Command, Output, Stdio},
};

use double::{GameRules, Lichess};
use serde_json::json;

/// Games of two bots against each other.
const GAMES: usize = 100;

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tabiya"));
    command.current_dir(folder).env_remove("TABIYA_LICHESS_TOKEN").arg("lichess").args(arguments);
    command
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    command(folder, arguments).output().expect("cargo has built the program")
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// A bot in its own folder, with its token in a file.
fn bot(folder: &Path, lichess: &Lichess, name: &str, token: &str) -> Child {
    let home = folder.join(name);
    fs::create_dir(&home).unwrap();
    lichess.account(name, token, Some("BOT"));
    fs::write(home.join("token"), token).unwrap();
    fs::set_permissions(home.join("token"), fs::Permissions::from_mode(0o600)).unwrap();
    let config = "[games]\nconcurrent = 8\n[challenges]\nqueue = 100\n[draws]\nfrom_move = 60\nmoves = 3\n\
                  [resignation]\nenabled = true\nfrom_move = 30\nscore = 0.03\n";
    fs::write(home.join("bot.toml"), config).unwrap();
    let log = fs::File::create(home.join("log")).unwrap();
    let arguments =
        ["--url", &lichess.url(), "--token-file", "token", "--config", "bot.toml", "--net", "material"];
    let search = ["--search", "policy", "--option", "Temperature=0.7"];
    command(&home, &[&arguments[..], &search].concat())
        .stdin(Stdio::null())
        .stdout(log.try_clone().unwrap())
        .stderr(log)
        .spawn()
        .expect("cargo has built the program")
}

/// Sends Ctrl-C, then waits for the end.
fn end(mut child: Child) {
    let signalled = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(signalled.success());
    let status = child.wait().unwrap();
    assert!(status.success(), "{status}");
}

#[test]
fn two_bots_play_a_hundred_games_without_forfeits_crashes_or_leaked_tokens() {
    let folder = tempfile::tempdir().unwrap();
    let lichess = Lichess::start();
    let tokens = ["lip_AlphaSecret", "lip_BetaSecret"];
    let bots = [("Alpha", tokens[0]), ("Beta", tokens[1])]
        .map(|(name, token)| bot(folder.path(), &lichess, name, token));
    lichess.opened("events", 2);
    let rules = || GameRules { initial_ms: 180_000, increment_ms: 2000, ..GameRules::default() };
    let ids: Vec<String> = (0..GAMES)
        .map(|number| {
            let [from, to] = if number % 2 == 0 { ["Alpha", "Beta"] } else { ["Beta", "Alpha"] };
            lichess.challenge(from, to, rules(), &json!({}))
        })
        .collect();
    let mut endings = std::collections::BTreeMap::new();
    for id in &ids {
        *endings.entry(lichess.finished(id).status).or_insert(0) += 1;
    }
    bots.into_iter().for_each(end);
    let played: usize = ["mate", "draw", "resign"].iter().filter_map(|status| endings.get(status)).sum();
    assert_eq!(played, GAMES, "forfeits among {endings:?}");
    assert!(lichess.state().violations.is_empty(), "{:?}", lichess.state().violations);
    for name in ["Alpha", "Beta"] {
        let home = folder.path().join(name);
        let log = fs::read_to_string(home.join("log")).unwrap();
        assert_eq!(log.matches(" is over: ").count(), GAMES, "{log}");
        assert!(
            !log.contains("panicked") && !log.contains("broke down") && !log.contains("no answer"),
            "{log}"
        );
        assert!(!tokens.iter().any(|token| log.contains(token)), "a token is in the log:\n{log}");
        let games = fs::read_dir(home.join("games")).unwrap().map(|entry| entry.unwrap().path());
        let games: Vec<String> = games.map(|path| fs::read_to_string(path).unwrap()).collect();
        assert_eq!(games.len(), GAMES);
        assert!(games.iter().all(|game| game.contains("[White \"") && !game.contains("Secret")));
    }
}

#[test]
fn the_printed_configuration_is_one() {
    let folder = tempfile::tempdir().unwrap();
    let printed = run(folder.path(), &["--print-config"]);
    assert!(printed.status.success());
    fs::write(folder.path().join("bot.toml"), &printed.stdout).unwrap();
    let next = run(folder.path(), &["--config", "bot.toml"]);
    assert!(text(&next).contains("found no token; set TABIYA_LICHESS_TOKEN"), "{}", text(&next));
    assert_eq!(next.status.code(), Some(1));
    fs::write(folder.path().join("bot.toml"), "[games]\nat_once = 2\n").unwrap();
    let wrong = run(folder.path(), &["--config", "bot.toml"]);
    assert!(text(&wrong).contains("bot.toml") && text(&wrong).contains("line 2"), "{}", text(&wrong));
}

#[test]
fn tokens_are_read_from_safe_places_and_sent_to_safe_ones() {
    let folder = tempfile::tempdir().unwrap();
    let token = folder.path().join("token");
    fs::write(&token, "lip_Secret").unwrap();
    fs::set_permissions(&token, fs::Permissions::from_mode(0o644)).unwrap();
    let open = run(folder.path(), &["--token-file", "token"]);
    assert!(text(&open).contains("chmod 600"), "{}", text(&open));
    fs::set_permissions(&token, fs::Permissions::from_mode(0o600)).unwrap();
    let plain =
        run(folder.path(), &["--token-file", "token", "--net", "material", "--url", "http://example.org"]);
    assert!(text(&plain).contains("found no https address"), "{}", text(&plain));
    let lichess = Lichess::start();
    lichess.account("Person", "lip_Secret", None);
    let url = lichess.url();
    let arguments = ["--token-file", "token", "--net", "material", "--url", &url];
    let person = run(folder.path(), &arguments);
    assert!(text(&person).contains("Person is not a bot account"), "{}", text(&person));
    assert!(run(folder.path(), &[&arguments[..], &["--upgrade"]].concat()).status.success());
    let stranger = command(folder.path(), &["--net", "material", "--url", &url])
        .env("TABIYA_LICHESS_TOKEN", "lip_OtherSecret")
        .output()
        .unwrap();
    assert!(text(&stranger).contains("status 401"), "{}", text(&stranger));
    for output in [open, plain, person, stranger] {
        assert_eq!(output.status.code(), Some(1));
        assert!(!text(&output).contains("Secret"), "{}", text(&output));
    }
}
