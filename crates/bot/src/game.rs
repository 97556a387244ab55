//! One game: the board as the server describes it, and the thread that plays.
//!
//! # How a move reaches the server
//! The stream of the game is the only source of truth: the answer to a request may be lost, and a request may arrive although its answer
//! says that it did not. A move therefore has four states, each tied to the list of moves for which it was made, because after a takeback
//! or a reconnection the same ply may be another position:
//! 1. `thinking`: a search runs. If the list changes meanwhile, the search is stopped and its move dropped.
//! 2. `chosen`: the move is known and stays known, so that it can be sent again without another search.
//! 3. `sent`: a request was made. Nothing is sent for the same list until the stream shows another one.
//! 4. `confirm`: the deadline for that. When it passes, `sent` is forgotten and the chosen move is sent again. If it had arrived, this
//!    attempt is refused; one refusal is therefore no failure.

mod ongoing_game;
mod record;
mod respond;
mod stream;
mod way_out;

use std::{
    path::PathBuf,
    sync::{
        Arc, OnceLock,
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    time::{Duration, Instant},
};

use chess::{Decision, Search, StopSignal, Thinker, Thought};

pub(crate) use self::{
    ongoing_game::OngoingGame,
    stream::{Stream, StreamEnd, StreamItem},
};
use self::{record::MoveScore, respond::Latency, way_out::Exit};
use crate::{
    BotConfig, Client, EngineFactory, LogEvent, LogObserver,
    evaluation_history::EvaluationHistory,
    event::{Account, GameEnd, GameEvent, GameFull},
};

/// Minimum number of moves between two of the bot's draw offers, so that opponents are not pestered.
const OFFERS_APART: u32 = 10;
/// Longest wait for events; deadlines are checked at least this often.
const LONGEST_WAIT: Duration = Duration::from_secs(1);

/// Services shared by all games.
pub(crate) struct GameServices {
    pub(crate) client: Arc<Client>,
    pub(crate) observer: Arc<dyn LogObserver>,
    pub(crate) engines: Arc<dyn EngineFactory>,
    pub(crate) config: BotConfig,
    pub(crate) games: PathBuf,
    pub(crate) account: Account,
}

enum Input {
    Stream(StreamItem<GameEvent>),
    /// The end of the search with this number.
    Thought(u64, Box<Thought>),
}

struct Thinking {
    number: u64,
    /// The moves that lead to the position being searched.
    moves: String,
    stop: StopSignal,
}

/// A move chosen by the bot: being sent, or to be sent again.
struct Chosen {
    /// Moves of the game before it, as the server lists them.
    moves: String,
    uci: String,
    offers_draw: bool,
}

/// Plies at which an offer was answered or a draw claimed. The server repeats an offer with every state until it is withdrawn, and each
/// is answered once.
#[derive(Default)]
struct Answered {
    draw: Option<usize>,
    takeback: Option<usize>,
    claim: Option<usize>,
}

/// The way in which the thread of a game ended.
#[derive(Debug)]
pub(crate) enum Ending {
    /// The game is over.
    Played,
    /// It may still be running on the server.
    Left,
    /// The thread panicked, with this message.
    Crashed(String),
}

#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own, and any of them can be true together"
)]
pub(crate) struct GamePlay {
    services: Arc<GameServices>,
    id: String,
    sender: Sender<Input>,
    inputs: Receiver<Input>,
    ongoing: Option<OngoingGame>,
    search: Option<Box<dyn Search>>,
    /// Maximum nodes per move.
    nodes: Option<u64>,
    thinking: Option<Thinking>,
    searches: u64,
    evaluations: EvaluationHistory,
    scores: Vec<MoveScore>,
    chosen: Option<Chosen>,
    /// The moves that lead to the position that was answered.
    sent: Option<String>,
    latency: Latency,
    /// Deadline for the server's confirmation of the bot's move or resignation.
    confirm: Option<Instant>,
    /// Times that the server refused the current move for good.
    refusals: u32,
    started: Instant,
    /// Arrival time of the current state.
    arrived: Instant,
    /// Arrival time of the first state with the current moves.
    turn_since: Instant,
    /// The end of the game, once the account's stream has reported it.
    end: Arc<OnceLock<GameEnd>>,
    /// The time at which the reported end was noticed.
    end_noticed: Option<Instant>,
    /// Time from which the win can be claimed because the opponent has left.
    gone: Option<Instant>,
    /// True if the game, or its current position, cannot be played.
    unplayable: bool,
    exit: Option<Exit>,
    /// Set if the game ends here without a last line of its stream.
    ending: Option<Ending>,
    answered: Answered,
    /// The number of the move with which a draw was offered.
    last_offer: Option<u32>,
    greeted: bool,
}

