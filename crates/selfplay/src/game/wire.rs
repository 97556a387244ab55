//! The bytes of a game: one JSON object, compressed with zstd. `docs/formats.md` describes it for readers in other languages.

use std::io::Read as _;

use chess::{CastlingMode, Game, Move, Wdl, parse_uci_move, print_uci_move};
use dataset::record::Winner;
use serde::{Deserialize, Serialize};

use super::{GameEnd, GameId, PlayedMove, Resignation, SearchFinding, SelfPlayGame};

/// First field of every game; never reused for something else.
pub const FORMAT: &str = "tabiya-selfplay-game";

/// The version that is written and read.
pub const VERSION: u32 = 1;

/// Maximum bytes of an unpacked game: a game of 10,000 half-moves with 50 moves considered in each.
const MOST_BYTES: u64 = 16 << 20;

// The default of zstd.
const LEVEL: i32 = 3;

/// Why bytes are not a game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place} is not a game of version {VERSION}: {reason}")]
pub struct BadGame {
    /// Path or address that the bytes come from.
    pub place: String,
    /// Description of what was found and what was expected.
    pub reason: String,
}

#[derive(Serialize, Deserialize)]
struct Header {
    format: String,
    version: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireGame {
    format: String,
    version: u32,
    id: GameId,
    program: String,
    seed: u64,
    start: String,
    moves: Vec<WireMove>,
    winner: Winner,
    end: GameEnd,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    doubted: Option<Resignation>,
    evaluations: u64,
    seconds: f64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireMove {
    #[serde(rename = "move")]
    played: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    search: Option<WireSearch>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireSearch {
    /// Probabilities of win, draw and loss.
    value: [f32; 3],
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    policy: Vec<(String, u32)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    surprise: Option<f64>,
}

impl WireSearch {
    fn new(search: &SearchFinding, mode: CastlingMode) -> Self {
        let policy = search.policy.iter();
        Self {
            value: [search.value.win, search.value.draw, search.value.loss],
            policy: policy.map(|&(chess_move, share)| (print_uci_move(chess_move, mode), share)).collect(),
            surprise: search.surprise,
        }
    }

    /// The finding in this position. Everything that learning relies on is checked: the value is a distribution, and the policy has
    /// legal moves, each once, with some weight.
    fn read(self, game: &Game) -> Result<SearchFinding, String> {
        let [win, draw, loss] = self.value;
        let is_distribution = self.value.iter().all(|part| (0.0..=1.0).contains(part))
            && (win + draw + loss - 1.0).abs() < 1e-3;
        if !is_distribution {
            return Err(format!("found the value {:?}, expected probabilities that add up to 1", self.value));
        }
        let mut policy: Vec<(Move, u32)> = Vec::with_capacity(self.policy.len());
        for (text, share) in &self.policy {
            policy.push((legal_move(game, text)?, *share));
        }
        for (place, (chess_move, _)) in policy.iter().enumerate() {
            if policy[..place].iter().any(|(seen, _)| seen == chess_move) {
                return Err(format!("found the move {} twice in its policy", self.policy[place].0));
            }
        }
        if !policy.is_empty() && policy.iter().all(|(_, share)| *share == 0) {
            return Err("found a policy without a visit".into());
        }
        Ok(SearchFinding { value: Wdl { win, draw, loss }, policy, surprise: self.surprise })
    }
}

fn legal_move(game: &Game, text: &str) -> Result<Move, String> {
    parse_uci_move(game.position(), text).map_err(|error| error.to_string())
}

impl SelfPlayGame {
    /// The bytes of the game.
    ///
    /// # Errors
    /// No known case; any error of the compressor or the serialiser.
    pub fn to_bytes(&self) -> std::io::Result<Vec<u8>> {
        let mode = self.begin().map_or(CastlingMode::Standard, |game| game.castling_mode());
        let moves = self.moves.iter().map(|played| WireMove {
            played: print_uci_move(played.chess_move, mode),
            search: played.search.as_ref().map(|search| WireSearch::new(search, mode)),
        });
        let wire = WireGame {
            format: FORMAT.into(),
            version: VERSION,
            id: self.id.clone(),
            program: self.program.clone(),
            seed: self.seed,
            start: self.start.clone(),
            moves: moves.collect(),
            winner: self.winner,
            end: self.end,
            doubted: self.doubted,
            evaluations: self.evaluations,
            seconds: self.seconds,
        };
        zstd::encode_all(serde_json::to_vec(&wire)?.as_slice(), LEVEL)
    }

    /// Reads a game and plays it through, so the result is legal. `place` names the bytes in errors.
    ///
    /// # Errors
    /// [`BadGame`] for bytes that are cut off, of another format or version, or a game that breaks the rules.
    pub fn from_bytes(bytes: &[u8], place: &str) -> Result<Self, BadGame> {
        read(bytes).map_err(|reason| BadGame { place: place.into(), reason })
    }
}

fn read(bytes: &[u8]) -> Result<SelfPlayGame, String> {
    let mut json = Vec::new();
    let unpacked =
        zstd::Decoder::new(bytes).and_then(|text| text.take(MOST_BYTES + 1).read_to_end(&mut json));
    unpacked.map_err(|error| format!("its zstd stream is damaged or cut off ({error})"))?;
    if json.len() as u64 > MOST_BYTES {
        return Err(format!("it unpacks to more than {MOST_BYTES} bytes"));
    }
    // Format and version first: other versions may have other fields.
    let header: Header = serde_json::from_slice(&json).map_err(|error| error.to_string())?;
    if (header.format.as_str(), header.version) != (FORMAT, VERSION) {
        return Err(format!(
            "found format {:?} version {}, expected {FORMAT:?} version {VERSION}",
            header.format, header.version
        ));
    }
    let wire: WireGame = serde_json::from_slice(&json).map_err(|error| error.to_string())?;
    let mut game = Game::from_any_fen(&wire.start).map_err(|error| error.to_string())?;
    let mut moves = Vec::with_capacity(wire.moves.len());
    for (ply, wire_move) in wire.moves.into_iter().enumerate() {
        let played =
            read_move(&game, wire_move).map_err(|reason| format!("half-move {}: {reason}", ply + 1))?;
        game.play_unchecked(played.chess_move);
        moves.push(played);
    }
    Ok(SelfPlayGame {
        id: wire.id,
        program: wire.program,
        seed: wire.seed,
        start: wire.start,
        moves,
        winner: wire.winner,
        end: wire.end,
        doubted: wire.doubted,
        evaluations: wire.evaluations,
        seconds: wire.seconds,
    })
}

fn read_move(game: &Game, wire: WireMove) -> Result<PlayedMove, String> {
    let chess_move = legal_move(game, &wire.played)?;
    let search = wire.search.map(|search| search.read(game)).transpose()?;
    Ok(PlayedMove { chess_move, search })
}

#[cfg(test)]
mod tests;
