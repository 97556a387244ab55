//! Evaluations as programs write them into comments. A number of unknown scale or point of view is counted as
//! doubtful and not used as a label.
//!
//! | form | meaning | source |
//! |---|---|---|
//! | `[%eval 0.31]`, `[%eval 0.31,24]` | pawns and depth, White's view | <https://database.lichess.org/#standard_games>; python-chess, `GameNode.set_eval` |
//! | `[%eval #-3]`, also `-#3`, `-M3`, `mate -3` | moves to mate, White's view | the same |
//! | `[%eval 0,31/24]`, `[%eval 0,31,24]` | the same with a decimal comma or a slash | - |
//! | `[%eval 31,24]` | centipawns and depth, view of the side that moved | ChessBase: signs alternate in its exports of engine matches |
//! | `+0.31/22 2.0s` | pawns, depth and time of the search before the move, view of the side that moved | cutechess, `ChessGame::evalString`; fastchess, `Match::convertScoreToString` |
//! | `+M5/20 0.1s` | the same; half-moves to mate | cutechess, `MoveEvaluation::scoreText` and `UciEngine::parseInfo`; fastchess as above |
//! | `+0.31 22/30 583 363004` | the same: pawns, depth, selective depth, milliseconds, nodes | OpenBench, as in WDL_model pull request 169 |

use chess::Score;

use crate::record::LabelDoubt;

/// Larger numbers are codes of mates: engines report at most 200 pawns for endgames won by tablebase.
const MOST_CENTIPAWNS: f64 = 20_000.0;

/// ChessBase writes depths up to this; a larger number is the fraction of a decimal.
const DEEPEST_PAIR: u16 = 99;

/// The side from which an evaluation is seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum View {
    White,
    /// The side whose move the comment follows.
    Mover,
}

/// An evaluation parsed from a comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Evaluation {
    pub(super) score: Score,
    pub(super) view: View,
    pub(super) depth: Option<u16>,
}

/// The value of `[%eval]`.
pub(super) fn command(value: &str) -> Result<Evaluation, LabelDoubt> {
    let white = |score: &str, depth: &str| {
        Ok(Evaluation { score: score_of(score)?, view: View::White, depth: depth_of(depth) })
    };
    if let Some((score, depth)) = value.split_once('/') {
        return white(score, depth);
    }
    let mut parts = value.split(',').map(str::trim);
    match (parts.next().unwrap_or_default(), parts.next(), parts.next(), parts.next()) {
        (score, None, ..) => white(score, ""),
        (whole, Some(other), None, _) if is_whole(whole) && is_whole(other) => pair(whole, other),
        (score, Some(depth), None, _) => white(score, depth),
        (whole, Some(fraction), Some(depth), None) if is_whole(whole) && is_whole(fraction) => {
            white(&format!("{whole}.{fraction}"), depth)
        }
        _ => Err(LabelDoubt::UnreadEvaluation),
    }
}

/// Two whole numbers: centipawns and depth, unless only a decimal comma explains how they are written.
fn pair(whole: &str, other: &str) -> Result<Evaluation, LabelDoubt> {
    let is_fraction = matches!(whole, "-0" | "+0") || (other.len() > 1 && other.starts_with('0'));
    if is_fraction {
        let score = score_of(&format!("{whole}.{other}"))?;
        return Ok(Evaluation { score, view: View::White, depth: None });
    }
    let centipawns: f64 = whole.parse().map_err(|_| LabelDoubt::UnreadEvaluation)?;
    match depth_of(other) {
        Some(depth) if depth <= DEEPEST_PAIR && !other.starts_with(['-', '+']) => {
            Ok(Evaluation { score: in_range(centipawns)?, view: View::Mover, depth: Some(depth) })
        }
        None if other == "0" => {
            Ok(Evaluation { score: in_range(centipawns)?, view: View::Mover, depth: None })
        }
        _ => Err(LabelDoubt::EvaluationScale),
    }
}