impl GamePlay {
    /// A game; `end` is set when the account's stream reports the end.
    pub(crate) fn new(services: Arc<GameServices>, id: String, end: Arc<OnceLock<GameEnd>>) -> Self {
        let (sender, inputs) = channel();
        let now = Instant::now();
        Self {
            services,
            id,
            sender,
            inputs,
            ongoing: None,
            search: None,
            nodes: None,
            thinking: None,
            searches: 0,
            evaluations: EvaluationHistory::default(),
            scores: Vec::new(),
            chosen: None,
            sent: None,
            latency: Latency::default(),
            confirm: None,
            refusals: 0,
            started: now,
            arrived: now,
            turn_since: now,
            end,
            end_noticed: None,
            gone: None,
            unplayable: false,
            exit: None,
            ending: None,
            answered: Answered::default(),
            last_offer: None,
            greeted: false,
        }
    }

    /// Plays until the game is over or given up.
    pub(crate) fn run(mut self) -> Ending {
        let end = StreamEnd::default();
        Stream {
            client: Arc::clone(&self.services.client),
            observer: Arc::clone(&self.services.observer),
            path: format!("/api/bot/game/stream/{}", self.id),
            end: end.clone(),
        }
        .spawn(self.sender.clone(), Input::Stream);
        while self.continues() {
            let wait = self.until_next_alarm();
            match self.inputs.recv_timeout(wait) {
                Ok(Input::Stream(StreamItem::Event(event))) => {
                    if let Err(reason) = self.event(event) {
                        self.problem(reason);
                        self.unplayable = true;
                    }
                }
                Ok(Input::Stream(StreamItem::Gone(reason))) => {
                    self.problem(reason);
                    self.ending = Some(Ending::Left);
                }
                Ok(Input::Thought(number, thought)) => self.thought(number, *thought),
                // The game keeps a sender, so the channel cannot close.
                Ok(Input::Stream(StreamItem::Open))
                | Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
            }
            self.check_confirmation();
            self.check_for_stall();
        }
        end.end();
        if let Some(thinking) = &self.thinking {
            thinking.stop.stop();
        }
        self.finish();
        self.ending.unwrap_or(Ending::Played)
    }

    fn continues(&self) -> bool {
        self.ending.is_none() && self.ongoing.as_ref().is_none_or(|ongoing| ongoing.state().is_running())
    }

    fn until_next_alarm(&self) -> Duration {
        let next = [self.confirm, self.exit.as_ref().map(|exit| exit.due)].into_iter().flatten().min();
        let wait = next.map_or(LONGEST_WAIT, |next| next.saturating_duration_since(Instant::now()));
        wait.clamp(Duration::from_millis(1), LONGEST_WAIT)
    }

