//! Bounds checks of contenders.

/// Origin of the bounds checks of a contender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checks {
    /// The guards of the language; wgpu adds none.
    Language,
    /// The guard in the shader, and the checks that wgpu adds.
    Wgpu,
    /// The guard in the shader alone.
    Own,
    /// A copy by the API, without accesses to check.
    None,
}

impl Checks {
    /// Name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Checks::Language => "vyre's",
            Checks::Wgpu => "wgpu's, own guard",
            Checks::Own => "own guard",
            Checks::None => "",
        }
    }
}
