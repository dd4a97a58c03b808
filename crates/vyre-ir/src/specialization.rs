//! Specialization constants: values of uniform buffers that are fixed when a pipeline is created.

use std::collections::BTreeMap;
use std::fmt;

use crate::spelling::counted;
use crate::{BufferAccess, BufferDecl, DataType, Event, Expr, Program, Traversal};

/// Elements of uniform buffers whose values are fixed when a pipeline is created.
///
/// A specialized program reads the fixed values instead of the contents of the bound buffer, so compiled backends can
/// fold them. The length of the buffer is that of the bound buffer, which must contain all fixed elements.
///
/// ```
/// use vyre_ir::Specialization;
///
/// let fixed = Specialization::default().with(3, 0, 1024).with(3, 2, 0);
/// assert_eq!(fixed.get(3, 0), Some(&[1024][..]));
/// assert_eq!(fixed.get(3, 1), None);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Specialization {
    /// Words of each value, by binding slot and element.
    elements: BTreeMap<(u32, u32), Vec<u32>>,
}

/// Error of a specialization that does not match a program.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SpecializationError {
    /// No uniform buffer has this slot.
    NoUniformBuffer {
        /// The slot.
        binding: u32,
    },
    /// A value has another number of words than the elements of the buffer.
    WrongWords {
        /// The slot.
        binding: u32,
        /// The element.
        element: u32,
        /// Number of words of the value.
        given: usize,
        /// Number of words of an element.
        wanted: usize,
    },
    /// An element beyond the maximum of 64 KB of a uniform buffer.
    BeyondUniform {
        /// The slot.
        binding: u32,
        /// The element.
        element: u32,
    },
    /// Too many comparisons of dynamic indices with fixed elements.
    TooManyComparisons {
        /// Maximum number of comparisons.
        limit: usize,
    },
}

impl fmt::Display for SpecializationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SpecializationError::NoUniformBuffer { binding } => {
                write!(f, "a value is fixed in slot {binding}, where the program has no uniform buffer")
            }
            SpecializationError::WrongWords { binding, element, given, wanted } => write!(
                f,
                "the value fixed for element {element} of slot {binding} has {}, an element has {wanted}",
                counted(given, "word")
            ),
            SpecializationError::BeyondUniform { binding, element } => {
                write!(f, "element {element} of slot {binding} lies beyond the 64 KB of a uniform buffer")
            }
            SpecializationError::TooManyComparisons { limit } => {
                write!(f, "loads at computed indices would need more than {limit} comparisons with fixed elements")
            }
        }
    }
}

impl std::error::Error for SpecializationError {}

/// Maximum number of comparisons of dynamic indices with fixed elements. It bounds the growth of compiled programs.
const MAX_COMPARISONS: usize = 20_000;

/// Maximum size of a uniform buffer.
const UNIFORM_BYTES: u64 = 64 * 1024;

impl Specialization {
    /// Fixes an element of one word.
    #[must_use]
    pub fn with(self, binding: u32, element: u32, word: u32) -> Specialization {
        self.with_words(binding, element, &[word])
    }

    /// Fixes an element of several words: two for `U64` and `Vec2U32`, four for `Vec4U32`.
    #[must_use]
    pub fn with_words(mut self, binding: u32, element: u32, words: &[u32]) -> Specialization {
        self.elements.insert((binding, element), words.to_vec());
        self
    }

    /// True if no element is fixed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.elements.is_empty()
    }

    /// Words of a fixed element.
    #[must_use]
    pub fn get(&self, binding: u32, element: u32) -> Option<&[u32]> {
        self.elements.get(&(binding, element)).map(Vec::as_slice)
    }

    /// The fixed elements of a slot, in ascending order.
    pub fn elements(&self, binding: u32) -> impl ExactSizeIterator<Item = (u32, &[u32])> {
        let range = self.elements.range((binding, 0)..=(binding, u32::MAX));
        range.map(|(&(_, element), words)| (element, words.as_slice())).collect::<Vec<_>>().into_iter()
    }

    /// All fixed elements as slot, element and words, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u32, &[u32])> {
        self.elements.iter().map(|(&(binding, element), words)| (binding, element, words.as_slice()))
    }

    /// Checks that a program has the fixed elements, and that the loads with dynamic indices need few enough
    /// comparisons.
    ///
    /// # Errors
    ///
    /// The first element that does not exist, or too many comparisons.
    pub fn check(&self, program: &Program) -> Result<(), SpecializationError> {
        if self.is_empty() {
            return Ok(());
        }
        let uniform = program.buffers.iter().filter(|buffer| buffer.access == BufferAccess::Uniform);
        let uniform = uniform.filter(|buffer| buffer.element != DataType::Bytes);
        let by_binding: BTreeMap<u32, &BufferDecl> = uniform.map(|buffer| (buffer.binding, buffer)).collect();
        let mut fixed_by_name: BTreeMap<&str, usize> = BTreeMap::new();
        for (binding, element, words) in self.iter() {
            let Some(buffer) = by_binding.get(&binding) else {
                return Err(SpecializationError::NoUniformBuffer { binding });
            };
            let bytes = buffer.element.element_bytes();
            if words.len() * 4 != bytes {
                let wanted = bytes / 4;
                return Err(SpecializationError::WrongWords { binding, element, given: words.len(), wanted });
            }
            if (u64::from(element) + 1) * bytes as u64 > UNIFORM_BYTES {
                return Err(SpecializationError::BeyondUniform { binding, element });
            }
            *fixed_by_name.entry(buffer.name.as_str()).or_default() += 1;
        }
        let mut comparisons = 0;
        for event in Traversal::new(program) {
            if let Event::Expr(Expr::Load { buffer, index }) = event
                && !matches!(**index, Expr::LitU32(_))
            {
                comparisons += fixed_by_name.get(buffer.as_str()).copied().unwrap_or_default();
            }
        }
        if comparisons > MAX_COMPARISONS {
            return Err(SpecializationError::TooManyComparisons { limit: MAX_COMPARISONS });
        }
        Ok(())
    }
}