    /// Handles an event. An error is the reason why the game cannot be played.
    fn event(&mut self, event: GameEvent) -> Result<(), String> {
        match event {
            GameEvent::GameFull(full) => self.begin(&full)?,
            GameEvent::GameState(state) => {
                // Before the full game there is nothing for a state to continue.
                let Some(ongoing) = &mut self.ongoing else { return Ok(()) };
                let before = ongoing.state().moves.clone();
                if let Err(error) = ongoing.update(&state) {
                    self.problem(format!("a state was left out: {error}"));
                    return Ok(());
                }
                self.has_arrived(&before);
            }
            GameEvent::OpponentGone(gone) => {
                let seconds = gone.claim_win_in_seconds.filter(|_| gone.gone);
                let claims = self.services.config.games.claim_victory;
                self.gone = seconds
                    .filter(|_| claims)
                    .and_then(|seconds| Instant::now().checked_add(Duration::from_secs(seconds)));
            }
            GameEvent::Other => {}
        }
        self.proceed();
        Ok(())
    }

    /// The whole game: at the start, and after each reconnection.
    fn begin(&mut self, full: &GameFull) -> Result<(), String> {
        let ongoing = OngoingGame::new(full, &self.services.account.id).map_err(|error| error.to_string())?;
        if self.ongoing.is_none() {
            let engine = self.services.engines.build(&ongoing.setup())?;
            (self.search, self.nodes) = (Some(engine.search), engine.nodes);
            let players = format!("{} - {}", full.white.name, full.black.name);
            self.services.observer.report(&LogEvent::GameStarted { id: self.id.clone(), players });
        }
        // The server's list is authoritative: a move that is not in it has not arrived and is sent again.
        self.sent = None;
        let before = self.ongoing.replace(ongoing).map(|before| before.state().moves.clone());
        self.has_arrived(&before.unwrap_or_default());
        let fresh = self.ongoing.as_ref().is_some_and(OngoingGame::begins);
        if fresh && !self.greeted {
            let greeting = self.services.config.chat.greeting.clone();
            self.say(&greeting);
        }
        self.greeted = true;
        Ok(())
    }

    /// Notes that a state has arrived, after one with these moves.
    fn has_arrived(&mut self, before: &str) {
        self.arrived = Instant::now();
        if self.ongoing.as_ref().is_some_and(|ongoing| ongoing.state().moves != before) {
            self.turn_since = self.arrived;
            self.refusals = 0;
            self.unplayable = false;
            // After a takeback the same number of half-moves is another position.
            self.answered = Answered::default();
        }
    }

    /// Does what the current state requires.
    fn proceed(&mut self) {
        let Some(ongoing) = &self.ongoing else { return };
        if !ongoing.state().is_running() {
            return;
        }
        let moves = ongoing.state().moves.clone();
        if let Some(thinking) = &self.thinking
            && thinking.moves != moves
        {
            // Waits for its end, which returns the search; its move is dropped.
            thinking.stop.stop();
        }
        if self.sent.as_ref().is_some_and(|sent| *sent != moves) {
            // After a takeback the same moves may lead to another turn of the bot.
            (self.confirm, self.sent) = (None, None);
        }
        self.answer_offers();
        let Some(ongoing) = &self.ongoing else { return };
        if !ongoing.is_our_turn() || self.thinking.is_some() || self.sent.as_ref() == Some(&moves) {
            return;
        }
        if self.chosen.as_ref().is_some_and(|chosen| chosen.moves == moves) {
            self.send_move();
        } else {
            self.think(moves);
        }
    }

    fn think(&mut self, moves: String) {
        let Some(ongoing) = &self.ongoing else { return };
        if self.search.is_none() {
            match self.services.engines.build(&ongoing.setup()) {
                Ok(engine) => (self.search, self.nodes) = (Some(engine.search), engine.nodes),
                Err(reason) => {
                    self.problem(reason);
                    self.unplayable = true;
                    return;
                }
            }
        }
        let Some(search) = self.search.take() else { return };
        let overhead = Duration::from_millis(self.services.config.games.move_overhead_ms);
        // The clock in the state is that of the moment at which the server sent it. Since then time has passed here, and the move will
        // need a request to get back.
        let kept_back = overhead + self.latency.expected() + self.arrived.elapsed();
        let limits = ongoing.limits(kept_back, self.nodes);
        self.searches += 1;
        let (number, stop, game) = (self.searches, StopSignal::default(), ongoing.game().clone());
        let sender = self.sender.clone();
        self.thinking = Some(Thinking { number, moves, stop: stop.clone() });
        let thinker = Thinker { game, limits, stop };
        let spawned = thinker.spawn(
            "search",
            || Ok(search),
            |_| (),
            move |thought| {
                // Sending fails only when the game is over.
                let _ = sender.send(Input::Thought(number, Box::new(thought)));
            },
        );
        if let Err(error) = spawned {
            self.thinking = None;
            self.search_failed(&error);
        }
    }

