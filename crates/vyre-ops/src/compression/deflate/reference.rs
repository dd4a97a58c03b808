//! Host reference of `compression.deflate`, written from RFC 1951. It reads bit by bit.

use super::format::DeflateError;

/// Host reference of `compression.deflate` for one stream: its error, if it is invalid, and the bytes before the error. The output
/// has at most `room` bytes.
#[must_use]
pub fn deflate_stream_on_host(stream: &[u8], room: usize) -> (Option<DeflateError>, Vec<u8>) {
    let mut decoder = Decoder { bits: Bits { bytes: stream, position: 0 }, output: Vec::new(), room };
    let error = decoder.stream().err();
    (error, decoder.output)
}

/// Bits of a stream, from the lowest bit of each byte on.
struct Bits<'s> {
    bytes: &'s [u8],
    /// Position of the next bit.
    position: u64,
}

impl<'s> Bits<'s> {
    fn bit(&mut self) -> Result<u32, DeflateError> {
        let byte = self.bytes.get((self.position / 8) as usize).ok_or(DeflateError::Truncated)?;
        let bit = byte >> (self.position % 8) & 1;
        self.position += 1;
        Ok(bit.into())
    }

    /// A number, from its lowest bit on.
    fn number(&mut self, bits: u32) -> Result<u32, DeflateError> {
        (0..bits).try_fold(0, |number, bit| Ok(number | self.bit()? << bit))
    }

    /// The bytes from the next whole byte on.
    fn bytes(&self) -> &'s [u8] {
        &self.bytes[self.position.div_ceil(8) as usize..]
    }
}

/// Canonical prefix code: the code words of a length are consecutive numbers, in the order of their symbols.
struct Code {
    /// For each length, the symbols that have code words of this length.
    symbols: [Vec<u32>; 16],
    max_length: usize,
}

impl Code {
    fn new(lengths: &[u32]) -> Code {
        let mut symbols: [Vec<u32>; 16] = Default::default();
        for (symbol, &length) in (0..).zip(lengths) {
            symbols[length as usize].push(symbol);
        }
        symbols[0].clear();
        let max_length = symbols.iter().rposition(|symbols| !symbols.is_empty()).unwrap_or(0);
        Code { symbols, max_length }
    }

    /// Number of code words of the maximum length that are unused; negative if there are more symbols than code words.
    fn unused(&self) -> i64 {
        let used: i64 = (1..=15).map(|length| (self.symbols[length].len() as i64) << (15 - length)).sum();
        (1 << 15) - used
    }

    /// Reports whether all code words are used and none twice.
    fn is_complete(&self) -> bool {
        self.unused() == 0
    }

    /// Reports whether the code is complete, or has one code word of one bit.
    fn is_complete_or_single(&self) -> bool {
        self.is_complete() || self.unused() > 0 && self.max_length == 1
    }

    /// Reads a code word.
    fn symbol(&self, bits: &mut Bits<'_>) -> Result<u32, DeflateError> {
        let (mut word, mut first) = (0, 0);
        for symbols in &self.symbols[1..=self.max_length] {
            word = word << 1 | bits.bit()? as usize;
            first <<= 1;
            if let Some(&symbol) = symbols.get(word - first) {
                return Ok(symbol);
            }
            first += symbols.len();
        }
        Err(DeflateError::InvalidSymbol)
    }
}

struct Decoder<'s> {
    bits: Bits<'s>,
    output: Vec<u8>,
    room: usize,
}

