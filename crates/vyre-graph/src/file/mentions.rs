//! Mentions: the occurrences of names in a block of edges.

use foldhash::fast::RandomState;

use super::fields::{Field, LineError};
use super::line::Nodes;
use super::name_index::hash;
use super::names::NamesView;
use super::text_error::{TextErrorKind, TextField};

/// Occurrences of names in a block of edges. The numbers of their nodes are assigned when blocks are merged in order.
pub(crate) struct Mentions {
    /// Concatenated names.
    text: Vec<u8>,
    ends: Vec<u32>,
    hashes: Vec<u32>,
    hasher: RandomState,
    /// Line and byte of each mention.
    positions: Vec<(u64, u32)>,
    /// True if the whole block is UTF-8 without a byte 0, so that its fields are.
    is_text: bool,
}

/// Result of [`Mentions::find_in`] for unknown names.
pub(crate) const UNKNOWN: u32 = u32::MAX;

impl Mentions {
    pub(crate) fn new(hasher: RandomState, block: &[u8]) -> Mentions {
        let is_text = memchr::memchr(0, block).is_none() && str::from_utf8(block).is_ok();
        Mentions { text: Vec::new(), ends: Vec::new(), hashes: Vec::new(), hasher, positions: Vec::new(), is_text }
    }

    /// Number of mentions.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Name of a mention.
    pub(crate) fn name(&self, mention: usize) -> &[u8] {
        let start = if mention == 0 { 0 } else { self.ends[mention - 1] };
        &self.text[start as usize..self.ends[mention] as usize]
    }

    /// Hash of the name of a mention.
    pub(crate) fn hash(&self, mention: usize) -> u32 {
        self.hashes[mention]
    }

    /// Line and byte of a mention.
    pub(crate) fn position(&self, mention: usize) -> (u64, usize) {
        let (line, at) = self.positions[mention];
        (line, at as usize)
    }

    /// Looks up the nodes of all mentions among names with the same hasher. Unknown names are [`UNKNOWN`].
    ///
    /// Names are scattered in memory. To overlap cache misses, groups of lookups proceed together step by step, and the steps that
    /// access memory have no branches.
    pub(crate) fn find_in(&self, known: NamesView<'_>) -> Vec<u32> {
        const GROUP: usize = 128;
        let (index, text, ends) = (known.index(), known.text(), known.ends());
        let mut found = vec![UNKNOWN; self.len()];
        for (part, found) in found.chunks_mut(GROUP).enumerate() {
            let first = part * GROUP;
            let hashes = &self.hashes[first..first + found.len()];
            let mut slots = [index.first_slot(0); GROUP];
            for (slot, &hash) in slots.iter_mut().zip(hashes) {
                *slot = index.first_slot(hash);
            }
            for ((found, &hash), &slot) in found.iter_mut().zip(hashes).zip(&slots) {
                *found = index.candidate(hash, slot).unwrap_or(UNKNOWN);
            }
            let mut ranges = [(0, 0); GROUP];
            for (range, &node) in ranges.iter_mut().zip(&*found) {
                let end_of = |node: u32| ends.get(node as usize).copied().unwrap_or_default();
                *range = (end_of(node.wrapping_sub(1)), end_of(node));
            }
            let mut last_bytes = [0; GROUP];
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
    /// Number of the mention.
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
