//! Progress of a long command on standard error: a bar on a terminal, elsewhere a line now and then.

use std::{
    cell::Cell,
    io::{self, IsTerminal as _, Write as _},
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle, TermLike};

/// Time before the first line: commands that finish sooner print none.
const FIRST_LINE: Duration = Duration::from_secs(10);

/// Time between lines. Chosen, not tuned: a command of an hour prints sixty, which are quickly read.
pub(crate) const BETWEEN_LINES: Duration = Duration::from_mins(1);

/// Time between the frames of a bar.
pub(crate) const BETWEEN_FRAMES: Duration = Duration::from_millis(500);

/// Progress towards `length`, or a spinner if that is not known. `text` is an indicatif template for the text
/// next to the bar, and the whole line where there is no terminal.
///
/// # Panics
/// If `text` is not a template.
pub fn progress_bar(length: Option<u64>, text: &str) -> ProgressBar {
    let on_terminal = io::stderr().is_terminal();
    let drawn = match length {
        _ if !on_terminal => "",
        Some(_) => "{bar:20} ",
        None => "{spinner} ",
    };
    let target = if on_terminal {
        ProgressDrawTarget::stderr()
    } else {
        let lines = Lines::new(LogInterval::beginning_after(FIRST_LINE, BETWEEN_LINES), print_line);
        ProgressDrawTarget::term_like_with_hz(Box::new(lines), 1)
    };
    let style = ProgressStyle::with_template(&format!("{drawn}{text}"));
    let bar = ProgressBar::with_draw_target(length, target);
    bar.set_style(style.expect("templates are constant and valid"));
    bar.enable_steady_tick(BETWEEN_FRAMES);
    bar
}

/// Moves a bar past earlier work, without counting it towards the estimated speed.
pub fn continue_from(bar: &ProgressBar, position: u64) {
    bar.set_position(position);
    // `reset_eta` keeps the old position unless `tick` runs first.
    bar.tick();
    bar.reset_eta();
}

/// Prints a line and ignores a closed stream.
pub fn print_line(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Schedule of log lines: the first at once, or after a delay, then one per interval.
#[derive(Debug)]
pub(crate) struct LogInterval {
    length: Duration,
    due: Cell<Instant>,
}

impl LogInterval {
    /// Lines at once, then one in each interval of this length.
    pub(crate) fn new(length: Duration) -> Self {
        Self::beginning_after(Duration::ZERO, length)
    }

    /// Lines that begin after a delay.
    fn beginning_after(delay: Duration, length: Duration) -> Self {
        Self { length, due: Cell::new(Instant::now() + delay) }
    }

    /// True if a line is due; if so, the next interval begins.
    pub(crate) fn is_due(&self) -> bool {
        let now = Instant::now();
        let is_due = now >= self.due.get();
        if is_due {
            self.due.set(now + self.length);
        }
        is_due
    }
}

/// A terminal for indicatif that prints the frames that are due as lines.
///
/// indicatif draws nothing where there is no terminal, but a command of hours whose output goes to a file must show that it is still at work.
/// Frames are drawn as for a terminal, with the same template, position and estimate, and one in a while becomes a line, so that
/// [`progress_bar`] takes a single text for both. The cursor never moves, because every frame is a single line.
#[derive(Debug)]
struct Lines {
    frame: Mutex<Frame>,
    print: fn(&str),
}

/// Output since the last flush.
#[derive(Debug)]
struct Frame {
    interval: LogInterval,
    text: String,
}

impl Lines {
    fn new(interval: LogInterval, print: fn(&str)) -> Self {
        Self { frame: Mutex::new(Frame { interval, text: String::new() }), print }
    }

    fn with_frame(&self, act: impl FnOnce(&mut Frame)) {
        act(&mut self.frame.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl TermLike for Lines {
    /// Wide enough that nothing is cut off.
    fn width(&self) -> u16 {
        1000
    }

    fn move_cursor_up(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn move_cursor_down(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn move_cursor_right(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn move_cursor_left(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn write_line(&self, text: &str) -> io::Result<()> {
        self.write_str(text)
    }

    /// indicatif writes a line, then the blanks up to the width.
    fn write_str(&self, text: &str) -> io::Result<()> {
        self.with_frame(|frame| frame.text.push_str(text));
        Ok(())
    }

    fn clear_line(&self) -> io::Result<()> {
        Ok(())
    }

    fn flush(&self) -> io::Result<()> {
        self.with_frame(|frame| {
            let text = std::mem::take(&mut frame.text);
            let text = text.trim();
            if !text.is_empty() && frame.interval.is_due() {
                (self.print)(text);
            }
        });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(interval: Duration, draw: impl FnOnce(&ProgressBar)) -> Vec<String> {
        static PRINTED: Mutex<Vec<String>> = Mutex::new(Vec::new());
        // One bar at a time prints there.
        static USED: Mutex<()> = Mutex::new(());
        let _used = USED.lock().unwrap_or_else(PoisonError::into_inner);
        PRINTED.lock().unwrap().clear();
        let lines =
            Lines::new(LogInterval::new(interval), |text| PRINTED.lock().unwrap().push(text.to_owned()));
        let bar = ProgressBar::with_draw_target(Some(5), ProgressDrawTarget::term_like(Box::new(lines)));
        bar.set_style(ProgressStyle::with_template("{pos:>3}/{len} games  {wide_msg}").unwrap());
        draw(&bar);
        bar.finish_and_clear();
        PRINTED.lock().unwrap().clone()
    }

    #[test]
    fn frames_are_lines_without_what_only_terminals_understand() {
        let lines = printed(Duration::ZERO, |bar| {
            bar.set_message("one won");
            bar.suspend(|| ());
            bar.set_position(2);
            bar.set_message("two won");
        });
        assert_eq!(lines.first().unwrap(), "0/5 games  one won");
        assert_eq!(lines.last().unwrap(), "2/5 games  two won");
    }

    /// With the thousand included, the speed would be 50,000 steps per second or more.
    #[test]
    fn what_was_done_before_says_nothing_about_the_speed() {
        let bar = ProgressBar::with_draw_target(Some(2000), ProgressDrawTarget::hidden());
        continue_from(&bar, 1000);
        std::thread::sleep(Duration::from_millis(20));
        bar.set_position(1001);
        bar.tick();
        assert!(bar.per_sec() <= 60.0, "{}", bar.per_sec());
    }

    #[test]
    fn frames_between_lines_are_dropped() {
        let lines = printed(Duration::from_hours(1), |bar| {
            for number in 0..5 {
                bar.inc(1);
                bar.set_message(format!("{number}"));
            }
        });
        assert_eq!(lines, ["1/5 games"]);
    }
}
