//! Distinct starts: sources with equal node and equal facts are searched once.

/// Sources that begin at the same node with the same facts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Start {
    pub(crate) node: u32,
    pub(crate) facts: u32,
    /// Range of its positions in [`Starts::positions`].
    first: u32,
    end: u32,
}

/// Nodes of starts.
pub(crate) type StartNodes<'s> = std::iter::Map<std::slice::Iter<'s, Start>, fn(&Start) -> u32>;

/// Distinct starts in ascending order of node and facts.
pub(crate) struct Starts {
    pub(crate) starts: Vec<Start>,
    positions: Vec<u32>,
}

impl Starts {
    /// Groups sources by node and facts. A source without facts begins with the set 1.
    pub(crate) fn new(sources: &[u32], facts: Option<&[u32]>) -> Starts {
        let facts_of = |position: u32| facts.map_or(1, |facts| facts[position as usize]);
        let mut positions: Vec<u32> = (0..sources.len() as u32).collect();
        positions.sort_by_key(|&position| (sources[position as usize], facts_of(position)));
        let mut starts: Vec<Start> = Vec::new();
        for (at, &position) in (0..).zip(&positions) {
            let (node, facts) = (sources[position as usize], facts_of(position));
            match starts.last_mut() {
                Some(last) if last.node == node && last.facts == facts => last.end = at + 1,
                _ => starts.push(Start { node, facts, first: at, end: at + 1 }),
            }
        }
        Starts { starts, positions }
    }

    /// Nodes of the starts, in order.
    pub(crate) fn nodes(&self) -> StartNodes<'_> {
        self.starts.iter().map(|start| start.node)
    }

    /// Number of distinct starts.
    pub(crate) fn len(&self) -> usize {
        self.starts.len()
    }

    /// Number of sources.
    pub(crate) fn source_count(&self) -> u64 {
        self.positions.len() as u64
    }

    /// Positions of the sources of a start, ascending.
    pub(crate) fn positions(&self, start: Start) -> &[u32] {
        &self.positions[start.first as usize..start.end as usize]
    }
}
