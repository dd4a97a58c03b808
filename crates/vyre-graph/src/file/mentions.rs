//! The names in a block of edges, as often as they come there.

use foldhash::fast::RandomState;

use super::fields::{Field, LineError};
use super::line::Nodes;
use super::name_index::hash;
use super::names::NamesView;
use super::text_error::{TextErrorKind, TextField};

/// The names in a block of edges, as often as they come there. They get the numbers of the whole text when blocks are put
/// together.
pub(crate) struct Mentions {
    /// All names, one after the other.
    text: Vec<u8>,
    ends: Vec<u32>,
    hashes: Vec<u32>,
    hasher: RandomState,
    /// The line and the byte where each stands.
    positions: Vec<(u64, u32)>,
    /// Whether the whole block is text, so that its fields are.
    is_text: bool,
}

/// What [`Mentions::find_in`] gives for names that are not known.
pub(crate) const UNKNOWN: u32 = u32::MAX;

impl Mentions {
    pub(crate) fn new(hasher: RandomState, block: &[u8]) -> Mentions {
        let is_text = memchr::memchr(0, block).is_none() && str::from_utf8(block).is_ok();
        Mentions { text: Vec::new(), ends: Vec::new(), hashes: Vec::new(), hasher, positions: Vec::new(), is_text }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The name of a mention.
    pub(crate) fn name(&self, mention: usize) -> &[u8] {
        let start = if mention == 0 { 0 } else { self.ends[mention - 1] };
        &self.text[start as usize..self.ends[mention] as usize]
    }

    /// The hash of the name of a mention.
    pub(crate) fn hash(&self, mention: usize) -> u32 {
        self.hashes[mention]
    }

    /// The line and the byte where a mention stands.
    pub(crate) fn position(&self, mention: usize) -> (u64, usize) {
        let (line, at) = self.positions[mention];
        (line, at as usize)
    }

    /// The nodes of all mentions among names with the same hasher, or [`UNKNOWN`].
    ///
    /// Names lie far apart in memory. So that no look waits for the one before it, some are looked for together, step by
    /// step, and the steps that wait for memory have no branches.
    pub(crate) fn find_in(&self, known: NamesView<'_>) -> Vec<u32> {
        const TOGETHER: usize = 128;
        let (index, text, ends) = (known.index(), known.text(), known.ends());
        let mut found = vec![UNKNOWN; self.len()];
        for (part, found) in found.chunks_mut(TOGETHER).enumerate() {
            let first = part * TOGETHER;
            let hashes = &self.hashes[first..first + found.len()];
            let mut slots = [index.first_slot(0); TOGETHER];
            for (slot, &hash) in slots.iter_mut().zip(hashes) {
                *slot = index.first_slot(hash);
            }
            for ((found, &hash), &slot) in found.iter_mut().zip(hashes).zip(&slots) {
                *found = index.candidate(hash, slot).unwrap_or(UNKNOWN);
            }
            let mut ranges = [(0, 0); TOGETHER];
            for (range, &node) in ranges.iter_mut().zip(&*found) {
                let end_of = |node: u32| ends.get(node as usize).copied().unwrap_or_default();
                *range = (end_of(node.wrapping_sub(1)), end_of(node));
            }
            let mut last_bytes = [0; TOGETHER];
            for (last, &(_, end)) in last_bytes.iter_mut().zip(&ranges) {
                *last = text.get((end as usize).wrapping_sub(1)).copied().unwrap_or_default();
            }
            for (at, found) in found.iter_mut().enumerate() {
                let name = self.name(first + at);
                let (start, end) = ranges[at];
                let is_same = name.last() == Some(&last_bytes[at]) && &text[start as usize..end as usize] == name;
                if *found != UNKNOWN && !is_same {
                    // Another name with the same hash.
                    *found = known.find_hashed(hashes[at], name).unwrap_or(UNKNOWN);
                }
            }
        }
        found
    }
}

impl Nodes for Mentions {
    /// The number of the mention.
    fn node(&mut self, field: &Field<'_>, _meaning: TextField, line: u64) -> Result<u32, LineError> {
        let name = field.name(self.is_text)?;
        let full = |_| (field.at, TextErrorKind::NamesTooLong);
        let mention = u32::try_from(self.ends.len()).map_err(full)?;
        let end = u32::try_from(self.text.len() + name.len()).map_err(full)?;
        self.text.extend_from_slice(&name);
        self.ends.push(end);
        self.hashes.push(hash(&self.hasher, &name));
        self.positions.push((line, field.at as u32));
        Ok(mention)
    }

    fn is_same(&self, one: u32, other: u32) -> bool {
        let (one, other) = (one as usize, other as usize);
        self.hashes[one] == self.hashes[other] && self.name(one) == self.name(other)
    }
}
