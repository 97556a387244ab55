//! Percentages, durations and tables as text.

use std::fmt;

use comfy_table::{CellAlignment, Table, presets::NOTHING};

/// A table with column headers. The first column is left-aligned, the others are right-aligned. Lines have no trailing white
/// space, and there is no line break after the last.
pub fn text_table(header: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut table = Table::new();
    table.load_style(NOTHING).set_header(header.iter().copied()).add_rows(rows);
    for column in table.column_iter_mut() {
        column.set_padding((2, 0));
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table.trim_fmt()
}

/// A number of seconds in a readable unit: `350 ms`, `40 s`, `12 min`, `1 h 05 min`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DurationText(pub f64);

impl fmt::Display for DurationText {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0.max(0.0);
        let minutes = (seconds / 60.0).round() as u64;
        match seconds {
            0.0 => formatter.write_str("0 s"),
            ..1.0 => write!(formatter, "{:.0} ms", 1e3 * seconds),
            ..90.0 => write!(formatter, "{seconds:.0} s"),
            _ if minutes < 60 => write!(formatter, "{minutes} min"),
            _ => write!(formatter, "{} h {:02} min", minutes / 60, minutes % 60),
        }
    }
}

/// A fraction from 0 to 1 as a percentage, `45.3 %`: with one decimal place unless the format gives another precision, and
/// right-aligned in a given width.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Percent<T = f64>(pub T);

impl<T: Copy + Into<f64>> fmt::Display for Percent<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimals = formatter.precision().unwrap_or(1);
        let text = format!("{:.decimals$} %", 100.0 * self.0.into());
        write!(formatter, "{text:>width$}", width = formatter.width().unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_end_below_each_other() {
        let rows = [["all", "7"], ["1500-1599", "1200"]].map(|row| row.map(String::from).to_vec());
        assert_eq!(
            text_table(&["rating", "games"], rows),
            "  rating     games\n  all            7\n  1500-1599   1200"
        );
    }

    #[test]
    fn every_duration_has_its_unit() {
        for (seconds, text) in [
            (-1.0, "0 s"),
            (0.0, "0 s"),
            (0.35, "350 ms"),
            (1.0, "1 s"),
            (75.0, "75 s"),
            (90.0, "2 min"),
            (3569.0, "59 min"),
            (3571.0, "1 h 00 min"),
            (3900.0, "1 h 05 min"),
            (180_000.0, "50 h 00 min"),
        ] {
            assert_eq!(DurationText(seconds).to_string(), text);
        }
    }

    #[test]
    fn precision_and_width_are_the_format_s() {
        assert_eq!(Percent(0.4534).to_string(), "45.3 %");
        assert_eq!(
            format!("{:.0}|{:9.2}|{:8}", Percent(0.4534), Percent(0.4534), Percent(1.0)),
            "45 %|  45.34 %| 100.0 %"
        );
    }
}
