//! Engine processes: shell scripts stand in for engines that lie, hang, flood or crash.
#![cfg(unix)]

use std::time::{Duration, Instant};

use chess::{CastlingMode, Game, Limits, Score, StopSignal};
use protocol::{Go, OptionKind, Timeouts, UciProcess, UciProcessConfig, UciProcessError, process::Waiting};

const IMPATIENT: Timeouts = Timeouts {
    handshake: Duration::from_secs(5),
    ready: Duration::from_secs(5),
    margin: Duration::from_millis(300),
    search: Duration::from_secs(5),
    quit: Duration::from_millis(200),
};

/// A script with a correct handshake that runs `go` on `go`, with the whole command in `$line`.
fn engine(go: &str) -> UciProcessConfig {
    script(&format!(
        r#"
        while read -r line; do case "$line" in
            uci) echo 'Some Banner 1.0'; echo 'id name Scripted 7'; echo 'id author A Shell'
                 echo 'option name Hash type spin default 16 min 1 max 64'
                 echo 'option name Broken type spin'
                 echo 'option name Clear Hash type button'
                 echo 'option name UCI_Chess960 type check default false'
                 echo uciok ;;
            isready) echo readyok ;;
            go*) {go} ;;
            setoption*) options="$options$line;" ;;
            quit) exit 0 ;;
        esac; done"#
    ))
}

fn script(text: &str) -> UciProcessConfig {
    UciProcessConfig {
        command: "sh".into(),
        arguments: vec!["-c".into(), text.into()],
        timeouts: IMPATIENT,
        ..UciProcessConfig::default()
    }
}

fn nodes(nodes: u64) -> Limits {
    Limits { nodes: Some(nodes), ..Limits::default() }
}

#[test]
fn a_whole_session() {
    let config = engine(
        "echo 'info depth 1 score cp 7 nodes 10 pv e2e4'; \
         echo 'info depth 2 score cp 99 lowerbound nodes 20 pv d2d4'; \
         echo 'info depth 2 currmove e2e4 nodes 30'; echo 'bestmove e2e4 ponder e7e5'",
    )
    .option("hash", "32");
    let mut process = UciProcess::spawn(&config).unwrap();
    assert_eq!((process.name(), process.author()), ("Scripted 7", Some("A Shell")));
    assert_eq!(process.option("HASH").unwrap().kind, OptionKind::Spin { default: 16, min: 1, max: 64 });
    process.new_game().unwrap();
    let answer = process.go(&Game::default(), &nodes(30)).unwrap();
    assert_eq!(answer.best.to_uci(CastlingMode::Standard).to_string(), "e2e4");
    assert_eq!(answer.ponder.unwrap().to_uci(CastlingMode::Standard).to_string(), "e7e5");
    assert_eq!(answer.nodes, Some(30));
    assert_eq!(answer.info().unwrap().score.unwrap().score, Score::Centipawns(7), "a bound replaced a score");
}

#[test]
fn options_are_checked_before_they_are_sent() {
    let mut process = UciProcess::spawn(&engine("true")).unwrap();
    let message = |error: UciProcessError| error.to_string();
    assert_eq!(
        message(process.set_option("Threads", Some("2")).unwrap_err()),
        "Scripted 7 has no option \"Threads\"; it has: Hash, Clear Hash, UCI_Chess960"
    );
    assert_eq!(
        message(process.set_option("Hash", Some("65")).unwrap_err()),
        "Scripted 7: option Hash: expected a whole number from 1 to 64, found \"65\""
    );
    process.set_option("clear hash", None).unwrap();
    let error = UciProcess::spawn(&engine("true").option("Hash", "many")).unwrap_err();
    assert!(matches!(error, UciProcessError::Option { .. }), "{error}");
}

#[test]
fn a_missing_program_is_named() {
    let error = UciProcess::spawn(&UciProcessConfig::new("no-such-engine")).unwrap_err();
    assert!(error.to_string().starts_with("cannot start the engine \"no-such-engine\""), "{error}");
    assert!(error.to_string().contains("in PATH or /usr/games"), "{error}");
    let error = UciProcess::spawn(&UciProcessConfig::new("./engine --hash 5")).unwrap_err();
    assert!(error.to_string().contains("uci=PROGRAM,arg=ARGUMENT"), "{error}");
    let error = UciProcess::spawn(&UciProcessConfig::new("/nowhere/stockfish")).unwrap_err();
    assert!(error.to_string().contains("apt install stockfish"), "{error}");
}

