//! Words between the blanks and marks of a game's moves.

use chess::{read_san, shakmaty::san::San};
use pgn_reader::SanPlus;

/// Words of the main line that annotate a move: en passant (`e.p.` is two words), novelty, diagram, check, mate.
const REMARKS: &[&str] = &["e", "p", "ep", "N", "TN", "D", "ch", "dbl", "dis", "mate"];

/// Kind of a word in the main line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Move,
    Number,
    Result,
    /// A sign or remark, which the parser skips.
    Remark,
    Unknown,
}

/// For each byte, true if it belongs to a word: everything but white space, punctuation of PGN and the glyphs after a move.
pub(super) const WORD: [bool; 256] = {
    let mut bytes = [false; 256];
    let mut byte = 0_u8;
    loop {
        bytes[byte as usize] = byte.is_ascii_alphanumeric()
            || byte >= 0x80
            || matches!(byte, b'+' | b'-' | b'#' | b'=' | b'/' | b':');
        if byte == u8::MAX {
            break bytes;
        }
        byte += 1;
    }
};

/// True if the parser accepts or may skip the word.
pub(super) fn is_known(word: &[u8]) -> bool {
    kind(word) != Kind::Unknown
}

/// The move in a word that is not plain SAN, perhaps with its number in front.
pub(super) fn with_signs(word: &[u8]) -> Option<San> {
    let text = std::str::from_utf8(word).ok()?;
    // The number first: `3e4=` is the third move, not a pawn from the third rank.
    read_san(text.trim_start_matches(|digit: char| digit.is_ascii_digit())).or_else(|| read_san(text))
}

/// True for a half alone, which is a draw. In `1/2 - 1/2` there are two of them.
pub(super) fn is_half(word: &[u8]) -> bool {
    word == b"1/2" || word == "½".as_bytes()
}

/// The kind of a word in the main line.
pub(super) fn kind(word: &[u8]) -> Kind {
    // In doubt a word is unknown, which makes its game a broken record. Taken for a remark, a move in a foreign language would disappear
    // from its game; the words that are skipped are therefore listed, and every other word with letters must be a move.
    let Some(&first) = word.first() else { return Kind::Remark };
    if first.is_ascii_digit() {
        let digits = word.iter().take_while(|byte| byte.is_ascii_digit()).count();
        return match word {
            _ if digits == word.len() => Kind::Number,
            b"1-0" | b"0-1" | b"1/2-1/2" | b"1/2" => Kind::Result,
            _ if word.starts_with(b"0-0") && has_only_signs(word) => Kind::Move,
            _ if has_only_signs(word) => Kind::Remark,
            // A number with the move attached, such as `1e4`.
            _ if SanPlus::from_ascii(&word[digits..]).is_ok() => Kind::Move,
            _ => Kind::Unknown,
        };
    }
    if !word.iter().any(u8::is_ascii_alphabetic) {
        // The other words without letters are signs of an advantage, such as +- or the mathematical ones.
        return if word == "½-½".as_bytes() || is_half(word) { Kind::Result } else { Kind::Remark };
    }
    if SanPlus::from_ascii(word).is_ok() {
        return Kind::Move;
    }
    let is_remark = REMARKS.iter().any(|remark| remark.as_bytes() == word);
    if is_remark { Kind::Remark } else { Kind::Unknown }
}

fn has_only_signs(word: &[u8]) -> bool {
    word.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'-' | b'/' | b'+' | b'#'))
}

/// Chess symbols (U+2654 to U+265F) as the letters of the pieces, pawns as nothing. Variation selectors and characters without width
/// (U+200B to U+200F, byte order marks) are dropped; dashes (U+2013, U+2014) and the minus sign (U+2212) become hyphens, and blanks that
/// break no line (U+00A0, U+202F) become ordinary ones.
pub(super) fn plain(word: &[u8]) -> Vec<u8> {
    let mut found = Vec::with_capacity(word.len());
    let mut rest = word;
    while let Some((&first, after)) = rest.split_first() {
        if let [0xe2, 0x99, symbol @ 0x94..=0x9f, after @ ..] = rest {
            match (symbol - 0x94) % 6 {
                0 => found.push(b'K'),
                1 => found.push(b'Q'),
                2 => found.push(b'R'),
                3 => found.push(b'B'),
                4 => found.push(b'N'),
                _ => {}
            }
            rest = after;
        } else if let [0xef, 0xb8, 0x8e | 0x8f, after @ ..]
        | [0xef, 0xbb, 0xbf, after @ ..]
        | [0xe2, 0x80, 0x8b..=0x8f, after @ ..] = rest
        {
            rest = after;
        } else if let [0xc2, 0xa0, after @ ..] | [0xe2, 0x80, 0xaf, after @ ..] = rest {
            found.push(b' ');
            rest = after;
        } else if let [0xe2, 0x80, 0x93 | 0x94, after @ ..] | [0xe2, 0x88, 0x92, after @ ..] = rest {
            found.push(b'-');
            rest = after;
        } else {
            found.push(first);
            rest = after;
        }
    }
    found
}
