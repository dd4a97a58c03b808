//! Decompression of a stream for readers of its content.

use std::io::{self, Cursor, Read};

use bytes::Bytes;

use crate::formats::Format;
use crate::input::read_input;
use crate::limits::{Budget, Limit, LimitExceeded, Limits};
use crate::stream::{Decoded, Threads, decode_on_host};

/// Number of bytes at the start of an input that show whether it is compressed.
const HEAD_BYTES: usize = 4096;

/// Reader of the content of a compressed stream, or of an input that is not compressed.
///
/// The first bytes of the input, or the name of a brotli file, determine the format. Compressed streams in compressed streams are
/// decompressed too. Archives are passed on unchanged. A compressed input is decompressed as a whole before the first byte is read:
/// in memory, or in a temporary file if it is large.
///
/// # Errors
///
/// The input cannot be read, the stream is damaged, or its content is beyond the limits.
///
/// ```
/// use std::io::Read;
///
/// use vyre_unpack::{Limits, decompressing_reader};
///
/// let mut text = String::new();
/// decompressing_reader("plain.txt", &b"0 1\n"[..], Limits::default())?.read_to_string(&mut text)?;
/// assert_eq!(text, "0 1\n");
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn decompressing_reader<'r>(
    name: &str,
    mut input: impl Read + Send + 'r,
    limits: Limits,
) -> io::Result<Box<dyn Read + Send + 'r>> {
    let mut head = Vec::new();
    input.by_ref().take(HEAD_BYTES as u64).read_to_end(&mut head)?;
    let is_whole = head.len() < HEAD_BYTES;
    let input = Cursor::new(head.clone()).chain(input);
    let Some(Format::Stream(_)) = Format::detect_named(name.as_bytes(), &head) else { return Ok(Box::new(input)) };
    let compressed = if is_whole { Some(Bytes::from(head)) } else { read_input(input, limits.total)? };
    let compressed = compressed.ok_or_else(|| {
        let requested = limits.total.saturating_add(1);
        io::Error::other(LimitExceeded { limit: Limit::Total, requested, allowed: limits.total })
    })?;
    Ok(Box::new(Cursor::new(decompress(name, compressed, limits)?)))
}

/// Decompresses a stream and the streams in it.
fn decompress(name: &str, mut bytes: Bytes, limits: Limits) -> io::Result<Bytes> {
    let budget = Budget::new(limits).with_input(bytes.len() as u64);
    let mut depth = 0;
    let mut name = name.as_bytes();
    while let Some(Format::Stream(format)) = Format::detect_named(name, &bytes) {
        depth += 1;
        if depth > limits.depth {
            let exceeded = LimitExceeded { limit: Limit::Depth, requested: depth.into(), allowed: limits.depth.into() };
            return Err(io::Error::other(exceeded));
        }
        let Decoded { bytes: content, problems, .. } = decode_on_host(format, &bytes, &budget, Threads::All);
        if let Some(problem) = problems.first() {
            return Err(io::Error::other(format!("the {} stream has a problem: {problem}", format.title)));
        }
        bytes = content;
        // The name describes the outermost stream.
        name = b"";
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).expect("writes to a vector do not fail");
        encoder.finish().expect("writes to a vector do not fail")
    }

    fn read(name: &str, bytes: &[u8], limits: Limits) -> io::Result<Vec<u8>> {
        let mut content = Vec::new();
        decompressing_reader(name, bytes, limits)?.read_to_end(&mut content)?;
        Ok(content)
    }

    #[test]
    fn streams_are_decompressed_and_other_inputs_are_unchanged() {
        let text: Vec<u8> = (0..20_000u32).flat_map(|number| format!("{number} 7\n").into_bytes()).collect();
        let once = gzip(&text);
        for (name, bytes) in [("a.txt.gz", &once), ("a", &gzip(&once)), ("a.gz", &text)] {
            assert!(read(name, bytes, Limits::default()).expect("it can be read") == text, "{name}");
        }
        let zip = b"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
        assert_eq!(read("a.npz", zip, Limits::default()).expect("it can be read"), zip);
        assert_eq!(read("empty", b"", Limits::default()).expect("it can be read"), b"");
    }

    #[test]
    fn bombs_and_damaged_streams_are_refused() {
        let bomb = gzip(&vec![b'0'; 20 << 20]);
        let message = |bytes: &[u8], limits| read("a", bytes, limits).expect_err("it is refused").to_string();
        let error = message(&bomb, Limits::default());
        assert!(error.contains("of output for each byte of input, where at most 250 are allowed"), "{error}");
        let error = message(&gzip(&gzip(b"0 1\n")), Limits::default().with_depth(1));
        assert!(error.contains("archives nested 2 deep, where at most 1 are allowed"), "{error}");
        let mut damaged = gzip(b"0 1\n2 3\n");
        let middle = damaged.len() - 6;
        damaged[middle] ^= 1;
        assert!(message(&damaged, Limits::default()).starts_with("the gzip stream has a problem: "));
    }
}
