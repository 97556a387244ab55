//! A bot with doubles of everything around it: search, log, server.

use std::{
    path::Path,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use bot::{
    Bot, BotConfig, BotError, BotSettings, ConnectionSettings, EngineFactory, GameEngine, GameSetup,
    LogEvent, LogObserver, StopRequest, Token,
};
use chess::{
    Decision, Game, Limits, PrincipalVariation, RootMove, Score, Search, SearchError, SearchInfo, StopSignal,
    Wdl,
};

use crate::double::Lichess;

pub(crate) const TOKEN: &str = "lip_TheSecretOfTheTest";

/// Plays a legal move that depends only on the position, and expects this chance of winning for its side.
struct Mover {
    win: f32,
    /// True if the first search against this opponent has a defect.
    stumbles: bool,
    /// Thinking time for each move.
    time: Duration,
}

impl Search for Mover {
    fn describe(&self) -> String {
        "a mover".into()
    }

    fn run(
        &mut self,
        game: &Game,
        _: &Limits,
        _: &StopSignal,
        _: &mut dyn FnMut(&SearchInfo),
    ) -> Result<Decision, SearchError> {
        // Once: a search that panicked is not used again, and the search that replaces it plays on.
        static STUMBLED: AtomicBool = AtomicBool::new(false);
        assert!(!self.stumbles || STUMBLED.swap(true, Ordering::SeqCst), "no way out of a loop");
        thread::sleep(self.time);
        let moves = game.legal_moves();
        let best = moves[game.key() as usize % moves.len()];
        let wdl = Wdl { win: self.win, draw: 0.0, loss: 1.0 - self.win };
        let variation = PrincipalVariation { moves: vec![best], score: Score::Centipawns(12), wdl };
        let info = SearchInfo {
            variations: vec![variation],
            root_moves: vec![RootMove::unvisited(best, 1.0)],
            ..SearchInfo::default()
        };
        Ok(Decision { best, ponder: None, info })
    }
}

/// Makes movers that expect the first as their chance of winning, and think for the second.
pub(crate) struct Movers(pub(crate) f32, pub(crate) Duration);

impl EngineFactory for Movers {
    fn build(&self, setup: &GameSetup) -> Result<GameEngine, String> {
        if setup.opponent.starts_with("Nemesis") {
            return Err("no engine for this opponent".into());
        }
        let stumbles = setup.opponent == "Trickster";
        Ok(GameEngine { search: Box::new(Mover { win: self.0, stumbles, time: self.1 }), nodes: None })
    }
}

#[derive(Default)]
pub(crate) struct Log(Mutex<Vec<LogEvent>>);

impl LogObserver for Log {
    fn report(&self, report: &LogEvent) {
        self.0.lock().unwrap().push(report.clone());
    }
}

impl Log {
    pub(crate) fn text(&self) -> String {
        let reports = self.0.lock().unwrap();
        let lines: Vec<String> = reports.iter().map(|report| format!("{report}\n{report:?}\n")).collect();
        lines.concat()
    }
}

/// A bot that runs in a thread until it is asked to end.
pub(crate) struct Running {
    pub(crate) log: Arc<Log>,
    pub(crate) stop: StopRequest,
    thread: Option<JoinHandle<Result<(), BotError>>>,
    pub(crate) folder: tempfile::TempDir,
}

impl Running {
    pub(crate) fn settings(lichess: &Lichess, config: &str, games: &Path) -> BotSettings {
        let connection = ConnectionSettings {
            url: lichess.url(),
            request: Duration::from_secs(2),
            silence: Duration::from_millis(1500),
            after_too_many: Duration::from_millis(300),
            patience: Duration::from_secs(1),
            first_pause: Duration::from_millis(20),
            longest_pause: Duration::from_millis(200),
        };
        BotSettings { connection, config: BotConfig::parse(config).unwrap(), games: games.into() }
    }

    /// Starts one, and waits until it listens for events.
    pub(crate) fn start(lichess: &Lichess, config: &str, movers: Movers) -> Self {
        let folder = tempfile::tempdir().unwrap();
        lichess.account("Tabiya", TOKEN, Some("BOT"));
        let settings = Self::settings(lichess, config, folder.path());
        let (log, stop) = (Arc::new(Log::default()), StopRequest::default());
        let token = Token::parse(TOKEN, "test").unwrap();
        let bot = Bot::connect(settings, token, Arc::new(movers), Arc::clone(&log) as Arc<dyn LogObserver>)
            .unwrap();
        let request = stop.clone();
        let thread = Some(thread::spawn(move || bot.run(&request)));
        lichess.opened("events", 1);
        Self { log, stop, thread, folder }
    }

    /// Ends it and returns what it reported.
    pub(crate) fn end(&mut self) -> String {
        self.stop.ask();
        let ended = self.thread.take().unwrap().join().unwrap();
        let text = self.log.text();
        ended.unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert!(!text.contains("Secret"), "the token is in the log:\n{text}");
        text
    }
}

pub(crate) fn quick() -> Movers {
    Movers(0.5, Duration::ZERO)
}

/// Waits until the bot has reported a text.
pub(crate) fn reported(running: &Running, wanted: &str) {
    for _ in 0..24_000 {
        if running.log.text().contains(wanted) {
            return;
        }
        thread::sleep(Duration::from_millis(5));
    }
    panic!("{wanted:?} was not reported:\n{}", running.log.text());
}
