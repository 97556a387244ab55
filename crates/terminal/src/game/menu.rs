//! The questions before a game in the terminal: who plays, which search, how strong, which side.

use std::{
    io::{BufRead, Write},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use chess::{Color, DEFAULT_NODES};
use search::{SEARCHES, SearchKind};

use super::{say, typed};
use crate::error::TerminalError;

/// Opponent of the person, and the person's side.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct Opponent {
    pub search: &'static SearchKind,
    pub strength: Strength,
    pub side: PersonSide,
}

/// Limit of an engine's moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strength {
    /// Visits for each move.
    Nodes(u64),
    /// Thinking time for each move.
    MoveTime(Duration),
    /// A rating that was measured.
    Elo(u16),
}

/// The person's side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "self-explanatory variants")]
pub enum PersonSide {
    White,
    Black,
    /// Either side, chosen by the clock.
    Random,
}

/// The sides as people type them.
pub const SIDES: [(&str, PersonSide); 3] =
    [("white", PersonSide::White), ("black", PersonSide::Black), ("random", PersonSide::Random)];

impl PersonSide {
    /// The colour, drawn if it is left to chance.
    pub fn color(self) -> Color {
        match self {
            Self::White => Color::White,
            Self::Black => Color::Black,
            Self::Random => {
                let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
                Color::from_white(seconds.is_multiple_of(2))
            }
        }
    }
}

/// Games to play.
#[derive(Clone, Debug)]
pub enum PlayChoice<P> {
    /// One game of the person against the engine.
    Person(Opponent),
    /// Games of engines against each other.
    Engines(Tournament<P>),
}

/// Engines that all play each other.
#[derive(Clone, Debug)]
pub struct Tournament<P> {
    /// At least two.
    pub players: Vec<P>,
    /// Games of each pair, half of them with each colour.
    pub games: u32,
}

/// Games of a pair if nothing else is typed.
const DEFAULT_GAMES: u32 = 2;

/// Asks for all settings; `None` if the person leaves or the input ends. `measured` is the range of measured
/// ratings of the network, if any; `known` has a line for each player to suggest; `open` opens a player from
/// its text, or returns why it cannot.
///
/// # Errors
/// [`TerminalError`] if the terminal is closed.
pub fn ask<P>(
    input: &mut dyn BufRead,
    out: &mut dyn Write,
    measured: Option<(i32, i32)>,
    known: &[String],
    open: impl Fn(&str) -> Result<P, String>,
) -> Result<Option<PlayChoice<P>>, TerminalError> {
    say(out, "Enter chooses the default in brackets; `quit` exits.")?;
    say(out, "  1  you against the engine")?;
    say(out, "  2  engines against each other")?;
    Ok(match answer(input, out, "games [1]", has_person)? {
        None => None,
        Some(true) => ask_opponent(input, out, measured)?.map(PlayChoice::Person),
        Some(false) => ask_engines(input, out, known, open)?.map(PlayChoice::Engines),
    })
}

/// The players of a tournament: two, or more until an empty line.
fn ask_engines<P>(
    input: &mut dyn BufRead,
    out: &mut dyn Write,
    known: &[String],
    open: impl Fn(&str) -> Result<P, String>,
) -> Result<Option<Tournament<P>>, TerminalError> {
    say(out, "Players are named as for `tabiya match`, such as default,nodes=100 or random.")?;
    for line in known {
        say(out, &format!("  {line}"))?;
    }
    let mut players = Vec::new();
    loop {
        let enough = players.len() >= 2;
        let end = if enough { " [no more]" } else { "" };
        let question = format!("player {}{end}", players.len() + 1);
        let entered = answer(input, out, &question, |text| {
            if enough && text.is_empty() { Ok(None) } else { open(text).map(Some) }
        })?;
        match entered {
            None => return Ok(None),
            Some(None) => break,
            Some(Some(player)) => players.push(player),
        }
    }
    let question = format!("games of each pair [{DEFAULT_GAMES}]");
    Ok(answer(input, out, &question, games)?.map(|games| Tournament { players, games }))
}

