//! First line of Matrix Market files.

use super::fields::{Dialect, Field, Fields, LineError};
use super::line::WeightColumn;
use super::options::{ReadOptions, Weights};
use super::text_error::{TextErrorKind, TextField, shown};
use super::weight::WeightRules;

/// Beginning of a Matrix Market file, in any case.
const BANNER: &[u8] = b"%%MatrixMarket";

/// Reports whether a text begins with the banner.
pub(crate) fn has_banner(text: &[u8]) -> bool {
    text.get(..BANNER.len()).is_some_and(|start| start.eq_ignore_ascii_case(BANNER))
}

/// Type of the values of the entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Values {
    Pattern,
    Integer,
    Real,
    Complex,
}

/// Relation of the two halves of the matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Symmetry {
    General,
    Symmetric,
    SkewSymmetric,
    Hermitian,
}

/// Contents of the first line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Header {
    /// True if the file has all elements, column by column.
    pub(crate) is_array: bool,
    pub(crate) values: Values,
    pub(crate) symmetry: Symmetry,
    /// Position of the type of the values in the line.
    pub(crate) values_at: usize,
}

/// Reads the first line.
///
/// # Errors
///
/// A word of it is unknown or missing.
pub(crate) fn read_header(line: &[u8]) -> Result<Header, LineError> {
    if !has_banner(line) {
        return Err((0, TextErrorKind::MatrixBanner { found: shown(line) }));
    }
    let mut fields = Fields::new(line, Dialect::Blanks);
    let mut next = || match fields.next()? {
        Some(field) => Ok(field),
        None => Err((line.len(), TextErrorKind::Missing { field: TextField::MatrixWord })),
    };
    next()?;
    choose(&next()?, "`matrix`", &[("matrix", ())])?;
    let is_array = choose(&next()?, "`coordinate` or `array`", &[("coordinate", false), ("array", true)])?;
    let field = next()?;
    let values = choose(
        &field,
        "`pattern`, `integer`, `real` or `complex`",
        &[
            ("pattern", Values::Pattern),
            ("integer", Values::Integer),
            ("unsigned-integer", Values::Integer),
            ("real", Values::Real),
            ("double", Values::Real),
            ("complex", Values::Complex),
        ],
    )?;
    if is_array && values == Values::Pattern {
        return Err((field.at, TextErrorKind::MatrixArray));
    }
    let symmetry = choose(
        &next()?,
        "`general`, `symmetric`, `skew-symmetric` or `hermitian`",
        &[
            ("general", Symmetry::General),
            ("symmetric", Symmetry::Symmetric),
            ("skew-symmetric", Symmetry::SkewSymmetric),
            ("hermitian", Symmetry::Hermitian),
        ],
    )?;
    match fields.next()? {
        Some(field) => Err((field.at, TextErrorKind::ExtraField { found: shown(field.text), known: 5 })),
        None => Ok(Header { is_array, values, symmetry, values_at: field.at }),
    }
}

/// Value of the keyword in a field.
fn choose<T: Copy>(field: &Field<'_>, expected: &'static str, words: &[(&str, T)]) -> Result<T, LineError> {
    field.check_text()?;
    match words.iter().find(|(word, _)| field.text.eq_ignore_ascii_case(word.as_bytes())) {
        Some(&(_, value)) => Ok(value),
        None => Err((field.at, TextErrorKind::MatrixWord { found: shown(field.text), expected })),
    }
}

/// Column of the weights.
///
/// # Errors
///
/// The values cannot be weights, or weights are required and there are none.
pub(crate) fn weight_column(header: Header, options: &ReadOptions) -> Result<Option<WeightColumn>, TextErrorKind> {
    match (options.weights, header.values, header.symmetry) {
        (Weights::Ignore, ..) | (Weights::Auto | Weights::IfValid, Values::Pattern, _) => Ok(None),
        (Weights::Required, Values::Pattern, _) => Err(TextErrorKind::MatrixPattern),
        (_, Values::Complex, _) => Err(TextErrorKind::MatrixValues { values: "complex numbers" }),
        (_, _, Symmetry::SkewSymmetric) => Err(TextErrorKind::MatrixValues { values: "negative in the other half" }),
        (_, Values::Integer | Values::Real, _) => Ok(Some(WeightColumn { index: 2, rules: WeightRules::new(options) })),
    }
}
