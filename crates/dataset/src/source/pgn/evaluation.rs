//! Evaluations as programs write them into comments. A number of unknown scale or point of view is counted as
//! doubtful and not used as a label.
//!
//! | form | meaning | source |
//! |---|---|---|
//! | `[%eval 0.31]`, `[%eval 0.31,24]` | pawns and depth, White's view | <https://database.lichess.org/#standard_games>; python-chess, `GameNode.set_eval` |
//! | `[%eval #-3]`, also `-#3`, `-M3`, `mate -3` | moves to mate, White's view | the same |
//! | `[%eval 0,31/24]`, `[%eval 0,31,24]` | the same with a decimal comma or a slash | - |
//! | `[%eval 31,24]` | centipawns and depth, view of the side that moved, if the game has no decimal commas ([`Pairs`]) | ChessBase: signs alternate in its exports of engine matches |
//! | `+0.31/22 2.0s` | pawns, depth and time of the search before the move, view of the side that moved | cutechess, `ChessGame::evalString`; fastchess, `Match::convertScoreToString` |
//! | `+M5/20 0.1s` | the same; half-moves to mate | cutechess, `MoveEvaluation::scoreText` and `UciEngine::parseInfo`; fastchess as above |
//! | `+0.31 22/30 583 363004` | the same: pawns, depth, selective depth, milliseconds, nodes | OpenBench, as in WDL_model pull request 169 |
//! | `d=24, sd=31, mt=1240, wv=0.31,` | the same: depth and pawns, White's view | TCEC's games: `wv` is the view of White; `ev` alone is not read |

use chess::Score;

use crate::{record::LabelDoubt, source::scores};

/// ChessBase writes depths up to this; a larger number is the fraction of a decimal.
const DEEPEST_PAIR: u16 = 99;

/// The side from which an evaluation is seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum View {
    White,
    /// The side whose move the comment follows.
    Mover,
}

/// How an evaluation is written, as far as it bears on the others of its game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Notation {
    /// `31,24`: two whole numbers.
    Pair,
    /// `0,31/24`, `1,05`: a comma where others have a point.
    DecimalComma,
    Other,
}

/// An evaluation parsed from a comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Evaluation {
    pub(super) score: Score,
    pub(super) view: View,
    pub(super) depth: Option<u16>,
    pub(super) notation: Notation,
}

/// The value of `[%eval]`.
pub(super) fn command(value: &str) -> Result<Evaluation, LabelDoubt> {
    if let Some((score, depth)) = value.split_once('/') {
        return white(score, depth_of(depth));
    }
    let mut parts = value.split(',').map(str::trim);
    match (parts.next().unwrap_or_default(), parts.next(), parts.next(), parts.next()) {
        (score, None, ..) => white(score, None),
        (whole, Some(other), None, _) if is_whole(whole) && is_whole(other) => pair(whole, other),
        (score, Some(depth), None, _) => white(score, depth_of(depth)),
        (whole, Some(fraction), Some(depth), None) if is_whole(whole) && is_whole(fraction) => {
            white(&format!("{whole},{fraction}"), depth_of(depth))
        }
        _ => Err(LabelDoubt::UnreadEvaluation),
    }
}

/// An evaluation in White's view.
fn white(score: &str, depth: Option<u16>) -> Result<Evaluation, LabelDoubt> {
    let notation = if score.contains(',') { Notation::DecimalComma } else { Notation::Other };
    Ok(Evaluation { score: score_of(score)?, view: View::White, depth, notation })
}

/// Two whole numbers: centipawns and depth, unless only a decimal comma explains how they are written.
fn pair(whole: &str, other: &str) -> Result<Evaluation, LabelDoubt> {
    let is_fraction = matches!(whole, "-0" | "+0") || (other.len() > 1 && other.starts_with('0'));
    if is_fraction {
        return white(&format!("{whole},{other}"), None);
    }
    let centipawns: f64 = whole.parse().map_err(|_| LabelDoubt::UnreadEvaluation)?;
    let depth = match depth_of(other) {
        Some(depth) if depth <= DEEPEST_PAIR && !other.starts_with(['-', '+']) => Some(depth),
        None if other == "0" => None,
        _ => return Err(LabelDoubt::EvaluationScale),
    };
    let score = scores::centipawns(centipawns)?;
    Ok(Evaluation { score, view: View::Mover, depth, notation: Notation::Pair })
}

