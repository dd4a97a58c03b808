//! Figures of one contender, one per iteration, and their robust statistics: medians, minima and percentiles.

/// Figures by iteration. Contenders that run in every n-th iteration have fewer figures than others.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// Iteration and figure, ascending by iteration.
    points: Vec<(usize, f64)>,
}

/// Median of some numbers (the upper one of an even count); NaN if there are none.
#[must_use]
pub fn median(numbers: impl IntoIterator<Item = f64>) -> f64 {
    let mut numbers: Vec<f64> = numbers.into_iter().collect();
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(f64::NAN)
}

impl Series {
    /// Creates a series from pairs of iteration and figure, which must be ascending by iteration.
    pub fn from_points(points: impl IntoIterator<Item = (usize, f64)>) -> Series {
        Series { points: points.into_iter().collect() }
    }

    /// Number of figures.
    #[must_use]
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// True if there is no figure.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// The figures in the order of iterations.
    pub fn values(&self) -> impl Iterator<Item = f64> {
        self.points.iter().map(|&(_, value)| value)
    }

    /// Median; NaN if there is no figure.
    #[must_use]
    pub fn median(&self) -> f64 {
        median(self.values())
    }

    /// Smallest figure; NaN if there is none.
    #[must_use]
    pub fn min(&self) -> f64 {
        self.values().fold(f64::NAN, f64::min)
    }

    /// Half of the distance from the tenth to the ninetieth percentile, as a fraction of the median.
    #[must_use]
    pub fn spread(&self) -> f64 {
        let mut sorted: Vec<f64> = self.values().collect();
        sorted.sort_by(f64::total_cmp);
        let last = sorted.len().saturating_sub(1);
        let percentile = |percent: usize| sorted.get(last * percent / 100).copied().unwrap_or(f64::NAN);
        (percentile(90) - percentile(10)) / 2.0 / self.median()
    }

    /// Applies a function to every figure.
    #[must_use]
    pub fn map(&self, function: impl Fn(f64) -> f64) -> Series {
        Series::from_points(self.points.iter().map(|&(iteration, value)| (iteration, function(value))))
    }

    /// Ratios to `base`, iteration by iteration. Iterations that only one of the two has are skipped.
    #[must_use]
    pub fn over(&self, base: &Series) -> Series {
        let mut base = base.points.iter().peekable();
        let ratio = |&(iteration, value): &(usize, f64)| {
            while base.next_if(|&&(other, _)| other < iteration).is_some() {}
            base.next_if(|&&(other, _)| other == iteration).map(|&(_, base)| (iteration, value / base))
        };
        Series::from_points(self.points.iter().filter_map(ratio))
    }

    /// Median of the ratios to `base` within an iteration.
    #[must_use]
    pub fn ratio_to(&self, base: &Series) -> f64 {
        self.over(base).median()
    }

    /// Ratio of the minima.
    #[must_use]
    pub fn ratio_of_minima(&self, base: &Series) -> f64 {
        self.min() / base.min()
    }
}

impl FromIterator<f64> for Series {
    fn from_iter<I: IntoIterator<Item = f64>>(figures: I) -> Series {
        Series::from_points(figures.into_iter().enumerate())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(figures: &[f64]) -> Series {
        figures.iter().copied().collect()
    }

    #[test]
    fn the_median_is_the_middle_figure() {
        assert_eq!(median([3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median([5.0]), 5.0);
        assert!(median([]).is_nan() && Series::default().min().is_nan());
    }

    #[test]
    fn ratios_are_taken_within_an_iteration() {
        // The second iteration was slow for both.
        assert_eq!(series(&[2.0, 200.0, 4.0]).ratio_to(&series(&[1.0, 100.0, 1.0])), 2.0);
        assert_eq!(series(&[2.0, 200.0, 4.0]).ratio_of_minima(&series(&[3.0, 100.0, 1.0])), 2.0);
    }

    #[test]
    fn ratios_pair_figures_of_the_same_iteration() {
        let rare = Series::from_points([(0, 10.0), (2, 60.0)]);
        assert_eq!(rare.over(&series(&[5.0, 1.0, 20.0])), Series::from_points([(0, 2.0), (2, 3.0)]));
        assert_eq!(series(&[5.0, 1.0, 20.0]).over(&rare).len(), 2);
    }

    #[test]
    fn the_spread_is_relative_to_the_median() {
        let even: Series = (0..=10).map(|step| 95.0 + f64::from(step)).collect();
        assert!((even.spread() - 0.04).abs() < 1e-12);
    }
}
