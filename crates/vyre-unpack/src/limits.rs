//! Resource limits of an unpack call, and the budget that enforces them.
//!
//! The limits defend against decompression bombs: every reservation is checked before memory is allocated.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use vyre_ir::spelling::counted;
use vyre_runtime::RunOptions;

use crate::buffer_memory::BufferMemory;

/// Limits on an archive, nested containers included. Each one is checked before memory is allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of output of all layers together: files, whatever their method, and contents of streams.
    pub total: u64,
    /// Bytes of output of one entry or stream.
    pub entry: u64,
    /// Bytes of output for each byte of compressed input: of one entry or stream, and of all layers together for each byte of
    /// the outermost archive. [`Limits::RATIO_EXEMPT_BYTES`] are exempt, once for each archive. Output that is decoded and then
    /// discarded counts too.
    pub ratio: u64,
    /// Number of entries of all archives together.
    pub entries: u64,
    /// Nesting depth of archives and compressed streams. A tar file in a gzip stream has depth two.
    pub depth: u32,
    /// Bytes of the window (dictionary) that a compressed stream may ask for.
    pub window: u64,
    /// Bytes of decoded data that are kept in memory, for each thread. Larger outputs are kept in temporary files. This is no
    /// limit on archives.
    pub memory: u64,
}

impl Limits {
    /// Size of an output up to which any ratio is allowed.
    pub const RATIO_EXEMPT_BYTES: u64 = 16 << 20;

    /// Limits the output of all layers together, in bytes.
    #[must_use]
    pub fn with_total(self, total: u64) -> Limits {
        Limits { total, ..self }
    }

    /// Limits the output of one entry or stream, in bytes.
    #[must_use]
    pub fn with_entry(self, entry: u64) -> Limits {
        Limits { entry, ..self }
    }

    /// Limits the bytes of output for each byte of compressed input.
    #[must_use]
    pub fn with_ratio(self, ratio: u64) -> Limits {
        Limits { ratio, ..self }
    }

    /// Limits the number of entries of all archives together.
    #[must_use]
    pub fn with_entries(self, entries: u64) -> Limits {
        Limits { entries, ..self }
    }

    /// Limits the nesting depth of archives and compressed streams.
    #[must_use]
    pub fn with_depth(self, depth: u32) -> Limits {
        Limits { depth, ..self }
    }

    /// Limits the window that a compressed stream may ask for, in bytes.
    #[must_use]
    pub fn with_window(self, window: u64) -> Limits {
        Limits { window, ..self }
    }

    /// Sets the number of bytes of decoded data that are kept in memory, for each thread.
    #[must_use]
    pub fn with_memory(self, memory: u64) -> Limits {
        Limits { memory, ..self }
    }
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            total: 16 << 30,
            entry: 4 << 30,
            ratio: 250,
            entries: 500_000,
            depth: 16,
            window: 128 << 20,
            memory: 32 << 20,
        }
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
    /// [`Limits::ratio`] of one entry or stream.
    Ratio,
    /// [`Limits::ratio`] of everything that an archive contains, for each byte of the archive.
    TotalRatio,
    /// [`Limits::entries`].
    Entries,
    /// [`Limits::depth`].
    Depth,
    /// [`Limits::window`].
    Window,
}

/// A request beyond a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimitExceeded {
    /// The limit.
    pub limit: Limit,
    /// Lower bound of the request.
    pub requested: u64,
    /// Value of the limit.
    pub allowed: u64,
}

impl LimitExceeded {
    /// True if the limit concerns the whole archive, so that nothing more may be unpacked.
    #[must_use]
    pub fn is_final(&self) -> bool {
        matches!(self.limit, Limit::Total | Limit::TotalRatio | Limit::Entries)
    }
}

impl fmt::Display for LimitExceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LimitExceeded { limit, requested, allowed } = self;
        let bytes = || counted(*requested, "byte");
        match limit {
            Limit::Total => write!(f, "{} of output in all, where at most {allowed} are allowed", bytes()),
            Limit::Entry => write!(f, "{} of output of one entry, where at most {allowed} are allowed", bytes()),
            Limit::Ratio => {
                write!(f, "{} of output for each byte of input, where at most {allowed} are allowed", bytes())
            }
            Limit::TotalRatio => {
                write!(
                    f,
                    "{} of output in all for each byte of the archive, where at most {allowed} are allowed",
                    bytes()
                )
            }
            Limit::Entries if *requested == 1 => write!(f, "1 entry, where at most {allowed} are allowed"),
            Limit::Entries => write!(f, "{requested} entries, where at most {allowed} are allowed"),
            Limit::Window => {
                write!(f, "a window of {} or more, where at most {allowed} are allowed", bytes())
            }
            Limit::Depth => write!(f, "archives nested {requested} deep, where at most {allowed} are allowed"),
        }
    }
}

impl std::error::Error for LimitExceeded {}

/// Resources reserved from the [`Limits`] so far, and the stop condition of the call. All threads share one budget.
#[derive(Debug)]
pub struct Budget {
    limits: Limits,
    /// Size of the outermost archive; none if the ratio of the whole is not limited.
    input: Option<u64>,
    output: AtomicU64,
    /// Bytes that were decoded and then discarded.
    discarded: AtomicU64,
    entries: AtomicU64,
    /// Memory of the buffers.
    memory: Arc<BufferMemory>,
    run_options: RunOptions,
}

impl Budget {
    /// Creates a budget without reservations.
    #[must_use]
    pub fn new(limits: Limits) -> Budget {
        let run_options = RunOptions::default();
        let zero = || AtomicU64::new(0);
        let threads = rayon::current_num_threads() as u64;
        let memory = Arc::new(BufferMemory::new(limits.memory.saturating_mul(threads)));
        Budget { limits, input: None, output: zero(), discarded: zero(), entries: zero(), memory, run_options }
    }

