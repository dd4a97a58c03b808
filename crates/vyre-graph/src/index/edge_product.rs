//! Randomized equality test of two multisets of edges by polynomial identity (Schwartz, 1980; Zippel, 1979; for multisets
//! Blum and Kannan, 1995).
//!
//! An edge from `s` to `t` in a graph of `n` nodes has the number `s * n + t`. The product of `r + number` over all edges is a
//! polynomial in `r`. Graphs with different edges have different polynomials, because the numbers are distinct elements of the
//! field. Different polynomials of degree `m` agree in less than `m` of the `p` elements of the field. So at a random `r` the products
//! of different graphs are equal with a probability below `m / p`, which is below 2^-32, whoever chose the graphs before `r`.
//! The product does not depend on the order of the edges, so it takes one linear pass over either direction.
//!
//! The field has `p = 2^64 - 2^32 + 1` elements, more than the square of the largest number of nodes. Elements are represented by
//! any word that is congruent to them.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::ops::Range;

use rayon::prelude::*;

use crate::csr::CsrView;
use crate::search::{EDGES_PER_STEP, row_segments};

/// Number of elements of the field, a prime.
const PRIME: u64 = 0xffff_ffff_0000_0001;
/// 2^64 in the field.
const WRAP: u64 = 0xffff_ffff;

/// Number of independent products, so that multiplications overlap.
const CHAINS: usize = 8;
/// Number of edges whose numbers are computed before they are multiplied. They fit a first-level cache.
const BUFFER_EDGES: usize = 1 << 10;

/// Products at one random element of the field.
pub(super) struct EdgeProduct {
    point: u64,
    nodes: u64,
}

impl EdgeProduct {
    /// Chooses a random element of the field, for graphs of this number of nodes.
    pub(super) fn new(nodes: usize) -> EdgeProduct {
        // Each hasher has other keys, from the random numbers of the system.
        let mut words = std::iter::repeat_with(|| RandomState::new().build_hasher().finish());
        let point = words.find(|&word| word < PRIME).unwrap_or_default();
        EdgeProduct { point, nodes: nodes as u64 }
    }

    /// Product of the edges of a valid graph.
    pub(super) fn of_rows(&self, graph: CsrView<'_>) -> u64 {
        self.product(graph, |row, targets, numbers| {
            let first = u64::from(row) * self.nodes;
            numbers.iter_mut().zip(targets).for_each(|(number, &target)| *number = first + u64::from(target));
        })
    }

    /// Product of the edges of the graph whose transposed rows these are.
    pub(super) fn of_transposed_rows(&self, transposed: CsrView<'_>) -> u64 {
        self.product(transposed, |row, sources, numbers| {
            let numbers = numbers.iter_mut().zip(sources);
            numbers.for_each(|(number, &source)| *number = u64::from(source) * self.nodes + u64::from(row));
        })
    }

    /// Product of all edges. `fill` computes the numbers of edges of a row.
    fn product(&self, rows: CsrView<'_>, fill: impl Fn(u32, &[u32], &mut [u64]) + Sync) -> u64 {
        let of_step = |step: usize| {
            let mut chains = [1; CHAINS];
            let mut numbers = [0; BUFFER_EDGES];
            let mut length = 0;
            for (row, mut edges) in row_segments(rows.offsets, step) {
                while !edges.is_empty() {
                    let count = edges.len().min(BUFFER_EDGES - length);
                    let taken: Range<usize> = edges.start..edges.start + count;
                    fill(row, &rows.targets[taken], &mut numbers[length..length + count]);
                    edges.start += count;
                    length += count;
                    if length == BUFFER_EDGES {
                        self.multiply(&mut chains, &numbers);
                        length = 0;
                    }
                }
            }
            self.multiply(&mut chains, &numbers[..length]);
            chains.into_iter().fold(1, multiplied)
        };
        let steps = rows.edge_count().div_ceil(EDGES_PER_STEP);
        let product = (0..steps).into_par_iter().map(of_step).reduce(|| 1, multiplied);
        if product >= PRIME { product - PRIME } else { product }
    }

    /// Multiplies the factors of edges with these numbers to the chains.
    fn multiply(&self, chains: &mut [u64; CHAINS], numbers: &[u64]) {
        let mut groups = numbers.chunks_exact(CHAINS);
        for group in &mut groups {
            for (chain, &number) in chains.iter_mut().zip(group) {
                *chain = multiplied(*chain, self.factor(number));
            }
        }
        for &number in groups.remainder() {
            chains[0] = multiplied(chains[0], self.factor(number));
        }
    }

    /// Sum of the random element and the number of an edge.
    fn factor(&self, number: u64) -> u64 {
        let (sum, has_wrapped) = self.point.overflowing_add(number);
        // Both are less than the prime, so that a sum that has wrapped is less than `PRIME - WRAP`.
        sum.wrapping_add(if has_wrapped { WRAP } else { 0 })
    }
}

/// Product of two elements of the field.
fn multiplied(one: u64, other: u64) -> u64 {
    let product = u128::from(one) * u128::from(other);
    let (low, high) = (product as u64, (product >> 64) as u64);
    // 2^96 is -1 in the field.
    let (difference, has_borrowed) = low.overflowing_sub(high >> 32);
    let difference = difference.wrapping_sub(if has_borrowed { WRAP } else { 0 });
    // At most (2^32 - 1)^2.
    let middle = (high & WRAP) * WRAP;
    let (sum, has_wrapped) = difference.overflowing_add(middle);
    sum.wrapping_add(if has_wrapped { WRAP } else { 0 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::construct::to_csr;

    #[test]
    fn products_are_those_of_long_division() {
        let values =
            [0, 1, 2, 7, WRAP - 1, WRAP, WRAP + 1, 1 << 63, PRIME - 1, PRIME, PRIME + 1, u64::MAX - 1, u64::MAX];
        for one in values {
            for other in values {
                let expected = u128::from(one) * u128::from(other) % u128::from(PRIME);
                assert_eq!(u128::from(multiplied(one, other) % PRIME), expected, "{one} * {other}");
            }
            for point in [0, 1, WRAP, PRIME - WRAP, PRIME - 1] {
                let number = one.min(PRIME - 1);
                let expected = (u128::from(point) + u128::from(number)) % u128::from(PRIME);
                let factor = EdgeProduct { point, nodes: 0 }.factor(number);
                assert_eq!(u128::from(factor % PRIME), expected, "{point} + {number}");
            }
        }
    }

    #[test]
    fn a_product_has_a_factor_for_each_edge() {
        let edges = [(0, 2), (0, 2), (2, 1), (1, 0)];
        let graph = to_csr(3, &edges);
        let product = EdgeProduct { point: 0x1234_5678_9abc_def0, nodes: 3 };
        let factor = |&(source, target): &(u32, u32)| {
            (u128::from(product.point) + 3 * u128::from(source) + u128::from(target)) % u128::from(PRIME)
        };
        let expected = edges.iter().map(factor).fold(1, |product, factor| product * factor % u128::from(PRIME));
        assert_eq!(u128::from(product.of_rows(graph.view())), expected);
        assert_eq!(u128::from(product.of_transposed_rows(graph.transposed().view())), expected);
        assert_ne!(u128::from(product.of_transposed_rows(graph.view())), expected);
    }

    /// The largest number of an edge is an element of the field.
    #[test]
    fn edges_of_the_largest_graph_have_distinct_numbers() {
        let nodes = u64::from(u32::MAX);
        assert!((nodes - 1) * nodes + nodes - 1 < PRIME);
    }
}
