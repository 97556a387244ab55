//! Fractions as percentages.

use std::fmt;

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
    fn precision_and_width_are_the_format_s() {
        assert_eq!(Percent(0.4534).to_string(), "45.3 %");
        assert_eq!(
            format!("{:.0}|{:9.2}|{:8}", Percent(0.4534), Percent(0.4534), Percent(1.0)),
            "45 %|  45.34 %| 100.0 %"
        );
    }
}
