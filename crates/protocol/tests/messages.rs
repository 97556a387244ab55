//! UCI messages on random input: no panic, and messages round-trip.

use std::time::Duration;

use chess::Score;
use chess::shakmaty::{Role, Square, uci::UciMove};
use proptest::{collection::vec, option, prelude::*};
use protocol::{
    Bound, Command, Go, Info, InfoScore, OptionDeclaration, OptionKind, PermilleWdl, PositionCommand,
    Registration, Response, StartPosition, Status, laws,
};

/// Words that are not keywords anywhere.
fn words() -> impl Strategy<Value = String> {
    vec("[A-Z][A-Za-z0-9_/.]{0,8}", 1..4).prop_map(|words| words.join(" "))
}

fn uci_move() -> impl Strategy<Value = UciMove> {
    let promotion =
        option::of(prop::sample::select(vec![Role::Queen, Role::Rook, Role::Bishop, Role::Knight]));
    (0..64_u32, 0..64_u32, promotion).prop_map(|(from, to, promotion)| UciMove::Normal {
        from: Square::new(from),
        to: Square::new(to),
        promotion,
    })
}

fn milliseconds() -> impl Strategy<Value = Option<Duration>> {
    option::of((0..10_000_000_u64).prop_map(Duration::from_millis))
}

fn go() -> impl Strategy<Value = Go> {
    let times = (milliseconds(), milliseconds(), milliseconds(), milliseconds(), milliseconds());
    let numbers = (
        option::of(1..=u32::MAX),
        option::of(any::<u32>()),
        option::of(any::<u64>()),
        option::of(1..=u32::MAX),
        option::of(any::<u32>()),
    );
    (vec(uci_move(), 0..4), any::<bool>(), any::<bool>(), times, numbers).prop_map(
        |(search_moves, ponder, infinite, times, numbers)| Go {
            search_moves,
            ponder,
            infinite,
            white_time: times.0,
            black_time: times.1,
            white_increment: times.2,
            black_increment: times.3,
            move_time: times.4,
            moves_to_go: numbers.0,
            depth: numbers.1,
            nodes: numbers.2,
            mate: numbers.3,
            perft: numbers.4,
        },
    )
}

fn command() -> impl Strategy<Value = Command> {
    let start = prop_oneof![Just(StartPosition::Standard), words().prop_map(StartPosition::Fen)];
    prop_oneof![
        prop::sample::select(vec![
            Command::Uci,
            Command::IsReady,
            Command::UciNewGame,
            Command::Stop,
            Command::PonderHit,
            Command::Quit,
            Command::Debug(true),
            Command::Debug(false),
            Command::Display,
            Command::Evaluate,
            Command::Register(Registration::Later),
        ]),
        (words(), words()).prop_map(|(name, code)| Command::Register(Registration::As { name, code })),
        (words(), option::of(words())).prop_map(|(name, value)| Command::SetOption { name, value }),
        (start, vec(uci_move(), 0..20))
            .prop_map(|(start, moves)| Command::Position(PositionCommand { start, moves })),
        go().prop_map(|go| Command::Go(Box::new(go))),
    ]
}

fn declaration() -> impl Strategy<Value = OptionDeclaration> {
    let kind = prop_oneof![
        any::<bool>().prop_map(|default| OptionKind::Check { default }),
        (any::<i32>(), 0..1000_i64, 0..1000_i64).prop_map(|(default, below, above)| OptionKind::Spin {
            default: default.into(),
            min: i64::from(default) - below,
            max: i64::from(default) + above,
        }),
        (words(), vec(words(), 0..4)).prop_map(|(default, choices)| OptionKind::Combo { default, choices }),
        Just(OptionKind::Button),
        prop_oneof![Just(String::new()), words()].prop_map(|default| OptionKind::Text { default }),
    ];
    (words(), kind).prop_map(|(name, kind)| OptionDeclaration { name, kind })
}

