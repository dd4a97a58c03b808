//! How large problems are.

/// How large problems are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// As large as in the report, divided by this.
    DividedBy(u32),
    /// As many elements as this, whatever the report has.
    Elements(usize),
}

impl Scale {
    /// So many elements as this scale has where the report has `full`: whole vectors of four words, and at least one.
    #[must_use]
    pub fn of(self, full: usize) -> usize {
        let elements = match self {
            Scale::DividedBy(divisor) => full / divisor.max(1) as usize,
            Scale::Elements(elements) => elements.min(full),
        };
        (elements / 4).max(1) * 4
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_always_whole_vectors() {
        assert_eq!(Scale::DividedBy(1).of(1 << 29), 1 << 29);
        assert_eq!(Scale::DividedBy(3).of(100), 32);
        assert_eq!(Scale::DividedBy(1000).of(100), 4);
        assert_eq!(Scale::Elements(1003).of(1 << 20), 1000);
    }
}
