//! Evaluations and clocks inside PGN comments: the commands `[%eval]`, `[%depth]` and `[%clk]`, and the
//! comments of match programs.

use super::evaluation::{self, Evaluation};
use crate::record::{LabelDoubt, LabelDoubts};

/// The evaluations and the clock in a comment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Annotation {
    /// Evaluation of the position at which the comment stands: the last `[%eval]`.
    pub(super) evaluation: Option<Evaluation>,
    /// Evaluation of the position before the move that the comment follows, by the search that chose this move.
    pub(super) search: Option<Evaluation>,
    /// The last `[%clk]`, in seconds.
    pub(super) clock_seconds: Option<u32>,
}

/// Reads a comment and counts the labels in it that are left out. Commands of other names are ignored.
pub(super) fn parse(comment: &[u8], doubts: &mut LabelDoubts) -> Annotation {
    let mut annotation = Annotation::default();
    let mut depth = None;
    let mut rest = comment;
    while let Some(start) = rest.iter().position(|&byte| byte == b'[') {
        rest = &rest[start + 1..];
        let Some(command) = rest.trim_ascii_start().strip_prefix(b"%") else { continue };
        // A command ends before the next one, or with the comment, if its bracket is missing.
        let end = command.iter().position(|byte| matches!(byte, b'[' | b']')).unwrap_or(command.len());
        let is_closed = command.get(end) == Some(&b']');
        let text = String::from_utf8_lossy(&command[..end]);
        let (name, value) = split(&text);
        let value = if is_closed { value } else { "" };
        if name.eq_ignore_ascii_case("eval") {
            match evaluation::command(value) {
                Ok(found) => annotation.evaluation = Some(found),
                Err(doubt) => doubts.count(doubt),
            }
        } else if name.eq_ignore_ascii_case("clk") {
            match parse_clock(value) {
                Some(seconds) => annotation.clock_seconds = Some(seconds),
                None => doubts.count(LabelDoubt::UnreadClock),
            }
        } else if name.eq_ignore_ascii_case("depth") {
            // This program's own matches write it after `[%eval]`.
            depth = value.parse().ok().filter(|&depth: &u16| depth > 0);
        }
    }
    if let Some(evaluation) = &mut annotation.evaluation {
        evaluation.depth = evaluation.depth.or(depth);
    }
    match number_text(comment).and_then(evaluation::of_search) {
        Some(Ok(found)) => annotation.search = Some(found),
        Some(Err(doubt)) => doubts.count(doubt),
        None => {}
    }
    annotation
}

/// The name of a command and its value. White space of any kind is between them, because lines are wrapped there; any other sign is part
/// of the value.
fn split(command: &str) -> (&str, &str) {
    let command = command.trim();
    let end = command.find(|letter: char| !letter.is_ascii_alphanumeric()).unwrap_or(command.len());
    let (name, value) = command.split_at(end);
    (name, value.trim_start())
}

/// The text of a comment that begins like a number or a list of names and values, perhaps behind the expected move in parentheses.
fn number_text(comment: &[u8]) -> Option<&str> {
    let mut comment = comment.trim_ascii_start();
    if let [b'(', inside @ ..] = comment {
        let end = inside.iter().position(|&byte| byte == b')')?;
        comment = inside[end + 1..].trim_ascii_start();
    }
    let begins = match comment {
        [b'0'..=b'9' | b'+' | b'-' | b'M' | b'#', ..] => true,
        [b'a'..=b'z', rest @ ..] => rest.iter().take(3).any(|&byte| byte == b'='),
        _ => false,
    };
    comment.utf8_chunks().next().filter(|_| begins).map(|chunk| chunk.valid())
}

/// Parses a clock such as `0:03:00`, `0:03:00.5`, `0:03:00,5` or `3:00` to seconds; `None` for negative times
/// and other text.
fn parse_clock(value: &str) -> Option<u32> {
    let (clock, fraction) = value.split_once(['.', ',']).unwrap_or((value, "0"));
    let (mut seconds, mut parts) = (0u32, 0);
    for part in clock.split(':') {
        if part.is_empty() || !evaluation::are_digits(part) {
            return None;
        }
        seconds = seconds.checked_mul(60)?.checked_add(part.parse().ok()?)?;
        parts += 1;
    }
    let is_clock = (2..=3).contains(&parts) && !fraction.is_empty() && evaluation::are_digits(fraction);
    is_clock.then_some(seconds)
}

