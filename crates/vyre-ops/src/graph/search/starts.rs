//! Distinct sources of a search.

/// Distinct sources in ascending order, each with its positions in the list of sources.
#[derive(Clone, Debug)]
pub(crate) struct Starts {
    nodes: Vec<u32>,
    /// Begin of the positions of each node, and the end of the last.
    offsets: Vec<usize>,
    positions: Vec<u32>,
}

impl Starts {
    pub(crate) fn new(sources: &[u32]) -> Starts {
        let mut positions: Vec<u32> = (0..sources.len() as u32).collect();
        positions.sort_unstable_by_key(|&position| (sources[position as usize], position));
        let mut starts = Starts { nodes: Vec::new(), offsets: Vec::new(), positions: Vec::new() };
        for (at, &position) in positions.iter().enumerate() {
            let node = sources[position as usize];
            if starts.nodes.last() != Some(&node) {
                starts.nodes.push(node);
                starts.offsets.push(at);
            }
        }
        starts.offsets.push(positions.len());
        starts.positions = positions;
        starts
    }

    /// Number of distinct sources.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The distinct sources.
    pub(crate) fn nodes(&self) -> &[u32] {
        &self.nodes
    }

    /// Positions of a distinct source in the list of sources, ascending.
    pub(crate) fn positions(&self, start: usize) -> &[u32] {
        &self.positions[self.offsets[start]..self.offsets[start + 1]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_sources_are_one_start_with_all_positions() {
        let starts = Starts::new(&[7, 2, 7, 0, 2, 7]);
        assert_eq!(starts.nodes(), [0, 2, 7]);
        let positions: Vec<&[u32]> = (0..starts.len()).map(|start| starts.positions(start)).collect();
        assert_eq!(positions, [&[3][..], &[1, 4], &[0, 2, 5]]);
        assert_eq!(Starts::new(&[]).len(), 0);
    }
}
