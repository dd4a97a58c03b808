//! The search for a smaller case: which candidates are shown to the caller, and in which order.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::{Duration, Instant};

use vyre_ir::validate;

use crate::Case;

/// When to stop before nothing more can be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReduceLimits {
    /// How often the predicate is asked at most.
    pub tests: u64,
    /// How long it may take. The result depends on the speed of the machine where this runs out.
    pub time: Option<Duration>,
}

impl Default for ReduceLimits {
    /// 20,000 tests, however long they take.
    fn default() -> ReduceLimits {
        ReduceLimits { tests: 20_000, time: None }
    }
}

/// Into how many parts lists of changes are split at first.
const FEWEST_PARTS: usize = 32;

/// The smallest case so far, and how it gets smaller.
pub(super) struct Search<'f> {
    current: Case,
    fingerprint: u64,
    fails: &'f mut dyn FnMut(&Case) -> bool,
    tests_left: u64,
    deadline: Option<Instant>,
    /// Into how many parts a list of changes is split at most.
    parts: usize,
    /// Whether a list was left before its parts were single changes.
    is_coarse: bool,
    /// Fingerprints of all candidates, so that none is tried twice and no accepted one comes back.
    seen: HashSet<u64>,
}

impl<'f> Search<'f> {
    /// `None` where the case is not valid or does not fail.
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
            parts: FEWEST_PARTS,
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

    /// Changes whenever the current case does.
    pub(super) fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// Whether a limit is reached.
    pub(super) fn is_over(&self) -> bool {
        self.tests_left == 0 || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Splits lists of changes further than before; `false` if all were split into single changes.
    pub(super) fn refine(&mut self) -> bool {
        self.parts = self.parts.saturating_mul(8);
        std::mem::take(&mut self.is_coarse)
    }

    /// Makes a candidate the current case if it is valid and fails; says whether the current case is the candidate.
    pub(super) fn attempt(&mut self, candidate: Case) -> bool {
        let fingerprint = fingerprint(&candidate);
        if fingerprint == self.fingerprint {
            return true;
        }
        if self.is_over() || !self.seen.insert(fingerprint) {
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

    /// Makes as many changes as possible: all, or else each half by itself and what is possible of it.
    ///
    /// `build` gives the case with the chosen changes, in their order. With `k` changes that cannot be made among `n`,
    /// this takes about `2 k log(n / k)` tests. Where nearly all changes of a long list are refused that is too much,
    /// so parts are not split below a size that [`refine`](Search::refine) lowers.
    pub(super) fn keep<T>(&mut self, changes: &[T], build: &mut dyn FnMut(&[&T]) -> Case) {
        let mut kept = vec![false; changes.len()];
        let mut pending = Vec::new();
        let smallest_part = (changes.len() / self.parts).max(1);
        if !changes.is_empty() {
            pending.push(0..changes.len());
        }
        while let Some(range) = pending.pop() {
            if self.is_over() {
                return;
            }
            let with_range = changes.iter().enumerate().filter(|(at, _)| kept[*at] || range.contains(at));
            let chosen: Vec<&T> = with_range.map(|(_, change)| change).collect();
            if self.attempt(build(&chosen)) {
                kept[range].fill(true);
            } else if range.len() <= smallest_part {
                self.is_coarse |= range.len() > 1;
            } else {
                let middle = range.start + range.len() / 2;
                pending.push(middle..range.end);
                pending.push(range.start..middle);
            }
        }
    }

    /// Makes a number smaller: `least` if possible, else as small as bisection finds.
    ///
    /// `build` gives the current case with another number.
    pub(super) fn lower(&mut self, least: u32, value: u32, build: &dyn Fn(&Case, u32) -> Case) {
        if value <= least || self.attempt(build(&self.current, least)) {
            return;
        }
        let (mut low, mut high) = (least, value);
        while high - low > 1 && !self.is_over() {
            let middle = low + (high - low) / 2;
            if self.attempt(build(&self.current, middle)) {
                high = middle;
            } else {
                low = middle;
            }
        }
    }
}

/// A number that differs for different cases, but for unlikely accidents.
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
