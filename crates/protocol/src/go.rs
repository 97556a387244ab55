//! The `go` command.

use std::{fmt, num::NonZeroU32, time::Duration};

use chess::shakmaty::{CastlingMode, Color, uci::UciMove};

use chess::{Clock, Game, Limits};

use crate::tokens::Tokens;

/// The limits of a `go` command, with the clocks of both sides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Go {
    /// Search only these moves; all when empty.
    pub search_moves: Vec<UciMove>,
    /// Search on the opponent's time, until `ponderhit` or `stop`.
    pub ponder: bool,
    /// White's remaining time; `wtime`.
    pub white_time: Option<Duration>,
    /// Black's remaining time; `btime`.
    pub black_time: Option<Duration>,
    /// White's increment per move; `winc`.
    pub white_increment: Option<Duration>,
    /// Black's increment per move; `binc`.
    pub black_increment: Option<Duration>,
    /// Moves to the next time control; if absent, the clock is for the rest of the game.
    pub moves_to_go: Option<u32>,
    /// Depth limit in plies.
    pub depth: Option<u32>,
    /// `nodes`: ends the search after this number of nodes.
    pub nodes: Option<u64>,
    /// Stop when a mate in this many moves, from 1, is found.
    pub mate: Option<u32>,
    /// Search exactly this long.
    pub move_time: Option<Duration>,
    /// Search until `stop`.
    pub infinite: bool,
    /// Run perft to this depth instead of a search (Stockfish's extension).
    pub perft: Option<u32>,
}

/// The words that end the list of `searchmoves`.
const KEYWORDS: &[&str] = &[
    "searchmoves",
    "ponder",
    "wtime",
    "btime",
    "winc",
    "binc",
    "movestogo",
    "depth",
    "nodes",
    "mate",
    "movetime",
    "infinite",
    "perft",
];

impl Go {
    /// The command for `limits` with `turn` to move. [`Limits`] has only the mover's clock, so the other side's is missing.
    pub fn from_limits(limits: &Limits, turn: Color, mode: CastlingMode) -> Self {
        let mut go = Self {
            search_moves: limits.search_moves.iter().map(|chess_move| chess_move.to_uci(mode)).collect(),
            ponder: limits.ponder,
            depth: limits.depth,
            nodes: limits.nodes,
            mate: limits.mate,
            move_time: limits.move_time,
            infinite: limits.infinite,
            ..Self::default()
        };
        if let Some(clock) = limits.clock {
            let (time, increment) = match turn {
                Color::White => (&mut go.white_time, &mut go.white_increment),
                Color::Black => (&mut go.black_time, &mut go.black_increment),
            };
            *time = Some(clock.remaining);
            *increment = Some(clock.increment);
            go.moves_to_go = clock.moves_to_go;
        }
        go
    }

    /// The limits for the side to move in `game`, and the illegal search moves, which are left out. The other side's clock is
    /// ignored.
    pub fn limits(&self, game: &Game) -> (Limits, Vec<UciMove>) {
        let (time, increment) = match game.turn() {
            Color::White => (self.white_time, self.white_increment),
            Color::Black => (self.black_time, self.black_increment),
        };
        let mut illegal = Vec::new();
        let mut search_moves = Vec::new();
        for uci_move in &self.search_moves {
            match uci_move.to_move(game.position()) {
                Ok(chess_move) => search_moves.push(chess_move),
                Err(_illegal) => illegal.push(*uci_move),
            }
        }
        let clock = time.map(|remaining| Clock {
            remaining,
            increment: increment.unwrap_or_default(),
            moves_to_go: self.moves_to_go,
        });
        let limits = Limits {
            nodes: self.nodes,
            depth: self.depth,
            mate: self.mate,
            move_time: self.move_time,
            clock,
            infinite: self.infinite,
            ponder: self.ponder,
            search_moves,
        };
        (limits, illegal)
    }

    /// True if either side's clock was given.
    pub fn has_clock(&self) -> bool {
        self.white_time.is_some() || self.black_time.is_some()
    }

    /// Reads the tokens after `go`.
    pub(super) fn parse(tokens: &mut Tokens<'_>, ignored: &mut Vec<String>) -> Self {
        let mut go = Self::default();
        while let Some(token) = tokens.next() {
            let understood = match token {
                "searchmoves" => {
                    let moves = tokens.text_until(|token| KEYWORDS.contains(&token));
                    go.take_search_moves(moves, ignored);
                    true
                }
                "ponder" => set(&mut go.ponder),
                "infinite" => set(&mut go.infinite),
                "wtime" => read_milliseconds(&mut go.white_time, tokens),
                "btime" => read_milliseconds(&mut go.black_time, tokens),
                "winc" => read_milliseconds(&mut go.white_increment, tokens),
                "binc" => read_milliseconds(&mut go.black_increment, tokens),
                "movestogo" => read(&mut go.moves_to_go, tokens),
                "depth" => read(&mut go.depth, tokens),
                "nodes" => read(&mut go.nodes, tokens),
                "mate" => read_mate(&mut go.mate, tokens),
                "movetime" => read_milliseconds(&mut go.move_time, tokens),
                "perft" => read(&mut go.perft, tokens),
                _ => false,
            };
            // Reported, not refused: the GUI waits for a `bestmove` whatever it sent.
            if !understood {
                ignored.push(token.into());
            }
        }
        // Some GUIs send 0 moves to go if there is no further time control.
        go.moves_to_go = go.moves_to_go.filter(|moves| *moves > 0);
        go
    }

