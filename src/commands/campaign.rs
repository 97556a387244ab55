//! Shared by commands that play games: playing them, reporting the result and ending.

use std::{fmt::Display, io::Write as _, process::ExitCode};

use anyhow::{Context as _, Result};
use serde::Serialize;
use strength::{
    campaign::{Campaign, MatchPlan, Rules},
    matches::EarlyEnd,
};
use terminal::{MatchProgress, stop_on_interrupt};

/// Plays until the plan is done; returns the reason if the games ended early.
pub(crate) fn play(
    campaign: &mut Campaign,
    plan: &mut dyn MatchPlan,
    progress: &MatchProgress,
) -> Result<Option<EarlyEnd>> {
    let ended = campaign.play(plan, &stop_on_interrupt()?, &mut |state| progress.show(state))?;
    progress.finish();
    Ok(ended)
}

/// Prints a result, as text or as JSON, and writes it next to the games. Printing comes first, so that a full
/// disk does not lose the result of hours of games.
pub(crate) fn tell(games: &Campaign, result: &impl Serialize, text: &dyn Display, json: bool) -> Result<()> {
    let result = with_short_lines(&serde_json::to_string_pretty(result)?);
    let shown: &dyn Display = if json { &result } else { text };
    let printed = writeln!(std::io::stdout(), "{shown}");
    games.finish(&result)?;
    printed.context("cannot write the result to standard output")
}

/// Depth of a result's JSON from which on an object or array is one line: a match has a line for each game.
const DEPTH: usize = 2;

/// Indented JSON with everything deeper than [`DEPTH`] on the line of what contains it.
fn with_short_lines(indented: &str) -> String {
    let mut text = String::with_capacity(indented.len());
    for line in indented.lines() {
        let content = line.trim_start();
        let depth = (line.len() - content.len()) / 2;
        if depth > DEPTH || depth == DEPTH && content.starts_with(['}', ']']) {
            text.push_str(if text.ends_with(',') { " " } else { "" });
            text.push_str(content);
        } else {
            text.push_str(if text.is_empty() { "" } else { "\n" });
            text.push_str(line);
        }
    }
    text
}

/// Warns of tablebases that could not be used, because games without them count as played by the rules. If
/// the games ended early, then returns the reason as an error with the context `cut`.
pub(crate) fn conclude(rules: &Rules, ended: Option<EarlyEnd>, cut: impl Into<String>) -> Result<ExitCode> {
    for problem in rules.damaged_tables() {
        writeln!(std::io::stderr(), "caution: an endgame table could not be used: {problem}")?;
    }
    ended.map_or(Ok(ExitCode::SUCCESS), |reason| Err(anyhow::Error::new(reason).context(cut.into())))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_game_is_a_line() {
        let games =
            json!([{"index": 0, "timings": [{"moves": 1}, {"moves": 2}]}, {"index": 1, "timings": []}]);
        let result = json!({"a": {"pairs": [0, 1], "list": games}, "games": games, "none": []});
        let text = with_short_lines(&serde_json::to_string_pretty(&result).unwrap());
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        assert_eq!(lines[5], r#""games": ["#, "{text}");
        assert_eq!(lines[6], r#"{"index": 0, "timings": [{"moves": 1}, {"moves": 2}]},"#, "{text}");
        assert_eq!(lines.len(), 11, "{text}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), result);
    }
}