/// Parses the comment that a match program writes after a move about the search for it; `None` for any other
/// text.
pub(super) fn of_search(comment: &str) -> Option<Result<Evaluation, LabelDoubt>> {
    let mut words = comment.split_whitespace();
    let (first, second) = (words.next()?, words.next().unwrap_or_default());
    let (score, depth, is_known) = if let Some((score, depth)) = first.split_once('/') {
        let time = second.trim_end_matches(',').strip_suffix('s');
        (score, depth, time.is_some_and(|time| time.parse::<f64>().is_ok()))
    } else {
        let (depth, _selective) = second.split_once('/')?;
        let is_number =
            |word: Option<&str>| word.is_some_and(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
        let has_numbers = is_number(words.next()) && is_number(words.next());
        (first, depth, has_numbers)
    };
    let is_depth = depth.starts_with(|digit: char| digit.is_ascii_digit());
    // A date, a fraction or a result is no evaluation.
    if !is_depth || !(is_decimal(score) || mate_of(score).is_some()) {
        return None;
    }
    Some(searched(score, depth, is_known))
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
    Ok(Evaluation { score, view: View::Mover, depth: Some(depth) })
}

/// A mate in moves, or pawns with a decimal point or comma.
fn score_of(text: &str) -> Result<Score, LabelDoubt> {
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
    in_range(pawns * 100.0)
}

fn in_range(centipawns: f64) -> Result<Score, LabelDoubt> {
    let is_evaluation = centipawns.abs() <= MOST_CENTIPAWNS;
    is_evaluation.then(|| Score::Centipawns(centipawns.round() as i32)).ok_or(LabelDoubt::EvaluationScale)
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
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// True for digits around one point or comma, perhaps with a sign.
fn is_decimal(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let Some((whole, fraction)) = unsigned.split_once(['.', ',']) else { return false };
    let are_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    are_digits(whole) && are_digits(fraction) && !(whole.is_empty() && fraction.is_empty())
}

/// The depth at the beginning of a text such as `24` or `24/31`; `None` for 0 and other text.
fn depth_of(text: &str) -> Option<u16> {
    let depth = text.split('/').next().unwrap_or_default().trim();
    depth.parse().ok().filter(|&depth| depth > 0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const WHITE: View = View::White;
    const MOVER: View = View::Mover;

    #[allow(clippy::unnecessary_wraps, reason = "compared with what a reader returns")]
    fn centipawns(centipawns: i32, view: View, depth: Option<u16>) -> Result<Evaluation, LabelDoubt> {
        Ok(Evaluation { score: Score::Centipawns(centipawns), view, depth })
    }

    #[allow(clippy::unnecessary_wraps, reason = "compared with what a reader returns")]
    fn mate(moves: i32, view: View, depth: Option<u16>) -> Result<Evaluation, LabelDoubt> {
        Ok(Evaluation { score: Score::Mate(moves), view, depth })
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
            assert_eq!(command(value), expected, "{value}");
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
            assert_eq!(command(value), mate(moves, WHITE, None), "{value}");
            assert_eq!(command(&format!("{value},12")), mate(moves, WHITE, Some(12)), "{value}");
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
        ] {
            assert_eq!(of_search(comment), Some(expected), "{comment}");
        }
        for comment in
            ["", "book", "1/2-1/2", "2/3 2.0s", "(0.1 -> -3) Blunder.", "0.31", "1.e4/d4 2.0s", "and/or 2s"]
        {
            assert_eq!(of_search(comment), None, "{comment}");
        }
    }

    proptest! {
        #[test]
        fn whatever_is_read_is_an_evaluation(value in "[-+#Mmate0-9., /s]{0,12}") {
            for found in [Some(command(&value)), of_search(&value)].into_iter().flatten().flatten() {
                match found.score {
                    Score::Centipawns(centipawns) => prop_assert!(f64::from(centipawns).abs() <= MOST_CENTIPAWNS),
                    Score::Mate(moves) => prop_assert!(moves != 0),
                }
                prop_assert!(found.depth != Some(0));
            }
        }

        #[test]
        fn what_lichess_writes_is_read(centipawns in -20_000i32..=20_000, depth in 1u16..200) {
            let text = format!("{:.2},{depth}", f64::from(centipawns) / 100.0);
            let expected = Evaluation { score: Score::Centipawns(centipawns), view: View::White, depth: Some(depth) };
            prop_assert_eq!(command(&text), Ok(expected));
        }
    }
}
