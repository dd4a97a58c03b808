//! Dominators (Lengauer and Tarjan, 1979, with path compression).

use crate::csr::CsrView;

/// Immediate dominator of a node that no root reaches, and of the roots themselves.
pub const NO_DOMINATOR: u32 = u32::MAX;

/// Immediate dominator of each node: the last node before it that lies on every path from the roots to it.
///
/// A node has [`NO_DOMINATOR`] if it is a root, if no root reaches it, or if paths from several roots have no node in common. The graph
/// must be valid, and roots must be nodes. The time is O(m log n).
#[must_use]
pub fn dominators(graph: CsrView<'_>, roots: &[u32]) -> Vec<u32> {
    let search = Search::new(graph, roots);
    let mut forest = Forest::new(search.order.len());
    let count = search.order.len();
    // Numbers are positions in the order of the search. Position 0 is a virtual root before all roots.
    let mut semi: Vec<u32> = (0..count as u32).collect();
    let mut dominator = vec![0u32; count];
    let mut bucket_head = vec![NO_DOMINATOR; count];
    let mut bucket_next = vec![NO_DOMINATOR; count];
    let transposed = graph.transposed();
    let backward = transposed.view();
    for at in (1..count as u32).rev() {
        let node = search.order[at as usize];
        let mut smallest = if search.is_root[node as usize] { 0 } else { semi[at as usize] };
        for &before in backward.neighbours(node) {
            let number = search.number[before as usize];
            if number != NO_DOMINATOR {
                smallest = smallest.min(semi[forest.eval(number, &semi) as usize]);
            }
        }
        semi[at as usize] = smallest;
        bucket_next[at as usize] = std::mem::replace(&mut bucket_head[smallest as usize], at);
        let parent = search.parent[at as usize];
        forest.link(parent, at);
        let mut waiting = std::mem::replace(&mut bucket_head[parent as usize], NO_DOMINATOR);
        while waiting != NO_DOMINATOR {
            let best = forest.eval(waiting, &semi);
            dominator[waiting as usize] = if semi[best as usize] < semi[waiting as usize] { best } else { parent };
            waiting = bucket_next[waiting as usize];
        }
    }
    for at in 1..count {
        if dominator[at] != semi[at] {
            dominator[at] = dominator[dominator[at] as usize];
        }
    }
    let mut immediate = vec![NO_DOMINATOR; graph.node_count()];
    for at in 1..count {
        if dominator[at] != 0 {
            immediate[search.order[at] as usize] = search.order[dominator[at] as usize];
        }
    }
    immediate
}

/// A depth-first search from a virtual root, which has an edge to each root.
struct Search {
    /// Nodes in the order in which they are found. The first is the virtual root, which is no node.
    order: Vec<u32>,
    /// Position of each node in `order`.
    number: Vec<u32>,
    /// Position of the node from which each position was found.
    parent: Vec<u32>,
    is_root: Vec<bool>,
}

impl Search {
    fn new(graph: CsrView<'_>, roots: &[u32]) -> Search {
        let nodes = graph.node_count();
        let mut search = Search {
            order: vec![NO_DOMINATOR],
            number: vec![NO_DOMINATOR; nodes],
            parent: vec![0],
            is_root: vec![false; nodes],
        };
        for &root in roots {
            search.is_root[root as usize] = true;
        }
        let mut stack: Vec<(u32, usize)> = Vec::new();
        for &root in roots {
            search.visit(root, 0, &mut stack);
            while let Some((node, next)) = stack.last_mut() {
                let (node, position) = (*node, *next);
                match graph.neighbours(node).get(position) {
                    Some(&target) => {
                        *next += 1;
                        let parent = search.number[node as usize];
                        search.visit(target, parent, &mut stack);
                    }
                    None => {
                        stack.pop();
                    }
                }
            }
        }
        search
    }

    fn visit(&mut self, node: u32, parent: u32, stack: &mut Vec<(u32, usize)>) {
        if self.number[node as usize] == NO_DOMINATOR {
            self.number[node as usize] = self.order.len() as u32;
            self.order.push(node);
            self.parent.push(parent);
            stack.push((node, 0));
        }
    }
}

