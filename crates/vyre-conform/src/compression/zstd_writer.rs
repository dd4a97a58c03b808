//! Generator of Zstandard frames that compressors seldom write (RFC 8878): all modes of tables, trees that are used again, literals of
//! every type in one and four streams, and all kinds of offsets.

use super::generated::OwnedBlock;
use crate::race_free::Random;

/// Minimum length of a match.
const MIN_MATCH: u32 = 3;

/// Maximum number of symbols of a tree whose weights are listed directly.
const MAX_DIRECT_SYMBOLS: u32 = 129;

/// Fields of a backward bitstream, in the order in which they are read: values and numbers of bits.
#[derive(Default)]
struct Fields(Vec<(u32, u32)>);

impl Fields {
    fn push(&mut self, value: u32, bits: u32) {
        self.0.push((value, bits));
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bits = LittleBits::default();
        self.0.iter().rev().for_each(|&(value, count)| bits.push(value, count));
        bits.push(1, 1);
        bits.bytes
    }
}

/// Bits from the lowest one of the first byte on.
#[derive(Default)]
struct LittleBits {
    bytes: Vec<u8>,
    count: usize,
}

impl LittleBits {
    fn push(&mut self, value: u32, bits: u32) {
        for bit in 0..bits {
            if self.count.is_multiple_of(8) {
                self.bytes.push(0);
            }
            self.bytes[self.count / 8] |= ((value >> bit & 1) as u8) << (self.count % 8);
            self.count += 1;
        }
    }
}

/// Codes of a Huffman tree by symbol: value and length, or a length of 0.
#[derive(Clone)]
struct Tree {
    codes: Vec<(u32, u32)>,
    description: Vec<u8>,
}

impl Tree {
    fn random(random: &mut Random) -> Tree {
        let max_leaves = if random.chance(70) { 12 } else { 90 };
        let leaves = random.between(2, max_leaves);
        let mut depths = vec![0u32];
        while depths.len() < leaves as usize {
            let leaf = random.below(depths.len() as u32) as usize;
            if depths[leaf] < 11 {
                depths[leaf] += 1;
                depths.push(depths[leaf]);
            }
        }
        let max = depths.iter().copied().max().expect("there are leaves");
        let mut weights = vec![0u32; random.between(leaves, MAX_DIRECT_SYMBOLS) as usize];
        for depth in depths {
            let free: Vec<usize> = (0..weights.len()).filter(|&symbol| weights[symbol] == 0).collect();
            let last = weights.len() - 1;
            // The last weight is not 0, because it is not listed.
            let symbol = if weights[last] == 0 { last } else { random.pick(&free) };
            weights[symbol] = max + 1 - depth;
        }
        let mut codes = vec![(0, 0); weights.len()];
        let mut entry = 0;
        for weight in 1..=max {
            for symbol in (0..weights.len()).filter(|&symbol| weights[symbol] == weight) {
                codes[symbol] = (entry >> (weight - 1), max + 1 - weight);
                entry += 1 << (weight - 1);
            }
        }
        let listed = &weights[..weights.len() - 1];
        let mut description = vec![listed.len() as u8 + 127];
        description.extend(listed.chunks(2).map(|pair| (pair[0] << 4 | pair.get(1).unwrap_or(&0)) as u8));
        Tree { codes, description }
    }

    fn symbols(&self) -> Vec<u8> {
        (0..self.codes.len()).filter(|&symbol| self.codes[symbol].1 > 0).map(|symbol| symbol as u8).collect()
    }

    fn stream(&self, literals: &[u8]) -> Vec<u8> {
        let mut fields = Fields::default();
        for &literal in literals {
            let (code, length) = self.codes[usize::from(literal)];
            fields.push(code, length);
        }
        fields.bytes()
    }
}

/// FSE table: the symbol, the baseline and the number of bits of each cell.
#[derive(Clone)]
struct Table {
    log: u32,
    cells: Vec<(u32, u32, u32)>,
}

impl Table {
    fn of_symbol(symbol: u32) -> Table {
        Table { log: 0, cells: vec![(symbol, 0, 0)] }
    }

    fn of_counts(log: u32, counts: &[i32]) -> Table {
        let size = 1u32 << log;
        let mut owners = vec![None; size as usize];
        let rare = counts.iter().filter(|&&count| count < 0).count() as u32;
        for (place, symbol) in (0..counts.len()).filter(|&symbol| counts[symbol] < 0).enumerate() {
            owners[size as usize - 1 - place] = Some(symbol);
        }
        let step = (size >> 1) + (size >> 3) + 3;
        let mut places = (0..size).map(|index| index * step % size).filter(|&place| place < size - rare);
        for (symbol, &count) in counts.iter().enumerate() {
            for place in places.by_ref().take(count.max(0) as usize) {
                owners[place as usize] = Some(symbol);
            }
        }
        let mut states: Vec<u32> = counts.iter().map(|count| count.unsigned_abs()).collect();
        let cells = owners.into_iter().map(|owner| {
            let symbol = owner.expect("the counts fill the table");
            let bits = log - states[symbol].ilog2();
            let cell = (symbol as u32, (states[symbol] << bits) - size, bits);
            states[symbol] += 1;
            cell
        });
        Table { log, cells: cells.collect() }
    }

