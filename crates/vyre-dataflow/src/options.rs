//! Options of an analysis.

use crate::cost::Workload;
use crate::search::Levels;
use crate::strategies::Strategy;
use crate::transfer::Transfer;

/// Device memory of a batch in bytes, unless the caller sets a limit.
const DEFAULT_MEMORY: u64 = 2 << 30;

/// Options of an analysis. With the default options the analysis is complete and the engine chooses the strategy. Options that
/// tune the search do not change the findings.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Options {
    /// Maximum number of edges of a path. None: paths of any length.
    pub max_depth: Option<u32>,
    /// Maximum number of findings that [`Loaded::taint`](crate::Loaded::taint) collects; more are an error that reports their
    /// number. None: no limit. [`Loaded::stream`](crate::Loaded::stream) has no limit.
    pub max_findings: Option<u64>,
    /// Maximum device memory of a batch of sources in bytes, beside the graph. None: 2 GiB.
    pub memory: Option<u64>,
    /// Transfer function, which blocks edges or transforms facts along them. None: facts propagate along every edge.
    pub transfer: Option<Transfer>,
    /// Facts that begin at each source. None: the set 1.
    pub facts: Option<Vec<u32>>,
    /// Search strategy. None: the engine chooses from a sample of the sources.
    pub strategy: Option<Strategy>,
    /// Kind of levels of the bit-parallel strategy. None: the engine chooses for each level.
    pub levels: Option<Levels>,
    /// True to remove nodes that reach no sink before the search. None: if it saves time.
    pub prune: Option<bool>,
    /// True to contract chains of nodes. None: if it saves time.
    pub contract: Option<bool>,
    /// Size and sample of this request, if the caller has already measured it. None: the engine measures it.
    pub workload: Option<Workload>,
}

impl Options {
    /// Limits the number of edges of a path.
    #[must_use]
    pub fn with_max_depth(mut self, depth: u32) -> Options {
        self.max_depth = Some(depth);
        self
    }

    /// Limits the number of findings.
    #[must_use]
    pub fn with_max_findings(mut self, findings: u64) -> Options {
        self.max_findings = Some(findings);
        self
    }

    /// Limits the device memory of a batch.
    #[must_use]
    pub fn with_memory(mut self, bytes: u64) -> Options {
        self.memory = Some(bytes);
        self
    }

    /// Sets the transfer function.
    #[must_use]
    pub fn with_transfer(mut self, transfer: Transfer) -> Options {
        self.transfer = Some(transfer);
        self
    }

    /// Sets the facts of the sources: one word for each source.
    #[must_use]
    pub fn with_facts(mut self, facts: Vec<u32>) -> Options {
        self.facts = Some(facts);
        self
    }

    /// Requests a strategy.
    #[must_use]
    pub fn with_strategy(mut self, strategy: Strategy) -> Options {
        self.strategy = Some(strategy);
        self
    }

    /// Requests a kind of levels.
    #[must_use]
    pub fn with_levels(mut self, levels: Levels) -> Options {
        self.levels = Some(levels);
        self
    }

    /// Switches pruning on or off.
    #[must_use]
    pub fn with_prune(mut self, prune: bool) -> Options {
        self.prune = Some(prune);
        self
    }

    /// Switches chain contraction on or off.
    #[must_use]
    pub fn with_contract(mut self, contract: bool) -> Options {
        self.contract = Some(contract);
        self
    }

    /// Sets the size and the sample of this request. Those of another request can make the analysis slower.
    #[must_use]
    pub fn with_workload(mut self, workload: Workload) -> Options {
        self.workload = Some(workload);
        self
    }

    /// Maximum number of edges of a path.
    pub(crate) fn depth_limit(&self) -> u32 {
        self.max_depth.unwrap_or(u32::MAX)
    }

    /// Maximum device memory of a batch in bytes.
    pub(crate) fn memory_limit(&self) -> u64 {
        self.memory.unwrap_or(DEFAULT_MEMORY)
    }

    /// Reports whether the caller requested a strategy or tuned it.
    pub(crate) fn is_tuned(&self) -> bool {
        let Options { strategy, levels, prune, contract, .. } = self;
        strategy.is_some() || levels.is_some() || prune.is_some() || contract.is_some()
    }
}
