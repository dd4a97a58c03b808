//! Two-pass parallel decoding of a single Deflate stream (Kerbiriou and Chikhi, "Parallel decompression of gzip-compressed files
//! and random access to DNA sequences", 2019; Knespel and Brunst, "Rapidgzip", 2023).
//!
//! The stream is cut at block starts, which a search finds without decoding. The piece after each cut refers to up to 32 KiB of
//! output that nobody knows yet. It is decoded twice, with two different dictionaries in place of that output, so that
//! both versions together tell which bytes come from the dictionary, and from where ([`markers`]). The window of each piece is
//! then known as soon as that of the preceding one is, and all pieces are resolved in parallel.
//!
//! The first piece of each iteration has a known window. It is decoded once, into the output, and is twice as long as the others.
//! With n threads and without other costs the speed is therefore (n + 1) / 2 times that of one thread. The search and the resolution
//! take a third of it.
//!
//! The result is always that of sequential decoding. A cut counts only if the preceding piece has a block that ends there
//! ([`piece`]); otherwise decoding continues sequentially from the last cut that counts. Streams without cuts, as those with fixed
//! codes only, are decoded sequentially.
//!
//! | Memory | Bytes |
//! |---|---|
//! | two versions of each piece but the first | at most 2 x 16 MiB for each thread |
//! | copies of the compressed pieces | at most 4 MiB for each thread |
//!
//! The memory is taken from that of the buffers of the call. If they need it, the stream is decoded sequentially.

mod bits;
mod block_finder;
mod dynamic_header;
mod markers;
mod piece;
#[cfg(test)]
mod tests;

use rayon::prelude::*;

use self::bits::bit_len;
use self::block_finder::find_block;
use self::markers::{FIRST, Resolver, SECOND};
use self::piece::{PieceEnd, Span, WINDOW_BYTES};
use super::inflate::{WholeInflate, inflate_whole};
use crate::buffer_memory::Lease;
use crate::limits::Budget;

/// Number of threads from which the parallel decoder is used. Two threads gain less than a tenth in processor time, which they lose
/// while they wait for each other.
const MIN_THREADS: usize = 3;
/// Minimum size of the input, in bytes.
const MIN_INPUT_BYTES: usize = 1 << 20;
/// Minimum size of a piece in bytes of input.
const MIN_PIECE_BYTES: usize = 192 << 10;
/// Maximum size of a piece in bytes of input.
const MAX_PIECE_BYTES: usize = 512 << 10;
/// Maximum output of a piece that is decoded twice, in bytes.
const MAX_PIECE_OUTPUT: usize = 16 << 20;
/// Size of the parts of pieces that are resolved in parallel.
const RESOLVED_PART_BYTES: usize = 256 << 10;
/// Number of wrong cuts, or of damaged first pieces, after which the rest is decoded sequentially.
const MAX_FAILURES: usize = 2;
/// Maximum size of a rest that is copied in order to be decoded sequentially.
const MAX_REST_BYTES: usize = 64 << 20;

/// Decodes the Deflate stream at the start of `input`: on all threads if it is large and there are several.
pub(crate) fn inflate_on_all_threads(input: &[u8], output: &mut [u8], budget: &Budget) -> WholeInflate {
    let plan = Plan::new(input.len(), output.len(), rayon::current_num_threads());
    let decoded = plan.and_then(|plan| Inflater::new(input, plan, budget).run(output));
    decoded.unwrap_or_else(|| inflate_whole(input, output))
}

/// Sizes of the work of a stream.
#[derive(Clone, Copy, Debug)]
struct Plan {
    /// Number of pieces of an iteration. The first one is decoded once, and each of the others twice.
    pieces: usize,
    /// Size of a piece in bytes of input. The first one is twice as large.
    piece: usize,
    /// Room for the output of a piece that is decoded twice, in bytes.
    room: usize,
}

impl Plan {
    /// The plan for a stream of at most `input` bytes; none if it is decoded faster sequentially.
    fn new(input: usize, output: usize, threads: usize) -> Option<Plan> {
        if threads < MIN_THREADS || input < MIN_INPUT_BYTES {
            return None;
        }
        let pieces = threads.min(input / MIN_PIECE_BYTES - 1);
        let iterations = input.div_ceil((pieces + 1).saturating_mul(MAX_PIECE_BYTES));
        let piece = input / (iterations * (pieces + 1));
        // Half more than the average, and something for small pieces.
        let ratio = (output / input + 1).max(2);
        let room = piece.saturating_mul(ratio).saturating_mul(3) / 2 + (64 << 10);
        Some(Plan { pieces, piece, room: room.min(MAX_PIECE_OUTPUT) })
    }
}

/// Memory of one version of a piece.
#[derive(Default)]
struct Version {
    piece: Vec<u8>,
    output: Vec<u8>,
}

