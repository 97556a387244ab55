//! Games of a table as bytes: players, ratings, year, result, start and all moves, so that a game can be shown when its file is gone.
//!
//! White's rating 2, Black's 2, year and result 2, number of half-moves 2; the moves, 2 each ([`PackedMove`]); the names of White
//! and Black and the start as a FEN, each behind its length in one byte. All numbers are little endian; what is unknown is 0 or
//! empty, as is the start of orthodox chess.

use chess::{Chess, Game};
use dataset::{
    packed_move::PackedMove,
    record::{GameRecord, Players, RecordedMove},
};

use crate::openings::posting::{POSTING_BYTES, Posting};

/// Bytes before the moves.
const HEAD_BYTES: usize = 8;

/// Bytes of the longest record.
pub(crate) const MOST_RECORD_BYTES: u64 =
    (HEAD_BYTES + 2 * u16::MAX as usize + 3 * (1 + u8::MAX as usize)) as u64;

/// The bytes of a game. Moves after the 65,535th are left out, as is the end of a name of more than 255 bytes.
pub(crate) fn to_bytes(record: &GameRecord) -> Vec<u8> {
    let moves = &record.moves[..record.moves.len().min(usize::from(u16::MAX))];
    let mut bytes = Posting::of(record, 0).to_bytes()[..HEAD_BYTES - 2].to_vec();
    bytes.extend((moves.len() as u16).to_le_bytes());
    for recorded in moves {
        bytes.extend(PackedMove::pack(recorded.played).0.to_le_bytes());
    }
    let start = if record.start == Chess::default() { String::new() } else { record.game(0).fen() };
    for text in [record.players.white.as_deref(), record.players.black.as_deref(), Some(start.as_str())] {
        let text = text.unwrap_or_default();
        let text = &text[..text.floor_char_boundary(usize::from(u8::MAX))];
        bytes.push(text.len() as u8);
        bytes.extend(text.as_bytes());
    }
    bytes
}

/// The game of some bytes.
///
/// # Errors
/// What was found instead of a game.
pub(crate) fn from_bytes(bytes: &[u8]) -> Result<GameRecord, String> {
    let Some((head, rest)) = bytes.split_first_chunk::<HEAD_BYTES>() else {
        return Err(format!("a game of {} bytes", bytes.len()));
    };
    let mut facts = [0; POSTING_BYTES];
    facts[..HEAD_BYTES - 2].copy_from_slice(&head[..HEAD_BYTES - 2]);
    let facts = Posting::from_bytes(&facts);
    let count = usize::from(u16::from_le_bytes([head[HEAD_BYTES - 2], head[HEAD_BYTES - 1]]));
    let Some((packed, mut rest)) = rest.split_at_checked(2 * count) else {
        return Err(format!("a game of {count} half-moves in {} bytes", bytes.len()));
    };
    let white = text(&mut rest)?;
    let black = text(&mut rest)?;
    let start = text(&mut rest)?;
    let mut game = if start.is_empty() {
        Game::default()
    } else {
        Game::from_any_fen(start).map_err(|error| format!("the start {start:?} ({error})"))?
    };
    let mut record = GameRecord {
        start: game.position().clone(),
        castling_mode: game.castling_mode(),
        winner: facts.winner,
        white_rating: facts.white_rating,
        black_rating: facts.black_rating,
        year: facts.year,
        players: Players { white: Players::known(white), black: Players::known(black) },
        ..GameRecord::default()
    };
    for &packed in packed.as_chunks().0 {
        let packed = PackedMove(u16::from_le_bytes(packed));
        let Some(chess_move) = packed.unpack(game.position()) else {
            return Err(format!("the illegal move {:#06x} in a game", packed.0));
        };
        record.moves.push(RecordedMove::from(chess_move));
        game.play_unchecked(chess_move);
    }
    Ok(record)
}

/// Takes a text and its length from the beginning of the bytes.
fn text<'a>(bytes: &mut &'a [u8]) -> Result<&'a str, String> {
    let Some((text, rest)) =
        bytes.split_first().and_then(|(&length, rest)| rest.split_at_checked(usize::from(length)))
    else {
        return Err("a game that was cut off".into());
    };
    *bytes = rest;
    std::str::from_utf8(text).map_err(|error| format!("a name that is not text ({error})"))
}

#[cfg(test)]
mod tests {
    use chess::laws;
    use dataset::record::Winner;

    use super::*;

    #[test]
    fn bytes_give_the_game_again() {
        for game in laws::sample_games(5, 40) {
            let record = GameRecord {
                winner: Some(Winner::Black),
                white_rating: Some(2500),
                year: Some(1851),
                players: Players { white: Some("Müller, Karsten".into()), black: None },
                ..GameRecord::of_game(&game)
            };
            let read = from_bytes(&to_bytes(&record)).unwrap();
            assert_eq!(read.game(0).fen(), record.game(0).fen());
            assert_eq!(read.moves, record.moves);
            assert_eq!((read.winner, read.year), (record.winner, record.year));
            assert_eq!((read.white_rating, read.black_rating), (Some(2500), None));
            assert_eq!(read.players, record.players);
        }
    }

    #[test]
    fn a_long_name_is_cut_between_letters() {
        let players = Players { white: Some("é".repeat(200)), black: Some("B".into()) };
        let read = from_bytes(&to_bytes(&GameRecord { players, ..GameRecord::default() })).unwrap();
        assert_eq!(read.players, Players { white: Some("é".repeat(127)), black: Some("B".into()) });
    }

    #[test]
    fn what_is_cut_off_or_illegal_is_refused() {
        let mut game = Game::default();
        game.play_san("e4").unwrap();
        let whole = to_bytes(&GameRecord::of_game(&game));
        for length in 0..whole.len() {
            assert!(from_bytes(&whole[..length]).is_err(), "{length} bytes");
        }
        let mut illegal = whole;
        illegal[HEAD_BYTES] ^= 1;
        assert!(from_bytes(&illegal).unwrap_err().contains("illegal"));
    }
}