    fn has(&self, symbol: u32) -> bool {
        self.cells.iter().any(|cell| cell.0 == symbol)
    }

    /// A path of states for symbols: the cell of each.
    fn path(&self, random: &mut Random, symbols: &[u32]) -> Vec<u32> {
        let of_symbol =
            |symbol| (0..self.cells.len() as u32).filter(move |&cell| self.cells[cell as usize].0 == symbol);
        let mut path = Vec::new();
        for (index, &symbol) in symbols.iter().enumerate().rev() {
            let state = if index + 1 == symbols.len() {
                random.pick(&of_symbol(symbol).collect::<Vec<u32>>())
            } else {
                let next = path[path.len() - 1];
                let leads = |&cell: &u32| {
                    let (_, base, bits) = self.cells[cell as usize];
                    (base..base + (1 << bits)).contains(&next)
                };
                of_symbol(symbol).find(leads).expect("every state has a predecessor of each symbol")
            };
            path.push(state);
        }
        path.reverse();
        path
    }
}

/// Kind of a code of sequences.
struct Kind {
    max_log: u32,
    max_symbol: u32,
    default_log: u32,
    default_counts: &'static [i8],
}

const KINDS: [Kind; 3] = [
    Kind {
        max_log: 9,
        max_symbol: 35,
        default_log: 6,
        default_counts: &[
            4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1,
            -1,
        ],
    },
    Kind {
        max_log: 8,
        max_symbol: 31,
        default_log: 5,
        default_counts: &[1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1],
    },
    Kind {
        max_log: 9,
        max_symbol: 52,
        default_log: 6,
        default_counts: &[
            1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
            1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1,
        ],
    },
];

/// Chooses a mode for the symbols of a kind: its number, its description and the table.
fn table(random: &mut Random, kind: &Kind, symbols: &[u32], before: Option<&Table>) -> (u8, Vec<u8>, Table) {
    let is_same = symbols.iter().all(|&symbol| symbol == symbols[0]);
    match random.below(4) {
        0 if symbols.iter().all(|&symbol| (symbol as usize) < kind.default_counts.len()) => {
            let counts: Vec<i32> = kind.default_counts.iter().map(|&count| count.into()).collect();
            (0, Vec::new(), Table::of_counts(kind.default_log, &counts))
        }
        1 if is_same => (1, vec![symbols[0] as u8], Table::of_symbol(symbols[0])),
        3 => match before.filter(|table| symbols.iter().all(|&symbol| table.has(symbol))) {
            Some(table) => (3, Vec::new(), table.clone()),
            None => described(random, kind, symbols),
        },
        _ => described(random, kind, symbols),
    }
}

/// A random table with these symbols, and its description.
fn described(random: &mut Random, kind: &Kind, symbols: &[u32]) -> (u8, Vec<u8>, Table) {
    let log = random.between(6, kind.max_log);
    let last = symbols.iter().copied().max().expect("there are symbols").max(random.below(kind.max_symbol + 1));
    let chance = random.below(100);
    let mut counts: Vec<i32> = (0..=last)
        .map(|symbol| i32::from(symbol == last || symbols.contains(&symbol) || random.chance(chance)))
        .collect();
    let mut left = (1 << log) - counts.iter().sum::<i32>();
    while left > 0 {
        let symbol = random.below(counts.len() as u32) as usize;
        let more = 1 + random.below(left as u32) as i32;
        if counts[symbol] > 0 {
            counts[symbol] += more;
            left -= more;
        }
    }
    for count in &mut counts {
        if *count == 1 && random.chance(40) {
            *count = -1;
        }
    }
    let mut bits = LittleBits::default();
    bits.push(log - 5, 4);
    let mut left = 1u32 << log;
    let mut symbol = 0;
    while left > 0 {
        let value = (counts[symbol] + 1) as u32;
        let width = (left + 1).ilog2() + 1;
        let short = (1 << width) - 2 - left;
        match value {
            _ if value < short => bits.push(value, width - 1),
            _ if value < 1 << (width - 1) => bits.push(value, width),
            _ => bits.push(value + short, width),
        }
        left -= counts[symbol].unsigned_abs();
        symbol += 1;
        if value == 1 {
            let mut zeros = counts[symbol..].iter().take_while(|&&count| count == 0).count();
            symbol += zeros;
            while zeros >= 3 {
                bits.push(3, 2);
                zeros -= 3;
            }
            bits.push(zeros as u32, 2);
        }
    }
    (2, bits.bytes, Table::of_counts(log, &counts))
}