/// The part of the search tree that is processed, with compressed paths.
struct Forest {
    ancestor: Vec<u32>,
    label: Vec<u32>,
    path: Vec<u32>,
}

impl Forest {
    fn new(count: usize) -> Forest {
        Forest { ancestor: vec![NO_DOMINATOR; count], label: (0..count as u32).collect(), path: Vec::new() }
    }

    fn link(&mut self, parent: u32, child: u32) {
        self.ancestor[child as usize] = parent;
    }

    /// The position with the smallest semidominator on the path from `at` to the root of its tree, without that root.
    fn eval(&mut self, at: u32, semi: &[u32]) -> u32 {
        if self.ancestor[at as usize] == NO_DOMINATOR {
            return at;
        }
        self.path.clear();
        let mut top = at;
        while self.ancestor[self.ancestor[top as usize] as usize] != NO_DOMINATOR {
            self.path.push(top);
            top = self.ancestor[top as usize];
        }
        // From the top down, each position takes the better label of its ancestor and that ancestor's ancestor.
        while let Some(position) = self.path.pop() {
            let above = self.ancestor[position as usize] as usize;
            let (own, other) = (self.label[position as usize], self.label[above]);
            if semi[other as usize] < semi[own as usize] {
                self.label[position as usize] = other;
            }
            self.ancestor[position as usize] = self.ancestor[above];
        }
        self.label[at as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::construct::to_csr;
    use crate::generate::SplitMix64;

    fn reached(nodes: u32, edges: &[(u32, u32)], roots: &[u32], without: Option<u32>) -> Vec<bool> {
        let mut reached = vec![false; nodes as usize];
        let mut waiting: Vec<u32> = roots.iter().copied().filter(|&root| Some(root) != without).collect();
        while let Some(node) = waiting.pop() {
            if !std::mem::replace(&mut reached[node as usize], true) {
                waiting
                    .extend(edges.iter().filter(|(from, to)| *from == node && Some(*to) != without).map(|(_, to)| *to));
            }
        }
        reached
    }

    /// A node dominates another one if no path leads around it. The immediate dominator is the one that all others dominate.
    fn by_definition(nodes: u32, edges: &[(u32, u32)], roots: &[u32]) -> Vec<u32> {
        let all = reached(nodes, edges, roots, None);
        let around: Vec<Vec<bool>> = (0..nodes).map(|node| reached(nodes, edges, roots, Some(node))).collect();
        let dominates = |one: u32, other: u32| all[one as usize] && !around[one as usize][other as usize];
        let immediate = |node: u32| {
            if !all[node as usize] || roots.contains(&node) {
                return NO_DOMINATOR;
            }
            let strict: Vec<u32> = (0..nodes).filter(|&one| one != node && dominates(one, node)).collect();
            strict
                .iter()
                .copied()
                .find(|&one| strict.iter().all(|&other| other == one || dominates(other, one)))
                .unwrap_or(NO_DOMINATOR)
        };
        (0..nodes).map(immediate).collect()
    }

    #[test]
    fn dominators_are_those_of_the_definition() {
        let mut random = SplitMix64::new(3);
        for case in 0..300 {
            let nodes = 1 + random.below(12) as u32;
            let mut node = || random.below(u64::from(nodes)) as u32;
            let edges: Vec<(u32, u32)> = (0..case % 40).map(|_| (node(), node())).collect();
            let roots: Vec<u32> = (0..1 + case % 3).map(|_| node()).collect();
            let found = dominators(to_csr(nodes, &edges).view(), &roots);
            assert_eq!(found, by_definition(nodes, &edges, &roots), "case {case}: {edges:?}, roots {roots:?}");
        }
    }

    #[test]
    fn long_chains_need_no_stack() {
        let edges: Vec<(u32, u32)> = (1..200_000).map(|node| (node - 1, node)).collect();
        let found = dominators(to_csr(200_000, &edges).view(), &[0]);
        assert!((1..200_000).all(|node| found[node] == node as u32 - 1));
    }
}