#[test]
fn a_program_that_is_no_engine_times_out() {
    let mut config = script("exec sleep 10");
    config.timeouts.handshake = Duration::from_millis(100);
    let started = Instant::now();
    let error = UciProcess::spawn(&config).unwrap_err();
    assert!(matches!(error, UciProcessError::Timeout { waiting_for: Waiting::UciOk, .. }), "{error}");
    assert!(started.elapsed() < Duration::from_secs(8), "the sleeping program was waited for");
}

#[test]
fn a_crash_is_reported_with_the_last_output() {
    let config = engine("echo 'info string so long'; echo 'panic: out of cheese' >&2; exit 3");
    let mut process = UciProcess::spawn(&config).unwrap();
    let error = process.go(&Game::default(), &nodes(1)).unwrap_err();
    let UciProcessError::Ended { waiting_for: Waiting::BestMove, status, .. } = &error else {
        panic!("{error}")
    };
    assert_eq!(status, "exit status: 3");
    // Error output is read by its own thread, which may lag.
    let deadline = Instant::now() + Duration::from_secs(5);
    loop {
        let error = process.wait_until_ready().unwrap_err().to_string();
        if error.contains("panic: out of cheese") && error.contains("so long") {
            break;
        }
        assert!(Instant::now() < deadline, "{error}");
    }
}

#[test]
fn illegal_and_missing_moves_are_errors() {
    let ask = |go: &str| {
        UciProcess::spawn(&engine(go)).unwrap().go(&Game::default(), &nodes(1)).unwrap_err().to_string()
    };
    assert!(ask("echo bestmove e2e5").contains("illegal move e2e5"));
    assert!(ask("echo 'bestmove (none)'").contains("found no move"));
    // An unreadable move is the engine's answer; waiting for another would hide it.
    for garbage in ["echo bestmove resign", "echo bestmove", "echo bestmove e9e4 ponder e7e5"] {
        assert!(
            ask(garbage).contains(&format!("answered {:?}, which is not a move", &garbage[5..])),
            "{garbage}"
        );
    }
    assert!(
        ask("echo what ever; echo bestmove e2e5").contains("illegal move e2e5"),
        "other lines are not an answer"
    );
}

#[test]
fn a_hanging_search_is_killed() {
    let mut process = UciProcess::spawn(&engine("sleep 10")).unwrap();
    let limits = Limits { move_time: Some(Duration::from_millis(50)), ..Limits::default() };
    let started = Instant::now();
    let error = process.go(&Game::default(), &limits).unwrap_err();
    assert!(matches!(error, UciProcessError::Timeout { waiting_for: Waiting::BestMove, .. }), "{error}");
    let error = process.new_game().unwrap_err();
    assert!(matches!(error, UciProcessError::Ended { .. }), "{error}");
    drop(process);
    assert!(started.elapsed() < Duration::from_secs(8));
}

#[test]
fn a_late_engine_that_obeys_stop_stays_usable() {
    let config = engine("read -r line; echo bestmove e2e4");
    let mut process = UciProcess::spawn(&config).unwrap();
    let limits = Limits { move_time: Some(Duration::from_millis(1)), ..Limits::default() };
    let error = process.go(&Game::default(), &limits).unwrap_err();
    assert!(matches!(error, UciProcessError::Timeout { .. }), "{error}");
    process.new_game().unwrap();
}

/// Defect 30: the second `bestmove` was taken as the answer to the next search.
#[test]
fn a_second_best_move_does_not_answer_the_next_search() {
    let go = "n=x$n; if [ $n = x ]; then echo bestmove e2e4; sleep 0.2; echo bestmove d2d4; else echo bestmove e7e5; fi";
    let mut process = UciProcess::spawn(&engine(go)).unwrap();
    let mut game = Game::default();
    let played = process.go(&game, &nodes(1)).unwrap().best;
    game.play_unchecked(played);
    let answer = process.go(&game, &nodes(1)).unwrap().best;
    assert_eq!(answer.to_uci(CastlingMode::Standard).to_string(), "e7e5");
}

/// Defect 31: an engine's control characters reached the terminal in names and error messages.
#[test]
fn control_characters_of_an_engine_are_removed() {
    let hostile = script(
        r"read -r line; printf 'id name Evil\033[2J\302\233H\nuciok\n'; read -r line; printf '\033]0;x\007\n'",
    );
    let error = UciProcess::spawn(&hostile).unwrap_err().to_string();
    assert!(error.starts_with("Evil [2J H ended"), "{error:?}");
    assert!(error.contains("]0;x") && !error.contains(char::is_control), "{error:?}");
}