    /// Limits the output of all layers by the size of the outermost archive.
    #[must_use]
    pub fn with_input(self, bytes: u64) -> Budget {
        Budget { input: Some(bytes), ..self }
    }

    /// Output and discarded output of all layers that the ratio allows.
    fn allowance(&self) -> u64 {
        self.input.map_or(u64::MAX, |input| {
            input.max(1).saturating_mul(self.limits.ratio).saturating_add(Limits::RATIO_EXEMPT_BYTES)
        })
    }

    /// The limit on the whole that `output` bytes of reservations exceed, if they exceed one.
    fn total_exceeded(&self, output: u64) -> Option<LimitExceeded> {
        if output > self.limits.total {
            return Some(LimitExceeded { limit: Limit::Total, requested: output, allowed: self.limits.total });
        }
        let work = output.saturating_add(self.discarded.load(Ordering::Relaxed));
        let input = self.input.unwrap_or(1).max(1);
        (work > self.allowance()).then(|| LimitExceeded {
            limit: Limit::TotalRatio,
            requested: work.div_ceil(input),
            allowed: self.limits.ratio,
        })
    }

    /// Counts bytes that were decoded and then discarded.
    pub fn discard_output(&self, output: u64) {
        self.discarded.fetch_add(output, Ordering::Relaxed);
    }

    /// Sets a deadline or a cancellation token.
    #[must_use]
    pub fn with_run_options(self, run_options: RunOptions) -> Budget {
        Budget { run_options, ..self }
    }

    /// True if the call was cancelled or its deadline has passed. Decoders check it between steps.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.run_options.check().is_err()
    }

    /// The limits.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Memory of the buffers.
    pub(crate) fn memory(&self) -> &Arc<BufferMemory> {
        &self.memory
    }

    /// Reserves `output` bytes for an entry or stream of `input` compressed bytes. Callers must reserve before they allocate,
    /// and release what they do not use with [`Budget::release_output`].
    ///
    /// # Errors
    ///
    /// The limit that forbids it. Nothing is reserved then.
    pub fn reserve_output(&self, input: u64, output: u64) -> Result<(), LimitExceeded> {
        self.check_output(input, output)?;
        let reserved = self.output.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |used| {
            used.checked_add(output).filter(|&sum| self.total_exceeded(sum).is_none())
        });
        reserved.map(drop).map_err(|used| self.beyond(used.saturating_add(output)))
    }

    /// The limit on the whole that forbids `output` bytes of reservations.
    pub(crate) fn beyond(&self, output: u64) -> LimitExceeded {
        let total = LimitExceeded { limit: Limit::Total, requested: output, allowed: self.limits.total };
        self.total_exceeded(output).unwrap_or(total)
    }

    /// Checks the output of one entry or stream against the limits on a single one.
    ///
    /// # Errors
    ///
    /// The limit on the size of an entry or on the ratio.
    pub fn check_output(&self, input: u64, output: u64) -> Result<(), LimitExceeded> {
        if output > self.limits.entry {
            return Err(LimitExceeded { limit: Limit::Entry, requested: output, allowed: self.limits.entry });
        }
        let allowed = self.limits.ratio;
        if output > Limits::RATIO_EXEMPT_BYTES && output > input.max(1).saturating_mul(allowed) {
            return Err(LimitExceeded { limit: Limit::Ratio, requested: output.div_ceil(input.max(1)), allowed });
        }
        Ok(())
    }

    /// Maximum output that a stream of `input` compressed bytes can still reserve.
    #[must_use]
    pub fn max_output(&self, input: u64) -> u64 {
        self.max_output_with(input, 0)
    }

    /// Maximum total output of a stream of `input` compressed bytes that holds a reservation of `reserved` bytes.
    #[must_use]
    pub fn max_output_with(&self, input: u64, reserved: u64) -> u64 {
        let by_ratio = input.max(1).saturating_mul(self.limits.ratio).max(Limits::RATIO_EXEMPT_BYTES);
        let others = self.output.load(Ordering::Relaxed).saturating_sub(reserved);
        let by_allowance = self.allowance().saturating_sub(self.discarded.load(Ordering::Relaxed));
        self.limits.entry.min(by_ratio).min(self.limits.total.min(by_allowance).saturating_sub(others))
    }

    /// Number of reserved bytes.
    #[must_use]
    pub fn reserved_output(&self) -> u64 {
        self.output.load(Ordering::Relaxed)
    }

    /// Number of reserved entries.
    pub(crate) fn reserved_entries(&self) -> u64 {
        self.entries.load(Ordering::Relaxed)
    }

    /// Releases reserved bytes.
    pub fn release_output(&self, output: u64) {
        self.output.fetch_sub(output, Ordering::Relaxed);
    }

    /// Reserves entries.
    ///
    /// # Errors
    ///
    /// The limit on entries is exceeded. Nothing is reserved then.
    pub fn reserve_entries(&self, entries: u64) -> Result<(), LimitExceeded> {
        reserve(&self.entries, entries, Limit::Entries, self.limits.entries)
    }
}

/// Adds `amount` to a counter unless the sum exceeds `allowed`.
fn reserve(counter: &AtomicU64, amount: u64, limit: Limit, allowed: u64) -> Result<(), LimitExceeded> {
    let reserved = counter.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |used| {
        used.checked_add(amount).filter(|&sum| sum <= allowed)
    });
    reserved.map(drop).map_err(|used| LimitExceeded { limit, requested: used.saturating_add(amount), allowed })
}
