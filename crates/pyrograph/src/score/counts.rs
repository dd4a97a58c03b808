//! Counts of outcomes, and the measures that follow from them.

use serde::Serialize;

use super::outcome::Outcome;

/// Numbers of outcomes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// True positives.
    pub tp: u64,
    /// False positives.
    pub fp: u64,
    /// False negatives.
    pub fn_: u64,
    /// True negatives.
    pub tn: u64,
}

impl Counts {
    /// Counts an outcome.
    pub fn add(&mut self, outcome: Outcome) {
        *match outcome {
            Outcome::TruePositive => &mut self.tp,
            Outcome::FalsePositive => &mut self.fp,
            Outcome::FalseNegative => &mut self.fn_,
            Outcome::TrueNegative => &mut self.tn,
        } += 1;
    }

    /// Share of findings that are right. None without findings.
    #[must_use]
    pub fn precision(&self) -> Option<f64> {
        ratio(self.tp, self.tp + self.fp)
    }

    /// Share of expected findings that were found. None without expected ones.
    #[must_use]
    pub fn recall(&self) -> Option<f64> {
        ratio(self.tp, self.tp + self.fn_)
    }

    /// Share of wrong findings among all places without a flow. None without such places.
    #[must_use]
    pub fn false_positive_rate(&self) -> Option<f64> {
        ratio(self.fp, self.fp + self.tn)
    }

    /// Harmonic mean of precision and recall.
    #[must_use]
    pub fn f1(&self) -> Option<f64> {
        ratio(2 * self.tp, 2 * self.tp + self.fp + self.fn_)
    }

    /// Youden's index: recall less the rate of false positives.
    #[must_use]
    pub fn youden(&self) -> Option<f64> {
        Some(self.recall()? - self.false_positive_rate()?)
    }
}

fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures() {
        let counts = Counts { tp: 8, fp: 2, fn_: 2, tn: 18 };
        assert_eq!(counts.precision(), Some(0.8));
        assert_eq!(counts.recall(), Some(0.8));
        assert_eq!(counts.f1(), Some(0.8));
        assert_eq!(counts.youden().map(|index| (index * 1000.0).round()), Some(700.0));
        assert_eq!(Counts::default().precision(), None);
        assert_eq!(Counts { tp: 1, ..Counts::default() }.youden(), None);
    }
}