impl Decoder<'_> {
    fn stream(&mut self) -> Result<(), DeflateError> {
        loop {
            let is_last = self.bits.bit()? == 1;
            match self.bits.number(2)? {
                0 => self.stored()?,
                1 => {
                    let (literals, distances) = fixed_codes();
                    self.symbols(&literals, &distances)?;
                }
                2 => {
                    let (literals, distances) = self.dynamic_codes()?;
                    self.symbols(&literals, &distances)?;
                }
                _ => return Err(DeflateError::InvalidBlockType),
            }
            if is_last {
                return if self.bits.bytes().is_empty() { Ok(()) } else { Err(DeflateError::TrailingBytes) };
            }
        }
    }

    fn stored(&mut self) -> Result<(), DeflateError> {
        let &[a, b, c, d, ref rest @ ..] = self.bits.bytes() else { return Err(DeflateError::Truncated) };
        let size = u16::from_le_bytes([a, b]);
        if size != !u16::from_le_bytes([c, d]) {
            return Err(DeflateError::StoredLengthMismatch);
        }
        let bytes = rest.get(..size.into()).ok_or(DeflateError::Truncated)?;
        if bytes.len() > self.room - self.output.len() {
            return Err(DeflateError::OutputOverflow);
        }
        self.output.extend_from_slice(bytes);
        self.bits.position = (self.bits.bytes.len() - rest.len() + bytes.len()) as u64 * 8;
        Ok(())
    }

    /// Reads the codes of a dynamic block.
    fn dynamic_codes(&mut self) -> Result<(Code, Code), DeflateError> {
        let bits = &mut self.bits;
        let literals = bits.number(5)? as usize + 257;
        let distances = bits.number(5)? as usize + 1;
        let count = bits.number(4)? as usize + 4;
        if literals > 286 || distances > 30 {
            return Err(DeflateError::InvalidCodeLengths);
        }
        let mut lengths = [0; 19];
        for symbol in [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15].into_iter().take(count) {
            lengths[symbol] = bits.number(3)?;
        }
        let code = Code::new(&lengths);
        if !code.is_complete() {
            return Err(DeflateError::InvalidCodeLengths);
        }
        let mut lengths = Vec::new();
        while lengths.len() < literals + distances {
            let (length, times) = match code.symbol(bits)? {
                16 => {
                    let times = bits.number(2)? + 3;
                    (*lengths.last().ok_or(DeflateError::InvalidCodeLengths)?, times)
                }
                17 => (0, bits.number(3)? + 3),
                18 => (0, bits.number(7)? + 11),
                length => (length, 1),
            };
            lengths.extend((0..times).map(|_| length));
        }
        if lengths.len() > literals + distances {
            return Err(DeflateError::InvalidCodeLengths);
        }
        if lengths[256] == 0 {
            return Err(DeflateError::MissingEndOfBlock);
        }
        let (literals, distances) = lengths.split_at(literals);
        let (literals, distances) = (Code::new(literals), Code::new(distances));
        let is_empty = distances.max_length == 0;
        if literals.is_complete_or_single() && (is_empty || distances.is_complete_or_single()) {
            Ok((literals, distances))
        } else {
            Err(DeflateError::InvalidCodeLengths)
        }
    }

    /// Decodes symbols up to the end of the block.
    fn symbols(&mut self, literals: &Code, distances: &Code) -> Result<(), DeflateError> {
        loop {
            let symbol = literals.symbol(&mut self.bits)?;
            let (base, extra) = match symbol {
                0..=255 => {
                    if self.output.len() == self.room {
                        return Err(DeflateError::OutputOverflow);
                    }
                    self.output.push(symbol as u8);
                    continue;
                }
                256 => return Ok(()),
                257..=264 => (symbol - 254, 0),
                // Groups of four symbols, each with twice the range of the one before.
                265..=284 => {
                    let extra = (symbol - 261) / 4;
                    (3 + ((4 + (symbol - 261) % 4) << extra), extra)
                }
                285 => (258, 0),
                _ => return Err(DeflateError::InvalidSymbol),
            };
            let length = (base + self.bits.number(extra)?) as usize;
            let symbol = distances.symbol(&mut self.bits)?;
            let (base, extra) = match symbol {
                0..=3 => (1 + symbol, 0),
                // Groups of two symbols.
                4..=29 => {
                    let extra = (symbol - 2) / 2;
                    (1 + ((2 + symbol % 2) << extra), extra)
                }
                _ => return Err(DeflateError::InvalidSymbol),
            };
            let distance = (base + self.bits.number(extra)?) as usize;
            if distance > self.output.len() {
                return Err(DeflateError::DistanceOutOfBounds);
            }
            if length > self.room - self.output.len() {
                return Err(DeflateError::OutputOverflow);
            }
            for _ in 0..length {
                self.output.push(self.output[self.output.len() - distance]);
            }
        }
    }
}

fn fixed_codes() -> (Code, Code) {
    let mut lengths = [8; 288];
    lengths[144..256].fill(9);
    lengths[256..280].fill(7);
    (Code::new(&lengths), Code::new(&[5; 32]))
}
