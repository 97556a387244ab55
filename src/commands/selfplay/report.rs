//! Terminal output of a self-play run: a line for each generation, and the rate of games.

use std::{
    io::Write as _,
    sync::atomic::{AtomicU64, Ordering},
};

use anyhow::Result;
use figures::Percent;
use indicatif::ProgressBar;
use terminal::{print_line, progress_bar};

use selfplay::{
    Generation, SelfPlayGame,
    worker::{Round, WorkerEvent},
};

/// Prints a run to stderr, and generations to stdout if they are wanted as JSON.
pub(super) struct ProgressReport {
    json: bool,
    bar: ProgressBar,
    evaluations: AtomicU64,
}

impl ProgressReport {
    pub(super) fn new(json: bool) -> Self {
        let bar = progress_bar(None, "{msg}");
        // Drawn after each game and not by a timer: during training no game is played.
        bar.disable_steady_tick();
        Self { json, bar, evaluations: AtomicU64::new(0) }
    }

    pub(super) fn line(&self, text: &str) {
        self.bar.suspend(|| print_line(text));
    }

    pub(super) fn generation(&self, generation: &Generation) -> Result<()> {
        self.line(&describe(generation));
        for skipped in &generation.window.skipped {
            self.line(&format!("  left out: {skipped}"));
        }
        if self.json {
            writeln!(std::io::stdout(), "{}", serde_json::to_string(generation)?)?;
        }
        Ok(())
    }

    /// A worker's game or round.
    pub(super) fn progress(&self, progress: WorkerEvent<'_>) {
        match progress {
            WorkerEvent::Game(game) => self.game(game),
            WorkerEvent::Round(round) => self.round(round),
        }
    }

    fn game(&self, game: &SelfPlayGame) {
        self.evaluations.fetch_add(game.evaluations, Ordering::Relaxed);
        self.bar.inc(1);
        self.bar.set_message(format!(
            "{} games, {} positions evaluated",
            self.bar.position(),
            self.evaluations.load(Ordering::Relaxed)
        ));
    }

    fn round(&self, round: &Round) {
        let seconds = round.elapsed.as_secs_f64().max(1e-9);
        self.line(&format!(
            "generation {}: {} games in {seconds:.1} s, {:.0} games an hour, {:.0} positions a second in batches of {:.1}",
            round.generation,
            round.games,
            f64::from(round.games) * 3600.0 / seconds,
            round.batches.positions as f64 / seconds,
            round.batches.positions as f64 / round.batches.batches.max(1) as f64,
        ));
    }
}

fn describe(generation: &Generation) -> String {
    let Generation { number, games, window, losses, gate, .. } = generation;
    let [won, drawn, lost] = gate.games;
    format!(
        "generation {number}: {} games, {:.0} half-moves each, {:.0} drawn, surprise {:.3}; learned from {} positions, policy \
         {}, value {}; +{won} ={drawn} -{lost}, {}: {}",
        games.games,
        games.mean_plies(),
        Percent(games.draw_share()),
        games.mean_surprise(),
        window.positions,
        loss_text(losses.get("policy")),
        loss_text(losses.get("value")),
        gate.reason,
        if gate.promoted { "takes over" } else { "stays behind" },
    )
}

/// A loss, or a dash if the held-out games have none.
fn loss_text(loss: Option<&f64>) -> String {
    loss.map_or_else(|| "-".to_owned(), |loss| format!("{loss:.3}"))
}
