//! Shared by commands that play games: playing them, reporting the result and ending.

use std::{fmt::Display, io::Write as _, process::ExitCode};

use anyhow::{Context as _, Result};
use serde::Serialize;
use strength::{
    campaign::{Campaign, MatchPlan, Rules},
    matches::EarlyEnd,
};
use terminal::{MatchProgress, stop_on_interrupt};

use super::json_of;

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
    let result = json_of(result)?;
    let shown: &dyn Display = if json { &result } else { text };
    let printed = writeln!(std::io::stdout(), "{shown}");
    games.finish(&result)?;
    printed.context("cannot write the result to standard output")
}

/// Warns of tablebases that could not be used, because games without them count as played by the rules. If
/// the games ended early, then returns the reason as an error with the context `cut`.
pub(crate) fn conclude(rules: &Rules, ended: Option<EarlyEnd>, cut: impl Into<String>) -> Result<ExitCode> {
    for problem in rules.damaged_tables() {
        writeln!(std::io::stderr(), "caution: an endgame table could not be used: {problem}")?;
    }
    ended.map_or(Ok(ExitCode::SUCCESS), |reason| Err(anyhow::Error::new(reason).context(cut.into())))
}
