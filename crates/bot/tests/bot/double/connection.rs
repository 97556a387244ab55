//! One connection: requests, and the streams into which they turn.

use std::{
    io::{self, BufReader, Write as _},
    net::{Shutdown, TcpStream},
    sync::{
        Arc, Mutex,
        mpsc::{Receiver, RecvTimeoutError, channel},
    },
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::{
    fault::Fault,
    game::GameRules,
    http::{self, Request},
    server::{State, lock, started},
};

/// Interval of the empty lines that show that a stream is alive.
const ALIVE: Duration = Duration::from_millis(50);
/// Time for which a silent stream stays open; longer than any client of the tests waits.
const SILENCE: Duration = Duration::from_secs(4);
/// Time for which nothing may come after "too many requests"; clients of the tests wait a little longer.
const PAUSE: Duration = Duration::from_millis(200);

enum Reply {
    /// A status and JSON.
    Answer(u16, String),
    /// A status and an HTML page.
    Refuse(u16),
    /// Closes the connection without a response.
    Close,
    /// An answer shorter than its header announces.
    Cut,
}

pub(super) struct Connection {
    pub(super) state: Arc<Mutex<State>>,
}

impl Connection {
    pub(super) fn serve(&self, stream: TcpStream) -> io::Result<()> {
        stream.set_nodelay(true)?;
        let mut reader = BufReader::new(stream.try_clone()?);
        let mut out = stream;
        while let Some(request) = http::read(&mut reader)? {
            if lock(&self.state).down_until.is_some_and(|until| Instant::now() < until) {
                return out.shutdown(Shutdown::Both);
            }
            let Some(name) = self.name(&request) else {
                http::answer(&mut out, 401, "application/json", "{\"error\":\"No such token\"}")?;
                continue;
            };
            let refused = lock(&self.state).refusal(&request.path);
            match refused {
                Some(0) => return out.shutdown(Shutdown::Both),
                Some(status) => {
                    self.refuse(&mut out, &name, status)?;
                    continue;
                }
                None => {}
            }
            if request.path == "/api/stream/event" {
                return self.events(&mut out, &name);
            }
            if let Some(id) = request.path.strip_prefix("/api/bot/game/stream/") {
                return self.game(&mut out, id);
            }
            *lock(&self.state).under_way.entry(name.clone()).or_default() += 1;
            let reply = self.request(&name, &request);
            // Before the answer: the client may send the next request as soon as it has the answer.
            *lock(&self.state).under_way.entry(name.clone()).or_default() -= 1;
            match reply {
                Reply::Answer(status, body) => http::answer(&mut out, status, "application/json", &body)?,
                Reply::Refuse(status) => self.refuse(&mut out, &name, status)?,
                Reply::Close => return out.shutdown(Shutdown::Both),
                Reply::Cut => {
                    out.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"ok\"")?;
                    return out.shutdown(Shutdown::Both);
                }
            }
        }
        Ok(())
    }

    /// Name of the account that sent the request. Requests that come too early after "too many" are noted.
    fn name(&self, request: &Request) -> Option<String> {
        let mut state = lock(&self.state);
        let name = state.accounts.get(&request.authorization)?.name.clone();
        if state.paused_until.get(&name).is_some_and(|until| Instant::now() < *until) {
            state.violations.push(format!("{} during the pause", request.path));
        }
        if request.method == "POST" && state.under_way.get(&name).copied().unwrap_or_default() > 0 {
            state.violations.push(format!("{} beside another request", request.path));
        }
        Some(name)
    }

    fn refuse(&self, out: &mut TcpStream, name: &str, status: u16) -> io::Result<()> {
        if status == 429 {
            lock(&self.state).paused_until.insert(name.into(), Instant::now() + PAUSE);
        }
        http::answer(out, status, "text/html", "<html><body>Bad gateway</body></html>")
    }

    fn events(&self, out: &mut TcpStream, name: &str) -> io::Result<()> {
        let (sender, receiver) = channel();
        let (fault, mut first) = {
            let mut state = lock(&self.state);
            *state.streams.entry("events").or_default() += 1;
            let fault = state.take_fault(|fault| format!("{fault:?}").starts_with("Events"));
            let games =
                state.games.values().filter(|game| game.is_running() && game.color_of(name).is_some());
            let mut first: Vec<String> = games.map(|game| started(&game.id).to_string()).collect();
            let open = state.challenges.values().filter(|challenge| challenge.to == name);
            first.extend(open.map(|open| json!({"type": "challenge", "challenge": open.told}).to_string()));
            let refused =
                matches!(fault, Some(Fault::EventsStatus(_) | Fault::EventsPage | Fault::EventsNoAnswer));
            if !refused {
                state.listeners.entry(name.into()).or_default().push(sender);
            }
            (fault, first)
        };
        match fault {
            Some(Fault::EventsStatus(status)) => return self.refuse(out, name, status),
            Some(Fault::EventsPage) => {
                http::answer(out, 200, "text/html", "<html>\n<body>Maintenance</body>\n</html>\n")?;
                return out.shutdown(Shutdown::Both);
            }
            Some(Fault::EventsNoAnswer) => return out.shutdown(Shutdown::Both),
            _ => http::begin_lines(out)?,
        }
        match fault {
            Some(Fault::EventsEnd) => return http::end_lines(out),
            Some(Fault::EventsCutLine) => {
                http::chunk(out, b"{\"type\":\"gameSt")?;
                return http::end_lines(out);
            }
            Some(Fault::EventsCutConnection) => {
                out.write_all(b"40\r\n{\"type\"")?;
                return out.shutdown(Shutdown::Both);
            }
            Some(Fault::EventsSilent) => {
                thread::sleep(SILENCE);
                return out.shutdown(Shutdown::Both);
            }
            Some(Fault::EventsGarbage) => {
                first.insert(0, "{\"type\":\"gameStart\",\"game\":".into());
                first.insert(0, "[1, 2, 3]".into());
                first.insert(0, "{\"type\":\"tournament\",\"x\":{\"y\":[]}}".into());
                first.insert(0, "x".repeat(3 << 19));
                http::chunk(out, b"\xff\xfe\n")?;
            }
            _ => {}
        }
        let copies = if fault == Some(Fault::EventsTwice) { 2 } else { 1 };
        forward(out, &first, &receiver, copies)
    }

    fn game(&self, out: &mut TcpStream, id: &str) -> io::Result<()> {
        let (sender, receiver) = channel();
        let (fault, full, old, name) = {
            let mut state = lock(&self.state);
            *state.streams.entry("game").or_default() += 1;
            let fault = state.take_fault(|fault| format!("{fault:?}").starts_with("Game"));
            let Some(game) = state.games.get_mut(id) else {
                drop(state);
                return http::answer(out, 404, "application/json", "{\"error\":\"No such game\"}");
            };
            if game.is_running() && !matches!(fault, Some(Fault::GameStatus(_))) {
                game.listeners.push(sender);
            }
            (fault, game.full(), game.last_states.clone(), game.players[0].clone())
        };
        if let Some(Fault::GameStatus(status)) = fault {
            return self.refuse(out, &name, status);
        }
        http::begin_lines(out)?;
        let mut first = vec![full.clone()];
        match fault {
            Some(Fault::GameEnds) => {
                http::chunk(out, format!("{full}\n").as_bytes())?;
                return http::end_lines(out);
            }
            Some(Fault::GameCutLine) => {
                http::chunk(out, &full.as_bytes()[..full.len() / 2])?;
                return http::end_lines(out);
            }
            Some(Fault::GameSilent) => {
                thread::sleep(SILENCE);
                return out.shutdown(Shutdown::Both);
            }
            Some(Fault::GameGarbage) => {
                http::chunk(out, b"{\"type\":\"gameFull\",\n\xff\n")?;
            }
            Some(Fault::GameLate) => first.extend(old.iter().take(1).cloned().chain([full.clone()])),
            _ => {}
        }
        let copies = if fault == Some(Fault::GameTwice) { 2 } else { 1 };
        forward(out, &first, &receiver, copies)
    }

    fn request(&self, name: &str, request: &Request) -> Reply {
        let parts: Vec<&str> = request.path.trim_start_matches('/').split('/').collect();
        if let ["api", "bot", "game", id, "move", uci] = parts[..] {
            let offers_draw = request.query.get("offeringDraw").is_some_and(|value| value == "true");
            return self.play(name, id, (uci, offers_draw));
        }
        let state = lock(&self.state);
        if parts == ["api", "account"] {
            let title = state.accounts.get(&request.authorization).and_then(|account| account.title);
            let account = json!({"id": name.to_lowercase(), "username": name, "title": title, "perfs": {}});
            return Reply::Answer(200, account.to_string());
        }
        if parts == ["api", "bot", "online"] {
            let line =
                |name: &String| json!({"id": name.to_lowercase(), "username": name}).to_string() + "\n";
            return Reply::Answer(200, state.accounts.values().map(|account| line(&account.name)).collect());
        }
        drop(state);
        match self.act(name, &parts, request) {
            Ok(answer) => Reply::Answer(200, answer.to_string()),
            Err((status, error)) => Reply::Answer(status, json!({"error": error}).to_string()),
        }
    }

    /// All requests that change something, except moves; returns the answer.
    fn act(&self, name: &str, parts: &[&str], request: &Request) -> Result<Value, (u16, String)> {
        let mut state = lock(&self.state);
        let missing = || (404, "Not found".to_owned());
        match *parts {
            ["api", "bot", "account", "upgrade"] => {
                let account = state.accounts.get_mut(&request.authorization).ok_or_else(missing)?;
                account.title = Some("BOT");
            }
            ["api", "challenge", id, "accept"] => {
                if !state.accept(id) {
                    return Err(missing());
                }
            }
            ["api", "challenge", id, "decline"] => {
                let challenge = state.challenges.remove(id).ok_or_else(missing)?;
                let reason = request.form.get("reason").cloned().unwrap_or_default();
                state.tell(
                    &challenge.from,
                    &json!({"type": "challengeDeclined", "challenge": challenge.told}),
                );
                state.declined.push((id.into(), reason));
            }
            ["api", "challenge", id, "cancel"] => {
                let is_own = state.challenges.get(id).is_some_and(|challenge| challenge.from == name);
                let challenge = is_own.then(|| state.challenges.remove(id)).flatten().ok_or_else(missing)?;
                let event = json!({"type": "challengeCanceled", "challenge": challenge.told});
                state.tell(&challenge.to, &event);
            }
            ["api", "challenge", to] => {
                let seconds = |key: &str| request.form.get(key).and_then(|text| text.parse::<u64>().ok());
                let (initial, increment) = (seconds("clock.limit"), seconds("clock.increment"));
                let (initial, increment) =
                    initial.zip(increment).ok_or_else(|| (400, "no clock in the form".to_owned()))?;
                let rules = GameRules {
                    initial_ms: initial * 1000,
                    increment_ms: increment * 1000,
                    ..GameRules::default()
                };
                return Ok(json!({"id": state.challenge(name, to, rules, &json!({})), "url": "x"}));
            }
            ["api", "bot", "game", id, ref action @ ..] => {
                let game = state.games.get_mut(id).ok_or_else(missing)?;
                let color = game.color_of(name).ok_or_else(missing)?;
                match *action {
                    ["chat"] => {
                        let text = request.form.get("text").cloned().unwrap_or_default();
                        game.chat.push((name.into(), text));
                    }
                    ["abort"] if game.game.ply() < 2 && game.is_running() => game.end("aborted", None),
                    ["resign"] if game.is_running() => game.end("resign", Some(!color)),
                    ["claim-victory"] if game.is_running() => game.end("timeout", Some(color)),
                    ["draw", word] if game.is_running() => game.draw(name, word == "yes"),
                    ["takeback", word] if game.is_running() => game.takeback(name, word == "yes"),
                    _ => return Err((400, "This cannot be done now".to_owned())),
                }
            }
            _ => return Err(missing()),
        }
        Ok(json!({"ok": true}))
    }

    fn play(&self, name: &str, id: &str, (uci, offers_draw): (&str, bool)) -> Reply {
        let fault = lock(&self.state).take_fault(|fault| {
            let name = format!("{fault:?}");
            name.starts_with("Move") || name.starts_with("Answer")
        });
        match fault {
            Some(Fault::MoveLost) => return Reply::Close,
            Some(Fault::MoveStatus(status)) => return Reply::Refuse(status),
            _ => {}
        }
        let played = match lock(&self.state).games.get_mut(id) {
            Some(game) => game.play(name, uci, offers_draw),
            None => Err("No such game".into()),
        };
        match (fault, played) {
            (Some(Fault::AnswerLost), _) => Reply::Close,
            (Some(Fault::AnswerCut), _) => Reply::Cut,
            (fault, played) => {
                if fault == Some(Fault::AnswerSlow) {
                    thread::sleep(Duration::from_millis(700));
                }
                match played {
                    Ok(()) => Reply::Answer(200, "{\"ok\":true}".into()),
                    Err(error) => Reply::Answer(400, json!({"error": error}).to_string()),
                }
            }
        }
    }
}

/// Sends lines as they come, each `copies` times, until nobody sends or reads them any more.
fn forward(
    out: &mut TcpStream,
    first: &[String],
    receiver: &Receiver<String>,
    copies: usize,
) -> io::Result<()> {
    let send = |out: &mut TcpStream, line: &str| {
        (0..copies).try_for_each(|_| http::chunk(out, format!("{line}\n").as_bytes()))
    };
    first.iter().try_for_each(|line| send(out, line))?;
    loop {
        match receiver.recv_timeout(ALIVE) {
            Ok(line) => send(out, &line)?,
            Err(RecvTimeoutError::Timeout) => http::chunk(out, b"\n")?,
            Err(RecvTimeoutError::Disconnected) => return http::end_lines(out),
        }
    }
}
