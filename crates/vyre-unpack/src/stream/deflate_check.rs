//! Deflate streams that libdeflate decodes although RFC 1951 and zlib refuse them.
//!
//! libdeflate gives a meaning to reserved symbols and to bits that no code has. The header of the first block tells whether that block may
//! have any. Streams that may are decoded a second time by a decoder with the rules of zlib, and so are small streams with several blocks.
//! Blocks after the first one of larger streams are not looked at.

use std::cell::RefCell;

use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::{DecompressorOxide, decompress};

/// Size up to which streams with several blocks are decoded a second time, in bytes.
pub(super) const MAX_SMALL_BYTES: usize = 16 << 10;
/// Size of the window of the second decoder in bytes.
const WINDOW_BYTES: usize = 32 << 10;
/// Number of literal and length symbols with a meaning.
const LITERALS: usize = 286;
/// Number of distance symbols with a meaning.
const DISTANCES: usize = 30;
/// Order of the lengths of the code for lengths.
const LENGTH_ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
/// Longest code of the code for lengths, in bits.
const LENGTH_CODE_BITS: u32 = 7;

/// What the header of the first block says about a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FirstBlock {
    /// It is the only block, and both decoders have the same result.
    Alike,
    /// The same for this block, but others follow.
    AlikeSoFar,
    /// The block may have symbols that only libdeflate accepts.
    MayDiffer,
    /// zlib refuses the header.
    Refused,
}

/// Bits of a stream, from the lowest bit of each byte on.
struct Bits<'s> {
    bytes: &'s [u8],
    position: usize,
}

impl Bits<'_> {
    /// The next 16 bits, and zeros after the end.
    fn peek(&self) -> u32 {
        let at = self.position / 8;
        let byte = |number: usize| self.bytes.get(at + number).copied().map_or(0, u32::from);
        (byte(0) | byte(1) << 8 | byte(2) << 16) >> (self.position % 8)
    }

    /// Takes up to 16 bits.
    fn take(&mut self, count: u32) -> usize {
        let value = self.peek() & ((1 << count) - 1);
        self.position += count as usize;
        value as usize
    }
}

/// Reads the header of the first block.
pub(super) fn first_block(stream: &[u8]) -> FirstBlock {
    let mut bits = Bits { bytes: stream, position: 0 };
    let is_last = bits.take(1) == 1;
    let alike = if is_last { FirstBlock::Alike } else { FirstBlock::AlikeSoFar };
    match bits.take(2) {
        0 => alike,
        2 => {
            let (literals, distances) = (bits.take(5) + 257, bits.take(5) + 1);
            if literals > LITERALS || distances > DISTANCES {
                FirstBlock::Refused
            } else if has_complete_codes(&mut bits, literals, distances) {
                alike
            } else {
                FirstBlock::MayDiffer
            }
        }
        _ => FirstBlock::MayDiffer,
    }
}

/// True if the three codes of a dynamic block are complete: all bits are those of a symbol.
fn has_complete_codes(bits: &mut Bits<'_>, literals: usize, distances: usize) -> bool {
    let count = bits.take(4) + 4;
    let mut lengths = [0_u8; LENGTH_ORDER.len()];
    for &symbol in &LENGTH_ORDER[..count] {
        lengths[symbol] = bits.take(3) as u8;
    }
    let Some(table) = length_table(&lengths) else { return false };
    let mut sizes = [0_u8; LITERALS + DISTANCES];
    let sizes = &mut sizes[..literals + distances];
    let mut at = 0;
    while at < sizes.len() {
        let (symbol, size) = table[(bits.peek() & ((1 << LENGTH_CODE_BITS) - 1)) as usize];
        bits.position += usize::from(size);
        let (value, repeats) = match symbol {
            16 => match at.checked_sub(1) {
                Some(last) => (sizes[last], 3 + bits.take(2)),
                None => return false,
            },
            17 => (0, 3 + bits.take(3)),
            18 => (0, 11 + bits.take(7)),
            size => (size, 1),
        };
        let Some(run) = sizes.get_mut(at..at + repeats) else { return false };
        run.fill(value);
        at += repeats;
    }
    let (literals, distances) = sizes.split_at(literals);
    is_complete(literals) && is_complete(distances)
}

/// True if a code with these lengths uses each sequence of bits exactly once.
fn is_complete(lengths: &[u8]) -> bool {
    let used: u32 = lengths.iter().map(|&length| if length == 0 { 0 } else { 1 << (15 - length) }).sum();
    used == 1 << 15
}

