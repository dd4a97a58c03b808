//! Size of problems.

/// Size of problems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Size of the report, divided by this number.
    DividedBy(u32),
    /// This number of elements, and at most that of the report.
    Elements(usize),
}

impl Scale {
    /// Number of elements, where the report has `full`: a positive multiple of a vector of four words.
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
    fn sizes_are_multiples_of_a_vector() {
        assert_eq!(Scale::DividedBy(1).of(1 << 29), 1 << 29);
        assert_eq!(Scale::DividedBy(3).of(100), 32);
        assert_eq!(Scale::DividedBy(1000).of(100), 4);
        assert_eq!(Scale::Elements(1003).of(1 << 20), 1000);
    }
}
