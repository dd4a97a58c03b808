//! Writer of Deflate streams, valid or not.

use std::ops::Range;

use super::Random;

/// Order of the lengths of the code of lengths.
const LENGTH_ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
/// Longest code of the code of lengths.
const MAX_LENGTH_CODE: u8 = 7;
/// Number of symbols of the code of lengths.
const LENGTH_SYMBOLS: usize = LENGTH_ORDER.len();

/// Bits of a stream, each a byte.
#[derive(Clone, Default)]
pub(super) struct Writer(Vec<u8>);

/// Lengths of the codes of a block, and the codes.
pub(super) struct Code {
    lengths: Vec<u8>,
    codes: Vec<usize>,
}

impl Code {
    /// The canonical code with these lengths.
    pub(super) fn new(lengths: Vec<u8>) -> Code {
        let mut codes = vec![0; lengths.len()];
        let mut next = 0_usize;
        for length in 1..=15 {
            for (code, _) in codes.iter_mut().zip(&lengths).filter(|&(_, &of)| of == length) {
                *code = next;
                next += 1;
            }
            next <<= 1;
        }
        Code { lengths, codes }
    }

    /// The fixed code of literals and lengths.
    pub(super) fn fixed_literals() -> Code {
        let length = |symbol| match symbol {
            0..144 => 8,
            144..256 => 9,
            256..280 => 7,
            _ => 8,
        };
        Code::new((0..288).map(length).collect())
    }

    /// The fixed code of distances.
    pub(super) fn fixed_distances() -> Code {
        Code::new(vec![5; 32])
    }

    /// Lengths of a random code with about so many symbols: complete, or now and then not.
    fn random(random: &mut Random, symbols: usize, used: usize, longest: u8) -> Vec<u8> {
        let mut leaves = vec![0];
        while leaves.len() < used && leaves.iter().any(|&depth| depth < longest) {
            let leaf = if random.one_in(3) { leaves.len() - 1 } else { random.below(leaves.len()) };
            if leaves[leaf] < longest {
                leaves[leaf] += 1;
                leaves.push(leaves[leaf]);
            }
        }
        if leaves.len() == 1 {
            leaves[0] = 1;
        }
        leaves.resize(symbols, 0);
        for at in 0..symbols {
            leaves.swap(at, at + random.below(symbols - at));
        }
        if random.one_in(6) {
            leaves[random.below(symbols)] = random.below(usize::from(longest) + 1) as u8;
        }
        leaves
    }

    /// The symbols with a code, of those in the range.
    fn symbols(&self, range: Range<usize>) -> Vec<usize> {
        range.filter(|&symbol| self.lengths.get(symbol).is_some_and(|&length| length > 0)).collect()
    }
}

impl Writer {
    /// A number from its lowest bit on.
    pub(super) fn number(&mut self, value: usize, bits: usize) -> &mut Writer {
        self.0.extend((0..bits).map(|bit| (value >> bit & 1) as u8));
        self
    }

    /// The header of a block without its content.
    pub(super) fn block(&mut self, is_last: bool, kind: usize) -> &mut Writer {
        self.number(is_last.into(), 1).number(kind, 2)
    }

    /// A symbol of a code.
    pub(super) fn symbol(&mut self, code: &Code, symbol: usize) -> &mut Writer {
        let (value, length) = (code.codes[symbol], code.lengths[symbol]);
        self.0.extend((0..length).rev().map(|bit| (value >> bit & 1) as u8));
        self
    }

    /// A stored block.
    pub(super) fn stored(&mut self, is_last: bool, content: &[u8]) -> &mut Writer {
        self.block(is_last, 0);
        self.0.resize(self.0.len().next_multiple_of(8), 0);
        self.number(content.len(), 16).number(!content.len(), 16);
        content.iter().fold(self, |writer, &byte| writer.number(byte.into(), 8))
    }

