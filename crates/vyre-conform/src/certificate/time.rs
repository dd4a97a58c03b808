//! Times in UTC.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

const SECONDS_OF_A_DAY: u64 = 86_400;

/// The time some milliseconds ago, as in RFC 3339.
pub(super) fn before_now(milliseconds: u64) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format(now.saturating_sub(Duration::from_millis(milliseconds)).as_secs())
}

/// Seconds since 1970 as in RFC 3339.
fn format(seconds: u64) -> String {
    let (days, rest) = (seconds / SECONDS_OF_A_DAY, seconds % SECONDS_OF_A_DAY);
    // Days to a date of the Gregorian calendar, with years that begin in March.
    let days = days + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let day_of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", rest / 3_600, rest / 60 % 60, rest % 60)
}

#[cfg(test)]
mod tests {
    use super::format;

    #[test]
    fn seconds_are_dates() {
        assert_eq!(format(0), "1970-01-01T00:00:00Z");
        assert_eq!(format(951_827_696), "2000-02-29T12:34:56Z");
        assert_eq!(format(1_709_164_800), "2024-02-29T00:00:00Z");
        assert_eq!(format(4_102_444_799), "2099-12-31T23:59:59Z");
    }
}