/// Code, value of the extra bits and their number, for a length: `short` codes have one value each.
fn length_code(length: u32, short: u32, bits: &[u32]) -> (u32, u32, u32) {
    if length < short {
        return (length, 0, 0);
    }
    let (mut code, mut base) = (short, short);
    for &extra in bits {
        if length < base + (1 << extra) {
            return (code, length - base, extra);
        }
        base += 1 << extra;
        code += 1;
    }
    panic!("there is no code for a length of {length}")
}

/// Numbers of extra bits of literal length codes from 16 on.
const LITERAL_BITS: [u32; 17] = [1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13];

/// Numbers of extra bits of match length codes from 32 on.
const MATCH_BITS: [u32; 18] = [1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13];

/// State of a frame.
#[derive(Default)]
struct Writer {
    frame: Vec<u8>,
    output: Vec<u8>,
    tree: Option<Tree>,
    tables: Option<[Table; 3]>,
    offsets: [u32; 3],
}

/// A valid frame, and its content.
#[must_use]
pub fn written_frame(seed: u64) -> (Vec<u8>, Vec<u8>) {
    let random = &mut Random::new(seed);
    let mut writer = Writer { offsets: [1, 4, 8], ..Writer::default() };
    writer.frame.extend([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x38]);
    let blocks = random.between(1, 5);
    for block in 0..=blocks {
        // The first block is not empty, so that every sequence has a history.
        let (kind, size, content) = match if block == 0 { 0 } else { random.below(8) } {
            0 => {
                let bytes: Vec<u8> = (0..random.between(1, 60)).map(|_| random.word() as u8).collect();
                writer.output.extend(&bytes);
                (0, bytes.len(), bytes)
            }
            1 => {
                let (byte, size) = (random.word() as u8, random.below(200) as usize);
                writer.output.resize(writer.output.len() + size, byte);
                (1, size, vec![byte])
            }
            _ => {
                let content = writer.block(random);
                (2, content.len(), content)
            }
        };
        let header = (size as u32) << 3 | kind << 1 | u32::from(block == blocks);
        writer.frame.extend(&header.to_le_bytes()[..3]);
        writer.frame.extend(content);
    }
    (writer.frame, writer.output)
}

/// A valid frame with little content.
pub(crate) fn small_frame(random: &mut Random) -> OwnedBlock {
    let first = u64::from(random.word());
    let frames = (0..20).map(|number| written_frame(first + number));
    let (bytes, content) = frames.min_by_key(|(_, content)| content.len()).expect("there are frames");
    OwnedBlock { bytes, room: content.len() as u32, is_stored: false }
}

impl Writer {
    fn block(&mut self, random: &mut Random) -> Vec<u8> {
        let (literals, mut block) = self.literals(random);
        let max_count = if random.chance(80) { 12 } else { 300 };
        let count = if random.chance(15) { 0 } else { random.between(1, max_count) };
        match count {
            0..128 => block.push(count as u8),
            _ => block.extend([(count >> 8) as u8 + 128, count as u8]),
        }
        let mut rest = &literals[..];
        if count > 0 {
            let is_long = random.chance(5);
            let mut fields = Vec::new();
            for _ in 0..count {
                let (own, after) = rest.split_at(random.below((rest.len() as u32).min(40) + 1) as usize);
                rest = after;
                self.output.extend(own);
                fields.push(self.sequence(random, own.len() as u32, is_long));
            }
            block.extend(self.sequences(random, &fields));
        }
        self.output.extend(rest);
        block
    }

