//! A game on the server: moves, clocks, offers, and the events of its streams.

use std::{
    sync::mpsc::Sender,
    time::{Duration, Instant},
};

use chess::{CastlingMode, Color, Game};
use serde_json::{Value, json};

#[derive(Clone, Debug)]
pub(crate) struct GameRules {
    pub(crate) variant: &'static str,
    /// The start position as the API writes it.
    pub(crate) fen: String,
    pub(crate) initial_ms: u64,
    pub(crate) increment_ms: u64,
    pub(crate) rated: bool,
    /// True for a game without a clock, whatever the times.
    pub(crate) untimed: bool,
}

impl Default for GameRules {
    fn default() -> Self {
        Self {
            variant: "standard",
            fen: "startpos".into(),
            initial_ms: 60_000,
            increment_ms: 1000,
            rated: false,
            untimed: false,
        }
    }
}

/// A game that is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finished {
    pub(crate) id: String,
    pub(crate) status: &'static str,
    pub(crate) winner: Option<Color>,
    pub(crate) plies: usize,
}

pub(crate) struct ServerGame {
    pub(crate) id: String,
    /// Names of White and Black.
    pub(crate) players: [String; 2],
    pub(crate) rules: GameRules,
    pub(crate) game: Game,
    moves: Vec<String>,
    pub(crate) status: &'static str,
    pub(crate) winner: Option<Color>,
    clocks: [Duration; 2],
    /// Start of the current turn, once the clocks run.
    since: Option<Instant>,
    draw_offers: [bool; 2],
    takebacks: [bool; 2],
    /// Open streams of the game.
    pub(crate) listeners: Vec<Sender<String>>,
    /// Name of the sender and text of each message.
    pub(crate) chat: Vec<(String, String)>,
    pub(crate) last_states: Vec<String>,
    /// True if the players were told that the game is over.
    pub(crate) told_end: bool,
}

fn index(color: Color) -> usize {
    usize::from(color.is_black())
}

impl ServerGame {
    pub(crate) fn new(id: String, players: [String; 2], rules: GameRules) -> Self {
        let mode = CastlingMode::from_chess960(rules.variant == "chess960");
        let game = match rules.fen.as_str() {
            "startpos" => Game::from_position(chess::Chess::default(), mode),
            fen => Game::from_fen(fen, mode).unwrap(),
        };
        let clocks = [Duration::from_millis(rules.initial_ms); 2];
        Self {
            id,
            players,
            rules,
            game,
            moves: Vec::new(),
            status: "started",
            winner: None,
            clocks,
            since: None,
            draw_offers: [false; 2],
            takebacks: [false; 2],
            listeners: Vec::new(),
            chat: Vec::new(),
            last_states: Vec::new(),
            told_end: false,
        }
    }

    pub(crate) fn color_of(&self, player: &str) -> Option<Color> {
        [Color::White, Color::Black].into_iter().find(|color| self.players[index(*color)] == player)
    }

    pub(crate) fn is_running(&self) -> bool {
        self.status == "started"
    }

    fn left(&self, color: Color) -> Duration {
        let spent = self.since.filter(|_| self.game.turn() == color).map(|since| since.elapsed());
        self.clocks[index(color)].saturating_sub(spent.unwrap_or_default())
    }

    /// Ends the game of a player whose clock has run out.
    pub(crate) fn look_at_clock(&mut self) {
        let turn = self.game.turn();
        if self.is_running() && !self.rules.untimed && self.since.is_some() && self.left(turn).is_zero() {
            self.end("outoftime", Some(!turn));
        }
    }

    pub(crate) fn play(&mut self, player: &str, uci: &str, offers_draw: bool) -> Result<(), String> {
        self.look_at_clock();
        let color = self.color_of(player).ok_or("Not your game")?;
        if !self.is_running() {
            return Err("Game already finished".into());
        }
        if self.game.turn() != color {
            return Err("Not your turn, or game already over".into());
        }
        let left = self.left(color);
        let played = self.game.play_uci(uci).map_err(|error| error.to_string())?;
        self.moves.push(played.to_uci(self.game.castling_mode()).to_string());
        if self.since.is_some() {
            self.clocks[index(color)] = left + Duration::from_millis(self.rules.increment_ms);
        }
        // The clocks run from the second move of the game on.
        self.since = (self.moves.len() >= 2).then(Instant::now);
        self.takebacks = [false; 2];
        self.draw_offers[index(!color)] = false;
        self.draw_offers[index(color)] = offers_draw;
        match self.game.outcome() {
            Some(outcome) if !outcome.ending.needs_claim() => {
                let status = if outcome.winner.is_some() { "mate" } else { "draw" };
                self.end(status, outcome.winner);
            }
            Some(_) if offers_draw => self.end("draw", None),
            _ => self.tell_state(),
        }
        Ok(())
    }