/// Parses the comment that a match program writes after a move about the search for it; `None` for any other
/// text.
pub(super) fn of_search(comment: &str) -> Option<Result<Evaluation, LabelDoubt>> {
    let mut words = comment.split_whitespace();
    let (first, second) = (words.next()?, words.next().unwrap_or_default());
    if first.contains('=') {
        return of_list(comment);
    }
    let (score, depth, is_known) = if let Some((score, depth)) = first.split_once(['/', '|']) {
        let time = second.trim_end_matches(',').strip_suffix('s');
        (score, depth.trim_start_matches('d'), time.is_some_and(|time| time.parse::<f64>().is_ok()))
    } else {
        let Some((depth, _selective)) = second.split_once('/') else { return lone_number(first).map(Err) };
        let has_numbers = words.next().is_some_and(are_digits) && words.next().is_some_and(are_digits);
        (first, depth, has_numbers)
    };
    let is_depth = depth.starts_with(|digit: char| digit.is_ascii_digit());
    // A date, a fraction or a result is no evaluation.
    if !is_depth || !(is_decimal(score) || mate_of(score).is_some()) {
        return None;
    }
    Some(searched(score, depth, is_known))
}

/// A signed number at the beginning of a comment, `+0.31` or `-0.25 Nf3`, says neither for whom nor for which position.
fn lone_number(word: &str) -> Option<LabelDoubt> {
    (word.starts_with(['+', '-']) && is_decimal(word)).then_some(LabelDoubt::EvaluationView)
}

/// TCEC's list of names and values, separated by commas.
fn of_list(comment: &str) -> Option<Result<Evaluation, LabelDoubt>> {
    let Some(score) = list_value(comment, "wv") else {
        return list_value(comment, "ev").map(|_| Err(LabelDoubt::EvaluationView));
    };
    if mate_of(score).is_some() {
        // In moves or half-moves.
        return Some(Err(LabelDoubt::MateCount));
    }
    Some(white(score, list_value(comment, "d").and_then(depth_of)))
}

fn list_value<'a>(list: &'a str, name: &str) -> Option<&'a str> {
    let mut items = list.split(',').filter_map(|item| item.split_once('='));
    items.find(|(found, _)| found.trim() == name).map(|(_, value)| value.trim())
}

fn searched(score: &str, depth: &str, is_known: bool) -> Result<Evaluation, LabelDoubt> {
    if !is_known {
        return Err(LabelDoubt::EvaluationView);
    }
    // Without a search the number is 0.
    let depth = depth_of(depth).ok_or(LabelDoubt::UnreadEvaluation)?;
    let score = match mate_of(score) {
        // The winner mates with an odd half-move, counted from its own move; the loser is mated with an even one.
        Some(plies) if plies > 0 && plies % 2 == 1 => Score::Mate((plies + 1) / 2),
        Some(plies) if plies < 0 && plies % 2 == 0 => Score::Mate(plies / 2),
        Some(_) => return Err(LabelDoubt::MateCount),
        None => score_of(score)?,
    };
    Ok(Evaluation { score, view: View::Mover, depth: Some(depth), notation: Notation::Other })
}

/// A mate in moves, or pawns with a decimal point or comma.
pub(in crate::source) fn score_of(text: &str) -> Result<Score, LabelDoubt> {
    let text = text.trim();
    if let Some(moves) = mate_of(text) {
        return if moves == 0 { Err(LabelDoubt::MateCount) } else { Ok(Score::Mate(moves)) };
    }
    if is_whole(text) && text.trim_start_matches(['+', '-']).bytes().any(|digit| digit != b'0') {
        return Err(LabelDoubt::EvaluationScale);
    }
    if !is_whole(text) && !is_decimal(text) {
        return Err(LabelDoubt::UnreadEvaluation);
    }
    let pawns = if text.contains(',') { text.replace(',', ".").parse() } else { text.parse::<f64>() };
    let pawns = pawns.map_err(|_| LabelDoubt::UnreadEvaluation)?;
    scores::centipawns(pawns * 100.0)
}

/// The number after `#`, `M` or `mate`; one sign may precede the mark or the number.
fn mate_of(text: &str) -> Option<i32> {
    let unsigned = text.trim_start_matches(['+', '-']);
    let sign = &text[..text.len() - unsigned.len()];
    let number =
        ["#", "mate", "Mate", "M", "m"].iter().find_map(|mark| unsigned.strip_prefix(mark))?.trim_start();
    let moves = i32::from(number.parse::<i16>().ok()?);
    match (sign, number.starts_with(['+', '-'])) {
        ("", _) | ("+", false) => Some(moves),
        ("-", false) => Some(-moves),
        _ => None,
    }
}

