//! The server: accounts, challenges, and the moves of its own players.

use std::{
    collections::HashMap,
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc::Sender,
    },
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::{
    connection::Connection,
    fault::Fault,
    game::{Finished, GameRules, ServerGame},
};

/// Time that the tests wait for an event: far longer than it takes on a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);
/// Time for which the server is down.
const DOWN: Duration = Duration::from_millis(600);
/// State of the server, and the remaining faults.
#[derive(Default)]
pub(crate) struct State {
    pub(super) accounts: HashMap<String, Account>,
    pub(super) listeners: HashMap<String, Vec<Sender<String>>>,
    pub(super) challenges: HashMap<String, Challenge>,
    pub(crate) games: HashMap<String, ServerGame>,
    faults: Vec<Fault>,
    /// Requests that are answered with a status each time, by a part of their path.
    pub(crate) refused: Vec<(&'static str, u16)>,
    /// The state of the random numbers by which every third request fails; 0 for none.
    pub(crate) chaos: u64,
    pub(super) down_until: Option<Instant>,
    /// Players for which the server itself moves, at once and always in the same way, with the number of plies after which they
    /// resign.
    houses: HashMap<String, usize>,
    pub(crate) declined: Vec<(String, String)>,
    /// Streams opened, by their path without names.
    pub(crate) streams: HashMap<&'static str, usize>,
    /// Violations of the API that a well-behaved client never commits.
    pub(crate) violations: Vec<String>,
    pub(super) paused_until: HashMap<String, Instant>,
    pub(super) under_way: HashMap<String, usize>,
    names: usize,
}

pub(super) struct Account {
    pub(super) name: String,
    pub(super) title: Option<&'static str>,
}

pub(super) struct Challenge {
    pub(super) from: String,
    pub(super) to: String,
    rules: GameRules,
    /// The challenge as the stream of events describes it.
    pub(super) told: Value,
}

pub(crate) struct Lichess {
    state: Arc<Mutex<State>>,
    address: SocketAddr,
    ending: Arc<AtomicBool>,
}

impl Lichess {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (state, ending) = (Arc::new(Mutex::new(State::default())), Arc::new(AtomicBool::new(false)));
        let (shared, end) = (Arc::clone(&state), Arc::clone(&ending));
        thread::spawn(move || {
            for stream in listener.incoming() {
                if end.load(Ordering::Acquire) {
                    return;
                }
                let Ok(stream) = stream else { continue };
                // The client has to survive a closed connection; the test sees the result.
                let state = Arc::clone(&shared);
                thread::spawn(move || drop(Connection { state }.serve(stream)));
            }
        });
        let (shared, end) = (Arc::clone(&state), Arc::clone(&ending));
        thread::spawn(move || {
            while !end.load(Ordering::Acquire) {
                lock(&shared).turn();
                thread::sleep(Duration::from_millis(2));
            }
        });
        Self { state, address, ending }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Creates an account with this token.
    pub(crate) fn account(&self, name: &str, token: &str, title: Option<&'static str>) {
        self.state().accounts.insert(format!("Bearer {token}"), Account { name: name.into(), title });
    }

    /// Creates an opponent for which the server moves; it resigns after `plies` plies of a game.
    pub(crate) fn house(&self, name: &str, plies: usize) {
        self.state().houses.insert(name.into(), plies);
    }

    /// Lets this fault occur at the next opportunity.
    pub(crate) fn fault(&self, fault: Fault) {
        let mut state = self.state();
        if fault == Fault::Down {
            state.down_until = Some(Instant::now() + DOWN);
        } else {
            state.faults.push(fault);
        }
    }

    /// `from` challenges `to`; `change` replaces fields of the event in the stream.
    pub(crate) fn challenge(&self, from: &str, to: &str, rules: GameRules, change: &Value) -> String {
        self.state().challenge(from, to, rules, change)
    }

    /// `from` challenges the bot to a game by the usual rules.
    pub(crate) fn invite(&self, from: &str) -> String {
        self.challenge(from, "Tabiya", GameRules::default(), &json!({}))
    }

    /// As [`Lichess::invite`]; waits until the game has begun.
    pub(crate) fn begin(&self, from: &str) -> String {
        let id = self.invite(from);
        self.wait("the game", |state| state.games.contains_key(&id).then_some(()));
        id
    }

    /// Plays a move of Berta's and waits until the game has this many half-moves, with the bot's reply.
    pub(crate) fn play(&self, id: &str, uci: &str, plies: usize) {
        self.state().games.get_mut(id).unwrap().play("Berta", uci, false).unwrap();
        self.wait("an answer", |state| (state.games[id].game.ply() == plies).then_some(()));
    }

    /// Waits until the condition holds.
    pub(crate) fn wait<T>(&self, what: &str, condition: impl FnMut(&mut State) -> Option<T>) -> T {
        self.wait_or(&|| format!("{what} did not happen"), condition)
    }

