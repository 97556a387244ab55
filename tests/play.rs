//! `tabiya play` as a person sees it: lines on stdin, a board on stdout, a PGN that is never lost.

use crate::program;

use std::{
    path::Path,
    process::{Output, Stdio},
};

use program::{refusal, refused, with_input};

/// The program in a folder, with lines for its terminal.
fn start(folder: &Path, arguments: &str, input: impl AsRef<[u8]>) -> Output {
    with_input(folder, &format!("play --terminal --net material --ascii {arguments}"), input)
}

/// Starts a game with 20 nodes per move, saved in `game.pgn`.
fn play(folder: &Path, arguments: &str, input: impl AsRef<[u8]>) -> Output {
    start(folder, &format!("--nodes 20 --pgn game.pgn {arguments}"), input)
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn a_session_with_every_command_leaves_its_game_in_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let script = "help\nmoves\nfen\nflip\ne5\ne4\nhint\neval\nundo\nundo\ng1f3\ndraw\nsave\nquit\n";
    let output = play(folder.path(), "", script);
    let shown = text(&output);
    assert!(output.status.success(), "{shown}");
    for expected in [
        "take back your last move",
        "Nf3",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "is not a legal move",
        "I play ",
        "I would play ",
        "For you: ",
        "no move of yours to take back",
        "no draw by threefold repetition",
        "The game is in game.pgn",
    ] {
        assert!(shown.contains(expected), "{expected:?} is missing in\n{shown}");
    }
    let pgn = std::fs::read_to_string(folder.path().join("game.pgn")).unwrap();
    assert!(pgn.contains("1. Nf3 ") && pgn.contains("[Result \"*\"]"), "{pgn}");
}

#[test]
fn the_end_of_the_input_keeps_the_game() {
    let folder = tempfile::tempdir().unwrap();
    let output = play(folder.path(), "", "d2d4\n");
    assert!(output.status.success(), "{}", text(&output));
    assert!(std::fs::read_to_string(folder.path().join("game.pgn")).unwrap().contains("1. d4 "));
}

#[test]
fn a_mate_is_named_and_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let output = play(folder.path(), "--fen '6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1'", "Rd8#\n");
    assert!(text(&output).contains("Checkmate: 1-0"), "{}", text(&output));
    let pgn = std::fs::read_to_string(folder.path().join("game.pgn")).unwrap();
    assert!(pgn.contains("[Result \"1-0\"]") && pgn.contains("[Termination \"checkmate\"]"), "{pgn}");
}

#[test]
fn the_engine_moves_first_against_black_and_resignation_is_its_win() {
    let folder = tempfile::tempdir().unwrap();
    let output = play(folder.path(), "--color black", "resign\n");
    let shown = text(&output);
    assert!(shown.contains("I play ") && shown.contains("Resignation: 1-0"), "{shown}");
}

#[test]
fn bad_arguments_are_refused_before_anything_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let output = play(folder.path(), "--fen 'not a position'", "");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output).contains("--fen"), "{}", text(&output));
    assert!(!folder.path().join("game.pgn").exists());

    std::fs::write(folder.path().join("game.pgn"), "mine").unwrap();
    let output = play(folder.path(), "", "quit\n");
    assert!(text(&output).contains("exists already"), "{}", text(&output));
    assert_eq!(std::fs::read_to_string(folder.path().join("game.pgn")).unwrap(), "mine");
}

#[test]
fn a_byte_that_is_not_utf8_is_no_move_and_the_game_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let output = play(folder.path(), "", b"e\xff4\nd4\nquit\n");
    assert!(output.status.success() && text(&output).contains("is not a legal move"), "{}", text(&output));
    assert!(std::fs::read_to_string(folder.path().join("game.pgn")).unwrap().contains("1. d4 "));
}

#[test]
fn a_file_as_the_folder_of_games_is_named_with_its_option() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("taken"), "").unwrap();
    let message = refusal(folder.path(), "play --net material --port 0 --games taken", 1);
    assert!(
        message.contains("--games") && message.contains("taken") && !message.contains("port"),
        "{message}"
    );
}

