//! Dates and times of day in PGN's format.

use std::{
    fmt,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

const SECONDS_PER_DAY: u64 = 86_400;

/// A day of the Gregorian calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PgnDate {
    /// Year, four digits.
    pub year: u32,
    /// Month, from 1.
    pub month: u8,
    /// Day of the month, from 1.
    pub day: u8,
}

impl PgnDate {
    /// The UTC day of `time`; the standard library has no other time zone.
    ///
    /// Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", `civil_from_days`: years are counted from
    /// 1 March, so that the leap day comes last and months have a regular length.
    pub fn from_utc(time: SystemTime) -> Self {
        let days_since_1970 = since_1970(time).as_secs() / SECONDS_PER_DAY;
        let days = days_since_1970 + 719_468; // since 0000-03-01
        let era = days / 146_097;
        let day_of_era = days % 146_097;
        let year_of_era =
            (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let months_since_march = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * months_since_march + 2) / 5 + 1;
        let month = if months_since_march < 10 { months_since_march + 3 } else { months_since_march - 9 };
        let year = year_of_era + era * 400 + u64::from(month <= 2);
        Self { year: year as u32, month: month as u8, day: day as u8 }
    }
}

impl fmt::Display for PgnDate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:04}.{:02}.{:02}", self.year, self.month, self.day)
    }
}

/// A system clock set before 1970 counts as 1970.
fn since_1970(time: SystemTime) -> Duration {
    time.duration_since(UNIX_EPOCH).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_agree_with_the_calendar() {
        // Seconds from `date -u -d DATE +%s`.
        for (seconds, date) in [
            (0, "1970.01.01"),
            (951_782_400, "2000.02.29"),
            (951_868_800, "2000.03.01"),
            (1_704_067_199, "2023.12.31"),
            (1_704_067_200, "2024.01.01"),
            (4_107_542_400, "2100.03.01"),
        ] {
            assert_eq!(PgnDate::from_utc(UNIX_EPOCH + Duration::from_secs(seconds)).to_string(), date);
        }
    }

    #[test]
    fn consecutive_days_are_consecutive() {
        let mut last = PgnDate { year: 1969, month: 12, day: 31 };
        for day in 0..200_000 {
            let date = PgnDate::from_utc(UNIX_EPOCH + Duration::from_secs(day * SECONDS_PER_DAY));
            assert!(date > last && (date.day == last.day + 1 || date.day == 1), "{last} {date}");
            last = date;
        }
    }
}
