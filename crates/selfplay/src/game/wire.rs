//! The bytes of a game: one JSON object, compressed with zstd. `docs/formats.md` describes it for readers in other languages.

use std::io::Read as _;

use chess::{CastlingMode, Game, Wdl, parse_uci_move, print_uci_move};
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

impl SelfPlayGame {
    /// The bytes of the game.
    ///
    /// # Errors
    /// No known case; any error of the compressor or the serialiser.
    pub fn to_bytes(&self) -> std::io::Result<Vec<u8>> {
        let mode = self.begin().map_or(CastlingMode::Standard, |game| game.castling_mode());
        let text = |chess_move| print_uci_move(chess_move, mode);
        let finding = |search: &SearchFinding| WireSearch {
            value: [search.value.win, search.value.draw, search.value.loss],
            policy: search.policy.iter().map(|&(chess_move, share)| (text(chess_move), share)).collect(),
            surprise: search.surprise,
        };
        let wire = WireGame {
            format: FORMAT.into(),
            version: VERSION,
            id: self.id.clone(),
            program: self.program.clone(),
            seed: self.seed,
            start: self.start.clone(),
            moves: self
                .moves
                .iter()
                .map(|played| WireMove {
                    played: text(played.chess_move),
                    search: played.search.as_ref().map(finding),
                })
                .collect(),
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
    let legal = |text: &str| parse_uci_move(game.position(), text).map_err(|error| error.to_string());
    let chess_move = legal(&wire.played)?;
    let search = wire.search.map(|search| -> Result<SearchFinding, String> {
        let [win, draw, loss] = search.value;
        let sum = win + draw + loss;
        if !(search.value.iter().all(|part| (0.0..=1.0).contains(part)) && (sum - 1.0).abs() < 1e-3) {
            return Err(format!(
                "found the value {:?}, expected probabilities that add up to 1",
                search.value
            ));
        }
        let policy: Result<Vec<_>, String> =
            search.policy.iter().map(|(text, share)| Ok((legal(text)?, *share))).collect();
        let policy = policy?;
        let twice =
            (1..policy.len()).find(|&place| policy[..place].iter().any(|(seen, _)| *seen == policy[place].0));
        if let Some(place) = twice {
            return Err(format!("found the move {} twice in its policy", search.policy[place].0));
        }
        if !policy.is_empty() && policy.iter().all(|(_, share)| *share == 0) {
            return Err("found a policy without a visit".into());
        }
        Ok(SearchFinding { value: Wdl { win, draw, loss }, policy, surprise: search.surprise })
    });
    Ok(PlayedMove { chess_move, search: search.transpose()? })
}

#[cfg(test)]
mod tests;
