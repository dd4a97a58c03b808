//! A look at the graph from a few sources, which tells how deep it is.

use vyre_graph::{CsrView, Role, role_of};

/// What a few searches have shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sample {
    /// How many sources were looked at.
    pub(crate) sources: usize,
    /// The most levels of a search, as far as it went.
    pub(crate) levels: u32,
    /// How many nodes a search has reached on average, as far as it went.
    pub(crate) reached: u64,
    /// How many edges it has followed on average.
    pub(crate) edges: u64,
    /// How many of the searches went to their end.
    pub(crate) complete: usize,
}

/// The most sources that are looked at.
const MOST: usize = 8;
/// How many edges a search may follow, and how many if it has few levels so far.
const EDGES: u64 = 1 << 22;
const SHALLOW_EDGES: u64 = 1 << 15;
/// A graph with more levels than this is deep.
pub(crate) const SHALLOW: u32 = 32;

impl Sample {
    /// Searches from some of the sources, on the host.
    pub(crate) fn new(
        graph: CsrView<'_>,
        sources: impl ExactSizeIterator<Item = u32> + Clone,
        max_depth: u32,
    ) -> Sample {
        let wanted = (sources.len() / 16).clamp(1, MOST).min(sources.len());
        let step = sources.len().checked_div(wanted).unwrap_or(1).max(1);
        let mut seen = vec![u8::MAX; graph.node_count()];
        let mut sample = Sample { sources: 0, levels: 0, reached: 0, edges: 0, complete: 0 };
        let mut queue = Vec::new();
        for (number, source) in (0..).zip(sources.step_by(step).take(wanted)) {
            queue.clear();
            queue.push(source);
            seen[source as usize] = number;
            let (mut begin, mut levels, mut edges) = (0, 0, 0);
            let enough = |levels| if levels <= SHALLOW / 2 { SHALLOW_EDGES } else { EDGES };
            while begin < queue.len() && levels < max_depth && edges < enough(levels) {
                let end = queue.len();
                for place in begin..end {
                    let node = queue[place];
                    if role_of(graph.node_data[node as usize]) == Role::Sanitizer {
                        continue;
                    }
                    let neighbours = graph.neighbours(node);
                    edges += neighbours.len() as u64;
                    for &target in neighbours {
                        if seen[target as usize] != number {
                            seen[target as usize] = number;
                            queue.push(target);
                        }
                    }
                }
                begin = end;
                levels += 1;
            }
            sample.sources += 1;
            sample.levels = sample.levels.max(levels);
            sample.reached += queue.len() as u64;
            sample.edges += edges;
            sample.complete += usize::from(begin == queue.len());
        }
        sample.reached /= sample.sources.max(1) as u64;
        sample.edges /= sample.sources.max(1) as u64;
        sample
    }

    /// Whether searches have few levels.
    pub(crate) fn is_shallow(&self) -> bool {
        self.levels <= SHALLOW
    }
}
