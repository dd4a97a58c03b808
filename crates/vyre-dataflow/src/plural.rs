//! Counts with their nouns.

use std::fmt::Display;

/// A count with its noun, as in `1 source` and `2 sources`.
pub(crate) fn counted<N: Display + PartialEq + From<u8>>(count: N, noun: &str) -> String {
    let plural = if count == N::from(1) { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_is_singular() {
        assert_eq!([0_u64, 1, 2].map(|count| counted(count, "source")), ["0 sources", "1 source", "2 sources"]);
    }
}