/// A stream that is being decoded.
struct Inflater<'i, 'b> {
    input: &'i [u8],
    plan: Plan,
    budget: &'b Budget,
    /// Offset of the next block, in bits.
    bit: u64,
    /// Bytes of output so far.
    produced: usize,
    /// Cuts that are no block starts.
    rejected: Vec<u64>,
    /// Memory of the first piece.
    first_piece: Vec<u8>,
    /// Memory of the two versions of each other piece.
    versions: Vec<Version>,
    lease: Lease,
}

/// Progress of an iteration.
enum Progress {
    /// The stream goes on.
    More,
    /// The stream has ended after this many bytes of input.
    Finished(usize),
    /// The rest must be decoded sequentially.
    Sequential,
}

/// A piece to decode.
struct Task<'t> {
    span: Span,
    dictionary: &'t [u8],
    piece: &'t mut Vec<u8>,
    output: &'t mut [u8],
}

/// A piece to resolve.
struct Unresolved {
    resolver: Resolver,
    /// Index of the first version.
    version: usize,
    produced: usize,
}

impl<'i, 'b> Inflater<'i, 'b> {
    fn new(input: &'i [u8], plan: Plan, budget: &'b Budget) -> Inflater<'i, 'b> {
        Inflater {
            input,
            plan,
            budget,
            bit: 0,
            produced: 0,
            rejected: Vec::new(),
            first_piece: Vec::new(),
            versions: Vec::new(),
            lease: Lease::new(budget.memory()),
        }
    }

    /// Decodes the stream. None if it must be decoded sequentially from its start. The output is unspecified then.
    fn run(mut self, output: &mut [u8]) -> Option<WholeInflate> {
        loop {
            if self.budget.is_stopped() {
                return Some(WholeInflate::Failed);
            }
            match self.iterate(output) {
                Progress::More => {}
                Progress::Finished(consumed) => return Some(WholeInflate::Done { consumed, produced: self.produced }),
                Progress::Sequential => return self.decode_rest(output),
            }
        }
    }

    /// Decodes some pieces.
    fn iterate(&mut self, output: &mut [u8]) -> Progress {
        let spans = self.find_spans();
        let [first, others @ ..] = &spans[..] else { return Progress::Sequential };
        if others.is_empty() && first.end.is_none() || self.allocate(others.len()).is_none() {
            return Progress::Sequential;
        }
        let ends = self.decode(*first, others, output);
        let [end, ends @ ..] = &ends[..] else { return Progress::Sequential };
        match (*end, first.end) {
            (PieceEnd::Junction { produced }, Some(cut)) => {
                self.produced += produced;
                self.bit = cut;
            }
            (PieceEnd::StreamEnd { consumed, produced }, _) => {
                self.produced += produced;
                return Progress::Finished(consumed);
            }
            (PieceEnd::Failed, Some(cut)) if self.rejected.len() < MAX_FAILURES => {
                self.rejected.push(cut);
                return Progress::More;
            }
            _ => return Progress::Sequential,
        }
        self.resolve(others, ends, output)
    }

    /// Cuts the next part of the stream into pieces.
    fn find_spans(&self) -> Vec<Span> {
        let size = self.plan.piece as u64 * 8;
        let length = bit_len(self.input);
        let expected = (0..self.plan.pieces as u64).map(|number| self.bit + (2 + number) * size);
        let expected: Vec<u64> = expected.take_while(|cut| cut + size / 2 < length).collect();
        let find = |&cut: &u64| find_block(self.input, cut..cut + size, &self.rejected);
        let found: Vec<Option<u64>> = expected.par_iter().with_max_len(1).map(find).collect();
        let mut spans = Vec::with_capacity(found.len() + 1);
        let mut start = self.bit;
        for cut in found.into_iter().flatten() {
            // The start after a stored block may be that of the next piece, or beyond it.
            if cut > start {
                spans.push(Span { start, end: Some(cut) });
                start = cut;
            }
        }
        if expected.len() < self.plan.pieces {
            spans.push(Span { start, end: None });
        }
        spans
    }

    /// Allocates memory for `pieces` pieces that are decoded twice. None if that is too much.
    fn allocate(&mut self, pieces: usize) -> Option<()> {
        let room = WINDOW_BYTES + self.plan.room;
        let count = self.versions.len().max(2 * pieces);
        let total = count.checked_mul(room + 2 * self.plan.piece)?.checked_add(4 * self.plan.piece)?;
        if !self.lease.try_resize(total as u64) {
            return None;
        }
        self.versions.resize_with(count, Version::default);
        for version in self.versions.iter_mut().take(2 * pieces).filter(|version| version.output.len() < room) {
            version.output = Vec::new();
            version.output = vyre_memory::try_zeroed_bytes(room)?;
        }
        Some(())
    }