    /// Literals, and their section.
    fn literals(&mut self, random: &mut Random) -> (Vec<u8>, Vec<u8>) {
        let size = if random.chance(80) { random.below(80) } else { random.below(3_000) };
        let kind = random.below(4);
        if kind < 2 {
            let byte = random.word() as u8;
            let literals: Vec<u8> = (0..size).map(|_| if kind == 1 { byte } else { random.word() as u8 }).collect();
            let mut section = match size {
                0..32 if random.chance(80) => vec![(size << 3 | kind) as u8],
                _ if random.chance(80) => ((size << 4 | 4 | kind) as u16).to_le_bytes().to_vec(),
                _ => (size << 4 | 12 | kind).to_le_bytes()[..3].to_vec(),
            };
            if kind == 1 {
                section.push(byte)
            } else {
                section.extend(&literals)
            }
            return (literals, section);
        }
        let (kind, tree) = match self.tree.take() {
            Some(tree) if kind == 3 => (3, tree),
            _ => (2, Tree::random(random)),
        };
        let symbols = tree.symbols();
        let literals: Vec<u8> = (0..size).map(|_| random.pick(&symbols)).collect();
        let is_four = size >= 6 && random.chance(60);
        let mut packed = if kind == 2 { tree.description.clone() } else { Vec::new() };
        if is_four {
            let share = size.div_ceil(4) as usize;
            let streams: Vec<Vec<u8>> = (0..4)
                .map(|stream| {
                    tree.stream(
                        &literals[stream * share..if stream == 3 { size as usize } else { (stream + 1) * share }],
                    )
                })
                .collect();
            streams[..3].iter().for_each(|stream| packed.extend((stream.len() as u16).to_le_bytes()));
            packed.extend(streams.concat());
        } else {
            packed.extend(tree.stream(&literals));
        }
        let largest = size.max(packed.len() as u32);
        let (format, width) = match largest {
            0..1024 if !is_four => (0, 10),
            0..1024 if random.chance(70) => (1, 10),
            0..16384 if is_four && random.chance(70) => (2, 14),
            _ if is_four => (3, 18),
            // More than the longest header of one stream allows: fall back to raw literals.
            _ => {
                self.tree = None;
                let mut section = (size << 4 | 12).to_le_bytes()[..3].to_vec();
                section.extend(&literals);
                return (literals, section);
            }
        };
        let header = u64::from(kind | format << 2 | size << 4) | (packed.len() as u64) << (4 + width);
        let mut section = header.to_le_bytes()[..(4 + 2 * width) / 8].to_vec();
        section.extend(packed);
        self.tree = Some(tree);
        (literals, section)
    }

    /// Appends a match after literals: the codes of the literal length, the offset and the match length, each with the value and number
    /// of its extra bits.
    fn sequence(&mut self, random: &mut Random, literals: u32, is_long: bool) -> [(u32, u32, u32); 3] {
        let [first, second, third] = self.offsets;
        let size = self.output.len() as u32;
        // Offsets by their values 1 to 3, which have another meaning without literals.
        let last = if literals > 0 { [first, second, third] } else { [second, third, first - 1] };
        let value = random.between(1, 3);
        let old = last[value as usize - 1];
        let (value, offset) = match size {
            _ if old > 0 && old <= size && random.chance(40) => (value, old),
            _ => {
                let near = random.chance(40);
                let offset = 1 + random.below(if near { size.min(12) } else { size });
                (offset + 3, offset)
            }
        };
        self.offsets = match value + u32::from(literals == 0) {
            _ if value > 3 => [offset, first, second],
            1 => [first, second, third],
            2 => [offset, first, third],
            _ => [offset, first, second],
        };
        let length = if is_long && random.chance(5) { random.between(3, 3_000) } else { random.between(3, 60) };
        for _ in 0..length {
            self.output.push(self.output[self.output.len() - offset as usize]);
        }
        let code = value.ilog2();
        [
            length_code(literals, 16, &LITERAL_BITS),
            (code, value - (1 << code), code),
            length_code(length - MIN_MATCH, 32, &MATCH_BITS),
        ]
    }

    /// The modes, the tables and the bitstream of sequences.
    fn sequences(&mut self, random: &mut Random, codes: &[[(u32, u32, u32); 3]]) -> Vec<u8> {
        let mut modes = 0;
        let mut descriptions = Vec::new();
        let mut tables = Vec::new();
        let mut paths = Vec::new();
        for kind in 0..3 {
            let symbols: Vec<u32> = codes.iter().map(|codes| codes[kind].0).collect();
            let before = self.tables.as_ref().map(|tables| &tables[kind]);
            let (mode, description, table) = table(random, &KINDS[kind], &symbols, before);
            modes |= mode << (6 - 2 * kind);
            descriptions.extend(description);
            paths.push(table.path(random, &symbols));
            tables.push(table);
        }
        let mut fields = Fields::default();
        (0..3).for_each(|kind| fields.push(paths[kind][0], tables[kind].log));
        for (number, codes) in codes.iter().enumerate() {
            for kind in [1, 2, 0] {
                fields.push(codes[kind].1, codes[kind].2);
            }
            for kind in [0, 2, 1] {
                if let Some(next) = paths[kind].get(number + 1) {
                    let (_, base, bits) = tables[kind].cells[paths[kind][number] as usize];
                    fields.push(next - base, bits);
                }
            }
        }
        self.tables = <[Table; 3]>::try_from(tables).ok();
        let mut section = vec![modes];
        section.extend(descriptions);
        section.extend(fields.bytes());
        section
    }
}