    /// A player's request about a draw: accepts an offered one, claims one that the rules allow, or offers one.
    pub(crate) fn draw(&mut self, player: &str, yes: bool) {
        let Some(color) = self.color_of(player) else { return };
        let claimable = self.game.outcome().is_some_and(|outcome| outcome.ending.needs_claim());
        if yes && (claimable || self.draw_offers[index(!color)]) {
            self.end("draw", None);
        } else {
            self.draw_offers = [false; 2];
            self.draw_offers[index(color)] = yes;
            self.tell_state();
        }
    }

    /// True if a player has asked to take a move back.
    pub(crate) fn takeback_is_open(&self) -> bool {
        self.takebacks.contains(&true)
    }

    /// A player's request or answer about a takeback.
    pub(crate) fn takeback(&mut self, player: &str, yes: bool) {
        let Some(color) = self.color_of(player) else { return };
        if yes && self.takebacks[index(!color)] {
            // The asking player's last move is removed, and with it the answer to it.
            loop {
                self.game.undo();
                self.moves.pop();
                if self.game.turn() != color || self.moves.is_empty() {
                    break;
                }
            }
            self.takebacks = [false; 2];
        } else {
            self.takebacks[index(color)] = yes;
            if !yes {
                self.takebacks = [false; 2];
            }
        }
        self.tell_state();
    }

    pub(crate) fn end(&mut self, status: &'static str, winner: Option<Color>) {
        (self.status, self.winner) = (status, winner);
        self.tell_state();
        // Streams of finished games end.
        self.listeners.clear();
    }

    pub(crate) fn tell(&mut self, line: &str) {
        self.listeners.retain(|listener| listener.send(line.to_owned()).is_ok());
    }

    fn tell_state(&mut self) {
        let line = self.state().to_string();
        self.last_states.push(line.clone());
        self.tell(&line);
    }

    fn state(&self) -> Value {
        let milliseconds = |color| self.left(color).as_millis() as u64;
        let mut state = json!({
            "type": "gameState",
            "moves": self.moves.join(" "),
            "wtime": milliseconds(Color::White),
            "btime": milliseconds(Color::Black),
            "winc": self.rules.increment_ms,
            "binc": self.rules.increment_ms,
            "status": self.status,
        });
        for (key, on) in [
            ("wdraw", self.draw_offers[0]),
            ("bdraw", self.draw_offers[1]),
            ("wtakeback", self.takebacks[0]),
            ("btakeback", self.takebacks[1]),
        ] {
            if on {
                state[key] = true.into();
            }
        }
        if let Some(winner) = self.winner {
            state["winner"] = winner.fold_wb("white", "black").into();
        }
        state
    }

    /// The first line of a stream.
    pub(crate) fn full(&self) -> String {
        let user =
            |name: &String| json!({"id": name.to_lowercase(), "name": name, "title": "BOT", "rating": 2000});
        let [white, black] = [&self.players[0], &self.players[1]].map(user);
        let clock = json!({"initial": self.rules.initial_ms, "increment": self.rules.increment_ms});
        json!({
            "type": "gameFull",
            "id": self.id,
            "variant": {"key": self.rules.variant, "name": "x", "short": "x"},
            "speed": "blitz",
            "perf": {"name": "Blitz"},
            "rated": self.rules.rated,
            "createdAt": 1_523_825_103_562_u64,
            "white": white,
            "black": black,
            "initialFen": self.rules.fen,
            "clock": (!self.rules.untimed).then_some(clock),
            "state": self.state(),
        })
        .to_string()
    }

    pub(crate) fn finished(&self) -> Finished {
        Finished { id: self.id.clone(), status: self.status, winner: self.winner, plies: self.moves.len() }
    }
}