    /// Decodes the first piece into the output and the others in two versions. The results of both are next to each other.
    fn decode(&mut self, first: Span, others: &[Span], output: &mut [u8]) -> Vec<PieceEnd> {
        let start = self.produced.saturating_sub(WINDOW_BYTES);
        let window = output[start..self.produced].to_vec();
        let mut tasks = Vec::with_capacity(1 + 2 * others.len());
        let output = &mut output[start..];
        tasks.push(Task { span: first, dictionary: &window, piece: &mut self.first_piece, output });
        let spans = others.iter().flat_map(|&span| [(span, &FIRST), (span, &SECOND)]);
        for (Version { piece, output }, (span, dictionary)) in self.versions.iter_mut().zip(spans) {
            tasks.push(Task { span, dictionary, piece, output });
        }
        let input = self.input;
        let decode = |Task { span, dictionary, piece, output }| piece::decode(input, span, dictionary, piece, output);
        tasks.into_par_iter().with_max_len(1).map(decode).collect()
    }

    /// Resolves the pieces after the first one, up to the first that failed. That one is the first piece of the next iteration.
    fn resolve(&mut self, spans: &[Span], ends: &[PieceEnd], output: &mut [u8]) -> Progress {
        let (pairs, _) = ends.as_chunks::<2>();
        let from = self.produced;
        let mut unresolved = Vec::with_capacity(spans.len());
        let mut progress = Progress::More;
        // A piece may not refer to more output than there is.
        let mut window = from.checked_sub(WINDOW_BYTES).map(|start| output[start..from].to_vec()).unwrap_or_default();
        for (number, (span, [one, other])) in spans.iter().zip(pairs).enumerate() {
            if window.len() < WINDOW_BYTES || one != other {
                break;
            }
            let (produced, next) = match (*one, span.end) {
                (PieceEnd::Junction { produced }, Some(cut)) => (produced, Ok(cut)),
                (PieceEnd::StreamEnd { consumed, produced }, _) => (produced, Err(consumed)),
                (PieceEnd::OutputFull, _) => {
                    self.plan.room = self.plan.room.saturating_mul(2).min(MAX_PIECE_OUTPUT);
                    break;
                }
                _ => break,
            };
            if produced > output.len() - self.produced {
                break;
            }
            let Some(resolver) = Resolver::new(&window) else { break };
            let version = 2 * number;
            let (first, second) = self.content(version, produced);
            let kept = produced.min(WINDOW_BYTES);
            window.drain(..kept);
            let length = window.len();
            window.resize(length + kept, 0);
            resolver.resolve(&first[produced - kept..], &second[produced - kept..], &mut window[length..]);
            unresolved.push(Unresolved { resolver, version, produced });
            self.produced += produced;
            match next {
                Ok(cut) => self.bit = cut,
                Err(consumed) => {
                    progress = Progress::Finished(consumed);
                    break;
                }
            }
        }
        let mut parts = Vec::new();
        let mut rest = &mut output[from..self.produced];
        for Unresolved { resolver, version, produced } in &unresolved {
            let (content, after) = rest.split_at_mut(*produced);
            rest = after;
            let (first, second) = self.content(*version, *produced);
            let both = first.chunks(RESOLVED_PART_BYTES).zip(second.chunks(RESOLVED_PART_BYTES));
            let with_output = both.zip(content.chunks_mut(RESOLVED_PART_BYTES));
            parts.extend(with_output.map(|((first, second), output)| (resolver, first, second, output)));
        }
        parts.into_par_iter().for_each(|(resolver, first, second, output)| resolver.resolve(first, second, output));
        progress
    }

    /// The two versions of a piece, without the dictionaries.
    fn content(&self, version: usize, produced: usize) -> (&[u8], &[u8]) {
        let range = WINDOW_BYTES..WINDOW_BYTES + produced;
        (&self.versions[version].output[range.clone()], &self.versions[version + 1].output[range])
    }

    /// Decodes the rest of the stream sequentially. None if the rest is the whole stream, or too large.
    fn decode_rest(&mut self, output: &mut [u8]) -> Option<WholeInflate> {
        let rest = self.input.len() - usize::try_from(self.bit >> 3).ok()?.min(self.input.len());
        if self.bit == 0 || rest > MAX_REST_BYTES {
            return None;
        }
        let start = self.produced.saturating_sub(WINDOW_BYTES);
        let window = output[start..self.produced].to_vec();
        let span = Span { start: self.bit, end: None };
        let output = &mut output[start..];
        match piece::decode(self.input, span, &window, &mut self.first_piece, output) {
            PieceEnd::StreamEnd { consumed, produced } => {
                Some(WholeInflate::Done { consumed, produced: self.produced + produced })
            }
            PieceEnd::OutputFull => Some(WholeInflate::OutputFull),
            PieceEnd::Junction { .. } | PieceEnd::Failed => Some(WholeInflate::Failed),
        }
    }
}