/// Symbol and length for each value of the next bits, if the code is complete.
fn length_table(lengths: &[u8; LENGTH_ORDER.len()]) -> Option<[(u8, u8); 1 << LENGTH_CODE_BITS]> {
    if !is_complete(lengths) {
        return None;
    }
    let mut table = [(0, 0); 1 << LENGTH_CODE_BITS];
    let mut code = 0_u32;
    for length in 1..=LENGTH_CODE_BITS {
        for (symbol, _) in (0_u8..).zip(lengths).filter(|&(_, &of)| u32::from(of) == length) {
            let first = (code.reverse_bits() >> (u32::BITS - length)) as usize;
            table[first..].iter_mut().step_by(1 << length).for_each(|entry| *entry = (symbol, length as u8));
            code += 1;
        }
        code <<= 1;
    }
    Some(table)
}

/// The second decoder and its window.
type Checker = (Box<DecompressorOxide>, Box<[u8; WINDOW_BYTES]>);

thread_local! {
    static CHECKER: RefCell<Option<Checker>> = const { RefCell::new(None) };
}

/// True if a decoder with the rules of zlib decodes the stream, to this size. The content is not kept.
pub(super) fn is_valid(stream: &[u8], size: usize) -> bool {
    CHECKER.with_borrow_mut(|slot| {
        let (decoder, window) = slot.get_or_insert_with(|| (Box::default(), Box::new([0; WINDOW_BYTES])));
        decoder.init();
        let (mut consumed, mut produced) = (0, 0);
        loop {
            let (rest, at) = (&stream[consumed..], produced % WINDOW_BYTES);
            let (status, read, written) = decompress(decoder, rest, &mut window[..], at, 0);
            consumed += read;
            produced += written;
            match status {
                TINFLStatus::Done => return consumed == stream.len() && produced == size,
                TINFLStatus::HasMoreOutput if read > 0 || written > 0 => {}
                _ => return false,
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use vyre_ops::compression::deflate_stream_on_host;

    use super::super::libdeflate::{WholeInflate, inflate_leniently, inflate_whole};
    use super::*;

    /// Bits of a stream, each a byte.
    #[derive(Clone, Default)]
    struct Writer(Vec<u8>);

    impl Writer {
        /// A number from its lowest bit on.
        fn number(&mut self, value: usize, bits: usize) -> &mut Writer {
            self.0.extend((0..bits).map(|bit| (value >> bit & 1) as u8));
            self
        }

        /// A code from its highest bit on.
        fn code(&mut self, code: usize, bits: usize) -> &mut Writer {
            self.0.extend((0..bits).rev().map(|bit| (code >> bit & 1) as u8));
            self
        }

        /// A literal or length symbol of the fixed code.
        fn fixed(&mut self, symbol: usize) -> &mut Writer {
            match symbol {
                0..=143 => self.code(0x30 + symbol, 8),
                144..=255 => self.code(0x190 + symbol - 144, 9),
                256..=279 => self.code(symbol - 256, 7),
                _ => self.code(0xc0 + symbol - 280, 8),
            }
        }

        /// The header of a dynamic block with these lengths of codes.
        fn dynamic(&mut self, is_last: usize, literals: &[u8], distances: &[u8]) -> &mut Writer {
            self.number(is_last, 1).number(2, 2);
            self.number(literals.len() - 257, 5).number(distances.len() - 1, 5).number(15, 4);
            for symbol in LENGTH_ORDER {
                self.number(if symbol < 16 { 4 } else { 0 }, 3);
            }
            for &length in literals.iter().chain(distances) {
                self.code(length.into(), 4);
            }
            self
        }

        fn bytes(&self) -> Vec<u8> {
            self.0.chunks(8).map(|bits| bits.iter().rev().fold(0, |byte, bit| byte << 1 | bit)).collect()
        }
    }

    /// Both decoders of the host, and the op.
    fn verdicts(stream: &[u8]) -> [bool; 3] {
        let mut output = vec![0; 1 << 17];
        let is_done = |result| matches!(result, WholeInflate::Done { consumed, .. } if consumed == stream.len());
        let lenient = is_done(inflate_leniently(stream, &mut output));
        let strict = is_done(inflate_whole(stream, &mut output));
        [lenient, strict, deflate_stream_on_host(stream, output.len()).0.is_none()]
    }

    /// Lengths of `count` literal codes: `a` and the first length with two bits each, the end of the block with one.
    fn literals(count: usize) -> Vec<u8> {
        let mut lengths = vec![0; count];
        (lengths[97], lengths[256], lengths[257]) = (2, 1, 2);
        lengths
    }

    /// A stream with `a`, a match of length 3 with these bits as the distance, and the end.
    fn one_match(literals: &[u8], distances: &[u8], distance: usize) -> Vec<u8> {
        let mut writer = Writer::default();
        writer.dynamic(1, literals, distances);
        writer.code(2, 2).code(3, 2).code(distance, 1).code(0, 1).bytes()
    }

    #[test]
    fn what_only_libdeflate_accepts_is_refused() {
        const ONLY_LIBDEFLATE: [bool; 3] = [true, false, false];
        const ALL: [bool; 3] = [true, true, true];
        // The fixed code has two symbols without a meaning for lengths, and two for distances.
        for symbol in [285, 286, 287] {
            let mut writer = Writer::default();
            writer.number(1, 1).number(1, 2).fixed(97).fixed(symbol).code(0, 5).fixed(256);
            assert_eq!(verdicts(&writer.bytes()), if symbol == 285 { ALL } else { ONLY_LIBDEFLATE }, "{symbol}");
            // The block is the second one.
            let mut second = Writer::default();
            second.number(0, 1).number(1, 2).fixed(256);
            second.0.extend(writer.0);
            assert_eq!(verdicts(&second.bytes()), if symbol == 285 { ALL } else { ONLY_LIBDEFLATE }, "{symbol}");
        }
        for symbol in [29, 30, 31] {
            let mut writer = Writer::default();
            writer.number(1, 1).number(1, 2);
            for number in 0..33_000 {
                writer.fixed(number * number % 251);
            }
            writer.fixed(257).code(symbol, 5).number(0, if symbol == 29 { 13 } else { 14 });
            let is_refused = verdicts(&writer.fixed(256).bytes());
            assert!(is_refused[1] == is_refused[2] && is_refused[1] == (symbol == 29), "{symbol}: {is_refused:?}");
        }
        // Numbers of codes.
        for (count, verdict) in [(286, ALL), (287, ONLY_LIBDEFLATE), (288, ONLY_LIBDEFLATE)] {
            assert_eq!(verdicts(&one_match(&literals(count), &[1, 1], 0)), verdict, "{count}");
        }
        for (count, verdict) in [(30, ALL), (31, ONLY_LIBDEFLATE), (32, ONLY_LIBDEFLATE)] {
            let mut distances = vec![0; count];
            distances[0] = 1;
            assert_eq!(verdicts(&one_match(&literals(258), &distances, 0)), verdict, "{count}");
        }
        // A code with one distance, and one with none.
        assert_eq!(verdicts(&one_match(&literals(258), &[1], 0)), ALL);
        assert_eq!(verdicts(&one_match(&literals(258), &[1], 1)), ONLY_LIBDEFLATE);
        assert_eq!(verdicts(&one_match(&literals(258), &[0], 0)), ONLY_LIBDEFLATE);
    }

    #[test]
    fn usual_streams_are_decoded_once() {
        let text: Vec<u8> =
            (0..4000_u32).flat_map(|number| (number * number % 1009).to_string().into_bytes()).collect();
        let stream = miniz_oxide::deflate::compress_to_vec(&text, 6);
        assert_eq!(first_block(&stream), FirstBlock::Alike);
        assert_eq!(first_block(&miniz_oxide::deflate::compress_to_vec(&text[..100], 0)), FirstBlock::Alike);
        assert_eq!(first_block(&one_match(&literals(258), &[1, 1], 0)), FirstBlock::Alike);
        assert_eq!(first_block(&one_match(&literals(287), &[1, 1], 0)), FirstBlock::Refused);
        assert_eq!(first_block(&one_match(&literals(258), &[1], 0)), FirstBlock::MayDiffer);
        assert_eq!(first_block(&[]), FirstBlock::AlikeSoFar);
    }

    #[test]
    fn damaged_small_streams_have_the_verdict_of_the_op() {
        let text: Vec<u8> = (0..300_u32).flat_map(|number| (number * number % 1009).to_string().into_bytes()).collect();
        let (mut accepted, mut refused) = (0, 0);
        for part in [&text[..20], &text[..], &[7; 300]] {
            let stream = miniz_oxide::deflate::compress_to_vec(part, 6);
            for bit in 0..stream.len().min(120) * 8 {
                let mut damaged = stream.clone();
                damaged[bit / 8] ^= 1 << (bit % 8);
                let mut output = vec![0; 1 << 17];
                let host = matches!(inflate_whole(&damaged, &mut output), WholeInflate::Done { consumed, .. } if consumed == damaged.len());
                let (error, bytes) = deflate_stream_on_host(&damaged, output.len());
                assert_eq!(
                    host,
                    error.is_none(),
                    "bit {bit} of {} bytes: {error:?}, {} bytes",
                    stream.len(),
                    bytes.len()
                );
                if host { accepted += 1 } else { refused += 1 }
            }
        }
        assert!(accepted > 20 && refused > 20, "{accepted} {refused}");
    }
}