/// True for digits, perhaps with a sign.
fn is_whole(text: &str) -> bool {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    !digits.is_empty() && are_digits(digits)
}

/// True for nothing but digits, also for an empty text.
pub(super) fn are_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// True for digits around one point or comma, perhaps with a sign.
fn is_decimal(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let Some((whole, fraction)) = unsigned.split_once(['.', ',']) else { return false };
    are_digits(whole) && are_digits(fraction) && !(whole.is_empty() && fraction.is_empty())
}

/// The depth at the beginning of a text such as `24` or `24/31`; `None` for 0 and other text.
fn depth_of(text: &str) -> Option<u16> {
    let depth = text.split('/').next().unwrap_or_default().trim();
    depth.parse().ok().filter(|&depth| depth > 0)
}

/// With a decimal comma a pair of so many centipawns would be as many pawns, more than nearly all evaluations.
const MOST_PAWNS: u32 = 30;

/// The pairs of whole numbers in a game, `[%eval 31,24]`: centipawns and depth as ChessBase writes them, or pawns with a decimal comma.
/// One pair alone does not say which; the other evaluations of its game do. A pair read with the wrong meaning is off by a factor of a
/// hundred and may have the wrong sign, so pairs are labels only if one of them is too large for pawns and no other evaluation has a
/// decimal comma.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    /// Half-moves before the positions that a pair evaluates.
    plies: Vec<usize>,
    are_centipawns: bool,
    are_decimals: bool,
}

impl Pairs {
    /// Takes note of the evaluation of the position after this many half-moves.
    pub(super) fn note(&mut self, evaluation: Evaluation, ply: usize) {
        // Of several evaluations the last one counts.
        if self.plies.last() == Some(&ply) {
            self.plies.pop();
        }
        match (evaluation.notation, evaluation.score) {
            (Notation::Pair, Score::Centipawns(centipawns)) => {
                self.plies.push(ply);
                self.are_centipawns |= centipawns.unsigned_abs() >= MOST_PAWNS;
            }
            (Notation::DecimalComma, _) => self.are_decimals = true,
            _ => {}
        }
    }