    /// The header of a block with dynamic codes, each length with a code of four bits.
    pub(super) fn dynamic(&mut self, is_last: bool, literals: &Code, distances: &Code) -> &mut Writer {
        let lengths: Vec<u8> = literals.lengths.iter().chain(&distances.lengths).copied().collect();
        self.block(is_last, 2);
        self.number(literals.lengths.len() - 257, 5).number(distances.lengths.len() - 1, 5);
        let code = Code::new((0..LENGTH_SYMBOLS).map(|symbol| if symbol < 16 { 4 } else { 0 }).collect());
        self.code_of_lengths(&code);
        lengths.iter().fold(self, |writer, &length| writer.symbol(&code, length.into()))
    }

    fn code_of_lengths(&mut self, code: &Code) {
        let count =
            LENGTH_ORDER.iter().rposition(|&symbol| code.lengths[symbol] > 0).map_or(4, |last| (last + 1).max(4));
        self.number(count - 4, 4);
        for &symbol in &LENGTH_ORDER[..count] {
            self.number(code.lengths[symbol].into(), 3);
        }
    }

    /// A match whose extra bits are these.
    pub(super) fn a_match(&mut self, codes: [&Code; 2], symbols: [usize; 2], extra: [usize; 2]) -> &mut Writer {
        let [length, distance] = symbols;
        self.symbol(codes[0], length).number(extra[0], length_bits(length));
        self.symbol(codes[1], distance).number(extra[1], distance_bits(distance))
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        self.0.chunks(8).map(|bits| bits.iter().rev().fold(0, |byte, bit| byte << 1 | bit)).collect()
    }
}

/// Number of extra bits of a length symbol.
pub(super) fn length_bits(symbol: usize) -> usize {
    if (265..285).contains(&symbol) { (symbol - 261) / 4 } else { 0 }
}

/// Number of extra bits of a distance symbol.
pub(super) fn distance_bits(symbol: usize) -> usize {
    if (4..30).contains(&symbol) { (symbol - 2) / 2 } else { 0 }
}

/// Largest distance of a symbol.
fn max_distance(symbol: usize) -> usize {
    if symbol < 4 { symbol + 1 } else { (3 + (symbol & 1)) << distance_bits(symbol) }
}

/// A stream of random blocks with random codes. About half of the streams are invalid.
pub(super) fn random_stream(random: &mut Random) -> Vec<u8> {
    let mut writer = Writer::default();
    let blocks = 1 + random.below(4);
    let mut produced = 0;
    for number in 1..=blocks {
        let is_last = number == blocks;
        let (literals, distances) = match random.below(8) {
            0 => {
                let longest = random.one_of(&[1, 2, 300, 20_000]);
                let content: Vec<u8> = (0..random.below(longest)).map(|_| random.next() as u8).collect();
                writer.stored(is_last, &content);
                produced += content.len();
                continue;
            }
            1 if random.one_in(10) => {
                writer.block(is_last, 3);
                continue;
            }
            1 | 2 => {
                writer.block(is_last, 1);
                (Code::fixed_literals(), Code::fixed_distances())
            }
            _ => random_header(random, &mut writer, is_last),
        };
        let is_careful = !random.one_in(3);
        let longest = random.one_of(&[4, 40, 3_000]);
        let bytes = literals.symbols(0..256);
        let lengths = literals.symbols(257..if is_careful { 286 } else { 288 });
        let reaching = distances.symbols(0..if is_careful { 30 } else { 32 });
        for _ in 0..random.below(longest) {
            if random.one_in(3) && !lengths.is_empty() && !reaching.is_empty() {
                let (length, distance) = (random.one_of(&lengths), random.one_of(&reaching));
                if is_careful && max_distance(distance) > produced {
                    continue;
                }
                let extra = [random.below(32), random.below(1 << 13)];
                writer.a_match([&literals, &distances], [length, distance], extra);
                produced += 3;
            } else if !bytes.is_empty() {
                writer.symbol(&literals, random.one_of(&bytes));
                produced += 1;
            }
        }
        if !is_careful && random.one_in(4) {
            for _ in 0..random.below(60) {
                writer.number(random.below(2), 1);
            }
        }
        writer.symbol(&literals, 256);
    }
    writer.bytes()
}

