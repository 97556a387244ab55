//! Everything that goes wrong between a bot and its server.

use crate::{
    double::{FAULTS, Fault, Lichess},
    stage::{Running, quick},
};

#[test]
fn every_fault_is_survived_and_the_next_game_is_played() {
    assert!(FAULTS.len() >= 20);
    for fault in FAULTS.into_iter().chain([Fault::AnswerSlow]) {
        let lichess = Lichess::start();
        lichess.house("Anna", 12);
        let events = format!("{fault:?}").starts_with("Events");
        if events {
            lichess.fault(fault);
        }
        let mut running = Running::start(&lichess, "[chat]\ngreeting = \"\"\nfarewell = \"\"", quick());
        if !events {
            lichess.fault(fault);
        }
        for game in 0..2 {
            let id = lichess.invite("Anna");
            let finished =
                lichess.finished_or(&id, &|| format!("{fault:?}, game {game}:\n{}", running.log.text()));
            let ours = finished.winner == lichess.state().games[&id].color_of("Tabiya");
            assert_eq!(
                (finished.status, ours),
                ("resign", true),
                "{fault:?}, game {game}:\n{}",
                running.log.text()
            );
        }
        let log = running.end();
        let again = match fault {
            Fault::EventsGarbage | Fault::EventsTwice => None,
            _ if events => Some(("events", 2)),
            Fault::GameEnds | Fault::GameCutLine | Fault::GameSilent | Fault::GameStatus(_) => {
                Some(("game", 3))
            }
            _ => None,
        };
        if let Some((kind, times)) = again {
            assert!(
                lichess.state().streams[kind] >= times,
                "{fault:?} was not followed by a reconnection:\n{log}"
            );
        }
        if matches!(fault, Fault::EventsGarbage | Fault::GameGarbage) {
            assert!(log.contains("left out a line"), "{fault:?}:\n{log}");
        }
        let violations = lichess.state().violations.clone();
        assert!(violations.is_empty(), "{fault:?}: {violations:?}\n{log}");
    }
}
