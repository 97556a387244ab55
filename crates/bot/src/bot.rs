//! The account: its events, its challenges, its games.

use std::{
    collections::{HashMap, VecDeque},
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU8, Ordering},
        mpsc::{RecvTimeoutError, Sender, channel},
    },
    thread,
    time::{Duration, Instant},
};

use chess::guarded;

use crate::{
    ApiError, BotSettings, Client, EngineFactory, LogEvent, LogObserver, Token,
    challenge::{Challenge, refusal},
    client::Backoff,
    event::{Account, AccountEvent, GameEnd},
    game::{Ending, GamePlay, GameServices, Stream, StreamEnd, StreamItem},
    matchmaking::{Matchmaker, SentChallenge},
};

/// Finished games that are remembered, because a stream that was lost and reopened may report their start once more. Far fewer
/// games end in between.
const REMEMBERED_GAMES: usize = 256;
/// Interval at which stop requests and matchmaking are checked.
const TURN: Duration = Duration::from_millis(200);
/// Maximum restarts of a game whose thread panicked or left it: the cause may be permanent.
const RESTARTS: u32 = 3;
/// Attempts to accept a challenge while the server fails; after them the next challenge gets its turn.
const ACCEPT_ATTEMPTS: u32 = 5;

/// Why a bot cannot run.
#[derive(Debug, thiserror::Error)]
pub enum BotError {
    /// The server cannot be reached or refuses the account.
    #[error(transparent)]
    Api(#[from] ApiError),
    /// The account is a person's.
    #[error(
        "{name} is not a bot account; `tabiya lichess --upgrade` turns it into one permanently, if it has never played a game"
    )]
    NoBot {
        /// The account of the token.
        name: String,
    },
    /// The server ended the stream of events permanently.
    #[error("the server refuses the account's event stream: {0}")]
    Refused(String),
}

const RUN: u8 = 0;
const FINISH: u8 = 1;
const LEAVE: u8 = 2;

/// A request to a running bot to end. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct StopRequest(Arc<AtomicU8>);

impl StopRequest {
    /// The first time: no new games, and the bot ends after the last running one. The second time: it ends at once.
    pub fn ask(&self) {
        // The closure always returns a state, so the update cannot fail.
        let _ = self.0.fetch_update(Ordering::AcqRel, Ordering::Acquire, |state| {
            Some(if state == RUN { FINISH } else { LEAVE })
        });
    }

    fn state(&self) -> u8 {
        self.0.load(Ordering::Acquire)
    }
}

/// Plays for one account, which may have several games at a time.
pub struct Bot {
    services: Arc<GameServices>,
}

enum Input {
    Stream(StreamItem<AccountEvent>),
    Ended(String, Ending),
    /// The server's answer to the withdrawal of the bot's own challenge, with the time at which that was sent.
    Withdrawn(String, Instant, Result<(), ApiError>),
}

impl Bot {
    /// Logs in.
    ///
    /// # Errors
    /// [`BotError`] if the server does not answer, refuses the token, or the account is a person's.
    pub fn connect(
        settings: BotSettings,
        token: Token,
        engines: Arc<dyn EngineFactory>,
        observer: Arc<dyn LogObserver>,
    ) -> Result<Self, BotError> {
        let client = Client::new(settings.connection, token, USER_AGENT)?;
        let account: Account = client.get("/api/account")?;
        if account.title.as_deref() != Some("BOT") {
            return Err(BotError::NoBot { name: account.username });
        }
        observer.report(&LogEvent::Connected { name: account.username.clone() });
        let (client, config, games) = (Arc::new(client), settings.config, settings.games);
        Ok(Self { services: Arc::new(GameServices { client, observer, engines, config, games, account }) })
    }

    /// Makes the account a bot account, which cannot be undone. Lichess allows it only for accounts that have played no game.
    ///
    /// # Errors
    /// [`BotError::Api`].
    pub fn upgrade(settings: &BotSettings, token: Token) -> Result<(), BotError> {
        let client = Client::new(settings.connection.clone(), token, USER_AGENT)?;
        Ok(client.post("/api/bot/account/upgrade", &[])?)
    }

