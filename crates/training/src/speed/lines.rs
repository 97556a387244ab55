//! Training speed as text.

use figures::Percent;

use super::TrainingSpeed;

impl TrainingSpeed {
    /// The figures in readable form, one line each.
    pub fn lines(&self) -> Vec<String> {
        let total = self.seconds.total();
        let mut lines = vec![
            format!(
                "{}, batch {}, {} thread(s), {}, {} steps",
                self.network,
                self.batch,
                self.threads,
                if self.from_store { "samples of a store" } else { "random samples" },
                self.steps,
            ),
            self.multiply_adds.as_ref().map_or(self.arithmetic.clone(), |used| {
                format!(
                    "{}, at best {:.1} G multiply-adds/s a thread",
                    self.arithmetic,
                    used.peak_per_thread / 1e9
                )
            }),
            format!("{:<10}{:>10}{:>8}{:>16}", "phase", "ms", "share", "positions/s"),
        ];
        for (name, seconds) in self.seconds.parts().into_iter().chain([("all", total)]) {
            let rate =
                if seconds > 0.0 { format!("{:.0}", self.batch as f64 / seconds) } else { "-".to_owned() };
            let share = Percent(seconds / total);
            lines.push(format!("{name:<10}{:>10.2}{share:>8.1}{rate:>16}", 1e3 * seconds));
        }
        if let Some(rate) = self.positions_per_processor_second {
            lines.push(format!(
                "{rate:.0} positions in a second of processor time, all threads and the loader's counted"
            ));
        }
        lines.extend(self.multiply_adds.as_ref().map(|used| {
        format!(
            "{:.1} M multiply-adds a position ({:.1} M carried out): {:.0} of the peak ({:.0} carried out)",
            used.nominal_multiply_adds as f64 / 1e6,
            used.executed_multiply_adds as f64 / 1e6,
            Percent(used.nominal_share_of_peak),
            Percent(used.share_of_peak),
        )
    }));
        lines.extend(self.peak_memory.map(|bytes| format!("{:.0} MB of memory at most", bytes as f64 / 1e6)));
        lines
    }
}
