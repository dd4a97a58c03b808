//! gzip members, in part assembled by hand.

use std::collections::BTreeMap;

use super::encode::gzip;
use super::{BlockOp, GZIP, HostReason, ProblemKind, decode, decode_whole, mixture, noise, only_problem, text};
use crate::limits::{Budget, Limits};
use crate::stream::{BlockResult, assemble, crc32, plan};

/// A member with these flags and fields, and a stored block as data.
fn member(flags: u8, fields: &[u8], data: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0x1f, 0x8b, 8, flags, 1, 2, 3, 4, 0, 255];
    bytes.extend_from_slice(fields);
    if flags & 2 != 0 {
        let sum = crc32fast_of(&bytes) as u16;
        bytes.extend_from_slice(&sum.to_le_bytes());
    }
    let length = data.len() as u16;
    bytes.push(1);
    bytes.extend_from_slice(&length.to_le_bytes());
    bytes.extend_from_slice(&(!length).to_le_bytes());
    bytes.extend_from_slice(data);
    bytes.extend_from_slice(&crc32fast_of(data).to_le_bytes());
    bytes.extend_from_slice(&u32::from(length).to_le_bytes());
    bytes
}

/// CRC-32 of another implementation.
fn crc32fast_of(bytes: &[u8]) -> u32 {
    let mut sum = flate2::Crc::new();
    sum.update(bytes);
    sum.sum()
}

#[test]
fn checksums_agree_with_another_implementation() {
    for length in [0, 1, 15, 16, 17, 1_000, 100_000] {
        assert_eq!(crc32(&noise(length)), crc32fast_of(&noise(length)));
    }
    assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
}

#[test]
fn all_header_fields_are_read() {
    let fields: [(u8, &[u8]); 4] = [(4, &[3, 0, 1, 2, 3]), (8, b"name\0"), (16, b"comment\0"), (2, b"")];
    for bits in 0..16_u8 {
        let chosen = fields.iter().enumerate().filter(|(number, _)| bits >> number & 1 != 0).map(|(_, field)| field);
        let flags = chosen.clone().map(|(flag, _)| flag).sum::<u8>();
        let bytes: Vec<u8> = chosen.flat_map(|(_, bytes)| bytes.iter().copied()).collect();
        for flags in [flags, flags | 1] {
            let decoded = decode(GZIP, &member(flags, &bytes, b"content"));
            assert_eq!((decoded.problems, &decoded.bytes[..]), (vec![], &b"content"[..]), "{flags:#b}");
            assert_eq!(decoded.name.as_deref(), (bits & 2 != 0).then_some(&b"name"[..]));
        }
    }
}

#[test]
fn damaged_headers_are_reported() {
    let problem_of = |member: &[u8]| {
        let decoded = decode(GZIP, member);
        assert!(decoded.bytes.is_empty());
        let (offset, kind) = only_problem(&decoded);
        (offset, kind.clone())
    };
    for flag in [0x20, 0x40, 0x80] {
        assert!(matches!(problem_of(&member(flag, &[], b"x")), (0, ProblemKind::Corrupt { .. })));
    }
    let mut other_method = member(0, &[], b"x");
    other_method[2] = 7;
    assert!(matches!(problem_of(&other_method), (0, ProblemKind::Unsupported { .. })));
    let mut other_sum = member(2, &[], b"x");
    other_sum[10] ^= 1;
    assert!(matches!(problem_of(&other_sum), (10, ProblemKind::Checksum { .. })));
}

#[test]
fn checksum_and_size_of_the_content_are_verified() {
    let good = member(0, &[], b"content");
    let end = good.len();
    let mut damaged = good.clone();
    damaged[end - 8] ^= 1;
    let decoded = decode(GZIP, &damaged);
    let sum = u64::from(crc32fast_of(b"content"));
    let expected = ProblemKind::Checksum { what: "CRC-32", expected: sum ^ 1, found: sum };
    assert_eq!(only_problem(&decoded), (end as u64 - 8, &expected));
    assert_eq!(&decoded.bytes[..], b"content");
    let mut damaged = good.clone();
    damaged[end - 4] ^= 1;
    let decoded = decode(GZIP, &damaged);
    assert_eq!(only_problem(&decoded), (end as u64 - 4, &ProblemKind::Size { expected: 6, found: 7 }));
    // Decoding stops there.
    let decoded = decode(GZIP, &[damaged, good].concat());
    assert_eq!((decoded.bytes, decoded.problems.len()), (bytes::Bytes::from_static(b"content"), 1));
}