fn info() -> impl Strategy<Value = Info> {
    let bound = option::of(prop::sample::select(vec![Bound::Lower, Bound::Upper]));
    let score = prop_oneof![any::<i32>().prop_map(Score::Centipawns), any::<i32>().prop_map(Score::Mate)];
    let value = (
        option::of((score, bound).prop_map(|(score, bound)| InfoScore { score, bound })),
        option::of((any::<u16>(), any::<u16>(), any::<u16>()).prop_map(|(win, draw, loss)| PermilleWdl {
            win,
            draw,
            loss,
        })),
    );
    let small = || option::of(any::<u32>());
    let large = || option::of(any::<u64>());
    (
        (small(), small(), small(), small(), small(), small()),
        (large(), large(), large()),
        value,
        (milliseconds(), option::of(uci_move()), vec(uci_move(), 0..9), option::of(words())),
    )
        .prop_map(|(small, large, (score, wdl), (time, current_move, pv, string))| Info {
            depth: small.0,
            selective_depth: small.1,
            multipv: small.2,
            hash_full: small.3,
            cpu_load: small.4,
            current_move_number: small.5,
            nodes: large.0,
            nodes_per_second: large.1,
            table_hits: large.2,
            score,
            wdl,
            time,
            current_move,
            pv,
            string,
        })
}

fn response() -> impl Strategy<Value = Response> {
    let status = prop::sample::select(vec![Status::Checking, Status::Ok, Status::Error]);
    prop_oneof![
        Just(Response::UciOk),
        Just(Response::ReadyOk),
        words().prop_map(Response::IdName),
        words().prop_map(Response::IdAuthor),
        status.clone().prop_map(Response::CopyProtection),
        status.prop_map(Response::Registration),
        declaration().prop_map(Response::Option),
        info().prop_map(|info| Response::Info(Box::new(info))),
        (option::of(uci_move()), option::of(uci_move()))
            .prop_map(|(best, ponder)| Response::BestMove { best, ponder }),
    ]
}

/// Lines of the protocol's words in random order, which reach more of the parser than random characters.
fn word_salad() -> impl Strategy<Value = String> {
    const WORDS: &[&str] = &[
        "uci",
        "position",
        "startpos",
        "fen",
        "moves",
        "go",
        "searchmoves",
        "wtime",
        "-5",
        "3",
        "e2e4",
        "e7e8q",
        "0000",
        "infinite",
        "setoption",
        "name",
        "value",
        "Hash",
        "register",
        "later",
        "code",
        "debug",
        "on",
        "info",
        "score",
        "cp",
        "mate",
        "lowerbound",
        "pv",
        "string",
        "option",
        "type",
        "spin",
        "default",
        "min",
        "max",
        "combo",
        "var",
        "bestmove",
        "ponder",
        "wdl",
        "depth",
        "x",
        "é",
        "\u{0}",
        "99999999999999999999",
        "d",
        "eval",
        "\t",
        "id",
        "K@e4",
        "Q@",
    ];
    vec(prop::sample::select(WORDS), 0..16).prop_map(|words| words.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn commands_round_trip(command in command()) {
        let parsed = Command::parse(&command.to_string()).unwrap();
        prop_assert_eq!(parsed.command, command);
        prop_assert!(parsed.ignored.is_empty(), "{:?}", parsed.ignored);
    }

    #[test]
    fn extra_white_space_changes_nothing(command in command()) {
        let spread = format!(" \t{}  \r\n", command.to_string().replace(' ', " \t "));
        // Only the value of an option keeps its inner white space.
        if !matches!(command, Command::SetOption { value: Some(_), .. }) {
            prop_assert_eq!(spread.parse(), Ok(command));
        }
    }

    #[test]
    fn responses_round_trip(response in response()) {
        prop_assert_eq!(response.to_string().parse(), Ok(response));
    }

    #[test]
    fn any_text_as_uci_message(text in ".{0,80}") {
        laws::check_message(&text);
    }

    #[test]
    fn text_that_looks_like_a_uci_message(
        words in "(uci|isready|setoption|position|go|bench|d|debug|register|info|option|bestmove|id|copyprotection)\
            ( (name|value|fen|startpos|moves|e2e4|e7e8q|0000|wtime|btime|winc|movestogo|depth|nodes|mate|infinite|ponder|\
            searchmoves|perft|score|cp|mate|pv|wdl|string|type|spin|check|button|combo|default|min|max|var|on|later|code|\
            -5|0|7|300|99999999999999999999|w|b|-|KQkq|8/8/8/8/8/8/8/8)){0,12}"
    ) {
        laws::check_message(&words);
    }

    #[test]
    fn word_salad_never_panics_and_prints_one_line(line in word_salad()) {
        if let Ok(command) = line.parse::<Command>() {
            prop_assert_eq!(command.to_string().lines().count(), 1);
            if let Command::Position(position) = command {
                let _ = position.game(chess::CastlingMode::Standard);
            }
        }
        if let Ok(response) = line.parse::<Response>() {
            prop_assert_eq!(response.to_string().lines().count(), 1);
        }
    }
}
