//! Arrays of NumPy in a zip archive (`.npz`).

use std::io::{Cursor, Read, Write as _};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use super::error::{ReadError, array_error};

/// Beginning of an array.
const MAGIC: &[u8] = b"\x93NUMPY";

/// Type of the elements of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Bool,
    Signed,
    Unsigned,
    Float,
    /// Text, one byte a character.
    Bytes,
}

/// Elements of an array of numbers.
pub(crate) struct Numbers {
    kind: Kind,
    /// Size of an element in bytes.
    size: usize,
    is_big_endian: bool,
    bytes: Vec<u8>,
}

impl Numbers {
    /// Number of elements.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len() / self.size
    }

    /// Reports whether the elements are of the type `bool`.
    pub(crate) fn are_bools(&self) -> bool {
        self.kind == Kind::Bool
    }

    /// All elements. Integers beyond 2^53 are rounded.
    pub(crate) fn iter(&self) -> impl Iterator<Item = f64> {
        self.words().map(|word| match (self.kind, self.size) {
            (Kind::Float, 4) => f64::from(f32::from_bits(word as u32)),
            (Kind::Float, _) => f64::from_bits(word),
            (Kind::Signed, size) => extended(word, size) as f64,
            _ => word as f64,
        })
    }

    /// All elements as words, without the sign.
    fn words(&self) -> impl Iterator<Item = u64> {
        self.bytes.chunks_exact(self.size).map(|element| {
            let add = |word: u64, byte: &u8| word << 8 | u64::from(*byte);
            if self.is_big_endian { element.iter().fold(0, add) } else { element.iter().rev().fold(0, add) }
        })
    }
}

/// A signed integer of some bytes.
fn extended(word: u64, size: usize) -> i64 {
    let shift = 64 - 8 * size as u32;
    (word << shift) as i64 >> shift
}

/// The arrays of an archive.
pub(crate) struct NpzArchive {
    zip: ZipArchive<Cursor<Vec<u8>>>,
}

impl NpzArchive {
    pub(crate) fn new(bytes: Vec<u8>) -> Result<NpzArchive, ReadError> {
        let zip = ZipArchive::new(Cursor::new(bytes));
        Ok(NpzArchive { zip: zip.map_err(|error| array_error("the archive", None, error.to_string()))? })
    }

    /// An array of numbers or text. Memory is proportional to the bytes that were read.
    pub(crate) fn numbers(&mut self, name: &'static str) -> Result<Numbers, ReadError> {
        let fail = |what: &str| array_error(name, None, what);
        let mut file = self.zip.by_name(&format!("{name}.npy")).map_err(|error| fail(&error.to_string()))?;
        let mut prefix = [0; 8];
        file.read_exact(&mut prefix).map_err(|error| fail(&error.to_string()))?;
        let [magic @ .., major, _] = &prefix;
        if magic != MAGIC {
            return Err(fail("it is not an array of NumPy"));
        }
        let mut length = [0; 4];
        let length_bytes = if *major == 1 { 2 } else { 4 };
        file.read_exact(&mut length[..length_bytes]).map_err(|error| fail(&error.to_string()))?;
        let mut header = Vec::new();
        let header_bytes = u64::from(u32::from_le_bytes(length)).min(MAX_HEADER_BYTES);
        file.by_ref().take(header_bytes).read_to_end(&mut header).map_err(|error| fail(&error.to_string()))?;
        let header = String::from_utf8_lossy(&header).into_owned();
        let (kind, size, is_big_endian) = type_of(&header).ok_or_else(|| fail("its type is not supported"))?;
        let count = element_count(&header).ok_or_else(|| fail("its shape is not supported"))?;
        let expected = count.checked_mul(size as u64).ok_or_else(|| fail("its shape is not supported"))?;
        let mut bytes = Vec::new();
        let read = file.take(expected.saturating_add(1)).read_to_end(&mut bytes);
        read.map_err(|error| fail(&error.to_string()))?;
        if bytes.len() as u64 != expected {
            return Err(fail(&format!("it has {} bytes, but its shape needs {expected}", bytes.len())));
        }
        Ok(Numbers { kind, size, is_big_endian, bytes })
    }

    /// An array of integers that are not negative.
    pub(crate) fn integers(&mut self, name: &'static str) -> Result<Vec<u64>, ReadError> {
        let numbers = self.numbers(name)?;
        if !matches!(numbers.kind, Kind::Signed | Kind::Unsigned) {
            return Err(array_error(name, None, "its elements are not integers"));
        }
        let is_signed = numbers.kind == Kind::Signed;
        let size = numbers.size;
        let mut words = Vec::with_capacity(numbers.len());
        for (index, word) in numbers.words().enumerate() {
            if is_signed && extended(word, size) < 0 {
                return Err(array_error(name, Some(index), "the number is negative"));
            }
            words.push(word);
        }
        Ok(words)
    }