#[test]
fn wrong_sizes_do_not_affect_other_members() {
    // The size of the last member is the first guess for all; it is small or large.
    for (first, last) in [(text(500_000), Vec::new()), (Vec::new(), text(500_000)), (text(3), noise(200_000))] {
        let stream = [gzip(&first, 6), gzip(&last, 6), gzip(&first, 1), gzip(&last, 9)].concat();
        assert!(decode_whole(GZIP, &stream) == [&first[..], &last, &first, &last].concat());
    }
}

#[test]
fn zeros_after_the_end_are_padding() {
    let stream = [gzip(b"content", 6), vec![0; 1_000]].concat();
    assert_eq!(decode_whole(GZIP, &stream), b"content");
    let decoded = decode(GZIP, &[&stream[..], b"x"].concat());
    assert!(matches!(only_problem(&decoded).1, ProblemKind::TrailingGarbage { bytes: 1_001 }));
}

/// Members of the blocked gzip format, which state their size.
fn blocked(data: &[u8]) -> Vec<u8> {
    let mut stream = Vec::new();
    for chunk in data.chunks(60_000).chain([&[][..]]) {
        let plain = flate2::GzBuilder::new().extra(vec![b'B', b'C', 2, 0, 0, 0]);
        let mut encoder = plain.write(Vec::new(), flate2::Compression::new(6));
        std::io::Write::write_all(&mut encoder, chunk).unwrap();
        let mut member = encoder.finish().unwrap();
        let size = (member.len() - 1) as u16;
        member[16..18].copy_from_slice(&size.to_le_bytes());
        stream.extend_from_slice(&member);
    }
    stream
}

#[test]
fn members_of_the_blocked_format_are_decoded_in_parallel() {
    let data = mixture(4 << 20);
    let stream = blocked(&data);
    assert!(stream.len() > 1 << 20);
    let decoded = decode(GZIP, &stream);
    assert_eq!((decoded.problems, decoded.blocks.units), (vec![], data.len().div_ceil(60_000) as u64 + 1));
    assert!(decoded.bytes == data);
    // A wrong size is reported.
    let mut lying = stream.clone();
    lying[16] ^= 1;
    assert!(decode_whole(GZIP, &lying) == data);
    // Decoding stops at the first damaged member.
    let mut damaged = stream.clone();
    let position = stream.len() / 2;
    damaged[position] ^= 0x40;
    let decoded = decode(GZIP, &damaged);
    assert!(!decoded.problems.is_empty());
    let same = data.iter().zip(&decoded.bytes).take_while(|(one, other)| one == other).count();
    assert!(same >= data.len() / 4 && decoded.bytes.len() <= same + 60_000);
}

#[test]
fn other_members_are_decoded_in_parallel() {
    let data = mixture(4 << 20);
    let parts: Vec<&[u8]> = data.chunks(90_000).collect();
    let stream: Vec<u8> = parts.iter().flat_map(|part| gzip(part, 6)).collect();
    assert!(stream.len() > 1 << 20);
    let decoded = decode(GZIP, &stream);
    assert_eq!((decoded.problems, decoded.blocks.units), (vec![], parts.len() as u64));
    assert!(decoded.bytes == data);
    // Padding, and members within stored blocks of a member.
    assert!(decode_whole(GZIP, &[&stream[..], &[0; 100]].concat()) == data);
    assert!(decode_whole(GZIP, &[gzip(&stream, 0), gzip(&stream, 1)].concat()) == stream.repeat(2));
    // Decoding stops at the first damaged member, and what is before it is kept.
    let mut damaged = stream.clone();
    let position = stream.len() / 2;
    damaged[position] ^= 0x40;
    let decoded = decode(GZIP, &damaged);
    assert!(!decoded.problems.is_empty());
    let same = data.iter().zip(&decoded.bytes).take_while(|(one, other)| one == other).count();
    assert!(same >= data.len() / 4 && decoded.bytes.len() <= same + 90_000);
}

