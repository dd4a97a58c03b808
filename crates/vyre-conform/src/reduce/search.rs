//! Delta debugging: search for a minimal failing subset of changes (Zeller and Hildebrandt, TSE 2002).

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::{Duration, Instant};

use vyre_ir::validate;

use crate::Case;

/// Limits of a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReduceLimits {
    /// Maximum number of calls of the predicate.
    pub tests: u64,
    /// Maximum duration. A reduction that reaches it depends on the speed of the machine.
    pub time: Option<Duration>,
}

impl Default for ReduceLimits {
    /// 20,000 tests without a time limit.
    fn default() -> ReduceLimits {
        ReduceLimits { tests: 20_000, time: None }
    }
}

/// Initial maximum number of parts of a list of changes.
const MIN_PARTS: usize = 32;

/// State of a reduction: the smallest failing case so far.
pub(super) struct Search<'f> {
    current: Case,
    fingerprint: u64,
    fails: &'f mut dyn FnMut(&Case) -> bool,
    tests_left: u64,
    deadline: Option<Instant>,
    /// Maximum number of parts of a list of changes (granularity).
    parts: usize,
    /// True if a list was left before its parts were single changes.
    is_coarse: bool,
    /// Fingerprints of all candidates. None is tested twice, and no accepted one recurs.
    seen: HashSet<u64>,
}

impl<'f> Search<'f> {
    /// Starts a search. `None` if the case is not valid or does not fail.
    pub(super) fn start(
        case: &Case,
        limits: &ReduceLimits,
        fails: &'f mut dyn FnMut(&Case) -> bool,
    ) -> Option<Search<'f>> {
        let deadline = limits.time.and_then(|time| Instant::now().checked_add(time));
        if limits.tests == 0 || validate(&case.program, &case.ops).is_err() || !fails(case) {
            return None;
        }
        let fingerprint = fingerprint(case);
        Some(Search {
            current: case.clone(),
            fingerprint,
            fails,
            tests_left: limits.tests - 1,
            deadline,
            parts: MIN_PARTS,
            is_coarse: false,
            seen: HashSet::from([fingerprint]),
        })
    }

    pub(super) fn current(&self) -> &Case {
        &self.current
    }

    pub(super) fn into_current(self) -> Case {
        self.current
    }

    /// Fingerprint of the current case.
    pub(super) fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// Reports whether a limit is reached.
    pub(super) fn is_exhausted(&self) -> bool {
        self.tests_left == 0 || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Increases the granularity. Returns false if all lists were already split into single changes.
    pub(super) fn refine(&mut self) -> bool {
        self.parts = self.parts.saturating_mul(8);
        std::mem::take(&mut self.is_coarse)
    }

    /// Accepts a candidate if it is valid and fails. Returns true if the candidate is the current case afterwards.
    pub(super) fn attempt(&mut self, candidate: Case) -> bool {
        let fingerprint = fingerprint(&candidate);
        if fingerprint == self.fingerprint {
            return true;
        }
        if self.is_exhausted() || !self.seen.insert(fingerprint) {
            return false;
        }
        if validate(&candidate.program, &candidate.ops).is_err() {
            return false;
        }
        self.tests_left -= 1;
        if !(self.fails)(&candidate) {
            return false;
        }
        self.current = candidate;
        self.fingerprint = fingerprint;
        true
    }

    /// Applies as many changes as possible: all of them, or else recursively as many as possible of each half.
    ///
    /// `build` returns the case with the chosen changes, in their order. With `k` inapplicable changes among `n`, the search
    /// takes about `2 k log(n / k)` tests. That is too much for a long list of mostly inapplicable changes, so parts are
    /// not split below a size that [`refine`](Search::refine) lowers.
    pub(super) fn apply_most<T>(&mut self, changes: &[T], build: &mut dyn FnMut(&[&T]) -> Case) {
        let mut applied = vec![false; changes.len()];
        let mut pending = Vec::new();
        let min_part = (changes.len() / self.parts).max(1);
        if !changes.is_empty() {
            pending.push(0..changes.len());
        }
        while let Some(range) = pending.pop() {
            if self.is_exhausted() {
                return;
            }
            let with_range = changes.iter().enumerate().filter(|(at, _)| applied[*at] || range.contains(at));
            let chosen: Vec<&T> = with_range.map(|(_, change)| change).collect();
            if self.attempt(build(&chosen)) {
                applied[range].fill(true);
            } else if range.len() <= min_part {
                self.is_coarse |= range.len() > 1;
            } else {
                let middle = range.start + range.len() / 2;
                pending.push(middle..range.end);
                pending.push(range.start..middle);
            }
        }
    }

    /// Lowers a number to `min` if possible, else to its half, a quarter and so on.
    ///
    /// `build` returns the current case with another number.
    pub(super) fn halve(&mut self, min: u32, value: u32, build: &dyn Fn(&Case, u32) -> Case) {
        if value <= min || self.attempt(build(&self.current, min)) {
            return;
        }
        let mut half = value / 2;
        while half > min && self.attempt(build(&self.current, half)) {
            half /= 2;
        }
    }

    /// Lowers a number to `min` if possible, else by bisection.
    ///
    /// `build` returns the current case with another number.
    pub(super) fn lower(&mut self, min: u32, value: u32, build: &dyn Fn(&Case, u32) -> Case) {
        if value <= min || self.attempt(build(&self.current, min)) {
            return;
        }
        let (mut low, mut high) = (min, value);
        while high - low > 1 && !self.is_exhausted() {
            let middle = low + (high - low) / 2;
            if self.attempt(build(&self.current, middle)) {
                high = middle;
            } else {
                low = middle;
            }
        }
    }
}

/// Hash of a case. Different cases have different fingerprints with high probability.
fn fingerprint(case: &Case) -> u64 {
    let Case { program, ops, grid, contents } = case;
    let mut hasher = DefaultHasher::new();
    program.hash(&mut hasher);
    for op in ops.iter() {
        op.id.hash(&mut hasher);
        op.program.hash(&mut hasher);
    }
    grid.hash(&mut hasher);
    contents.hash(&mut hasher);
    hasher.finish()
}
