//! Random Deflate streams, with features that compressors rarely use.
//!
//! Prefix codes are random, up to the maximum length, and may have code words of unused symbols. Runs of code lengths are repeated
//! or not, also across the boundary of both codes. A length of 258 has one of its two representations. Blocks may be empty.

use super::generated::OwnedBlock;
use crate::race_free::Random;

/// Writer of bits, from the lowest bit of each byte on.
#[derive(Default)]
struct BitWriter {
    bytes: Vec<u8>,
    /// Number of bits of the last byte that are in use; 0 if all are.
    bits: u32,
}

impl BitWriter {
    /// Writes a number, from its lowest bit on.
    fn number(&mut self, number: u32, bits: u32) {
        for bit in 0..bits {
            if self.bits == 0 {
                self.bytes.push(0);
            }
            if let Some(last) = self.bytes.last_mut() {
                *last |= ((number >> bit & 1) as u8) << self.bits;
            }
            self.bits = (self.bits + 1) % 8;
        }
    }

    /// Writes the code word of a symbol, from its highest bit on.
    fn symbol(&mut self, code: &Code, symbol: u32) {
        let (word, length) = code.words[symbol as usize];
        assert!(length > 0, "symbol {symbol} has no code word");
        self.number(word.reverse_bits() >> (32 - length), length);
    }

    /// Fills the last byte with random bits.
    fn pad(&mut self, random: &mut Random) {
        let bits = (8 - self.bits) % 8;
        self.number(random.word(), bits);
    }
}

/// Canonical prefix code: for each symbol its code word, and the length of the code word or 0.
struct Code {
    words: Vec<(u32, u32)>,
}

impl Code {
    fn new(lengths: &[u32]) -> Code {
        let mut words: Vec<(u32, u32)> = lengths.iter().map(|&length| (0, length)).collect();
        let mut next = 0;
        for length in 1..=15 {
            next <<= 1;
            for word in words.iter_mut().filter(|word| word.1 == length) {
                word.0 = next;
                next += 1;
            }
        }
        Code { words }
    }

    /// Lengths of the random complete code of some symbols, which are at least two.
    fn random_lengths(symbols: &[u32], count: usize, max_length: u32, random: &mut Random) -> Vec<u32> {
        let mut leaves = vec![0];
        let is_skewed = random.chance(40);
        while leaves.len() < symbols.len() {
            let deepest = (0..leaves.len()).filter(|&leaf| leaves[leaf] < max_length).max_by_key(|&leaf| leaves[leaf]);
            let any = random.below(leaves.len() as u32) as usize;
            let leaf = match deepest {
                Some(deepest) if is_skewed && random.chance(60) => deepest,
                _ => any,
            };
            if leaves[leaf] < max_length {
                leaves[leaf] += 1;
                leaves.push(leaves[leaf]);
            }
        }
        let mut lengths = vec![0; count];
        for &symbol in symbols {
            lengths[symbol as usize] = leaves.swap_remove(random.below(leaves.len() as u32) as usize);
        }
        lengths
    }
}

/// A literal or a match.
#[derive(Clone, Copy)]
enum Item {
    Literal(u8),
    Match { length: u32, distance: u32 },
}

/// Base and number of extra bits of each symbol of lengths, from 257 on.
fn length_ranges() -> Vec<(u32, u32)> {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    let mut base = 3;
    for symbol in 257..=284u32 {
        let extra = if symbol < 265 { 0 } else { (symbol - 261) / 4 };
        ranges.push((base, extra));
        base += 1 << extra;
    }
    ranges.push((258, 0));
    ranges
}

/// Base and number of extra bits of each symbol of distances.
fn distance_ranges() -> Vec<(u32, u32)> {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    let mut base = 1;
    for symbol in 0..30u32 {
        let extra = if symbol < 4 { 0 } else { (symbol - 2) / 2 };
        ranges.push((base, extra));
        base += 1 << extra;
    }
    ranges
}

/// Symbol, extra value and number of extra bits of a value, in one of the ranges that contain it.
fn in_ranges(ranges: &[(u32, u32)], value: u32, random: &mut Random) -> (u32, u32, u32) {
    let fitting: Vec<(u32, u32, u32)> = (0..)
        .zip(ranges)
        .filter(|(_, (base, extra))| (*base..base + (1 << extra)).contains(&value))
        .map(|(symbol, &(base, extra))| (symbol, value - base, extra))
        .collect();
    random.pick(&fitting)
}