    /// The positions whose evaluation is of unknown scale.
    pub(super) fn in_doubt(&self) -> &[usize] {
        if self.are_centipawns && !self.are_decimals { &[] } else { &self.plies }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const WHITE: View = View::White;
    const MOVER: View = View::Mover;

    /// An evaluation apart from its notation.
    type Label = Result<(Score, View, Option<u16>), LabelDoubt>;

    #[allow(clippy::unnecessary_wraps, reason = "compared with what a reader returns")]
    fn centipawns(centipawns: i32, view: View, depth: Option<u16>) -> Label {
        Ok((Score::Centipawns(centipawns), view, depth))
    }

    #[allow(clippy::unnecessary_wraps, reason = "compared with what a reader returns")]
    fn mate(moves: i32, view: View, depth: Option<u16>) -> Label {
        Ok((Score::Mate(moves), view, depth))
    }

    fn label(found: Result<Evaluation, LabelDoubt>) -> Label {
        found.map(|found| (found.score, found.view, found.depth))
    }

    #[test]
    fn commands_are_read_by_the_convention_of_their_form() {
        for (value, expected) in [
            ("0.31", centipawns(31, WHITE, None)),
            ("-3.5,20", centipawns(-350, WHITE, Some(20))),
            // 0.29 * 100 is 28.999999999999996 in binary floating point.
            ("+0.29 , 18", centipawns(29, WHITE, Some(18))),
            ("0", centipawns(0, WHITE, None)),
            ("0.31/24", centipawns(31, WHITE, Some(24))),
            ("0,31/24", centipawns(31, WHITE, Some(24))),
            ("0,31,24", centipawns(31, WHITE, Some(24))),
            ("-0,31", centipawns(-31, WHITE, None)),
            ("1,05", centipawns(105, WHITE, None)),
            ("0.31,deep", centipawns(31, WHITE, None)),
            ("31,24", centipawns(31, MOVER, Some(24))),
            ("-134,9", centipawns(-134, MOVER, Some(9))),
            ("0,31", centipawns(0, MOVER, Some(31))),
            ("31,0", centipawns(31, MOVER, None)),
            ("31", Err(LabelDoubt::EvaluationScale)),
            ("31/24", Err(LabelDoubt::EvaluationScale)),
            ("1,250", Err(LabelDoubt::EvaluationScale)),
            ("31,-4", Err(LabelDoubt::EvaluationScale)),
            ("29997,24", Err(LabelDoubt::EvaluationScale)),
            ("327.65", Err(LabelDoubt::EvaluationScale)),
        ] {
            assert_eq!(label(command(value)), expected, "{value}");
        }
        for value in
            ["", "abc", "nan", "inf", "1e9", "?", "#", "M", "-#-3", "--3", "0.3.1", ".", "1,2,3,4", "0.31 x"]
        {
            assert_eq!(command(value), Err(LabelDoubt::UnreadEvaluation), "{value}");
        }
    }

    #[test]
    fn mates_are_read_in_every_spelling() {
        for (value, moves) in [
            ("#3", 3),
            ("#-3", -3),
            ("-#3", -3),
            ("+#3", 3),
            ("#+3", 3),
            ("M4", 4),
            ("-M4", -4),
            ("M-4", -4),
            ("m4", 4),
            ("mate 4", 4),
            ("mate -4", -4),
            ("-mate 4", -4),
            ("Mate4", 4),
        ] {
            assert_eq!(label(command(value)), mate(moves, WHITE, None), "{value}");
            let with_depth = label(command(&format!("{value},12")));
            assert_eq!(with_depth, mate(moves, WHITE, Some(12)), "{value}");
        }
        assert_eq!(command("#0"), Err(LabelDoubt::MateCount));
        assert_eq!(command("M0/3"), Err(LabelDoubt::MateCount));
    }

    #[test]
    fn comments_of_matches_are_the_movers_search() {
        for (comment, expected) in [
            ("+0.31/22 2.0s", centipawns(31, MOVER, Some(22))),
            (" -0.25/20 0.001s, White mates", centipawns(-25, MOVER, Some(20))),
            ("0,00/31 2s", centipawns(0, MOVER, Some(31))),
            ("-0.57 17/22 520 671767", centipawns(-57, MOVER, Some(17))),
            ("+M5/20 0.1s", mate(3, MOVER, Some(20))),
            ("+M1/2 0.1s", mate(1, MOVER, Some(2))),
            ("-M4/20 0.1s", mate(-2, MOVER, Some(20))),
            ("-M5/20 0.1s", Err(LabelDoubt::MateCount)),
            ("+M4/20 0.1s", Err(LabelDoubt::MateCount)),
            ("+0.31/22", Err(LabelDoubt::EvaluationView)),
            ("0.31/22 15", Err(LabelDoubt::EvaluationView)),
            ("+0.57 17/28 a few", Err(LabelDoubt::EvaluationView)),
            ("0.00/0 0.000s", Err(LabelDoubt::UnreadEvaluation)),
            ("+999.50/12 0.1s", Err(LabelDoubt::EvaluationScale)),
            ("0.31|d22|12", Err(LabelDoubt::EvaluationView)),
            ("+0.31", Err(LabelDoubt::EvaluationView)),
            ("-0.25 Nf3 Nc6", Err(LabelDoubt::EvaluationView)),
            ("d=24, sd=31, pv=e4 e5, wv=0.31, R50=50,", centipawns(31, WHITE, Some(24))),
            ("sd=31,\nwv=-1.20", centipawns(-120, WHITE, None)),
            ("d=24, wv=M12", Err(LabelDoubt::MateCount)),
            ("d=24, ev=0.31", Err(LabelDoubt::EvaluationView)),
        ] {
            assert_eq!(of_search(comment).map(label), Some(expected), "{comment}");
        }
        for comment in [
            "",
            "book",
            "1/2-1/2",
            "2/3 2.0s",
            "(0.1 -> -3) Blunder.",
            "0.31",
            "1.e4/d4 2.0s",
            "and/or 2s",
            "x=y",
        ] {
            assert_eq!(of_search(comment), None, "{comment}");
        }
    }

    proptest! {
        #[test]
        fn whatever_is_read_is_an_evaluation(value in "[-+#Mmate0-9., /s]{0,12}") {
            for found in [Some(command(&value)), of_search(&value)].into_iter().flatten().flatten() {
                match found.score {
                    Score::Centipawns(centipawns) => prop_assert!(centipawns.abs() <= 20_000),
                    Score::Mate(moves) => prop_assert!(moves != 0),
                }
                prop_assert!(found.depth != Some(0));
            }
        }

        #[test]
        fn what_lichess_writes_is_read(centipawns in -20_000i32..=20_000, depth in 1u16..200) {
            let text = format!("{:.2},{depth}", f64::from(centipawns) / 100.0);
            prop_assert_eq!(label(command(&text)), Ok((Score::Centipawns(centipawns), WHITE, Some(depth))));
        }
    }
}
