//! How much an archive may ask for.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use vyre_runtime::RunOptions;

/// How much an archive may ask for, with all archives inside it. Every limit is looked at before memory is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of output of all layers together: of all files, however they are stored, and of the content of streams.
    pub total: u64,
    /// Bytes of output of one entry or stream.
    pub entry: u64,
    /// Bytes of output for each byte of compressed input, of one entry or stream. It counts for outputs beyond
    /// [`Limits::RATIO_FROM`] bytes.
    pub ratio: u64,
    /// Entries of all archives together.
    pub entries: u64,
    /// Layers: archives and compressed streams one inside the other. A tar in a gzip stream is two.
    pub depth: u32,
}

impl Limits {
    /// Outputs of at most so many bytes may have any ratio.
    pub const RATIO_FROM: u64 = 16 << 20;
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { total: 16 << 30, entry: 4 << 30, ratio: 250, entries: 500_000, depth: 16 }
    }
}

/// One of the [`Limits`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Limit {
    /// [`Limits::total`].
    Total,
    /// [`Limits::entry`].
    Entry,
    /// [`Limits::ratio`].
    Ratio,
    /// [`Limits::entries`].
    Entries,
    /// [`Limits::depth`].
    Depth,
}

/// An archive asks for more than a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimitExceeded {
    /// Which limit.
    pub limit: Limit,
    /// What is asked for: at least so much.
    pub wanted: u64,
    /// What the limit is.
    pub allowed: u64,
}

impl LimitExceeded {
    /// Whether the rest of the archive must not be opened either: limits of the whole are used up.
    #[must_use]
    pub fn is_final(&self) -> bool {
        matches!(self.limit, Limit::Total | Limit::Entries)
    }
}

impl fmt::Display for LimitExceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LimitExceeded { limit, wanted, allowed } = self;
        match limit {
            Limit::Total => write!(f, "{wanted} bytes of output in all, where at most {allowed} are allowed"),
            Limit::Entry => write!(f, "{wanted} bytes of output of one entry, where at most {allowed} are allowed"),
            Limit::Ratio => {
                write!(f, "{wanted} bytes of output for each byte of input, where at most {allowed} are allowed")
            }
            Limit::Entries => write!(f, "{wanted} entries, where at most {allowed} are allowed"),
            Limit::Depth => write!(f, "archives nested {wanted} deep, where at most {allowed} are allowed"),
        }
    }
}

impl std::error::Error for LimitExceeded {}

/// What is left of the [`Limits`] while archives are opened, and whether the work is to end. Threads share one.
#[derive(Debug)]
pub struct Budget {
    limits: Limits,
    output: AtomicU64,
    entries: AtomicU64,
    run_options: RunOptions,
}

impl Budget {
    /// A budget of which nothing is used.
    #[must_use]
    pub fn new(limits: Limits) -> Budget {
        let run_options = RunOptions::default();
        Budget { limits, output: AtomicU64::new(0), entries: AtomicU64::new(0), run_options }
    }

    /// The same with a deadline, or a token to cancel the work with.
    #[must_use]
    pub fn with_run_options(self, run_options: RunOptions) -> Budget {
        Budget { run_options, ..self }
    }

    /// Whether the work is to end: decoders look at it between steps.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.run_options.check().is_err()
    }

    /// The limits.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Takes `output` bytes for an entry or stream of `input` compressed bytes. To be asked before memory is taken; what
    /// is not used goes back with [`Budget::give_back`].
    ///
    /// # Errors
    ///
    /// The limit that forbids it. Nothing is taken then.
    pub fn take_output(&self, input: u64, output: u64) -> Result<(), LimitExceeded> {
        self.check_stream(input, output)?;
        let allowed = self.limits.total;
        let taken = self.output.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |used| {
            used.checked_add(output).filter(|&sum| sum <= allowed)
        });
        taken.map(drop).map_err(|used| LimitExceeded {
            limit: Limit::Total,
            wanted: used.saturating_add(output),
            allowed,
        })
    }

    /// Whether one entry or stream may have so much output, whatever is left in all.
    ///
    /// # Errors
    ///
    /// The limit of entries or of ratios.
    pub fn check_stream(&self, input: u64, output: u64) -> Result<(), LimitExceeded> {
        if output > self.limits.entry {
            return Err(LimitExceeded { limit: Limit::Entry, wanted: output, allowed: self.limits.entry });
        }
        let allowed = self.limits.ratio;
        if output > Limits::RATIO_FROM && output > input.max(1).saturating_mul(allowed) {
            return Err(LimitExceeded { limit: Limit::Ratio, wanted: output.div_ceil(input.max(1)), allowed });
        }
        Ok(())
    }

    /// The most output that a stream of `input` compressed bytes may still have.
    #[must_use]
    pub fn most_output(&self, input: u64) -> u64 {
        self.most_output_with(input, 0)
    }

    /// The most output that a stream of `input` compressed bytes may have in all, if `taken` bytes were taken for it already.
    #[must_use]
    pub fn most_output_with(&self, input: u64, taken: u64) -> u64 {
        let by_ratio = input.max(1).saturating_mul(self.limits.ratio).max(Limits::RATIO_FROM);
        let others = self.output.load(Ordering::Relaxed).saturating_sub(taken);
        self.limits.entry.min(by_ratio).min(self.limits.total.saturating_sub(others))
    }

    /// The bytes that are taken.
    #[must_use]
    pub fn output_taken(&self) -> u64 {
        self.output.load(Ordering::Relaxed)
    }

    /// Gives back bytes that were taken and not used.
    pub fn give_back(&self, output: u64) {
        self.output.fetch_sub(output, Ordering::Relaxed);
    }

    /// Takes so many entries.
    ///
    /// # Errors
    ///
    /// There are more than the limit in all. Nothing is taken then.
    pub fn take_entries(&self, entries: u64) -> Result<(), LimitExceeded> {
        let allowed = self.limits.entries;
        let taken = self.entries.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |used| {
            used.checked_add(entries).filter(|&sum| sum <= allowed)
        });
        taken.map(drop).map_err(|used| LimitExceeded {
            limit: Limit::Entries,
            wanted: used.saturating_add(entries),
            allowed,
        })
    }
}
