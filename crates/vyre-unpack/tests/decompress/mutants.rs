//! Mutants of archives, read by bsdtar and Python too. Every file that both of them see alike must be unpacked with the same bytes.
//!
//! The test needs both tools and takes about 10 ms for each mutant, so it runs on request:
//!
//! ```text
//! VYRE_MUTANTS=100000 cargo test --release -p vyre-unpack --test decompress mutants -- --ignored --nocapture
//! ```
//!
//! `VYRE_MUTANT_SEED` selects other mutants. Archives on which the files differ are kept in the directory that the test names.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};

use bytes::Bytes;
use vyre_unpack::{EntryKind, Options, ProblemKind, Unpacker};

use crate::collect::{Collected, gzip};
use crate::readings::crafted;

/// A file as a reader sees it: name, size and CRC-32.
type File = (Vec<u8>, u64, u32);

/// Pseudorandom numbers (xorshift64*).
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % end.max(1)
    }
}

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Changes an archive in one to three places. Checksums of tar headers are corrected in most cases, since readers refuse others.
fn mutate(bytes: &mut Vec<u8>, is_tar: bool, random: &mut Random) {
    for _ in 0..=random.below(3) {
        if bytes.is_empty() {
            return;
        }
        let at = random.below(bytes.len());
        let end = (at + 1 + random.below(64)).min(bytes.len());
        match random.below(8) {
            0 => bytes[at] ^= 1 << random.below(8),
            1 => bytes[at] = [0, 0xff, b' ', b'0', b'7', b'/', 0x80, b'\n'][random.below(8)],
            2 => bytes[at..end].fill(0),
            3 => drop(bytes.drain(at..end)),
            4 => {
                let part = bytes[at..end].to_vec();
                bytes.splice(at..at, part);
            }
            5 => {
                let (from, to) = (at / 512 * 512, random.below(bytes.len()) / 512 * 512);
                let block = bytes[from..(from + 512).min(bytes.len())].to_vec();
                bytes.splice(to..to, block);
            }
            6 if is_tar => {
                // A field of a header: the size, the type, the magic or the name.
                let header = at / 512 * 512;
                let field =
                    header + [124 + random.below(12), 156, 257 + random.below(8), random.below(100)][random.below(4)];
                if let Some(byte) = bytes.get_mut(field) {
                    *byte = [0, b' ', b'0', b'1', b'2', b'5', b'S', b'x', b'L', b'g', 0x80, b'a'][random.below(12)];
                }
            }
            _ => bytes[at] = bytes[at].wrapping_add(1),
        }
    }
    if is_tar && random.below(10) < 8 {
        for header in bytes.chunks_exact_mut(512).filter(|header| header[257..].starts_with(b"ustar")) {
            header[148..156].fill(b' ');
            let sum: u32 = header.iter().map(|&byte| u32::from(byte)).sum();
            header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        }
    }
}

/// The files of an answer of the tools; none if a tool refuses the archive.
fn files(answer: &serde_json::Value) -> Option<BTreeSet<File>> {
    let file = |file: &serde_json::Value| {
        let digits = file[0].as_str()?.as_bytes();
        let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
        let name = digits.chunks(2).map(byte).collect::<Option<Vec<u8>>>()?;
        Some((name, file[1].as_u64()?, u32::try_from(file[2].as_u64()?).ok()?))
    };
    answer.as_array()?.iter().map(file).collect()
}

#[test]
#[ignore = "needs bsdtar and Python, and time"]
fn files_that_other_tools_agree_on_are_unpacked() {
    let count = number("VYRE_MUTANTS", 1_000);
    let mut random = Random(number("VYRE_MUTANT_SEED", 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let folder = tempfile::tempdir().unwrap();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/decompress/mutants.py");
    let mut tools = Command::new("python3").arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut questions = tools.stdin.take().unwrap();
    let mut answers = BufReader::new(tools.stdout.take().unwrap()).lines();
    let sources: Vec<crafted::Crafted> = crafted::tars().into_iter().chain(crafted::zips()).collect();
    let (mut accepted, mut agreed, mut damaged) = (0u64, 0u64, 0u64);
    let mut different = Vec::new();
    for number in 0..count {
        let source = &sources[random.below(sources.len())];
        let is_tar = source.format == "tar";
        let mut bytes = source.bytes.clone();
        mutate(&mut bytes, is_tar, &mut random);
        if is_tar && random.below(8) == 0 {
            bytes = gzip(&bytes);
        }
        let path = folder.path().join("mutant");
        std::fs::write(&path, &bytes).unwrap();
        writeln!(questions, "{}", path.display()).unwrap();
        let mut collected = Collected::default();
        let options = Options::default().with_nested(false);
        // An archive that cannot be read at all has no entries.
        let result = Unpacker::on_host(options).unpack(b"mutant.tar", Bytes::from(bytes.clone()), &mut collected);
        let answer: serde_json::Value = serde_json::from_str(&answers.next().unwrap().unwrap()).unwrap();
        let (Some(python), Some(bsdtar)) = (files(&answer["python"]), files(&answer["bsdtar"])) else { continue };
        accepted += 1;
        // Names in other encodings are converted by each tool in its own way.
        let is_plain = |name: &[u8]| name.iter().all(u8::is_ascii_graphic) && !name.contains(&b'\\');
        let trimmed = |name: &[u8]| {
            let parts: Vec<&[u8]> =
                name.split(|&byte| byte == b'/').filter(|part| !part.is_empty() && *part != b".").collect();
            parts.join(&b'/')
        };
        // No reader can write a file without a name.
        let trim = |files: BTreeSet<File>| -> BTreeSet<File> {
            let trimmed = files.into_iter().map(|(name, size, sum)| (trimmed(&name), size, sum));
            trimmed.filter(|(name, ..)| !name.is_empty()).collect()
        };
        let expected: BTreeSet<File> = trim(python).intersection(&trim(bsdtar)).cloned().collect();
        let found: BTreeSet<File> = collected
            .entries
            .iter()
            .filter(|entry| entry.kind == EntryKind::File)
            .map(|entry| {
                let name = trimmed(entry.path.names.last().unwrap());
                (name, entry.bytes.len() as u64, crc32fast::hash(&entry.bytes))
            })
            .collect();
        agreed += expected.len() as u64;
        let is_reading = |kind: &ProblemKind| matches!(kind, ProblemKind::Readings { .. });
        let has_damage = |name: &[u8]| {
            let mut same = collected.entries.iter().filter(|entry| trimmed(entry.path.names.last().unwrap()) == name);
            same.all(|entry| entry.problems.iter().any(|problem| !is_reading(&problem.kind)))
        };
        damaged += expected.iter().filter(|(name, ..)| has_damage(name)).count() as u64;
        let missing: Vec<&File> = expected.iter().filter(|file| is_plain(&file.0) && !found.contains(*file)).collect();
        if !missing.is_empty() {
            let kept = std::env::temp_dir().join(format!("vyre-mutant-{number}"));
            std::fs::write(&kept, &bytes).unwrap();
            println!("{} from `{}`: {missing:?} are missing; {:?}", kept.display(), source.name, result.map(|_| ()));
            different.push(number);
        }
    }
    drop(questions);
    tools.wait().unwrap();
    println!(
        "{count} mutants, {accepted} accepted by both tools, {agreed} files on which they agree, {damaged} of them with problems here"
    );
    assert!(different.is_empty(), "{} mutants differ", different.len());
}