/// At most forty characters of text that may hold anything.
pub(super) fn printable(text: &[u8]) -> String {
    let beginning: String = String::from_utf8_lossy(text).chars().take(40).collect();
    chess::printable(&beginning, &[])
}

#[cfg(test)]
mod tests {
    use chess::Score;

    use super::*;

    /// The centipawns of a comment, its clock, and the labels left out.
    fn read(comment: &str) -> (Option<Score>, Option<u32>, String) {
        let mut doubts = LabelDoubts::default();
        let found = parse(comment.as_bytes(), &mut doubts);
        (found.evaluation.map(|found| found.score), found.clock_seconds, doubts.to_string())
    }

    #[test]
    fn depth_clock_arrows_and_prose_do_not_disturb() {
        let comment = "(0.1 -> -3) Blunder. [%csl Ra1] [%eval -3.5,20] [%clk 1:02:03.9] [x";
        assert_eq!(read(comment), (Some(Score::Centipawns(-350)), Some(3723), String::new()));
    }

    #[test]
    fn lines_may_be_wrapped_within_commands() {
        for gap in ["\n", "\r\n", "  ", "\t", " \n "] {
            let comment = format!("[%eval{gap}0.29] wrapped [%clk{gap}1:31:16{gap}] [%eval{gap}#-3{gap}]");
            assert_eq!(read(&comment), (Some(Score::Mate(-3)), Some(5476), String::new()), "{gap:?}");
        }
    }

    #[test]
    fn the_depth_may_be_a_command_of_its_own() {
        let found =
            parse(b"[%eval 0.31] [%emt 0:00:01.5] [%depth 12] [%nodes 800]", &mut LabelDoubts::default());
        assert_eq!(found.evaluation.and_then(|found| found.depth), Some(12));
    }

    #[test]
    fn labels_in_doubt_are_counted_and_the_others_kept() {
        for (comment, doubts) in [
            ("[%eval abc] [%clk 0:01:00]", "unread_evaluation 1"),
            ("[%eval] [%clk 0:01:00]", "unread_evaluation 1"),
            ("[%eval:0.31] [ %clk 0:01:00]", "unread_evaluation 1"),
            ("[%eval=0.31] [%clk 0:01:00]", "unread_evaluation 1"),
            ("(Nc6) +0.31/14 35 [%clk 0:01:00]", "evaluation_view 1"),
            ("+0.31 [%clk 0:01:00]", "evaluation_view 1"),
            ("[%eval 31] [%clk 0:01:00]", "evaluation_scale 1"),
            ("[%eval 0.3 [%clk 0:01:00]", "unread_evaluation 1"),
            ("[%clk 0:01:00] [%eval 0.3", "unread_evaluation 1"),
            ("0.31/24 [%clk 0:01:00]", "evaluation_view 1"),
            ("[%eval #0] [%eval nan] [%clk 0:01:00]", "unread_evaluation 1, mate_count 1"),
        ] {
            assert_eq!(read(comment), (None, Some(60), doubts.into()), "{comment}");
        }
        for clock in
            ["-0:00:01", "?", "now", "90", "", "1:2:3:4", "0:-1:00", "0:00:0x", "99999999:00:00", "1:00:"]
        {
            let found = read(&format!("[%eval 0.30] [%clk {clock}]"));
            assert_eq!(found, (Some(Score::Centipawns(30)), None, "unread_clock 1".into()), "{clock}");
        }
        for (clock, seconds) in
            [("1:00:00,5", 3600), ("3:00", 180), ("0:03:00.123", 180), ("100:00:00", 360_000)]
        {
            assert_eq!(read(&format!("[%clk {clock}]")).1, Some(seconds), "{clock}");
        }
    }
}