    /// Accepts challenges and plays until the stop signal is set.
    ///
    /// # Errors
    /// [`BotError::Refused`] if the server no longer accepts the account.
    pub fn run(&self, stop: &StopRequest) -> Result<(), BotError> {
        let (sender, inputs) = channel();
        let end = StreamEnd::default();
        Stream {
            client: Arc::clone(&self.services.client),
            observer: Arc::clone(&self.services.observer),
            path: "/api/stream/event".into(),
            end: end.clone(),
        }
        .spawn(sender.clone(), Input::Stream);
        let mut scheduler = Scheduler::new(Arc::clone(&self.services), sender);
        let outcome = loop {
            match inputs.recv_timeout(TURN) {
                Ok(Input::Stream(StreamItem::Open)) => scheduler.report(&LogEvent::Listening),
                Ok(Input::Stream(StreamItem::Event(event))) => scheduler.event(event),
                Ok(Input::Stream(StreamItem::Gone(reason))) => break Err(BotError::Refused(reason)),
                Ok(Input::Ended(id, ending)) => scheduler.ended(id, ending),
                Ok(Input::Withdrawn(id, sent, answer)) => scheduler.withdrawn(&id, sent, answer),
                // The scheduler keeps a sender, so the channel cannot close.
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
            }
            match stop.state() {
                RUN => scheduler.look_for_games(),
                LEAVE => break Ok(()),
                _ => scheduler.close(),
            }
            if scheduler.is_done() {
                break Ok(());
            }
        };
        end.end();
        outcome
    }
}

/// User agent of all requests, required by Lichess.
const USER_AGENT: &str = concat!("tabiya/", env!("CARGO_PKG_VERSION"));

/// Waiting challenges and running games.
///
/// A challenge moves from `queue` to `accepted` to `running` to `finished`, and the server drives every step after the first: an accepted
/// challenge becomes a game only when the account's stream reports its start. That report can be lost with a broken stream, can come
/// twice, or can come for a game that was accepted by an earlier process. So a start is obeyed for any id that is neither running nor
/// finished, and an accepted challenge occupies a place only for the server's patience.
///
/// A challenge that the bot has sent may become a game as well, so it occupies a place until it is answered. It is withdrawn when that
/// takes too long, when another challenge waits for the place, and at the end; meanwhile it is in `accepted`, because its game may begin
/// before the server reads the withdrawal.
struct Scheduler {
    services: Arc<GameServices>,
    sender: Sender<Input>,
    matchmaker: Matchmaker,
    /// Open challenges that are waiting for a game to end.
    queue: VecDeque<Challenge>,
    /// Failed attempts to accept the first of them.
    attempts: u32,
    /// Accepted challenges whose games have not started yet.
    accepted: HashMap<String, Instant>,
    /// The bot's own open challenge, and the time at which it was sent.
    sent: Option<(String, Instant)>,
    /// Earliest time for accepting the next challenge.
    accept_from: Instant,
    backoff: Backoff,
    /// Running games, each with the place for its end.
    running: HashMap<String, Arc<OnceLock<GameEnd>>>,
    finished: VecDeque<String>,
    /// How often a game crashed or was left.
    troubles: HashMap<String, u32>,
    closed: bool,
}

impl Scheduler {
    fn new(services: Arc<GameServices>, sender: Sender<Input>) -> Self {
        let backoff = services.client.backoff();
        let matchmaker = Matchmaker::new(services.config.matchmaking.clone(), Instant::now());
        Self {
            services,
            sender,
            matchmaker,
            queue: VecDeque::new(),
            attempts: 0,
            accepted: HashMap::new(),
            sent: None,
            accept_from: Instant::now(),
            backoff,
            running: HashMap::new(),
            finished: VecDeque::new(),
            troubles: HashMap::new(),
            closed: false,
        }
    }

    fn report(&self, report: &LogEvent) {
        self.services.observer.report(report);
    }

