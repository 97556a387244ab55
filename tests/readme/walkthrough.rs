//! The README's commands one after the other in an empty folder, on small files that stand in for the reader's.

use std::{
    fs,
    io::Write as _,
    path::Path,
    process::{Command, Output, Stdio},
};

use super::markdown;

/// Replacements for parts of the README's commands that are smaller, or have another name, here.
const STAND_INS: [(&str, &str); 12] = [
    // Stockfish is not installed everywhere; the material evaluator has no lines to report.
    ("uci=stockfish,nodes=3000 --multipv 4", "net=material,nodes=1"),
    ("uci=stockfish,nodes=1000", "net=material,nodes=1"),
    ("lichess_db_standard_rated_2014-01.pgn.zst", "games.pgn"),
    ("games.pgn.zst", "games.pgn"),
    ("wac.epd", "suite.epd"),
    ("lichess_db_puzzle.csv.zst", "puzzles.csv"),
    // lc0 networks are not part of the repository.
    ("maia-1900.pb.gz", "cnn"),
    ("--games 2000", "--games 2"),
    ("--games 200", "--games 2"),
    ("nodes=100", "nodes=1"),
    ("nodes=800", "nodes=1"),
    ("movetime=100", "nodes=1"),
];

/// Arguments that make a command quick; `PROGRAM`, this program, is an engine with levels where the README has Stockfish.
const SHORTENED: [(&str, &str); 6] = [
    ("match ", "--max-moves 4"),
    ("ladder ", "--max-moves 4 --engine PROGRAM --nodes 1 --probe 2 --step 2000 --beyond 1"),
    ("calibrate ", "--max-moves 4 --engine PROGRAM --nodes 1 --games 2 --settings 1:1,1:0"),
    ("metrics ", "--sample 4"),
    ("train recipes/you ", "--steps 2 --threads 1"),
    ("bench train ", "--blocks 1 --channels 16 --batch 8 --steps 1 --threads 1"),
];

/// Commands that are only parsed, each with the reason.
const NOT_RUN: [(&str, &str); 5] = [
    ("run recipes/laptop", "it takes half an hour; tests/recipe_runs.rs runs it at a size of seconds"),
    ("net extract", "it needs Stockfish; tests/net_command.rs runs it with an engine of its own"),
    ("play --open", "it opens a browser; tests/page.rs runs the page"),
    ("data sql", "a program without the feature `sql` only says so; tests/sql.rs runs it"),
    ("data publish", "it needs a bucket"),
];

/// The bundled network's recipe, cut down: the parts replaced and their replacements.
const SMALLER_RECIPE: [(&str, &str); 8] = [
    ("steps = 20_000", "steps = 2\nstatistics_positions = 16\nthreads = 1"),
    ("batch = 256", "batch = 8"),
    ("shuffle_window = 1_048_576", "shuffle_window = 64"),
    ("validation_positions = 8192", "validation_positions = 16"),
    ("blocks = 4", "blocks = 1"),
    ("channels = 48", "channels = 16"),
    ("blocks = [3]", "blocks = [0]"),
    ("warmup = 500", "warmup = 0"),
];

const PUZZLES: &str = "PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes,GameUrl,OpeningTags\n\
    mate,6k1/5ppp/8/8/8/8/r4PPP/3R2K1 b - - 0 1,a2b2 d1d8,1100,80,90,100,mateIn1,url,\n";