fn ask_opponent(
    input: &mut dyn BufRead,
    out: &mut dyn Write,
    measured: Option<(i32, i32)>,
) -> Result<Option<Opponent>, TerminalError> {
    for (number, kind) in (1..).zip(SEARCHES) {
        say(out, &format!("  {number}  {:<16} {}", kind.name, kind.help))?;
    }
    let Some(search) = answer(input, out, "search [1]", search)? else { return Ok(None) };
    let ratings = measured.map(|(low, high)| format!(", a rating such as elo {low} (to {high})"));
    let question =
        format!("visits a move, seconds such as 2s{} [{DEFAULT_NODES}]", ratings.unwrap_or_default());
    let Some(strength) = answer(input, out, &question, |text| strength(text, measured))? else {
        return Ok(None);
    };
    let Some(side) = answer(input, out, "your side: white, black or random [white]", side)? else {
        return Ok(None);
    };
    Ok(Some(Opponent { search, strength, side }))
}

/// Repeats the question until the answer is valid.
fn answer<T>(
    input: &mut dyn BufRead,
    out: &mut dyn Write,
    question: &str,
    read: impl Fn(&str) -> Result<T, String>,
) -> Result<Option<T>, TerminalError> {
    loop {
        let Some(line) = typed(input, out, question, "your answer")? else { return Ok(None) };
        let line = line.trim();
        if line.eq_ignore_ascii_case("quit") {
            return Ok(None);
        }
        match read(line) {
            Ok(chosen) => return Ok(Some(chosen)),
            Err(message) => say(out, &message)?,
        }
    }
}

fn has_person(text: &str) -> Result<bool, String> {
    match text {
        "" | "1" => Ok(true),
        "2" => Ok(false),
        _ => Err(format!("found {text:?}, expected 1 or 2")),
    }
}

fn games(text: &str) -> Result<u32, String> {
    let games = if text.is_empty() { Ok(DEFAULT_GAMES) } else { text.parse() };
    let even = games.ok().filter(|games| *games > 0 && games.is_multiple_of(2));
    even.ok_or_else(|| format!("found {text:?}, expected an even number above 0: both play both colours"))
}

fn search(text: &str) -> Result<&'static SearchKind, String> {
    let text = text.to_ascii_lowercase();
    // A number counts from 1, as the list shows it; 0 has no entry before it.
    let number = if text.is_empty() { Some(1) } else { text.parse::<usize>().ok() };
    let by_number = number.and_then(|number| SEARCHES.get(number.checked_sub(1)?));
    let found = by_number.or_else(|| SEARCHES.iter().find(|kind| kind.name == text));
    found.ok_or_else(|| format!("found {text:?}, expected 1 to {} or a name", SEARCHES.len()))
}

fn strength(text: &str, measured: Option<(i32, i32)>) -> Result<Strength, String> {
    let text = text.to_ascii_lowercase();
    if text.is_empty() {
        return Ok(Strength::Nodes(DEFAULT_NODES));
    }
    let found = if let Some(rating) = text.strip_prefix("elo") {
        let (low, high) = measured
            .ok_or("the strength of this network was not measured; `tabiya calibrate` measures it")?;
        let elo: Option<u16> = rating.trim().parse().ok();
        if let Some(elo) = elo.filter(|elo| !(low..=high).contains(&i32::from(*elo))) {
            return Err(format!("found {elo}, expected {low} to {high}"));
        }
        elo.map(Strength::Elo)
    } else if let Some(seconds) = text.strip_suffix('s') {
        let seconds: Option<f64> = seconds.trim().parse().ok();
        // At most an hour.
        let valid = seconds.filter(|seconds| *seconds > 0.0 && *seconds <= 3600.0);
        valid.map(|seconds| Strength::MoveTime(Duration::from_secs_f64(seconds)))
    } else {
        text.parse().ok().filter(|nodes| *nodes > 0).map(Strength::Nodes)
    };
    found.ok_or_else(|| {
        format!(
            "found {text:?}, expected visits such as 100, seconds such as 2s, or a rating such as elo 1200"
        )
    })
}

