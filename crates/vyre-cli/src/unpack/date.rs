//! Conversion of Unix time to a civil date in the proleptic Gregorian calendar.

/// Formats Unix time in UTC as `2024-02-29 12:34`. `None` for years outside 0 to 9999.
pub(super) fn date(seconds: i64) -> Option<String> {
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    // Years begin in March, so that the leap day is the last day of a year. An era has 400 years.
    let from_march_of_year_0 = days.checked_add(719_468)?;
    let (era, day) = (from_march_of_year_0.div_euclid(146_097), from_march_of_year_0.rem_euclid(146_097));
    let year_of_era = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day_of_year = day - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day_of_month = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = era.checked_mul(400)?.checked_add(year_of_era + i64::from(month <= 2))?;
    let (hour, minute) = (second / 3600, second / 60 % 60);
    (0..=9999).contains(&year).then(|| format!("{year:04}-{month:02}-{day_of_month:02} {hour:02}:{minute:02}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_gregorian_calendar() {
        for (seconds, expected) in [
            (0, "1970-01-01 00:00"),
            (-1, "1969-12-31 23:59"),
            (951_782_400, "2000-02-29 00:00"),
            (951_868_799, "2000-02-29 23:59"),
            (4_107_542_400, "2100-03-01 00:00"),
            (1_709_210_096, "2024-02-29 12:34"),
            (253_402_300_799, "9999-12-31 23:59"),
        ] {
            assert_eq!(date(seconds).as_deref(), Some(expected), "{seconds}");
        }
        for seconds in [253_402_300_800, i64::MAX, i64::MIN] {
            assert_eq!(date(seconds), None, "{seconds}");
        }
    }
}