/// A symbol with its extra bits.
#[derive(Clone, Copy)]
struct Coded {
    is_distance: bool,
    symbol: u32,
    value: u32,
    extra: u32,
}

/// Writer of a stream.
struct Writer<'r> {
    bits: BitWriter,
    /// Size of the output.
    size: u32,
    random: &'r mut Random,
}

impl Writer<'_> {
    fn stored(&mut self) {
        let size = if self.random.chance(20) { 0 } else { self.random.below(70) };
        self.bits.pad(self.random);
        self.bits.number(size, 16);
        self.bits.number(!size, 16);
        self.bits.bytes.extend((0..size).map(|_| self.random.word() as u8));
        self.size += size;
    }

    fn items(&mut self) -> Vec<Item> {
        let count = if self.random.chance(15) { 0 } else { self.random.below(60) };
        let (literals, alphabet) = (self.random.between(10, 90), self.random.between(1, 255));
        let mut items = Vec::new();
        for _ in 0..count {
            if self.size == 0 || self.random.chance(literals) {
                items.push(Item::Literal(self.random.below(alphabet + 1) as u8));
                self.size += 1;
                continue;
            }
            let length = match self.random.below(8) {
                0 => 258,
                1 => self.random.between(3, 258),
                2 => self.random.between(3, 60),
                _ => self.random.between(3, 12),
            };
            let distance = match self.random.below(4) {
                0 => self.random.between(1, 9),
                1 => self.random.between(1, 80),
                2 => self.size,
                _ => self.random.between(1, self.size),
            };
            items.push(Item::Match { length, distance: distance.min(self.size).min(32_768) });
            self.size += length;
        }
        items
    }

    fn coded(&mut self, items: &[Item]) -> Vec<Coded> {
        let (lengths, distances) = (length_ranges(), distance_ranges());
        let mut coded = Vec::new();
        let mut push = |is_distance, (symbol, value, extra)| coded.push(Coded { is_distance, symbol, value, extra });
        for item in items {
            match *item {
                Item::Literal(byte) => push(false, (byte.into(), 0, 0)),
                Item::Match { length, distance } => {
                    let (symbol, value, extra) = in_ranges(&lengths, length, self.random);
                    push(false, (symbol + 257, value, extra));
                    push(true, in_ranges(&distances, distance, self.random));
                }
            }
        }
        push(false, (256, 0, 0));
        coded
    }

    fn write(&mut self, coded: &[Coded], literals: &Code, distances: &Code) {
        for coded in coded {
            self.bits.symbol(if coded.is_distance { distances } else { literals }, coded.symbol);
            self.bits.number(coded.value, coded.extra);
        }
    }

    fn fixed(&mut self) {
        let items = self.items();
        let coded = self.coded(&items);
        let mut lengths = [8; 288];
        lengths[144..256].fill(9);
        lengths[256..280].fill(7);
        self.write(&coded, &Code::new(&lengths), &Code::new(&[5; 32]));
    }

    fn dynamic(&mut self) {
        let items = self.items();
        let coded = self.coded(&items);
        let used = |is_distance| {
            let mut symbols: Vec<u32> =
                coded.iter().filter(|coded| coded.is_distance == is_distance).map(|coded| coded.symbol).collect();
            symbols.sort_unstable();
            symbols.dedup();
            symbols
        };
        let literals = self.lengths(used(false), 286);
        let distances = self.lengths(used(true), 30);
        let literal_count = self.count(&literals, 257);
        let distance_count = self.count(&distances, 1);
        let mut all = literals[..literal_count].to_vec();
        all.extend_from_slice(&distances[..distance_count]);
        self.bits.number(literal_count as u32 - 257, 5);
        self.bits.number(distance_count as u32 - 1, 5);
        self.write_lengths(&all);
        self.write(&coded, &Code::new(&literals), &Code::new(&distances));
    }

    /// Code lengths of these symbols, and perhaps of others.
    fn lengths(&mut self, mut symbols: Vec<u32>, count: u32) -> Vec<u32> {
        if self.random.chance(50) {
            let others = if self.random.chance(20) { 200 } else { 5 };
            symbols.extend((0..self.random.below(others)).map(|_| self.random.below(count)));
            symbols.sort_unstable();
            symbols.dedup();
        }
        match symbols[..] {
            [] => vec![0; count as usize],
            [single] => (0..count).map(|symbol| u32::from(symbol == single)).collect(),
            _ => Code::random_lengths(&symbols, count as usize, 15, self.random),
        }
    }

    /// Number of lengths to write: up to the last symbol with a code word, or more.
    fn count(&mut self, lengths: &[u32], min: usize) -> usize {
        let needed = lengths.iter().rposition(|&length| length > 0).map_or(0, |last| last + 1).max(min);
        needed
            + if self.random.chance(30) { self.random.below((lengths.len() - needed) as u32 + 1) as usize } else { 0 }
    }

    /// Writes code lengths, with the code that they are written in.
    fn write_lengths(&mut self, lengths: &[u32]) {
        const ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
        let mut coded = Vec::new();
        let repeats = self.random.between(0, 100);
        let mut rest = lengths;
        let mut previous = None;
        while let Some(&length) = rest.first() {
            let run = rest.iter().take_while(|&&other| other == length).count() as u32;
            let mut choices = Vec::new();
            if previous == Some(length) && run >= 3 {
                choices.push((16, self.random.between(3, run.min(6)), 3, 2));
            }
            if length == 0 && run >= 3 {
                choices.push((17, self.random.between(3, run.min(10)), 3, 3));
            }
            if length == 0 && run >= 11 {
                choices.push((18, self.random.between(11, run.min(138)), 11, 7));
            }
            let times = if !choices.is_empty() && self.random.chance(repeats) {
                let (symbol, times, base, extra) = self.random.pick(&choices);
                coded.push((symbol, times - base, extra));
                times
            } else {
                coded.push((length, 0, 0));
                1
            };
            previous = Some(length);
            rest = &rest[times as usize..];
        }
        let mut symbols: Vec<u32> = coded.iter().map(|&(symbol, ..)| symbol).collect();
        // A complete code has at least two symbols.
        symbols.extend((0..2 + self.random.below(3)).map(|_| self.random.below(19)));
        symbols.extend([0, 18]);
        symbols.sort_unstable();
        symbols.dedup();
        let of_symbols = Code::random_lengths(&symbols, 19, 7, self.random);
        let needed = ORDER.iter().rposition(|&symbol| of_symbols[symbol] > 0).map_or(4, |last| last + 1).max(4);
        let count = if self.random.chance(70) { needed } else { self.random.between(needed as u32, 19) as usize };
        self.bits.number(count as u32 - 4, 4);
        for &symbol in &ORDER[..count] {
            self.bits.number(of_symbols[symbol], 3);
        }
        let code = Code::new(&of_symbols);
        for (symbol, value, extra) in coded {
            self.bits.symbol(&code, symbol);
            self.bits.number(value, extra);
        }
    }
}

