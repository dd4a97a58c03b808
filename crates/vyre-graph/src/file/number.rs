//! Parsers of unsigned integers.

use super::text_error::NumberErrorKind;

/// Parses an unsigned 32-bit integer.
///
/// # Errors
///
/// The reason why the text is not such a number.
pub(crate) fn parse_number(text: &[u8]) -> Result<u32, NumberErrorKind> {
    let value = parse_long_number(text)?;
    u32::try_from(value).map_err(|_| NumberErrorKind::OutOfRange)
}

/// Parses an unsigned 64-bit integer.
///
/// # Errors
///
/// The reason why the text is not such a number.
pub(crate) fn parse_long_number(text: &[u8]) -> Result<u64, NumberErrorKind> {
    if text.is_empty() || !text.iter().all(u8::is_ascii_digit) {
        return Err(reason(text));
    }
    let add = |value: u64, digit: &u8| value.checked_mul(10)?.checked_add(u64::from(digit - b'0'));
    text.iter().try_fold(0u64, add).ok_or(NumberErrorKind::OutOfRange)
}

/// Parses the number of a node: an unsigned 32-bit integer, which may be written as `1.0`.
///
/// # Errors
///
/// The reason why the text is not such a number.
pub(crate) fn parse_node(text: &[u8]) -> Result<u32, NumberErrorKind> {
    parse_number(text).or_else(|reason| match reason {
        NumberErrorKind::Fraction => parse_real(text),
        reason => Err(reason),
    })
}

/// Parses an unsigned 32-bit integer that may be written with a fraction or an exponent.
///
/// # Errors
///
/// The reason why the text is not such a number.
pub(crate) fn parse_real(text: &[u8]) -> Result<u32, NumberErrorKind> {
    if let Ok(value) = parse_number(text) {
        return Ok(value);
    }
    match str::from_utf8(text).ok().and_then(|text| text.parse::<f64>().ok()) {
        Some(value) if value < 0.0 => Err(NumberErrorKind::Negative),
        Some(value) if value.fract() == 0.0 && value <= f64::from(u32::MAX) => Ok(value as u32),
        Some(value) if value.fract() == 0.0 || value == f64::INFINITY => Err(NumberErrorKind::OutOfRange),
        Some(value) if value.is_finite() => Err(NumberErrorKind::Fraction),
        _ => Err(NumberErrorKind::NotANumber),
    }
}

/// Reason why a text is not a sequence of digits.
fn reason(text: &[u8]) -> NumberErrorKind {
    let has_digit = text.iter().any(u8::is_ascii_digit);
    match str::from_utf8(text).ok().and_then(|text| text.parse::<f64>().ok()) {
        Some(_) if has_digit && text.starts_with(b"-") => NumberErrorKind::Negative,
        Some(_) if has_digit && !text.starts_with(b"+") => NumberErrorKind::Fraction,
        _ => NumberErrorKind::NotANumber,
    }
}

/// Parses digits from `at` on, and advances `at` past them; `None` if there are no digits or too many for 32 bits.
#[inline]
pub(crate) fn take_digits(text: &[u8], at: &mut usize) -> Option<u32> {
    let start = *at;
    let mut value = 0u64;
    while let Some(digit) = text.get(*at).map(|byte| byte.wrapping_sub(b'0'))
        && digit < 10
    {
        // Wrapping is harmless: more than 10 digits are rejected below.
        value = value.wrapping_mul(10).wrapping_add(u64::from(digit));
        *at += 1;
    }
    let count = *at - start;
    if count == 0 || count > 10 { None } else { u32::try_from(value).ok() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_whole_and_fit() {
        assert_eq!(parse_number(b"0"), Ok(0));
        assert_eq!(parse_number(b"000000000000000000000000042"), Ok(42));
        assert_eq!(parse_number(b"4294967295"), Ok(u32::MAX));
        let wrong = [
            ("4294967296", NumberErrorKind::OutOfRange),
            ("99999999999999999999999999", NumberErrorKind::OutOfRange),
            ("-1", NumberErrorKind::Negative),
            ("-0.5", NumberErrorKind::Negative),
            ("1.5", NumberErrorKind::Fraction),
            ("1e3", NumberErrorKind::Fraction),
            ("+1", NumberErrorKind::NotANumber),
            ("", NumberErrorKind::NotANumber),
            ("nan", NumberErrorKind::NotANumber),
            ("-inf", NumberErrorKind::NotANumber),
            ("0x10", NumberErrorKind::NotANumber),
        ];
        for (text, reason) in wrong {
            assert_eq!(parse_number(text.as_bytes()), Err(reason), "{text}");
        }
    }

    #[test]
    fn real_numbers_are_whole_and_fit() {
        for (text, value) in [("7", 7), ("7.0", 7), ("7e0", 7), ("1.5E1", 15), ("4294967295.0", u32::MAX), ("-0.0", 0)]
        {
            assert_eq!(parse_real(text.as_bytes()), Ok(value), "{text}");
        }
        let wrong = [
            ("4294967296.0", NumberErrorKind::OutOfRange),
            ("1e300", NumberErrorKind::OutOfRange),
            ("inf", NumberErrorKind::OutOfRange),
            ("0.5", NumberErrorKind::Fraction),
            ("-3", NumberErrorKind::Negative),
            ("nan", NumberErrorKind::NotANumber),
            ("seven", NumberErrorKind::NotANumber),
        ];
        for (text, reason) in wrong {
            assert_eq!(parse_real(text.as_bytes()), Err(reason), "{text}");
        }
    }
}