    /// A single text.
    pub(crate) fn text(&mut self, name: &'static str) -> Result<String, ReadError> {
        let numbers = self.numbers(name)?;
        if numbers.kind != Kind::Bytes {
            return Err(array_error(name, None, "it is not a text"));
        }
        Ok(String::from_utf8_lossy(&numbers.bytes).trim_end_matches('\0').to_owned())
    }
}

/// Maximum size of the header of an array.
const MAX_HEADER_BYTES: u64 = 1 << 16;

/// Value of a key of a header: `{'descr': '<i4', 'fortran_order': False, 'shape': (3,), }`.
fn value_of<'h>(header: &'h str, key: &str) -> Option<&'h str> {
    let (_, rest) = header.split_once(&format!("'{key}':"))?;
    Some(rest.trim_start())
}

/// Type and size of the elements, and true if their order of bytes is big-endian.
fn type_of(header: &str) -> Option<(Kind, usize, bool)> {
    let text = value_of(header, "descr")?.strip_prefix('\'')?.split('\'').next()?;
    let mut characters = text.chars();
    let order = characters.next()?;
    let kind = match characters.next()? {
        'b' => Kind::Bool,
        'i' => Kind::Signed,
        'u' => Kind::Unsigned,
        'f' => Kind::Float,
        'S' => Kind::Bytes,
        _ => return None,
    };
    let size: usize = characters.as_str().parse().ok()?;
    let is_known = match kind {
        Kind::Bool => size == 1,
        Kind::Signed | Kind::Unsigned => matches!(size, 1 | 2 | 4 | 8),
        Kind::Float => matches!(size, 4 | 8),
        Kind::Bytes => (1..=64).contains(&size),
    };
    is_known.then_some((kind, size, order == '>'))
}

/// Number of elements of an array with at most one dimension.
fn element_count(header: &str) -> Option<u64> {
    let shape = value_of(header, "shape")?.strip_prefix('(')?.split(')').next()?;
    match shape.trim().trim_end_matches(',').trim() {
        "" => Some(1),
        count => count.parse().ok(),
    }
}

/// Writer of an archive.
pub(crate) struct NpzWriter {
    zip: ZipWriter<Cursor<Vec<u8>>>,
}

impl NpzWriter {
    pub(crate) fn new() -> NpzWriter {
        NpzWriter { zip: ZipWriter::new(Cursor::new(Vec::new())) }
    }

    fn array(&mut self, name: &str, kind: &str, shape: &str, bytes: &[u8]) -> std::io::Result<()> {
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        let options = options.large_file(bytes.len() as u64 >= u64::from(u32::MAX) - 1024);
        self.zip.start_file(format!("{name}.npy"), options).map_err(std::io::Error::other)?;
        let mut header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}");
        // The elements begin at a multiple of 64 bytes.
        let padding = 63 - (MAGIC.len() + 4 + header.len()) % 64;
        header.extend(std::iter::repeat_n(' ', padding));
        header.push('\n');
        self.zip.write_all(MAGIC)?;
        self.zip.write_all(&[1, 0])?;
        self.zip.write_all(&(header.len() as u16).to_le_bytes())?;
        self.zip.write_all(header.as_bytes())?;
        self.zip.write_all(bytes)
    }

    /// Adds an array of integers.
    pub(crate) fn words(&mut self, name: &str, words: &[u32]) -> std::io::Result<()> {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.array(name, "<u4", &format!("({},)", words.len()), &bytes)
    }

    /// Adds an array of `True`.
    pub(crate) fn bools(&mut self, name: &str, count: usize) -> std::io::Result<()> {
        self.array(name, "|b1", &format!("({count},)"), &vec![1; count])
    }

    /// Adds the format and the shape of a square matrix.
    pub(crate) fn format_and_shape(&mut self, format: &str, nodes: u64) -> std::io::Result<()> {
        self.array("format", "|S3", "()", format.as_bytes())?;
        self.array("shape", "<i8", "(2,)", &[nodes.to_le_bytes(), nodes.to_le_bytes()].concat())
    }

    /// The bytes of the archive.
    pub(crate) fn finish(self) -> std::io::Result<Vec<u8>> {
        Ok(self.zip.finish().map_err(std::io::Error::other)?.into_inner())
    }
}