    pub(crate) fn wait_or<T>(
        &self,
        complaint: &dyn Fn() -> String,
        mut condition: impl FnMut(&mut State) -> Option<T>,
    ) -> T {
        let start = Instant::now();
        loop {
            if let Some(found) = condition(&mut self.state()) {
                return found;
            }
            assert!(start.elapsed() < PATIENCE, "{}", complaint());
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Waits for the end of a game.
    pub(crate) fn finished(&self, id: &str) -> Finished {
        self.finished_or(id, &|| format!("{id} did not end"))
    }

    /// Waits for the end of a game; `complaint` is the message if it does not come.
    pub(crate) fn finished_or(&self, id: &str, complaint: &dyn Fn() -> String) -> Finished {
        self.wait_or(complaint, |state| {
            state.games.get(id).filter(|game| !game.is_running()).map(ServerGame::finished)
        })
    }

    /// Waits until the stream of this kind was opened this many times.
    pub(crate) fn opened(&self, kind: &'static str, times: usize) {
        self.wait(&format!("{times} streams {kind}"), |state| {
            (state.streams.get(kind).copied().unwrap_or_default() >= times).then_some(())
        });
    }
}

impl Drop for Lichess {
    fn drop(&mut self) {
        self.ending.store(true, Ordering::Release);
        // Wakes the thread that is waiting for connections.
        drop(TcpStream::connect(self.address));
    }
}

pub(super) fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl State {
    /// The status with which a request is refused; 0 closes its connection.
    pub(super) fn refusal(&mut self, path: &str) -> Option<u16> {
        if let Some((_, status)) = self.refused.iter().find(|(part, _)| path.contains(part)) {
            return Some(*status);
        }
        if self.chaos == 0 {
            return None;
        }
        // Marsaglia's xorshift (Journal of Statistical Software 8, 2003).
        self.chaos ^= self.chaos << 13;
        self.chaos ^= self.chaos >> 7;
        self.chaos ^= self.chaos << 17;
        let status = [0, 400, 404, 429, 503, 200][(self.chaos >> 33) as usize % 6];
        // A client leaves a server that does not know its account or its events.
        let ends_it = status == 404 && path.starts_with("/api/stream");
        (self.chaos.is_multiple_of(3) && status != 200 && !ends_it).then_some(status)
    }

    pub(super) fn take_fault(&mut self, wanted: impl Fn(&Fault) -> bool) -> Option<Fault> {
        let index = self.faults.iter().position(wanted)?;
        Some(self.faults.remove(index))
    }

    pub(super) fn tell(&mut self, name: &str, event: &Value) {
        let line = event.to_string();
        if let Some(listeners) = self.listeners.get_mut(name) {
            listeners.retain(|listener| listener.send(line.clone()).is_ok());
        }
    }

    pub(super) fn challenge(&mut self, from: &str, to: &str, rules: GameRules, change: &Value) -> String {
        self.names += 1;
        let id = format!("game{:04}", self.names);
        let title =
            self.accounts.values().find(|account| account.name == from).and_then(|account| account.title);
        let mut told = json!({
            "id": id,
            "url": "x",
            "status": "created",
            "challenger": {"id": from.to_lowercase(), "name": from, "title": title, "rating": 2000},
            "destUser": {"id": to.to_lowercase(), "name": to, "title": "BOT", "rating": 2000},
            "variant": {"key": rules.variant, "name": "x", "short": "x"},
            "rated": rules.rated,
            "speed": "blitz",
            "timeControl": {"type": "clock", "limit": rules.initial_ms / 1000, "increment": rules.increment_ms / 1000},
            "color": "random",
            "perf": {"icon": "x", "name": "Blitz"},
        });
        for (key, value) in change.as_object().into_iter().flatten() {
            told[key] = value.clone();
        }
        let event = json!({"type": "challenge", "challenge": told});
        self.tell(to, &event);
        let house = self.houses.contains_key(to);
        self.challenges.insert(id.clone(), Challenge { from: from.into(), to: to.into(), rules, told });
        if house {
            self.accept(&id);
        }
        id
    }

    /// The number of open challenges that an account has sent.
    pub(crate) fn open_challenges(&self, from: &str) -> usize {
        self.challenges.values().filter(|challenge| challenge.from == from).count()
    }

    pub(super) fn accept(&mut self, id: &str) -> bool {
        let Some(challenge) = self.challenges.remove(id) else { return false };
        let number: usize = id.trim_start_matches("game").parse().unwrap_or(0);
        let mut players = [challenge.from, challenge.to];
        if number.is_multiple_of(2) {
            players.reverse();
        }
        self.games.insert(id.into(), ServerGame::new(id.into(), players.clone(), challenge.rules));
        for name in players {
            self.tell(&name, &started(id));
        }
        true
    }

    /// Clocks, and the moves of the server's own players.
    fn turn(&mut self) {
        for game in self.games.values_mut().filter(|game| game.is_running()) {
            game.look_at_clock();
            let name = game.players[usize::from(game.game.turn().is_black())].clone();
            let Some(&plies) = self.houses.get(&name) else { continue };
            if game.game.ply() >= plies {
                game.end("resign", Some(!game.game.turn()));
                continue;
            }
            let moves = game.game.legal_moves();
            let chosen = moves[(game.game.ply() * 7 + 3) % moves.len()];
            let uci = chosen.to_uci(game.game.castling_mode()).to_string();
            // A finished game is refused, which is as good as not moving.
            let _ = game.play(&name, &uci, false);
        }
        let over: Vec<(Value, [String; 2])> = self
            .games
            .values_mut()
            .filter(|game| !game.is_running() && !game.told_end)
            .map(|game| {
                game.told_end = true;
                let winner = game.winner.map(|winner| winner.fold_wb("white", "black"));
                let (id, status) = (&game.id, json!({"name": game.status}));
                let told = json!({"id": id, "gameId": id, "fullId": id, "status": status, "winner": winner});
                (json!({"type": "gameFinish", "game": told}), game.players.clone())
            })
            .collect();
        for (event, players) in over {
            for name in players {
                self.tell(&name, &event);
            }
        }
    }
}

pub(super) fn started(id: &str) -> Value {
    json!({"type": "gameStart", "game": {"id": id, "gameId": id, "fullId": format!("{id}full"), "isMyTurn": true}})
}
