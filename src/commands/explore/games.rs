//! The games behind the counts: the ranges that choose them, and their list.

use std::{io::Write, ops::RangeInclusive};

use anyhow::Result;
use census::openings::{GameFilter, GamePage, ListedGame};
use chess::{print_san, print_uci_move, printable};
use indicatif::HumanCount;
use serde::Serialize;

/// Reads `2000..2400` with both ends, `2400..`, `..1800`, or one number.
pub(super) fn range(text: &str) -> Result<RangeInclusive<u16>, String> {
    let (from, to) = text.split_once("..").unwrap_or((text, text));
    if from.is_empty() && to.is_empty() {
        return Err("expected a number at one end, such as 2000..".into());
    }
    let range = end(from, 0)?..=end(to, u16::MAX)?;
    if range.is_empty() {
        return Err(format!(
            "found {} before {}, expected numbers that do not fall",
            range.start(),
            range.end()
        ));
    }
    Ok(range)
}

fn end(text: &str, open: u16) -> Result<u16, String> {
    if text.is_empty() { Ok(open) } else { text.parse().map_err(|error| format!("{text:?}: {error}")) }
}

/// The ranges as a part of a sentence, such as `ratings from 2000 to 2400`.
pub(super) fn filter_text(filter: &GameFilter) -> String {
    let parts = [("ratings", &filter.ratings), ("years", &filter.years)];
    let known =
        parts.into_iter().filter_map(|(what, range)| Some(format!("{what} {}", range_text(range.as_ref()?))));
    known.collect::<Vec<_>>().join(" and ")
}

fn range_text(range: &RangeInclusive<u16>) -> String {
    match (*range.start(), *range.end()) {
        (from, to) if from == to => format!("of {from}"),
        (0, to) => format!("up to {to}"),
        (from, u16::MAX) => format!("from {from}"),
        (from, to) => format!("from {from} to {to}"),
    }
}

/// Games with the position, in JSON.
#[derive(Debug, Serialize)]
pub(super) struct GamesView {
    /// Number of all that fit.
    total: u64,
    listed: Vec<GameView>,
}

#[derive(Debug, Serialize)]
struct GameView {
    white: Option<String>,
    black: Option<String>,
    white_rating: Option<u16>,
    black_rating: Option<u16>,
    result: &'static str,
    year: Option<u16>,
    /// The first position.
    fen: String,
    /// All moves, UCI.
    moves: Vec<String>,
    /// Half-moves before the position.
    ply: usize,
}

impl From<&GamePage> for GamesView {
    fn from(page: &GamePage) -> Self {
        Self { total: page.total, listed: page.games.iter().map(GameView::from).collect() }
    }
}

impl From<&ListedGame> for GameView {
    fn from(ListedGame { record, ply }: &ListedGame) -> Self {
        let start = record.game(0);
        let moves = record.moves.iter();
        Self {
            white: record.players.white.clone(),
            black: record.players.black.clone(),
            white_rating: record.white_rating,
            black_rating: record.black_rating,
            result: record.pgn_result().as_str(),
            year: record.year,
            fen: start.fen(),
            moves: moves.map(|recorded| print_uci_move(recorded.played, start.castling_mode())).collect(),
            ply: *ply,
        }
    }
}

/// Lists the games below the moves.
pub(super) fn print(out: &mut impl Write, page: &GamePage) -> Result<()> {
    writeln!(out, "{} of {} games, the strongest players first:", page.games.len(), HumanCount(page.total))?;
    for ListedGame { record, ply } in &page.games {
        let next = record.moves.get(*ply);
        let next = next.map(|recorded| print_san(record.game(*ply).position(), recorded.played));
        writeln!(
            out,
            "  {:<8}{:>5}  {:<8}{} - {}, {} half-moves",
            next.unwrap_or_default(),
            record.year.map_or_else(|| "-".into(), |year| year.to_string()),
            record.pgn_result().as_str(),
            player(record.players.white.as_deref(), record.white_rating),
            player(record.players.black.as_deref(), record.black_rating),
            record.moves.len()
        )?;
    }
    Ok(())
}

fn player(name: Option<&str>, rating: Option<u16>) -> String {
    // Names come from files of others: a terminal must not run what they contain.
    let name = printable(name.unwrap_or("?"), &[]);
    match rating {
        None => name,
        Some(rating) => format!("{name} ({rating})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_have_one_end_or_both() {
        assert_eq!(range("2000..2400"), Ok(2000..=2400));
        assert_eq!(range("2400.."), Ok(2400..=u16::MAX));
        assert_eq!(range("..1800"), Ok(0..=1800));
        assert_eq!(range("2014"), Ok(2014..=2014));
        for text in ["", "..", "2400..2000", "a..b", "1..70000", "-1"] {
            assert!(range(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn a_filter_is_named_by_its_ranges() {
        let filter = GameFilter { ratings: Some(2400..=u16::MAX), years: Some(1972..=1972) };
        assert_eq!(filter_text(&filter), "ratings from 2400 and years of 1972");
        assert_eq!(
            filter_text(&GameFilter { ratings: None, years: Some(1990..=1999) }),
            "years from 1990 to 1999"
        );
    }
}
