//! Dates of the wall clock, used for names and tags only; nothing is computed from them.

use std::time::{SystemTime, UNIX_EPOCH};

/// A date and time in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UtcDate {
    year: i64,
    month: i64,
    day: i64,
    second_of_day: i64,
}

impl UtcDate {
    /// Returns the current time.
    pub fn now() -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self::from_unix(i64::try_from(since.as_secs()).unwrap_or(0))
    }

    /// Converts seconds since 1970 to a date of the Gregorian calendar.
    pub fn from_unix(seconds: i64) -> Self {
        let (days, second_of_day) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
        // Years are counted from March, so that the leap day is the last of its year; eras of 400 years repeat
        // exactly.
        let days = days + 719_468;
        let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
        let year_of_era =
            (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted_month = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
        let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        Self { year, month, day, second_of_day }
    }

    /// Returns the date as PGN writes it: `2026.01.31`.
    pub fn pgn_date(&self) -> String {
        format!("{:04}.{:02}.{:02}", self.year, self.month, self.day)
    }

    /// Returns the date and time as ISO 8601 writes them, with a space before the zone: `2026-01-31T23:59:59 +0000`.
    pub fn iso(&self) -> String {
        let date = self.pgn_date().replace('.', "-");
        format!("{date}T{} +0000", self.time_of_day())
    }

    /// Returns the time of the day: `23:59:59`.
    pub fn time_of_day(&self) -> String {
        let second = self.second_of_day;
        format!("{:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60)
    }

    /// Returns the time to the minute as people read it: `2026-01-31 23:59`.
    pub fn minute(&self) -> String {
        let (hour, minute) = (self.second_of_day / 3600, self.second_of_day / 60 % 60);
        format!("{:04}-{:02}-{:02} {hour:02}:{minute:02}", self.year, self.month, self.day)
    }

    /// Returns the time stamp at the beginning of run folder names: `20260131-235959`.
    pub fn stamp(&self) -> String {
        let (hour, minute, second) =
            (self.second_of_day / 3600, self.second_of_day / 60 % 60, self.second_of_day % 60);
        format!("{:04}{:02}{:02}-{hour:02}{minute:02}{second:02}", self.year, self.month, self.day)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_times_have_their_dates() {
        for (seconds, stamp) in [
            (0, "19700101-000000"),
            (951_782_399, "20000228-235959"),
            (951_782_400, "20000229-000000"),
            (1_700_000_000, "20231114-221320"),
            (4_107_542_400, "21000301-000000"),
        ] {
            assert_eq!(UtcDate::from_unix(seconds).stamp(), stamp);
        }
        assert_eq!(UtcDate::from_unix(1_700_000_000).pgn_date(), "2023.11.14");
    }
}
