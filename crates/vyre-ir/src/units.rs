//! Numbers and units of reports for people: grouped digits, binary units of sizes, units of durations.
//!
//! Errors have exact digits instead, which can be copied into a flag.

use std::time::Duration;

use crate::spelling::counted;

/// A number with commas between groups of three digits, as in `12,345`.
///
/// ```
/// use vyre_ir::units::number;
///
/// assert_eq!([number(999_u32), number(1_000_u32), number(1_234_567_u32)], ["999", "1,000", "1,234,567"]);
/// ```
#[must_use]
pub fn number(number: impl std::fmt::Display) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A number with its noun in singular or plural, as in `12,345 files`.
///
/// ```
/// use vyre_ir::units::quantity;
///
/// assert_eq!([quantity(1, "entry"), quantity(12_345, "entry")], ["1 entry", "12,345 entries"]);
/// ```
#[must_use]
pub fn quantity(count: impl std::fmt::Display, noun: &str) -> String {
    counted(number(count), noun)
}

/// A number of bytes with at most three digits before its unit: `97 bytes`, `1.5 KiB`, `999 MiB`. A whole number of units
/// has no decimal place.
///
/// ```
/// use vyre_ir::units::size;
///
/// assert_eq!([size(97), size(1536), size(64 << 10), size(5_000_000_000)], ["97 bytes", "1.5 KiB", "64 KiB", "4.7 GiB"]);
/// ```
#[must_use]
pub fn size(bytes: u64) -> String {
    scaled(bytes).unwrap_or_else(|| counted(bytes, "byte"))
}

/// A number of bytes for a column of a table: as [`size`], at most eight characters, with `B` for bytes.
///
/// ```
/// use vyre_ir::units::short_size;
///
/// assert_eq!([short_size(97), short_size(1536)], ["97 B", "1.5 KiB"]);
/// ```
#[must_use]
pub fn short_size(bytes: u64) -> String {
    scaled(bytes).unwrap_or_else(|| format!("{bytes} B"))
}

/// A number of bytes from 1,000 on, with its unit.
fn scaled(bytes: u64) -> Option<String> {
    const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    // A value that rounds to 1,000 has the next unit.
    let value_in = |unit: usize| bytes as f64 / (1_u64 << (10 * (unit + 1))) as f64;
    if bytes < 1_000 {
        return None;
    }
    let last = UNITS.len() - 1;
    let position = (0..last).find(|&unit| value_in(unit) < 999.5).unwrap_or(last);
    let (unit, value) = (UNITS[position], value_in(position));
    let decimals = if value >= 99.95 || value.fract() == 0.0 { 0 } else { 1 };
    Some(format!("{value:.decimals$} {unit}"))
}

/// A duration in the largest unit of which there is at least one. Below a minute it has one decimal place, unless it is a whole
/// number of units.
///
/// ```
/// use std::time::Duration;
/// use vyre_ir::units::duration;
///
/// let texts = [1_500_u64, 830_000, 12_340_000, 90_000_000].map(|micros| duration(Duration::from_micros(micros)));
/// assert_eq!(texts, ["1.5 ms", "830 ms", "12.3 s", "1 min 30 s"]);
/// ```
#[must_use]
pub fn duration(duration: Duration) -> String {
    let nanos = duration.as_nanos();
    match nanos {
        0 => return "0 s".to_owned(),
        1..1_000 => return format!("{nanos} ns"),
        _ => {}
    }
    for (unit, length) in [("µs", 1_000_u128), ("ms", 1_000_000), ("s", 1_000_000_000)] {
        let tenths = (nanos * 10 + length / 2) / length;
        let units = if unit == "s" { 60 } else { 1_000 };
        if nanos.is_multiple_of(length) && nanos / length < units {
            return format!("{} {unit}", nanos / length);
        }
        if tenths < units * 10 {
            return format!("{}.{} {unit}", tenths / 10, tenths % 10);
        }
    }
    let seconds = (nanos + 500_000_000) / 1_000_000_000;
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
    if hours > 0 { format!("{hours} h {minutes:02} min") } else { format!("{minutes} min {:02} s", seconds % 60) }
}

/// Bytes per second, as in `1.5 GiB/s`; `-` if no time has passed.
#[must_use]
pub fn rate(bytes: u64, time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds > 0.0 { format!("{}/s", size((bytes as f64 / seconds) as u64)) } else { "-".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_take_eight_characters_at_most() {
        for (bytes, text) in [
            (0, "0 B"),
            (999, "999 B"),
            (1000, "1.0 KiB"),
            (1024, "1 KiB"),
            (1025, "1.0 KiB"),
            (102_348, "99.9 KiB"),
            (102_350, "100 KiB"),
            (999 << 10, "999 KiB"),
            (1000 << 10, "1.0 MiB"),
            ((1 << 20) - 1, "1.0 MiB"),
            (u64::MAX, "16 EiB"),
        ] {
            assert_eq!(short_size(bytes), text);
        }
        for shift in 0..64 {
            for bytes in [1_u64 << shift, (1_u64 << shift) - 1, (1_u64 << shift) / 1000 * 999] {
                assert!(short_size(bytes).len() <= 8, "{}", short_size(bytes));
            }
        }
        assert_eq!([size(0), size(1)], ["0 bytes", "1 byte"]);
    }

    #[test]
    fn durations_round_into_the_next_unit() {
        for (nanos, text) in [
            (0, "0 s"),
            (999, "999 ns"),
            (1_000, "1 µs"),
            (999_949, "999.9 µs"),
            (999_950, "1.0 ms"),
            (999_960_000, "1.0 s"),
            (59_940_000_000, "59.9 s"),
            (59_960_000_000, "1 min 00 s"),
            (3_599_400_000_000, "59 min 59 s"),
            (3_600_000_000_000, "1 h 00 min"),
        ] {
            assert_eq!(duration(Duration::from_nanos(nanos)), text);
        }
    }

    #[test]
    fn rates_are_sizes_for_each_second() {
        assert_eq!(rate(3 << 30, Duration::from_secs(2)), "1.5 GiB/s");
        assert_eq!(rate(1, Duration::ZERO), "-");
    }
}
