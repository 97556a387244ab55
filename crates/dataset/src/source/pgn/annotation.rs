//! `[%eval]` and `[%clk]` inside PGN comments.

use crate::source::white_score::WhiteScore;

/// The evaluation and the clock in a comment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Annotation {
    /// The last `[%eval]`.
    pub(super) evaluation: Option<WhiteScore>,
    /// The last `[%clk]`, in seconds.
    pub(super) clock_seconds: Option<u32>,
}

/// Reads the commands of a comment. Commands of other names are ignored.
///
/// # Errors
/// The command that cannot be read, with the expected form.
pub(super) fn parse(comment: &[u8]) -> Result<Annotation, String> {
    let mut annotation = Annotation::default();
    let mut rest = comment;
    while let Some(start) = rest.iter().position(|&byte| byte == b'[') {
        rest = &rest[start + 1..];
        let Some(command) = rest.strip_prefix(b"%") else { continue };
        let end = command.iter().position(|&byte| byte == b']').unwrap_or(command.len());
        let command = &command[..end];
        if let Some(value) = command.strip_prefix(b"eval ") {
            annotation.evaluation = Some(parse_evaluation(value).ok_or_else(|| {
                format!("[%{}], expected pawns such as -1.23 or mate such as #-2", printable(command))
            })?);
        } else if let Some(value) = command.strip_prefix(b"clk ") {
            annotation.clock_seconds = Some(
                parse_clock(value)
                    .ok_or_else(|| format!("[%{}], expected hours:minutes:seconds", printable(command)))?,
            );
        }
    }
    Ok(annotation)
}

/// `1.23`, `-0.5`, `#3`, `#-2`, each optionally followed by `,DEPTH` (as Lichess writes it).
fn parse_evaluation(value: &[u8]) -> Option<WhiteScore> {
    let text = std::str::from_utf8(value).ok()?.trim();
    let text = text.split_once(',').map_or(text, |(score, _depth)| score.trim_end());
    WhiteScore::parse(text)
}

/// Parses a clock such as `0:03:00`, `0:03:00.5` or `3:00` to seconds.
fn parse_clock(value: &[u8]) -> Option<u32> {
    let text = std::str::from_utf8(value).ok()?.trim();
    let mut seconds = 0u32;
    for part in text.split(':') {
        let whole = part.split_once('.').map_or(part, |(whole, _fraction)| whole);
        seconds = seconds.checked_mul(60)?.checked_add(whole.parse().ok()?)?;
    }
    Some(seconds)
}

/// At most forty characters of text that may hold anything.
pub(super) fn printable(text: &[u8]) -> String {
    let beginning: String = String::from_utf8_lossy(text).chars().take(40).collect();
    chess::printable(&beginning, &[])
}

#[cfg(test)]
mod tests {
    use chess::{Color, Score};

    use super::*;

    fn evaluation(comment: &str, turn: Color) -> Option<Score> {
        parse(comment.as_bytes()).unwrap().evaluation.map(|score| score.for_mover(turn))
    }

    #[test]
    fn evaluations_are_turned_to_the_side_to_move() {
        assert_eq!(evaluation(" [%eval 1.23] ", Color::White), Some(Score::Centipawns(123)));
        assert_eq!(evaluation("[%eval 1.23]", Color::Black), Some(Score::Centipawns(-123)));
        assert_eq!(evaluation("[%eval #3]", Color::White), Some(Score::Mate(3)));
        assert_eq!(evaluation("[%eval #-2]", Color::Black), Some(Score::Mate(2)));
    }

    #[test]
    fn depth_clock_arrows_and_prose_do_not_disturb() {
        let comment = b"(0.1 -> -3) Blunder. [%csl Ra1] [%eval -3.5,20] [%clk 1:02:03.9] [x";
        let annotation = parse(comment).unwrap();
        assert_eq!(annotation.evaluation.unwrap().for_mover(Color::White), Score::Centipawns(-350));
        assert_eq!(annotation.clock_seconds, Some(3723));
    }

    #[test]
    fn rounding_is_to_the_nearest_centipawn() {
        // 0.29 * 100 is 28.999999999999996 in binary floating point.
        assert_eq!(evaluation("[%eval 0.29]", Color::White), Some(Score::Centipawns(29)));
        assert_eq!(evaluation("[%eval -0.07]", Color::White), Some(Score::Centipawns(-7)));
    }

    #[test]
    fn unreadable_commands_are_named() {
        for comment in ["[%eval abc]", "[%eval ]", "[%eval nan]", "[%eval #]", "[%eval 1e9]", "[%clk now]"] {
            let error = parse(comment.as_bytes()).unwrap_err();
            assert!(error.contains(comment.trim_start_matches('[').trim_end_matches(']')), "{error}");
        }
    }
}
