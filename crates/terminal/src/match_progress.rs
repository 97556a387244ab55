//! The live line of a campaign.

use indicatif::{HumanDuration, ProgressBar, ProgressStyle};
use strength::{
    campaign::CampaignProgress,
    statistics::{EloText, elo_from_standing},
};

use crate::progress_bar::{BETWEEN_FRAMES, BETWEEN_LINES, LogInterval, continue_from, print_line};

/// Score, Elo difference and remaining time on standard error: in a terminal a live line, otherwise a line after the first game and
/// then one per minute.
pub struct MatchProgress {
    bar: ProgressBar,
    interval: LogInterval,
    /// True if the last line of each finished match stays in a terminal.
    keeps_lines: bool,
}

impl MatchProgress {
    /// A line that is redrawn.
    ///
    /// # Panics
    /// Never: the template is a constant.
    #[allow(clippy::new_without_default, reason = "it draws at once")]
    pub fn new() -> Self {
        let bar = ProgressBar::new(0);
        let template = "{bar:20} {pos}/{len} games, {elapsed} elapsed, {eta} left  {wide_msg}";
        bar.set_style(ProgressStyle::with_template(template).expect("the template is constant and valid"));
        bar.enable_steady_tick(BETWEEN_FRAMES);
        Self { bar, interval: LogInterval::new(BETWEEN_LINES), keeps_lines: false }
    }

    /// A bar that keeps the last line of each finished match above it.
    pub fn of_matches() -> Self {
        Self { keeps_lines: true, ..Self::new() }
    }

    /// Draws the state of the campaign.
    pub fn show(&self, progress: &CampaignProgress<'_>) {
        self.bar.set_length(progress.planned.max(progress.played));
        if progress.begins {
            let last = self.bar.message();
            if self.keeps_lines && !last.is_empty() {
                self.bar.println(last);
            }
            // Games of a resumed campaign took no time now.
            continue_from(&self.bar, progress.played);
        }
        self.bar.set_position(progress.played);
        self.bar.set_message(text(progress));
        if !progress.begins && self.bar.is_hidden() && self.interval.is_due() {
            let (played, all) = (self.bar.position(), self.bar.length().unwrap_or_default());
            let (elapsed, left) = (HumanDuration(self.bar.elapsed()), HumanDuration(self.bar.eta()));
            print_line(&format!(
                "{played}/{all} games, {elapsed} elapsed, {left} left  {}",
                self.bar.message()
            ));
        }
    }

    /// Removes the line.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// Status of the plan, or the score of the running match.
fn text(progress: &CampaignProgress<'_>) -> String {
    if let Some(status) = progress.status {
        return status.into();
    }
    let games = progress.standing.games();
    if games.games() == 0 {
        return String::new();
    }
    let elo = elo_from_standing(progress.standing);
    let elo = elo.map(|elo| format!("  Elo {}", EloText(elo))).unwrap_or_default();
    let [first, second] = progress.names;
    format!("{first} - {second}: +{} ={} -{}{elo}", games.wins, games.draws, games.losses)
}
