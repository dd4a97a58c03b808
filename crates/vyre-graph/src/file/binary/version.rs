//! Versions of the binary format.

/// Version of the binary format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Version {
    /// Six sections.
    One,
    /// Any number of sections, and checksums that threads compute in parallel.
    Two,
}

impl Version {
    /// Number in the header.
    pub(crate) fn number(self) -> u32 {
        match self {
            Version::One => 1,
            Version::Two => 2,
        }
    }

    /// The version with this number.
    pub(crate) fn from_number(number: u32) -> Option<Version> {
        [Version::One, Version::Two].into_iter().find(|version| version.number() == number)
    }
}
