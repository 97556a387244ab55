//! The live line of a running match.

use std::{cell::Cell, time::Duration};

use indicatif::{HumanDuration, ProgressBar, ProgressStyle};
use strength::statistics::{EloText, Standing, elo_from_standing};

use crate::log_lines::{LogInterval, print_line};

/// How often a log gets a line.
const LOGGED: Duration = Duration::from_mins(1);

/// Score, Elo difference and remaining time on standard error: in a terminal a live line, with those of finished matches above,
/// otherwise a line after the first game and then one a minute.
pub(crate) struct Progress {
    bar: ProgressBar,
    /// Games of earlier matches.
    before: Cell<u64>,
    current: Cell<u64>,
    names: std::cell::RefCell<String>,
    interval: LogInterval,
}

impl Progress {
    /// A line for a match of this many games.
    pub(crate) fn new(games: usize) -> Self {
        let bar = ProgressBar::new(games as u64);
        let template = "{bar:20} {pos}/{len} games, {elapsed} gone, {eta} left  {wide_msg}";
        bar.set_style(ProgressStyle::with_template(template).expect("the template is constant and valid"));
        bar.enable_steady_tick(Duration::from_millis(500));
        Self {
            bar,
            before: Cell::default(),
            current: Cell::default(),
            names: std::cell::RefCell::default(),
            interval: LogInterval::new(LOGGED),
        }
    }

    /// Begins a match of which some games may be finished.
    pub(crate) fn begin(&self, names: &[String; 2], played: usize) {
        let last = self.bar.message();
        if !last.is_empty() {
            self.bar.println(last);
        }
        self.before.set(self.before.get() + self.current.get());
        self.current.set(played as u64);
        self.bar.set_position(self.before.get() + self.current.get());
        self.bar.reset_eta();
        self.bar.set_message(String::new());
        *self.names.borrow_mut() = format!("{} - {}", names[0], names[1]);
    }

    /// More games of a command that goes back and forth between opponents; `before` games were against others.
    pub(crate) fn continue_with(&self, names: &[String; 2], before: usize) {
        self.before.set(before as u64);
        self.bar.reset_eta();
        *self.names.borrow_mut() = format!("{} - {}", names[0], names[1]);
    }

    /// Games that are not played after all.
    pub(crate) fn leave_out(&self, games: u32) {
        self.bar.set_length(self.bar.length().unwrap_or_default().saturating_sub(games.into()));
    }

    /// The standing after a game.
    pub(crate) fn show(&self, standing: &Standing) {
        let games = standing.games();
        let elo =
            elo_from_standing(standing).map(|elo| format!("  Elo {}", EloText(elo))).unwrap_or_default();
        self.current.set(games.games());
        self.bar.set_position(self.before.get() + games.games());
        let names = self.names.borrow();
        self.bar.set_message(format!("{names}: +{} ={} -{}{elo}", games.wins, games.draws, games.losses));
        if self.bar.is_hidden() && self.interval.is_due() {
            let (played, all) = (self.bar.position(), self.bar.length().unwrap_or_default());
            let (gone, left) = (HumanDuration(self.bar.elapsed()), HumanDuration(self.bar.eta()));
            print_line(&format!("{played}/{all} games, {gone} gone, {left} left  {}", self.bar.message()));
        }
    }

    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