#[test]
fn endless_limits_need_a_stop_signal() {
    let mut process =
        UciProcess::spawn(&engine("read -r line; echo \"info string $line\"; echo bestmove g1f3")).unwrap();
    let endless = Limits { infinite: true, ..Limits::default() };
    assert!(matches!(process.go(&Game::default(), &endless), Err(UciProcessError::Endless { .. })));
    for (ponder, expected) in [(false, "stop"), (true, "ponderhit")] {
        let signal = StopSignal::default();
        let go = Go { infinite: !ponder, ponder, nodes: Some(1), ..Go::default() };
        if ponder {
            signal.ponder_hit();
        } else {
            signal.stop();
        }
        let mut heard = Vec::new();
        process
            .go_until(&Game::default(), &go, &signal, &mut |info| heard.extend(info.string.clone()))
            .unwrap();
        assert_eq!(heard, [expected]);
    }
}

#[test]
fn a_flood_neither_hangs_nor_fills_the_memory() {
    let mut config = script("exec yes 'info string flood'");
    config.timeouts.handshake = Duration::from_millis(200);
    let started = Instant::now();
    // The time waited counts from the question, not from the last of its many lines ("within 0 ms").
    match UciProcess::spawn(&config) {
        Err(UciProcessError::Timeout { after, .. }) => {
            assert!(after >= config.timeouts.handshake, "{after:?}");
        }
        other => panic!("{other:?}"),
    }
    // One endless line without a line break.
    let mut config = script("exec tr '\\0' x </dev/zero");
    config.timeouts.handshake = Duration::from_millis(200);
    assert!(matches!(UciProcess::spawn(&config), Err(UciProcessError::Timeout { .. })));
    assert!(started.elapsed() < Duration::from_secs(20), "the flood was listened to beyond every timeout");
}

#[test]
fn chess960_is_switched_on_when_the_game_needs_it() {
    let fen = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9";
    let game = Game::from_fen(fen, CastlingMode::Chess960).unwrap();
    let mut process =
        UciProcess::spawn(&engine("echo \"info string $options\"; echo bestmove e1f3")).unwrap();
    let mut heard = Vec::new();
    let go = Go { nodes: Some(1), ..Go::default() };
    for game in [game, Game::default()] {
        // The second move is illegal in its position, which does not matter here.
        process
            .go_until(&game, &go, &StopSignal::default(), &mut |info| heard.extend(info.string.clone()))
            .ok();
    }
    let (on, off) = ("setoption name UCI_Chess960 value true;", "setoption name UCI_Chess960 value false;");
    assert_eq!(heard, [on.to_owned(), format!("{on}{off}")]);
}

#[test]
fn positions_written_ahead_are_answered_in_order() {
    // Two replies each: to the first position e2e4, to one after e2e4 e7e5.
    let go = "case \"$moves\" in *e2e4) echo 'info depth 1 score cp -3 pv e7e5'; echo bestmove e7e5 ;; \
              *) echo 'info depth 1 score cp 7 pv e2e4'; echo bestmove e2e4 ;; esac";
    let config = script(&format!(
        r#"
        while read -r line; do case "$line" in
            uci) echo uciok ;;
            isready) echo readyok ;;
            position*) moves="$line" ;;
            go*) {go} ;;
            quit) exit 0 ;;
        esac; done"#
    ));
    let start = Game::default();
    let mut after = start.clone();
    after
        .play(after.legal_moves().iter().copied().find(|played| played.to_string() == "e2-e4").unwrap())
        .unwrap();
    let games: Vec<Game> =
        (0..25).map(|at| if at % 3 == 0 { after.clone() } else { start.clone() }).collect();
    for ahead in [1, 2, 8, 100] {
        let mut process = UciProcess::spawn(&config).unwrap();
        let answers = process.go_through(&games, &nodes(1), ahead, &StopSignal::default()).unwrap();
        assert_eq!(answers.len(), games.len());
        for (at, answer) in answers.iter().enumerate() {
            let expected = if at % 3 == 0 { ("e7e5", -3) } else { ("e2e4", 7) };
            let best = answer.best.to_uci(CastlingMode::Standard).to_string();
            assert_eq!(
                (best.as_str(), answer.info().unwrap().score.unwrap().score),
                (expected.0, Score::Centipawns(expected.1))
            );
        }
    }
    let stop = StopSignal::default();
    stop.stop();
    let mut process = UciProcess::spawn(&config).unwrap();
    assert!(process.go_through(&games, &nodes(1), 4, &stop).unwrap().len() < games.len());
}

#[test]
fn an_engine_that_answers_only_some_of_the_positions_is_late() {
    let config = engine("count=$((count + 1)); [ $count -le 3 ] && echo bestmove e2e4");
    let mut process = UciProcess::spawn(&config).unwrap();
    let games = vec![Game::default(); 5];
    let error = process.go_through(&games, &nodes(1), 5, &StopSignal::default()).unwrap_err();
    assert!(matches!(error, UciProcessError::Timeout { waiting_for: Waiting::BestMove, .. }), "{error}");
}