fn side(text: &str) -> Result<PersonSide, String> {
    let text = text.to_ascii_lowercase();
    // An empty answer selects the first; one letter is enough.
    let found = SIDES.iter().find(|(name, _)| text.is_empty() || *name == text || name[..1] == text);
    let (_, side) = found.ok_or_else(|| format!("found {text:?}, expected white, black or random"))?;
    Ok(*side)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Players whose names are their texts; `fish` cannot be opened.
    fn chosen(script: &str, measured: Option<(i32, i32)>) -> (Option<PlayChoice<String>>, String) {
        let mut out = Vec::new();
        let open =
            |text: &str| if text == "fish" { Err("there is no fish".into()) } else { Ok(text.to_owned()) };
        let choice =
            ask(&mut script.as_bytes(), &mut out, measured, &["mlx, rated 850".into()], open).unwrap();
        (choice, String::from_utf8(out).unwrap())
    }

    /// The answers of a person who plays against the engine.
    fn asked(script: &str, measured: Option<(i32, i32)>) -> (Option<Opponent>, String) {
        let (choice, shown) = chosen(&format!("\n{script}"), measured);
        let opponent = choice.map(|choice| match choice {
            PlayChoice::Person(opponent) => opponent,
            PlayChoice::Engines(tournament) => panic!("{tournament:?}"),
        });
        (opponent, shown)
    }

    #[test]
    fn engines_are_asked_for_until_nobody_is_named() {
        let (choice, shown) = chosen("3\n2\nDefault,nodes=9\nfish\nrandom\nthird\n\n3\n4\n", None);
        let Some(PlayChoice::Engines(tournament)) = choice else { panic!("{shown}") };
        assert_eq!(tournament.players, ["Default,nodes=9", "random", "third"]);
        assert_eq!(tournament.games, 4);
        for expected in [
            "expected 1 or 2",
            "mlx, rated 850",
            "there is no fish",
            "player 4 [no more]",
            "expected an even number",
        ] {
            assert!(shown.contains(expected), "{expected} is missing in {shown}");
        }
        let (choice, _) = chosen("2\na\nb\n\n\n", None);
        assert!(matches!(choice, Some(PlayChoice::Engines(Tournament { games: 2, .. }))));
        for script in ["2\n", "2\nquit\n", "2\na\nquit\n", "2\na\nb\n\nquit\n"] {
            assert!(chosen(script, None).0.is_none(), "{script:?}");
        }
    }

    #[test]
    fn empty_answers_are_the_defaults() {
        let opponent = asked("\n\n\n", None).0.unwrap();
        assert_eq!(opponent.search.name, SEARCHES[0].name);
        assert_eq!((opponent.strength, opponent.side), (Strength::Nodes(DEFAULT_NODES), PersonSide::White));
    }

    #[test]
    fn every_search_is_listed_and_chosen_by_number_or_name() {
        for (number, kind) in (1..).zip(SEARCHES) {
            for text in [number.to_string(), kind.name.to_ascii_uppercase()] {
                let (opponent, shown) = asked(&format!("{text}\n2.5s\nblack\n"), None);
                let opponent = opponent.unwrap();
                assert!(shown.contains(kind.help));
                assert_eq!(opponent.search.name, kind.name);
                assert_eq!(opponent.strength, Strength::MoveTime(Duration::from_millis(2500)));
                assert_eq!(opponent.side, PersonSide::Black);
            }
        }
    }

    #[test]
    fn a_wrong_answer_is_explained_and_asked_again() {
        let script = "0\nfish\n2\n-5\n0s\nelo 3000\nelo 1200\nred\nr\n";
        let (opponent, shown) = asked(script, Some((800, 2000)));
        let opponent = opponent.unwrap();
        assert_eq!((opponent.strength, opponent.side), (Strength::Elo(1200), PersonSide::Random));
        for expected in [
            "found \"fish\"",
            "found \"-5\"",
            "found \"0s\"",
            "found 3000, expected 800 to 2000",
            "found \"red\"",
        ] {
            assert!(shown.contains(expected), "{expected} is missing in {shown}");
        }
        let unmeasured = asked("\nelo 1200\n\n\n", None);
        assert!(unmeasured.1.contains("was not measured") && unmeasured.0.is_some(), "{}", unmeasured.1);
    }

    #[test]
    fn leaving_is_possible_at_every_question() {
        for script in ["", "quit\n", "1\nquit\n", "1\n100\nquit\n", "1\n"] {
            assert!(asked(script, None).0.is_none(), "{script:?}");
        }
    }
}
