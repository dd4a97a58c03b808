//! How an analysis is done.

use std::fmt;

use super::transfer::Transfer;

/// How an analysis is done. By default it is complete, and the engine decides by itself how to go through the graph; every
/// choice gives the same findings.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Options {
    /// The most edges of a way; without it, ways are of any length.
    pub max_depth: Option<u32>,
    /// The most findings that are collected. More are an error, which tells how many there are. Without it, there is room for
    /// all. Findings that are handed on batch by batch are not limited.
    pub max_findings: Option<u64>,
    /// How many bytes of the device's memory may be used at a time beside the graph; sources are searched in batches that fit.
    /// Without it, 2 GiB.
    pub memory: Option<u64>,
    /// Decides whether and how facts go along an edge. Without it, they go along every edge.
    pub transfer: Option<Transfer>,
    /// The facts that begin at each source. Without them, fact 0 does, whose word is 1.
    pub facts: Option<Vec<u32>>,
    /// How to go through the graph. Without it, a sample of the sources decides.
    pub strategy: Option<Strategy>,
    /// What kind of levels the bit-parallel strategy has. Without it, their width decides, level by level.
    pub levels: Option<Levels>,
    /// Whether nodes that cannot reach a sink are dropped first. Without it, they are where that pays.
    pub prune: Option<bool>,
    /// Whether chains of nodes are contracted. Without it, they are where that pays.
    pub contract: Option<bool>,
}

/// How to go through the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Strategy {
    /// All sources of a batch together, level by level: a row of bits for each node.
    BitParallel,
    /// The distances of all nodes from 64 neighbouring sources, made smaller until they are right.
    Distances,
    /// 32 neighbouring sources together, level by level, with a queue of their own.
    Words,
    /// One source after the other, each with a queue of its own; many at a time.
    PerSource,
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Strategy::BitParallel => "bit-parallel",
            Strategy::Distances => "distances",
            Strategy::Words => "words",
            Strategy::PerSource => "per-source",
        })
    }
}

/// The kinds of levels of the bit-parallel strategy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Levels {
    /// Every node looks at its incoming edges.
    Dense,
    /// Only nodes that active nodes lead to do.
    Sparse,
}

impl Options {
    /// The same with ways of at most so many edges.
    #[must_use]
    pub fn with_max_depth(mut self, depth: u32) -> Options {
        self.max_depth = Some(depth);
        self
    }

    /// The same with room for so many findings.
    #[must_use]
    pub fn with_max_findings(mut self, findings: u64) -> Options {
        self.max_findings = Some(findings);
        self
    }

    /// The same with so many bytes of memory.
    #[must_use]
    pub fn with_memory(mut self, bytes: u64) -> Options {
        self.memory = Some(bytes);
        self
    }

    /// The same with a transfer function.
    #[must_use]
    pub fn with_transfer(mut self, transfer: Transfer) -> Options {
        self.transfer = Some(transfer);
        self
    }

    /// The same with a word of facts for each source.
    #[must_use]
    pub fn with_facts(mut self, facts: Vec<u32>) -> Options {
        self.facts = Some(facts);
        self
    }

    /// The same with a strategy.
    #[must_use]
    pub fn with_strategy(mut self, strategy: Strategy) -> Options {
        self.strategy = Some(strategy);
        self
    }

    /// The same with one kind of levels.
    #[must_use]
    pub fn with_levels(mut self, levels: Levels) -> Options {
        self.levels = Some(levels);
        self
    }

    /// The same with or without dropping nodes that cannot reach a sink.
    #[must_use]
    pub fn with_prune(mut self, prune: bool) -> Options {
        self.prune = Some(prune);
        self
    }

    /// The same with or without contracting chains.
    #[must_use]
    pub fn with_contract(mut self, contract: bool) -> Options {
        self.contract = Some(contract);
        self
    }
}