#[test]
fn the_commands_of_the_readme_run() {
    let (folder, root) = (tempfile::tempdir().unwrap(), Path::new(env!("CARGO_MANIFEST_DIR")));
    prepare(folder.path(), root);
    let readme = fs::read_to_string(root.join("README.md")).unwrap();
    let lines = markdown::code_lines(&readme);
    let commands = lines.iter().filter(|line| markdown::arguments(line, "tabiya").is_some());
    let mut run = 0;
    for line in commands {
        let line = STAND_INS.iter().fold(line.clone(), |line, (from, to)| line.replace(from, to));
        let mut words = markdown::arguments(&line, "tabiya").unwrap();
        if NOT_RUN.iter().any(|(start, _)| words.join(" ").starts_with(start)) {
            continue;
        }
        for (_, more) in
            SHORTENED.iter().filter(|(start, _)| words.join(" ").starts_with(start)).collect::<Vec<_>>()
        {
            words
                .extend(more.replace("PROGRAM", env!("CARGO_BIN_EXE_tabiya")).split(' ').map(str::to_string));
        }
        let output = tabiya(folder.path(), &words);
        assert!(output.status.success(), "{line}\n{}", String::from_utf8_lossy(&output.stderr));
        run += 1;
    }
    assert!(run > 15, "only {run} commands were found in the README");
    for made in
        ["games.store", "runs/first/network.tabiya", "cnn.onnx", "ladders/first/result.json", "report"]
    {
        assert!(folder.path().join(made).exists(), "{made}");
    }
}

/// Runs the program, which reads `quit` when it asks for input.
fn tabiya(folder: &Path, arguments: &[String]) -> Output {
    let mut process = Command::new(env!("CARGO_BIN_EXE_tabiya"))
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command that reads nothing may have ended already.
    let _ = process.stdin.take().unwrap().write_all(b"quit\n");
    process.wait_with_output().unwrap()
}

/// Games, test positions, puzzles and the recipe, under the names that the commands expect.
fn prepare(folder: &Path, root: &Path) {
    // The networks of a clone.
    std::os::unix::fs::symlink(root.join("nets"), folder.join("nets")).unwrap();
    let by_hand = fs::read_to_string(root.join("testdata/games/hand-made.pgn")).unwrap();
    fs::write(folder.join("games.pgn"), by_hand + "\n\n" + &quiet_games()).unwrap();
    fs::write(folder.join("suite.epd"), "6k1/5ppp/8/8/8/8/8/R6K w - - bm Ra8; id \"back rank\";\n").unwrap();
    fs::write(folder.join("puzzles.csv"), PUZZLES).unwrap();
    // The file that `net extract` would write.
    fs::write(folder.join("stockfish.nnue"), network::nnue::synthetic::file(1)).unwrap();
    let recipe = fs::read_to_string(root.join("recipes/first/recipe.toml")).unwrap();
    let smaller = SMALLER_RECIPE.iter().fold(recipe, |recipe, (from, to)| {
        assert!(recipe.contains(from), "{from}");
        recipe.replace(from, to)
    });
    fs::create_dir_all(folder.join("recipes/first")).unwrap();
    fs::write(folder.join("recipes/first/recipe.toml"), smaller).unwrap();
    fs::create_dir_all(folder.join("recipes/you")).unwrap();
    fs::copy(root.join("recipes/you/recipe.toml"), folder.join("recipes/you/recipe.toml")).unwrap();
}

/// Drawn games of rated players, enough of them for some to be held out for validation.
fn quiet_games() -> String {
    let firsts = ["a3", "a4", "b3", "b4", "g3", "g4", "h3", "h4"];
    let replies = ["a6", "a5", "b6", "b5", "g6", "g5", "h6", "h5"];
    let lasts = ["Re8", "Rb8", "Kh8", "Nb6"];
    let tags = "[White \"YOUR_NAME\"]\n[WhiteElo \"1510\"]\n[BlackElo \"1580\"]\n[Result \"1/2-1/2\"]";
    let rest = "2. d3 d6 3. e3 e6 4. Be2 Be7 5. Nf3 Nf6 6. Nbd2 Nbd7 7. O-O O-O 8. Re1";
    let mut games = Vec::new();
    for (first, reply) in firsts.iter().flat_map(|first| replies.map(|reply| (first, reply))) {
        let opening = format!("1. {first} {{ [%eval 0.2] }} {reply} {{ [%eval 0.2] }} {rest}");
        games.extend(lasts.map(|last| format!("{tags}\n\n{opening} {last} 1/2-1/2\n\n")));
    }
    games.concat()
}
