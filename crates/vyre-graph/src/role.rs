//! What a node is to an analysis.

/// What a node is to an analysis. It stands in bits 16 to 23 of the word of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Role {
    /// Traversed, nothing else.
    #[default]
    Normal,
    /// Where searches begin.
    Source,
    /// What searches report.
    Sink,
    /// Both.
    SourceAndSink,
    /// Where searches end: its edges are not followed.
    Sanitizer,
}

/// Bits 16 to 23 of the word of a node, whether they mean something or not.
pub(crate) fn role_bits(word: u32) -> u32 {
    (word >> 16) & 0xff
}

/// The role in the word of a node. Words whose role has no meaning yet are [`Role::Normal`], as they are for ops.
#[must_use]
pub fn role_of(word: u32) -> Role {
    Role::from_number(role_bits(word)).unwrap_or_default()
}

impl Role {
    /// All roles, by their numbers.
    pub const ALL: [Role; 5] = [Role::Normal, Role::Source, Role::Sink, Role::SourceAndSink, Role::Sanitizer];

    /// The number that stands for it.
    #[must_use]
    pub fn number(self) -> u32 {
        self as u32
    }

    /// The role with this number, if there is one.
    #[must_use]
    pub fn from_number(number: u32) -> Option<Role> {
        Role::ALL.get(number as usize).copied()
    }

    /// What it is called in files and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Role::Normal => "normal",
            Role::Source => "source",
            Role::Sink => "sink",
            Role::SourceAndSink => "source+sink",
            Role::Sanitizer => "sanitizer",
        }
    }

    /// The role with this name, if there is one.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Role> {
        Role::ALL.into_iter().find(|role| role.name() == name)
    }

    /// The word of a node with this role and nothing else.
    #[must_use]
    pub fn word(self) -> u32 {
        self.number() << 16
    }

    /// A word with this role and the other bits of `word`.
    #[must_use]
    pub fn set_in(self, word: u32) -> u32 {
        word & !0x00ff_0000 | self.word()
    }

    /// Whether searches begin here.
    #[must_use]
    pub fn is_source(self) -> bool {
        matches!(self, Role::Source | Role::SourceAndSink)
    }

    /// Whether searches report it.
    #[must_use]
    pub fn is_sink(self) -> bool {
        matches!(self, Role::Sink | Role::SourceAndSink)
    }

    /// One role for what has two: a sanitizer stays one, source and sink come together.
    ///
    /// ```
    /// use vyre_graph::Role;
    ///
    /// assert_eq!(Role::Source.merged(Role::Sink), Role::SourceAndSink);
    /// assert_eq!(Role::Sink.merged(Role::Sanitizer), Role::Sanitizer);
    /// ```
    #[must_use]
    pub fn merged(self, other: Role) -> Role {
        if self == Role::Sanitizer || other == Role::Sanitizer {
            return Role::Sanitizer;
        }
        // Without sanitizers, bit 0 says source and bit 1 says sink.
        Role::ALL[(self.number() | other.number()) as usize]
    }
}

/// Words of nodes from plain role numbers 0 to 3 (normal, source, sink, source and sink), in which an application may keep
/// them. Nothing guesses that words are plain; whoever has such words says so by calling this.
///
/// # Errors
///
/// The position and the value of the first number above 3.
///
/// ```
/// use vyre_graph::{Role, from_plain_roles, role_of};
///
/// let words = from_plain_roles(&[0, 1, 2, 3]).expect("all are roles");
/// assert_eq!(role_of(words[3]), Role::SourceAndSink);
/// assert_eq!(from_plain_roles(&[0, 7]), Err((1, 7)));
/// ```
pub fn from_plain_roles(plain: &[u32]) -> Result<Vec<u32>, (usize, u32)> {
    let word = |(position, &number): (usize, &u32)| match Role::from_number(number) {
        Some(role) if role != Role::Sanitizer => Ok(role.word()),
        _ => Err((position, number)),
    };
    plain.iter().enumerate().map(word).collect()
}
