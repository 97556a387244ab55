//! Cost of one sample in a loader, without reading it: rules, planes, floats, features, policy indices and rows.
//!
//! Every figure is compared with move generation in the same run, which every encoding needs. `cargo bench -p chess`.
#![expect(clippy::print_stdout, reason = "a benchmark prints what it measured")]

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use chess::{
    EvaluationRequest, Evaluator, Game, MaterialEvaluator, Move,
    encoding::{
        FEATURES, FeatureList, INPUTS, InputEncoding, MOVES, MoveEncoding, Plane, input::write_dense,
        policy_rows::PolicyRows,
    },
    laws,
};

/// Games measured, each in its last position.
const GAMES: usize = 3_000;

/// Minimum time per measurement.
const LEAST: Duration = Duration::from_millis(400);

fn main() {
    let games: Vec<Game> =
        laws::sample_games(1, GAMES).into_iter().filter(|game| !game.legal_moves().is_empty()).collect();
    let reference = nanoseconds(&games, |game| {
        black_box(game.legal_moves());
    });
    println!("{:44} {:>9} {:>10} {:>12}", "one core", "ns", "x movegen", "per second");
    let print = |name: &str, nanoseconds: f64| {
        println!("{name:44} {nanoseconds:9.0} {:10.2} {:12.0}", nanoseconds / reference, 1e9 / nanoseconds);
    };
    print("legal moves (reference)", reference);
    print("play and undo", play_and_undo(&games));
    print(
        "material evaluator",
        nanoseconds(&games, |game| {
            let legal_moves = &game.legal_moves();
            black_box(MaterialEvaluator.evaluate(&[EvaluationRequest { game, legal_moves }]).is_ok());
        }) - reference,
    );
    for encoding in INPUTS {
        let mut planes = vec![Plane::EMPTY; encoding.planes()];
        let mut floats = vec![0.0; encoding.planes() * 64];
        let encode = nanoseconds(&games, |game| encoding.encode(game, black_box(&mut planes)));
        print(&format!("encode {}", encoding.name()), encode);
        let dense = nanoseconds(&games, |_| write_dense(black_box(&planes), black_box(&mut floats)));
        print(&format!("write_dense {}", encoding.name()), dense);
    }
    for set in FEATURES {
        let mut list = FeatureList::new();
        let active = nanoseconds(&games, |game| set.active(game.position(), black_box(&mut list)));
        print(&format!("features {}", set.name()), active);
    }
    let rows = nanoseconds(&games, |game| {
        let rows = PolicyRows::new(game.position());
        for chess_move in game.legal_moves() {
            black_box(rows.of(chess_move));
        }
    });
    print("policy rows of all legal moves", rows - reference);
    for encoding in MOVES {
        let index = nanoseconds(&games, |game| indices(*encoding, game)) - reference;
        print(&format!("index all legal moves, {}", encoding.name()), index);
    }
    for input in INPUTS.iter().take(2) {
        for moves in MOVES {
            print(&format!("sample: {} + {}", input.name(), moves.name()), sample(&games, *input, *moves));
        }
    }
}

fn indices(encoding: &dyn MoveEncoding, game: &Game) {
    for chess_move in game.legal_moves() {
        black_box(encoding.index(game.position(), chess_move));
    }
}

/// The whole work of a loader: legal moves, planes, floats, indices.
fn sample(games: &[Game], input: &dyn InputEncoding, moves: &dyn MoveEncoding) -> f64 {
    let mut planes = vec![Plane::EMPTY; input.planes()];
    let mut floats = vec![0.0; input.planes() * 64];
    nanoseconds(games, |game| {
        input.encode(game, &mut planes);
        write_dense(&planes, black_box(&mut floats));
        indices(moves, game);
    })
}

/// Playing a move with its history and taking it back.
fn play_and_undo(games: &[Game]) -> f64 {
    let moves: Vec<Move> = games
        .iter()
        .enumerate()
        .map(|(number, game)| {
            let legal = game.legal_moves();
            legal[number % legal.len()]
        })
        .collect();
    let mut played = games.to_vec();
    let mut number = 0;
    nanoseconds(games, |_| {
        number = (number + 1) % moves.len();
        played[number].play_unchecked(moves[number]);
        black_box(played[number].undo());
    })
}

/// Time of one call: the minimum over many rounds, because every disturbance makes a round longer.
fn nanoseconds(games: &[Game], mut work: impl FnMut(&Game)) -> f64 {
    let begun = Instant::now();
    let mut quickest = Duration::MAX;
    while begun.elapsed() < LEAST {
        let started = Instant::now();
        games.iter().for_each(&mut work);
        quickest = quickest.min(started.elapsed());
    }
    quickest.as_nanos() as f64 / games.len() as f64
}