    fn take_search_moves(&mut self, moves: &str, ignored: &mut Vec<String>) {
        for token in moves.split_whitespace() {
            match token.parse() {
                Ok(uci_move) => self.search_moves.push(uci_move),
                Err(_not_a_move) => ignored.push(token.into()),
            }
        }
    }
}

fn set(flag: &mut bool) -> bool {
    *flag = true;
    true
}

fn read<T: std::str::FromStr>(field: &mut Option<T>, tokens: &mut Tokens<'_>) -> bool {
    let value = tokens.parse();
    let understood = value.is_some();
    if understood {
        *field = value;
    }
    understood
}

/// A mate in 0 moves is on the board already: such a search would never end.
fn read_mate(field: &mut Option<u32>, tokens: &mut Tokens<'_>) -> bool {
    let moves: Option<NonZeroU32> = tokens.parse();
    if let Some(moves) = moves {
        *field = Some(moves.get());
    }
    moves.is_some()
}

/// Times are whole milliseconds. Some GUIs send a negative clock to a player who is out of time; it counts as 0.
fn read_milliseconds(field: &mut Option<Duration>, tokens: &mut Tokens<'_>) -> bool {
    let value: Option<i64> = tokens.parse();
    if let Some(value) = value {
        *field = Some(Duration::from_millis(u64::try_from(value).unwrap_or(0)));
    }
    value.is_some()
}

impl fmt::Display for Go {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("go")?;
        if self.ponder {
            formatter.write_str(" ponder")?;
        }
        let times = [
            ("wtime", self.white_time),
            ("btime", self.black_time),
            ("winc", self.white_increment),
            ("binc", self.black_increment),
            ("movetime", self.move_time),
        ];
        for (name, time) in times {
            if let Some(time) = time {
                write!(formatter, " {name} {}", time.as_millis())?;
            }
        }
        let numbers = [
            ("movestogo", self.moves_to_go.map(u64::from)),
            ("depth", self.depth.map(u64::from)),
            ("nodes", self.nodes),
            ("mate", self.mate.map(u64::from)),
            ("perft", self.perft.map(u64::from)),
        ];
        for (name, number) in numbers {
            if let Some(number) = number {
                write!(formatter, " {name} {number}")?;
            }
        }
        if self.infinite {
            formatter.write_str(" infinite")?;
        }
        if !self.search_moves.is_empty() {
            formatter.write_str(" searchmoves")?;
        }
        self.search_moves.iter().try_for_each(|uci_move| write!(formatter, " {uci_move}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Command, ParsedCommand};

    fn go(line: &str) -> (Go, Vec<String>) {
        match Command::parse(line) {
            Ok(ParsedCommand { command: Command::Go(go), ignored }) => (*go, ignored),
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn clocks_are_the_movers() {
        let (go, ignored) = go("go wtime 1000 btime 2000 winc 10 binc 20 movestogo 40");
        assert!(ignored.is_empty());
        let mut game = Game::default();
        let clock = go.limits(&game).0.clock.unwrap();
        assert_eq!((clock.remaining.as_millis(), clock.increment.as_millis()), (1000, 10));
        assert_eq!(clock.moves_to_go, Some(40));
        let first = game.legal_moves()[0];
        game.play(first).unwrap();
        let clock = go.limits(&game).0.clock.unwrap();
        assert_eq!((clock.remaining.as_millis(), clock.increment.as_millis()), (2000, 20));
    }

    #[test]
    fn malformed_limits_are_skipped_and_reported() {
        let (parsed, ignored) = go("go depth many nodes 12 sideways movetime");
        assert_eq!(parsed, Go { nodes: Some(12), ..Go::default() });
        assert_eq!(ignored, ["depth", "many", "sideways", "movetime"]);
        let (parsed, ignored) = go("go nodes -1 depth 99999999999999999999");
        assert_eq!(parsed, Go::default());
        assert_eq!(ignored.len(), 4);
        let (parsed, ignored) = go("go mate 0 mate -3 depth 2");
        assert_eq!(parsed, Go { depth: Some(2), ..Go::default() });
        assert_eq!(ignored, ["mate", "0", "mate", "-3"]);
        assert_eq!(go("go movestogo 0 mate 3"), (Go { mate: Some(3), ..Go::default() }, Vec::new()));
    }

    #[test]
    fn a_negative_clock_is_an_empty_one() {
        assert_eq!(go("go wtime -30 btime 5").0.white_time, Some(Duration::ZERO));
    }

    #[test]
    fn search_moves_end_at_the_next_limit() {
        let (parsed, ignored) = go("go searchmoves e2e4 d2d4 xyz depth 3");
        assert_eq!(parsed.search_moves.len(), 2);
        assert_eq!(parsed.depth, Some(3));
        assert_eq!(ignored, ["xyz"]);
        let (limits, illegal) = go("go searchmoves e2e4 e2e5").0.limits(&Game::default());
        assert_eq!(limits.search_moves.len(), 1);
        assert_eq!(illegal.len(), 1);
    }

    #[test]
    fn limits_survive_the_wire() {
        let game = Game::default();
        let limits = Limits {
            nodes: Some(800),
            clock: Some(Clock {
                remaining: Duration::from_millis(1234),
                increment: Duration::from_millis(5),
                moves_to_go: Some(3),
            }),
            search_moves: game.legal_moves().into_iter().take(2).collect(),
            ..Limits::default()
        };
        let line = Go::from_limits(&limits, game.turn(), game.castling_mode()).to_string();
        assert_eq!(go(&line).0.limits(&game), (limits, Vec::new()));
    }
}
