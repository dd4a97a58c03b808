//! Roles of nodes in traversals.

use std::fmt;

/// Number of [`Role::Normal`].
pub const LABEL_NORMAL: u32 = 0;

/// Number of [`Role::Source`].
pub const LABEL_SOURCE: u32 = 1;

/// Number of [`Role::Sink`].
pub const LABEL_SINK: u32 = 2;

/// Number of [`Role::SourceAndSink`].
pub const LABEL_SOURCE_AND_SINK: u32 = 3;

/// Number of [`Role::Sanitizer`].
pub const LABEL_SANITIZER: u32 = 4;

/// Role of a node in traversals. Its number is bits 16 to 23 of the word of the node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[repr(u8)]
pub enum Role {
    /// The node is traversed.
    #[default]
    Normal = LABEL_NORMAL as u8,
    /// Traversals begin here.
    Source = LABEL_SOURCE as u8,
    /// Traversals report the node.
    Sink = LABEL_SINK as u8,
    /// Traversals begin here and report the node.
    SourceAndSink = LABEL_SOURCE_AND_SINK as u8,
    /// Traversals do not follow the edges of the node.
    Sanitizer = LABEL_SANITIZER as u8,
}

/// Bits 16 to 23 of the word of a node, valid or reserved.
pub(crate) fn role_bits(word: u32) -> u32 {
    (word >> 16) & 0xff
}

/// Role in the word of a node. Reserved roles are [`Role::Normal`], as for ops.
#[must_use]
pub fn role_of(word: u32) -> Role {
    Role::from_number(role_bits(word)).unwrap_or_default()
}

impl Role {
    /// All roles, by their numbers.
    pub const ALL: [Role; 5] = [Role::Normal, Role::Source, Role::Sink, Role::SourceAndSink, Role::Sanitizer];

    /// Number of the role, a constant `LABEL_*`.
    #[must_use]
    pub fn number(self) -> u32 {
        self as u32
    }

    /// The role with this number.
    #[must_use]
    pub fn from_number(number: u32) -> Option<Role> {
        Role::ALL.get(number as usize).copied()
    }

    /// Name in files and on the command line.
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

    /// The role with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Role> {
        Role::ALL.into_iter().find(|role| role.name() == name)
    }

    /// Word of a node with this role and no other bits.
    #[must_use]
    pub fn word(self) -> u32 {
        self.number() << 16
    }

    /// Replaces the role of `word`.
    #[must_use]
    pub fn set_in(self, word: u32) -> u32 {
        word & !0x00ff_0000 | self.word()
    }

    /// Reports whether traversals begin here.
    #[must_use]
    pub fn is_source(self) -> bool {
        matches!(self, Role::Source | Role::SourceAndSink)
    }

    /// Reports whether traversals report the node.
    #[must_use]
    pub fn is_sink(self) -> bool {
        matches!(self, Role::Sink | Role::SourceAndSink)
    }

    /// Combines two roles of one node: a sanitizer stays a sanitizer, source and sink combine to both.
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
        // Without sanitizers, bit 0 means source and bit 1 means sink.
        Role::ALL[(self.number() | other.number()) as usize]
    }
}

/// Converts plain role numbers 0 to 3 (normal, source, sink, source and sink) to words of nodes.
///
/// # Errors
///
/// The first number above 3.
///
/// ```
/// use vyre_graph::{PlainRoleError, Role, from_plain_roles, role_of};
///
/// let words = from_plain_roles(&[0, 1, 2, 3]).expect("all are roles");
/// assert_eq!(role_of(words[3]), Role::SourceAndSink);
/// assert_eq!(from_plain_roles(&[0, 7]), Err(PlainRoleError { position: 1, number: 7 }));
/// ```
pub fn from_plain_roles(plain: &[u32]) -> Result<Vec<u32>, PlainRoleError> {
    let word = |(position, &number): (usize, &u32)| match Role::from_number(number) {
        Some(role) if role != Role::Sanitizer => Ok(role.word()),
        _ => Err(PlainRoleError { position, number }),
    };
    plain.iter().enumerate().map(word).collect()
}

/// A number that is not a plain role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlainRoleError {
    /// Position of the number, from 0.
    pub position: usize,
    /// The number.
    pub number: u32,
}

impl fmt::Display for PlainRoleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "element {} is {}, but plain roles are 0 to 3", self.position, self.number)
    }
}

impl std::error::Error for PlainRoleError {}
