//! Compaction of node numbers: only the numbers that occur become nodes.

use std::fmt::Write as _;

use rayon::prelude::*;

use super::names::NodeNames;

/// The distinct numbers of some nodes, ascending. The position of a number is its node.
pub(crate) struct Occurring(Vec<u32>);

impl Occurring {
    /// The numbers that occur at the ends of edges. Memory is proportional to the number of edges, whatever the numbers are.
    pub(crate) fn new<'e>(edges: impl Iterator<Item = &'e [(u32, u32)]>) -> Occurring {
        let mut numbers = Vec::new();
        for edges in edges {
            let mut ends: Vec<u32> = edges.iter().flat_map(|&(source, target)| [source, target]).collect();
            ends.par_sort_unstable();
            ends.dedup();
            numbers.append(&mut ends);
        }
        numbers.par_sort_unstable();
        numbers.dedup();
        Occurring(numbers)
    }

    /// Replaces the numbers of edges, which must all occur, by nodes.
    pub(crate) fn renumber(&self, edges: &mut [(u32, u32)]) {
        let node = |number: u32| self.0.partition_point(|&other| other < number) as u32;
        edges.par_iter_mut().with_min_len(1 << 12).for_each(|(source, target)| {
            (*source, *target) = (node(*source), node(*target));
        });
    }

    /// The numbers as names of the nodes, where `first` is the number of node 0; `None` if they are too long.
    pub(crate) fn names(&self, first: u32) -> Option<NodeNames> {
        let (mut text, mut ends) = (String::new(), Vec::with_capacity(self.0.len()));
        for &number in &self.0 {
            let _ = write!(text, "{}", u64::from(number) + u64::from(first));
            ends.push(u32::try_from(text.len()).ok()?);
        }
        Some(NodeNames::from_sections(text.into_bytes(), ends))
    }
}