/// With so few descriptors, silent connections would keep every page out.
#[cfg(target_os = "linux")]
#[test]
fn silent_connections_keep_no_page_out() {
    use std::{
        io::{BufRead as _, BufReader, Read as _, Write as _},
        net::TcpStream,
        time::Duration,
    };
    let folder = tempfile::tempdir().unwrap();
    let mut program = std::process::Command::new("sh")
        .args(["-c", "ulimit -n 64; exec \"$0\" play --net material --port 0", program::PROGRAM])
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = String::new();
    BufReader::new(program.stdout.take().unwrap()).read_line(&mut said).unwrap();
    let address = said.split("http://").nth(1).and_then(|rest| rest.split('/').next()).unwrap().to_owned();
    let silent: Vec<TcpStream> = (0..80).map(|_| TcpStream::connect(&address).unwrap()).collect();
    let mut page = TcpStream::connect(&address).unwrap();
    page.set_read_timeout(Some(Duration::from_mins(1))).unwrap();
    let body = "{\"nodes\":1}";
    write!(
        page,
        "POST /api/v1/games HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut answer = String::new();
    let read = page.read_to_string(&mut answer);
    program.kill().unwrap();
    program.wait().unwrap();
    drop(silent);
    assert!(read.is_ok() && answer.starts_with("HTTP/1.1 201"), "{read:?}: {answer}");
}

/// Rows 59 to 61 of the seed systems: a menu, help, a game against any search, PGN.
#[test]
fn a_session_that_begins_with_the_menu_is_played_and_kept() {
    let folder = tempfile::tempdir().unwrap();
    let start = |arguments: &str, script: &str| start(folder.path(), arguments, script);
    let searches =
        ["auto", "puct", "plain-puct", "policy", "value", "mcts", "policy-rollouts", "alpha-beta", "pvs"];
    for (number, name) in searches.iter().enumerate() {
        let file = format!("{name}.pgn");
        let script = format!("\n{}\n20\nblack\nhelp\nquit\n", number + 1);
        let output = start(&format!("--menu --pgn {file}"), &script);
        let shown = text(&output);
        assert!(
            output.status.success() && shown.contains("I play ") && shown.contains("take back"),
            "{shown}"
        );
        let pgn = std::fs::read_to_string(folder.path().join(&file)).unwrap();
        assert!(pgn.contains("1. ") && pgn.contains("[Black \"Human\"]"), "{pgn}");
        let direct = format!("--search {name} --nodes 20 --color black --pgn direct-{name}.pgn");
        let direct = start(&direct, "quit\n");
        assert!(direct.status.success() && text(&direct).contains("I play "), "{}", text(&direct));
    }
    let script = "2\nrandom\nnet=no/such,nodes=1\nmaterial\nfirst\n\n2\n";
    let engines = start("--menu --pgn engines.pgn", script);
    let shown = text(&engines);
    assert!(engines.status.success() && shown.contains("no/such"), "{shown}");
    assert!(shown.contains("first") && shown.contains("engines.pgn"), "{shown}");
    let pgn = std::fs::read_to_string(folder.path().join("engines.pgn")).unwrap();
    assert_eq!(pgn.matches("[Event ").count(), 6, "three pairs of two games: {pgn}");
    let play = "play --terminal --net material --ascii";
    refused(folder.path(), &format!("{play} --elo 1200"), 1, "was not measured");
    refused(folder.path(), &format!("{play} --elo 1200 --menu"), 2, "--menu");
}

/// A reproduced system by its name, from the clone that has its network; any network as `match` names it.
#[test]
fn an_opponent_is_named_as_in_a_match() {
    let folder = tempfile::tempdir().unwrap();
    let networks = Path::new(env!("CARGO_MANIFEST_DIR")).join("nets");
    std::os::unix::fs::symlink(networks, folder.path().join("nets")).unwrap();
    for (player, engine) in
        [("aichess", "policy of "), ("net=material,search=plain-puct,nodes=20", "material")]
    {
        let file = format!("{}.pgn", &player[..3]);
        let against = format!("--opponent {player} --color black --pgn {file}");
        let named = start(folder.path(), &against, "quit\n");
        assert!(named.status.success() && text(&named).contains("I play "), "{}", text(&named));
        let pgn = std::fs::read_to_string(folder.path().join(&file)).unwrap();
        assert!(pgn.contains(engine), "{pgn}");
    }
    for (player, expected) in [
        ("random", "does not use a search of Tabiya"),
        ("net=material,tc=60", "no clock"),
        ("cogs189", "cogs188, cogs188-corrected, catfish-v3"),
    ] {
        let refused = start(folder.path(), &format!("--opponent {player}"), "");
        assert!(!refused.status.success() && text(&refused).contains(expected), "{}", text(&refused));
    }
}
