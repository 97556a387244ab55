//! The live line of a running match.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use strength::{
    report::EloText,
    statistics::{Standing, elo_from_standing},
};

/// Score, rating difference and time left on standard error; silent where that is no terminal.
pub(super) struct Progress(ProgressBar);

impl Progress {
    pub(super) fn new(games: u32) -> Self {
        let bar = ProgressBar::new(u64::from(games));
        let template = "{bar:20} {pos}/{len} games, {elapsed} gone, {eta} left  {wide_msg}";
        bar.set_style(ProgressStyle::with_template(template).expect("the template is constant and valid"));
        bar.enable_steady_tick(Duration::from_millis(500));
        Self(bar)
    }

    pub(super) fn show(&self, standing: &Standing) {
        let games = standing.games();
        let elo =
            elo_from_standing(standing).map(|elo| format!("  Elo {}", EloText(elo))).unwrap_or_default();
        self.0.set_position(games.games());
        self.0.set_message(format!("+{} ={} -{}{elo}", games.wins, games.draws, games.losses));
    }

    pub(super) fn finish(&self) {
        self.0.finish_and_clear();
    }
}
