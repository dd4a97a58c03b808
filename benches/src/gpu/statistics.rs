//! Medians of times and of their ratios.

use std::time::Duration;

/// The middle one of some numbers; not a number where there are none.
#[must_use]
pub fn median(numbers: impl IntoIterator<Item = f64>) -> f64 {
    let mut numbers: Vec<f64> = numbers.into_iter().collect();
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The median of the ratios of times that were taken in the same round.
#[must_use]
pub fn median_ratio(times: &[Duration], to: &[Duration]) -> f64 {
    median(times.iter().zip(to).map(|(time, to)| time.as_secs_f64() / to.as_secs_f64()))
}

/// The ratio of the shortest times.
#[must_use]
pub fn ratio_of_minima(times: &[Duration], to: &[Duration]) -> f64 {
    let shortest = |times: &[Duration]| times.iter().min().map_or(f64::NAN, Duration::as_secs_f64);
    shortest(times) / shortest(to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle_one() {
        assert_eq!(median([3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median([5.0]), 5.0);
        assert!(median([]).is_nan());
    }

    #[test]
    fn ratios_are_taken_within_a_round() {
        let ms = |times: &[u64]| times.iter().map(|&time| Duration::from_millis(time)).collect::<Vec<_>>();
        // The second round was slow for both.
        assert_eq!(median_ratio(&ms(&[2, 200, 4]), &ms(&[1, 100, 1])), 2.0);
        assert_eq!(ratio_of_minima(&ms(&[2, 200, 4]), &ms(&[3, 100, 1])), 2.0);
    }
}