/// Writes the header of a block with random codes.
fn random_header(random: &mut Random, writer: &mut Writer, is_last: bool) -> (Code, Code) {
    let is_large = random.one_in(15);
    let literals = 257 + random.below(if is_large { 32 } else { 30 });
    let distances = 1 + random.below(if is_large { 32 } else { 30 });
    let used = 1 + random.below(literals);
    let used = random.one_of(&[1, 2, used.min(20), used]);
    let longest = random.one_of(&[15, 12, 11, 7]);
    let mut literal_lengths = Code::random(random, literals, used, longest);
    if literal_lengths[256] == 0 && !random.one_in(30) {
        let other = literal_lengths.iter().position(|&length| length > 0);
        literal_lengths.swap(256, other.unwrap_or(256));
    }
    let used = 1 + random.below(distances);
    let used = random.one_of(&[0, 1, 2, used]);
    let longest = random.one_of(&[15, 9, 8, 6]);
    let distance_lengths = if used == 0 { vec![0; distances] } else { Code::random(random, distances, used, longest) };
    writer.block(is_last, 2).number(literals - 257, 5).number(distances - 1, 5);
    let all: Vec<u8> = literal_lengths.iter().chain(&distance_lengths).copied().collect();
    let mut symbols = run_lengths(random, &all);
    if random.one_in(40) {
        symbols.push((16 + random.below(3), 1));
    }
    if random.one_in(60) {
        symbols.insert(0, (16, 0));
    }
    let mut used: Vec<usize> = symbols.iter().map(|&(symbol, _)| symbol).collect();
    used.sort_unstable();
    used.dedup();
    if used.len() == 1 && !random.one_in(3) {
        used.push(if used[0] == 5 { 6 } else { 5 });
    }
    let leaves: Vec<u8> = {
        let mut leaves = vec![0];
        while leaves.len() < used.len() {
            let leaf = random.below(leaves.len());
            if leaves[leaf] < MAX_LENGTH_CODE {
                leaves[leaf] += 1;
                leaves.push(leaves[leaf]);
            }
        }
        leaves.iter().map(|&depth| depth.max(1)).collect()
    };
    let mut sizes = vec![0; LENGTH_SYMBOLS];
    for (&symbol, size) in used.iter().zip(leaves) {
        sizes[symbol] = size;
    }
    if random.one_in(40) {
        sizes[random.below(LENGTH_SYMBOLS)] = random.below(8) as u8;
    }
    let code = Code::new(sizes);
    writer.code_of_lengths(&code);
    for (symbol, extra) in symbols {
        writer.symbol(&code, symbol).number(extra, [2, 3, 7].get(symbol.wrapping_sub(16)).copied().unwrap_or(0));
    }
    (Code::new(literal_lengths), Code::new(distance_lengths))
}

/// Lengths as symbols of the code of lengths with their extra bits. Some runs are not shortened.
fn run_lengths(random: &mut Random, lengths: &[u8]) -> Vec<(usize, usize)> {
    let mut symbols = Vec::new();
    let mut at = 0;
    while at < lengths.len() {
        let run = lengths[at..].iter().take_while(|&&length| length == lengths[at]).count();
        let is_repeated = at > 0 && lengths[at - 1] == lengths[at];
        let (symbol, taken, shortest) = match lengths[at] {
            0 if run >= 11 && !random.one_in(20) => (18, run.min(138), 11),
            0 if run >= 3 && !random.one_in(10) => (17, run.min(10), 3),
            _ if is_repeated && run >= 3 && !random.one_in(10) => (16, run.min(6), 3),
            length => (usize::from(length), 1, 1),
        };
        symbols.push((symbol, taken - shortest));
        at += taken;
    }
    symbols
}