    fn event(&mut self, event: AccountEvent) {
        match event {
            AccountEvent::Challenge { challenge } => self.challenge(challenge),
            AccountEvent::ChallengeCanceled { challenge } | AccountEvent::ChallengeDeclined { challenge } => {
                self.queue.retain(|waiting| waiting.id != challenge.id);
                self.settle(&challenge.id);
            }
            AccountEvent::GameStart { game } => match game.name() {
                Some(name) => self.start(name.to_owned()),
                None => self.report(&LogEvent::BadLine {
                    path: "/api/stream/event".into(),
                    reason: "a game start without an id".into(),
                }),
            },
            AccountEvent::GameFinish { game } => {
                let name = game.name().unwrap_or_default();
                self.settle(name);
                match self.running.get(name) {
                    // The first one counts, if it comes twice.
                    Some(end) => drop(end.set(game.end())),
                    None => drop(self.troubles.remove(name)),
                }
            }
            AccountEvent::Other => {}
        }
    }

    fn challenge(&mut self, challenge: Challenge) {
        // The server repeats open challenges whenever the stream is opened.
        let known = self.accepted.contains_key(&challenge.id)
            || self.running.contains_key(&challenge.id)
            || self.queue.iter().any(|waiting| waiting.id == challenge.id);
        let open = challenge.status.is_empty() || challenge.status == "created";
        if known || !open || challenge.challenger.id == self.services.account.id {
            return;
        }
        let config = &self.services.config.challenges;
        let full = self.queue.len() >= config.queue && !self.has_room() && self.sent.is_none();
        let reason = if self.closed || full { Some("later") } else { refusal(&challenge, config) };
        match reason {
            None => {
                self.queue.push_back(challenge);
                self.take_next();
            }
            Some(reason) => {
                let path = format!("/api/challenge/{}/decline", challenge.id);
                self.post(&path, &[("reason", reason)]);
                let described = challenge.describe();
                self.report(&LogEvent::Declined { id: challenge.id, challenge: described, reason });
            }
        }
    }

    fn has_room(&self) -> bool {
        let sent = usize::from(self.sent.is_some());
        self.running.len() + self.accepted.len() + sent < self.services.config.games.concurrent
    }

    /// Notes that a challenge has become a game, or never will.
    fn settle(&mut self, id: &str) {
        self.accepted.remove(id);
        if self.sent.as_ref().is_some_and(|sent| sent.0 == id) {
            self.sent = None;
        }
    }

    /// Withdraws the bot's own open challenge. The request has a thread of its own, because the server may have requested a long pause:
    /// a second signal to end is heard meanwhile, and a bot that ends waits no longer than for the start of an accepted game.
    fn withdraw(&mut self) {
        let Some((id, sent)) = self.sent.take() else { return };
        self.accepted.insert(id.clone(), Instant::now());
        let (services, sender) = (Arc::clone(&self.services), self.sender.clone());
        thread::spawn(move || {
            let answer = services.client.post(&format!("/api/challenge/{id}/cancel"), &[]);
            // Fails only when the bot has ended.
            let _ = sender.send(Input::Withdrawn(id, sent, answer));
        });
    }

    /// A challenge that the server did not withdraw keeps its place as long as one that was not withdrawn: it may have been accepted.
    fn withdrawn(&mut self, id: &str, sent: Instant, answer: Result<(), ApiError>) {
        match answer {
            Ok(()) => self.settle(id),
            Err(error) => {
                self.report(&LogEvent::RequestFailed { reason: error.to_string() });
                if let Some(since) = self.accepted.get_mut(id) {
                    *since = sent;
                }
            }
        }
    }

    /// Accepts waiting challenges while there is room. An error answer, as for a withdrawn challenge, is
    /// reported; without an answer the request is repeated a few times, with pauses.
    fn take_next(&mut self) {
        let now = Instant::now();
        let patience = self.services.client.settings().patience;
        self.accepted.retain(|_, since| now.saturating_duration_since(*since) < patience);
        let is_late = |sent: Instant| now.saturating_duration_since(sent) >= patience;
        let is_in_the_way = !self.queue.is_empty() && !self.has_room();
        if self.sent.as_ref().is_some_and(|sent| is_in_the_way || is_late(sent.1)) {
            self.withdraw();
        }
        while self.has_room() && !self.closed && now >= self.accept_from {
            let Some(challenge) = self.queue.pop_front() else { return };
            match self.services.client.post(&format!("/api/challenge/{}/accept", challenge.id), &[]) {
                Ok(()) => {
                    self.backoff.reset();
                    let (id, challenge) = (challenge.id.clone(), challenge.describe());
                    self.accepted.insert(id.clone(), now);
                    self.report(&LogEvent::Accepted { id, challenge });
                }
                Err(error) => {
                    self.report(&LogEvent::RequestFailed { reason: error.to_string() });
                    if error.is_transient() {
                        self.accept_from = now + self.backoff.pause();
                        self.attempts += 1;
                        if self.attempts < ACCEPT_ATTEMPTS {
                            self.queue.push_front(challenge);
                            return;
                        }
                    }
                }
            }
            self.attempts = 0;
        }
    }