    fn thought(&mut self, number: u64, thought: Thought) {
        let Some(thinking) = self.thinking.take_if(|thinking| thinking.number == number) else {
            return;
        };
        self.search = thought.search;
        let Some(ongoing) = &self.ongoing else { return };
        let current = !thinking.stop.is_stopped() && thinking.moves == ongoing.state().moves;
        match thought.result {
            Ok(decision) if current => self.decide(thinking.moves, &decision),
            Ok(_) => self.proceed(),
            Err(error) => self.search_failed(&error),
        }
    }

    /// Drops the search; a new one is tried after [`LONGEST_WAIT`], until the clock runs out.
    fn search_failed(&mut self, error: &dyn std::error::Error) {
        self.problem(format!("no move: {error}"));
        self.search = None;
        self.confirm = Some(Instant::now() + LONGEST_WAIT);
    }

    /// Plays the move, or resigns. If the server refuses the resignation, the game continues.
    fn decide(&mut self, moves: String, decision: &Decision) {
        let Some(ongoing) = &self.ongoing else { return };
        if let Some(line) = decision.info.judged_line() {
            self.evaluations.add(line.wdl.expected_score());
            self.scores.push(MoveScore { ply: ongoing.game().ply(), score: line.score });
        }
        let config = &self.services.config;
        if self.evaluations.resigns(ongoing.move_number(), &config.resignation) && self.request("resign") {
            self.confirm = Some(Instant::now() + self.services.client.settings().request);
            return;
        }
        let uci = decision.best.to_uci(ongoing.game().castling_mode()).to_string();
        // A draw by repetition or the fifty-move rule is not automatic on the server. The offer with the move that reaches it serves as
        // the claim; offers as such are rationed, claims are not.
        let claimable =
            ongoing.game().after(decision.best).outcome().is_some_and(|outcome| outcome.ending.needs_claim());
        let number = ongoing.move_number();
        let may_offer = self.last_offer.is_none_or(|last| number >= last + OFFERS_APART);
        let offers_draw = (may_offer && self.evaluations.offers_draw(number, &config.draws))
            || (claimable && self.evaluations.claims_draw(&config.draws));
        if offers_draw {
            self.last_offer = Some(number);
        }
        self.chosen = Some(Chosen { moves, uci, offers_draw });
        self.send_move();
    }

    /// Saves the game and sends the farewell message.
    fn finish(&mut self) {
        let Some(ongoing) = &mut self.ongoing else { return };
        if ongoing.state().is_running() {
            let Some(end) = self.end.get() else { return };
            ongoing.end(end);
        }
        let state = ongoing.state();
        let result = format!("{} ({})", record::result(state), state.status);
        let mut file = None;
        if ongoing.game().ply() > 0 {
            let (folder, site) = (&self.services.games, &self.services.client.settings().url);
            match record::write(folder, site, ongoing, &self.scores) {
                Ok(written) => file = Some(written),
                Err(error) => {
                    self.problem(format!("the game cannot be saved in {}: {error}", folder.display()));
                }
            }
            let farewell = self.services.config.chat.farewell.clone();
            self.say(&farewell);
        }
        self.services.observer.report(&LogEvent::GameOver { id: self.id.clone(), result, file });
    }
}