/// The valid stream of a seed, and the size of its output.
#[must_use]
pub fn stream(seed: u64) -> (Vec<u8>, u32) {
    random_stream(&mut Random::new(seed))
}

fn random_stream(random: &mut Random) -> (Vec<u8>, u32) {
    let blocks = random.between(1, 4);
    let mut writer = Writer { bits: BitWriter::default(), size: 0, random };
    for block in 1..=blocks {
        let kind = writer.random.pick(&[0, 1, 1, 2, 2, 2]);
        writer.bits.number(u32::from(block == blocks), 1);
        writer.bits.number(kind, 2);
        match kind {
            0 => writer.stored(),
            1 => writer.fixed(),
            _ => writer.dynamic(),
        }
    }
    writer.bits.pad(writer.random);
    (writer.bits.bytes, writer.size)
}

/// Streams: two valid ones, and copies with too small or too large room, damaged, stored, with bytes after the end, and random bytes.
pub(super) fn streams(random: &mut Random) -> Vec<OwnedBlock> {
    let [first, right] = [(); 2].map(|()| {
        let (bytes, room) = random_stream(random);
        OwnedBlock { bytes, room, is_stored: false }
    });
    let size = right.room;
    let mut damaged = right.clone();
    for _ in 0..random.between(1, 3) {
        let position = random.below(damaged.bytes.len() as u32) as usize;
        if let Some(byte) = damaged.bytes.get_mut(position) {
            *byte = random.word() as u8;
        }
    }
    let mut longer = right.clone();
    longer.bytes.extend((0..random.between(1, 5)).map(|_| random.word() as u8));
    let noise = (0..random.below(100)).map(|_| random.word() as u8).collect();
    let room = if random.chance(50) { size + random.below(9) } else { random.below(size + 1) };
    vec![
        first,
        OwnedBlock { room, ..right.clone() },
        OwnedBlock { is_stored: true, room: random.below(2 * right.bytes.len() as u32 + 1), ..right.clone() },
        OwnedBlock { bytes: noise, room: random.below(3000), is_stored: false },
        damaged,
        longer,
        right,
    ]
}