    fn start(&mut self, id: String) {
        self.settle(&id);
        if self.finished.contains(&id) || self.running.contains_key(&id) {
            return;
        }
        let end = Arc::new(OnceLock::new());
        self.running.insert(id.clone(), Arc::clone(&end));
        let (services, sender) = (Arc::clone(&self.services), self.sender.clone());
        thread::spawn(move || {
            let play = GamePlay::new(services, id.clone(), end);
            let ending = guarded(|| play.run());
            let ending = ending.unwrap_or_else(|panicked| Ending::Crashed(panicked.to_string()));
            // Fails only when the bot has ended.
            let _ = sender.send(Input::Ended(id, ending));
        });
    }

    fn ended(&mut self, id: String, ending: Ending) {
        self.running.remove(&id);
        self.matchmaker.busy(Instant::now());
        let (crashed, left) = (matches!(ending, Ending::Crashed(_)), matches!(ending, Ending::Left));
        if let Ending::Crashed(reason) = ending {
            let reason = format!("the thread of the game {reason}");
            self.report(&LogEvent::GameProblem { id: id.clone(), reason });
        }
        if crashed || left {
            let troubles = self.troubles.entry(id.clone()).or_default();
            *troubles += 1;
            let again = *troubles <= RESTARTS;
            // A game that crashed is known to be running, so it is started at once. One that was left may be over; the next stream of
            // the account names it if it is not.
            if again && crashed {
                return self.start(id);
            }
            if again {
                return self.take_next();
            }
        }
        self.troubles.remove(&id);
        self.finished.push_back(id);
        if self.finished.len() > REMEMBERED_GAMES {
            self.finished.pop_front();
        }
        self.take_next();
    }

    /// Accepts waiting challenges, and sends a challenge when one is due.
    fn look_for_games(&mut self) {
        self.take_next();
        let now = Instant::now();
        // Without an idle time a challenge is always due.
        let is_idle = self.running.is_empty() && self.accepted.is_empty() && self.queue.is_empty();
        let may_challenge = is_idle && self.sent.is_none();
        if may_challenge && self.matchmaker.is_due(now, self.services.client.settings().patience) {
            let me = self.services.account.id.clone();
            match self.matchmaker.challenge(&self.services.client, &me, now) {
                Ok(Some(SentChallenge { id, opponent })) => {
                    self.sent = Some((id, Instant::now()));
                    self.report(&LogEvent::Challenged { opponent });
                }
                Ok(None) => {}
                Err(error) => self.report(&LogEvent::RequestFailed { reason: error.to_string() }),
            }
        }
    }

    /// No new games from now on.
    fn close(&mut self) {
        if !self.closed {
            self.closed = true;
            self.report(&LogEvent::Ending { games: self.running.len() });
            self.withdraw();
            for challenge in std::mem::take(&mut self.queue) {
                self.post(&format!("/api/challenge/{}/decline", challenge.id), &[("reason", "later")]);
            }
        }
    }

    /// True if no game is left to play. One whose challenge was accepted is about to begin, unless the server has had its time; so may one
    /// whose challenge is being withdrawn.
    fn is_done(&self) -> bool {
        let patience = self.services.client.settings().patience;
        let awaits_start = self.accepted.values().any(|since| since.elapsed() < patience);
        self.closed && self.running.is_empty() && !awaits_start
    }

    /// Sends a request, and reports a failure.
    fn post(&self, path: &str, form: &[(&str, &str)]) {
        if let Err(error) = self.services.client.post(path, form) {
            self.report(&LogEvent::RequestFailed { reason: error.to_string() });
        }
    }
}