#[test]
fn a_large_member_has_the_same_result_on_any_number_of_threads() {
    let data = mixture(5 << 20);
    let good = gzip(&data, 6);
    let mut damaged = good.clone();
    damaged[good.len() / 2] ^= 0x40;
    let cut_off = good[..good.len() - 9].to_vec();
    let followed = [&good[..], b"something else"].concat();
    let pool_of = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let (one, several) = (pool_of(1), pool_of(4));
    for stream in [&good, &damaged, &cut_off, &followed] {
        let expected = one.install(|| decode(GZIP, stream));
        let found = several.install(|| decode(GZIP, stream));
        assert!(found == expected, "{:?} {:?}", found.problems, expected.problems);
    }
    assert!(several.install(|| decode_whole(GZIP, &good)) == data);
}

#[test]
fn members_are_planned_for_the_device() {
    let parts = [text(5_000), Vec::new(), noise(70_001)];
    let stream: Vec<u8> = parts.iter().flat_map(|part| gzip(part, 6)).collect();
    let planned = plan(GZIP, &stream).unwrap();
    let sizes: Vec<_> = planned.blocks.iter().map(|block| (block.op, block.expected as usize)).collect();
    assert_eq!(sizes, parts.iter().map(|part| (BlockOp::Deflate, part.len())).collect::<Vec<_>>());
    let whole = planned.whole.as_ref().unwrap();
    assert_eq!((whole.frames.len(), whole.name.as_deref()), (3, Some(&b"name.txt"[..])));
    let mut results = super::device(&stream, &planned);
    let budget = Budget::new(Limits::default());
    let assembled = assemble(GZIP, &stream, &planned, &results, &budget);
    assert_eq!((assembled.device_blocks, assembled.host_blocks.len()), (3, 0));
    assert_eq!(assembled.device_bytes, 75_001);
    // The host decodes what the device refused, and what has another content than the checksum.
    let changed = [&parts[0][1..], b"?"].concat();
    for (error, bytes) in [(1, Vec::new()), (0, changed), (0, parts[0][1..].to_vec())] {
        results[0] = BlockResult { error, bytes: bytes.into() };
        let again = assemble(GZIP, &stream, &planned, &results, &Budget::new(Limits::default()));
        assert!(again.decoded == assembled.decoded);
        assert_eq!(again.host_blocks, BTreeMap::from([(HostReason::RefusedByDevice, 1)]));
        assert_eq!((again.device_blocks, again.device_bytes), (2, 70_001));
    }
    // Members before something else are planned, but they are not the whole content then, and the last one has no trailer there.
    let planned = plan(GZIP, &[&stream[..], b"else"].concat()).unwrap();
    assert_eq!((planned.blocks.len(), planned.whole), (2, None));
    // The end of a large member is not searched.
    let large = gzip(&noise(9 << 20), 1);
    assert_eq!(plan(GZIP, &large), None);
    let decoded = decode(GZIP, &large);
    assert_eq!(decoded.blocks.reasons_on_host(), BTreeMap::from([(HostReason::UnknownSize, 1)]));
}

#[test]
fn planning_goes_on_after_a_member_that_contains_a_header() {
    // The second member has a whole member in its data.
    let outer = member(0, b"", &[&b"text before"[..], &gzip(b"inner", 0)].concat());
    let parts = [gzip(&text(3_000), 6), outer, gzip(&text(5_000), 6), gzip(&text(90), 6)];
    let stream = parts.concat();
    let planned = plan(GZIP, &stream).unwrap();
    assert_eq!(planned.whole, None);
    let decoded = decode(GZIP, &stream);
    assert_eq!((decoded.problems, decoded.blocks.units), (vec![], 4));
    let results = super::device(&stream, &planned);
    let assembled = assemble(GZIP, &stream, &planned, &results, &Budget::new(Limits::default()));
    assert_eq!((assembled.device_blocks, assembled.device_bytes), (3, 8_090));
    assert_eq!(assembled.host_blocks, BTreeMap::from([(HostReason::UnknownSize, 1)]));
    // If no member can be planned, the size is the reason too. The header in the data ends beyond the input.
    let header = [0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 255, 255, 255];
    let stream = member(0, b"", &[&b"text before"[..], &header[..]].concat());
    assert_eq!(plan(GZIP, &stream), None);
    let decoded = decode(GZIP, &stream);
    assert_eq!(decoded.problems, vec![]);
    assert_eq!(decoded.blocks.reasons_on_host(), BTreeMap::from([(HostReason::UnknownSize, 1)]));
}
