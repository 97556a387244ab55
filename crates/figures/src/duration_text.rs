//! Durations as readable text.

use std::fmt;

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

#[cfg(test)]
mod tests {
    use super::*;

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
}
