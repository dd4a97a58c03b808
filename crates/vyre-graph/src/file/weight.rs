//! Weights of edges: their rules, and the scale that turns real numbers into integers.

use std::fmt;

use super::number::parse_real;
use super::options::{ReadOptions, Weights};
use super::text_error::{NumberErrorKind, TextErrorKind, TextField, shown};

/// Factor that turns real weights into the integers of a graph. The product is rounded to the nearest integer, so a weight is off by
/// at most [`max_error`](WeightScale::max_error), up to the precision of an `f64`.
///
/// ```
/// use vyre_graph::file::WeightScale;
///
/// let scale = WeightScale::new(1000.0).expect("a positive number");
/// assert_eq!(scale.max_error(), 0.0005);
/// assert_eq!(scale.real(2500), 2.5);
/// assert!(WeightScale::new(0.0).is_none());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct WeightScale {
    /// Bits of the `f64`, so that options can be compared.
    bits: u64,
}

impl WeightScale {
    /// A scale; `None` unless it is a positive finite number.
    #[must_use]
    pub fn new(scale: f64) -> Option<WeightScale> {
        (scale.is_normal() && scale > 0.0).then_some(WeightScale { bits: scale.to_bits() })
    }

    /// The factor.
    #[must_use]
    pub fn get(self) -> f64 {
        f64::from_bits(self.bits)
    }

    /// Maximum difference of a real weight and the one that is stored for it.
    #[must_use]
    pub fn max_error(self) -> f64 {
        0.5 / self.get()
    }

    /// The real number that a weight or a sum of weights stands for.
    #[must_use]
    pub fn real(self, weight: u32) -> f64 {
        f64::from(weight) / self.get()
    }

    /// The largest real weight.
    pub(crate) fn max(self) -> f64 {
        self.real(u32::MAX)
    }
}

impl fmt::Debug for WeightScale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "WeightScale({})", self.get())
    }
}

/// Rules for the texts of weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WeightRules {
    pub(crate) scale: Option<WeightScale>,
    /// True if a weight that cannot be read leaves the graph without weights, and is no error.
    pub(crate) are_optional: bool,
}

impl WeightRules {
    pub(crate) fn new(options: &ReadOptions) -> WeightRules {
        WeightRules { scale: options.weight_scale, are_optional: options.weights == Weights::IfValid }
    }

    /// Parses a weight.
    ///
    /// # Errors
    ///
    /// The reason why the text is not a valid weight.
    pub(crate) fn parse(self, text: &[u8]) -> Result<u32, NumberErrorKind> {
        let Some(scale) = self.scale else { return parse_real(text) };
        let value = str::from_utf8(text).ok().and_then(|text| text.parse::<f64>().ok());
        value.map_or(Err(NumberErrorKind::NotANumber), |value| scaled(value, scale.get()))
    }

    /// The weight of a number.
    ///
    /// # Errors
    ///
    /// The reason why the number is not a valid weight.
    pub(crate) fn round(self, value: f64) -> Result<u32, NumberErrorKind> {
        match self.scale {
            Some(scale) => scaled(value, scale.get()),
            None if value.is_finite() && value >= 0.0 && value.fract() != 0.0 => Err(NumberErrorKind::Fraction),
            None => scaled(value, 1.0),
        }
    }

    /// Meaning of a weight.
    pub(crate) fn field(self) -> TextField {
        self.scale.map_or(TextField::Weight, |scale| TextField::ScaledWeight { scale })
    }

    /// The error of a text that is not a weight.
    pub(crate) fn error(self, text: &[u8], reason: NumberErrorKind) -> TextErrorKind {
        TextErrorKind::Number { field: self.field(), found: shown(text), reason }
    }
}

/// The nearest integer of a scaled number.
fn scaled(value: f64, scale: f64) -> Result<u32, NumberErrorKind> {
    let scaled = (value * scale).round();
    match scaled {
        _ if scaled.is_nan() => Err(NumberErrorKind::NotANumber),
        _ if value < 0.0 => Err(NumberErrorKind::Negative),
        _ if scaled <= f64::from(u32::MAX) => Ok(scaled as u32),
        _ => Err(NumberErrorKind::OutOfRange),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scaled_weights_are_rounded_to_the_nearest_integer() {
        let rules = WeightRules { scale: WeightScale::new(10.0), are_optional: false };
        for (text, weight) in [
            ("0", Ok(0)),
            ("0.25", Ok(3)),
            ("1", Ok(10)),
            ("1.04", Ok(10)),
            ("2.5e1", Ok(250)),
            ("429496729.5", Ok(u32::MAX)),
            ("429496729.6", Err(NumberErrorKind::OutOfRange)),
            ("inf", Err(NumberErrorKind::OutOfRange)),
            ("-0.01", Err(NumberErrorKind::Negative)),
            ("-inf", Err(NumberErrorKind::Negative)),
            ("nan", Err(NumberErrorKind::NotANumber)),
            ("", Err(NumberErrorKind::NotANumber)),
            ("x", Err(NumberErrorKind::NotANumber)),
        ] {
            assert_eq!(rules.parse(text.as_bytes()), weight, "{text}");
        }
    }

    #[test]
    fn scales_are_positive_and_finite() {
        for scale in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-320] {
            assert_eq!(WeightScale::new(scale), None, "{scale}");
        }
    }
}
