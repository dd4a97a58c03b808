//! Deflate streams and zstd frames on a device: entries, problems and limits are those of the host.

use std::io::{Cursor, Write};
use std::sync::{Arc, LazyLock};

use bytes::Bytes;
use lzzzz::lz4f::BlockMode;
use vyre_jit::{JitDevice, JitOptions};
use vyre_runtime::{Device, ReferenceDevice};
use vyre_unpack::{Entry, HostReason, Limits, Options, Route, Summary, Unpacker};
use zip::CompressionMethod;
use zip::write::SimpleFileOptions;

use crate::collect::{Collected, deflate, gzip, limited, noise, open_with, text};
use crate::device::{lz4, zstd_of_plain_blocks};
use crate::tar::tar_of;
use crate::zip::{Part, build, files, zip_of};

/// The CPU backend, created once.
pub(crate) fn cpu() -> Arc<dyn Device> {
    static DEVICE: LazyLock<Arc<JitDevice>> =
        LazyLock::new(|| Arc::new(JitDevice::new(&JitOptions::default()).unwrap()));
    Arc::clone(&*DEVICE) as Arc<dyn Device>
}

/// Both routes with the same options. The programs of the device are compiled once.
pub(crate) struct Routes {
    options: Options,
    unpacker: Unpacker,
}

impl Routes {
    pub(crate) fn new(device: Arc<dyn Device>, options: Options) -> Routes {
        let unpacker = Unpacker::on_device(device, options.clone().with_route(Route::Device));
        Routes { options, unpacker }
    }

    /// Unpacks an archive on both routes and compares entries, problems and errors. Returns the summary of the device.
    #[track_caller]
    pub(crate) fn agree(&self, name: &str, archive: &[u8]) -> Option<Summary> {
        let (expected, host) = open_with(name, archive.to_vec(), self.options.clone());
        let mut found = Collected::default();
        let device = self.unpacker.unpack(name.as_bytes(), Bytes::copy_from_slice(archive), &mut found);
        for (expected, found) in expected.entries.iter().zip(&found.entries) {
            assert_eq!(comparable(found), comparable(expected), "{name}");
            assert!(found.bytes == expected.bytes, "{name}: other bytes in {}", found.path.display());
        }
        assert_eq!(found.paths(), expected.paths(), "{name}");
        match (device, host) {
            (Ok(device), Ok(host)) => {
                assert_eq!(verdict(&device), verdict(&host), "{name}");
                Some(device)
            }
            (Err(device), Err(host)) => {
                assert_eq!(device.to_string(), host.to_string(), "{name}");
                None
            }
            (device, host) => panic!("{name}: {device:?} on the device, {host:?} on the host"),
        }
    }
}

/// An entry without its bytes.
fn comparable(entry: &Entry) -> String {
    let Entry { path, kind, size, compressed_size, method, offset, mode, modified, problems, is_opened, .. } = entry;
    format!(
        "{} {kind:?} {size:?} {compressed_size} {method} {offset} {mode:?} {modified:?} {problems:?} {is_opened}",
        path.display()
    )
}

/// The part of a summary that must not depend on the route.
fn verdict(summary: &Summary) -> String {
    let Summary { format, entries, damaged, problems, problem_count, output, layers, blocks, .. } = summary;
    format!("{format:?} {entries} {damaged} {problems:?} {problem_count} {output} {layers} {:?}", blocks.zstd)
}

fn zstd(bytes: &[u8], level: i32, has_size: bool) -> Vec<u8> {
    let mut context = zstd_safe::CCtx::create();
    for parameter in [
        zstd_safe::CParameter::CompressionLevel(level),
        zstd_safe::CParameter::ContentSizeFlag(has_size),
        zstd_safe::CParameter::ChecksumFlag(true),
    ] {
        context.set_parameter(parameter).unwrap();
    }
    let mut frame = Vec::with_capacity(zstd_safe::compress_bound(bytes.len()));
    context.compress2(&mut frame, bytes).unwrap();
    frame
}

/// Words of source code in an order without a pattern.
fn prose(length: usize, seed: u64) -> Vec<u8> {
    let words = [&b"let "[..], b"mut ", b"value", b" = ", b"self.", b"next", b"();\n", b"    ", b"// ", b"while "];
    let chosen = noise(length, seed).into_iter().flat_map(|byte| words[usize::from(byte) % words.len()]);
    chosen.copied().take(length).collect()
}

/// Archives of all forms that an op decodes, named.
pub(crate) fn archives() -> Vec<(&'static str, Vec<u8>)> {
    let wheel = zip_of(&files(), CompressionMethod::Deflated);
    let inner =
        tar_of(&[("i/text", prose(70_000, 1)), ("i/w.whl", wheel.clone()), ("i/a.zst", zstd(&text(9), 3, true))]);
    let members = [prose(50_000, 2), Vec::new(), noise(3001, 3), vec![7; 400_000]];
    let frames = [prose(300_000, 4), noise(9, 5), text(200_003)];
    let mixed = [
        zstd(&frames[0], 3, true),
        zstd_of_plain_blocks(&frames[1], (9, 700)),
        zstd(&frames[2], 19, false),
        zstd(&frames[0], -5, false),
    ];
    vec![
        ("x.whl", wheel.clone()),
        ("z.zip", zip_of(&files(), CompressionMethod::Zstd)),
        ("x.tar.gz", gzip(&inner)),
        ("members.gz", members.iter().flat_map(|member| gzip(member)).collect()),
        ("padded.gz", [gzip(&members[0]), vec![0; 300]].concat()),
        ("trailing.gz", [gzip(&members[0]), gzip(&members[2]), b"trailing".to_vec()].concat()),
        ("within.gz", [gzip(&gzip(&noise(70_000, 6))), gzip(b"x")].concat()),
        ("frames.zst", mixed.concat()),
        ("x.tar.zst", zstd(&inner, 3, true)),
        ("x.tar", tar_of(&[("w.whl", wheel), ("t.tgz", gzip(&inner)), ("l.lz4", lz4(&inner, BlockMode::Independent))])),
    ]
}

#[test]
fn archives_have_the_same_entries_on_the_cpu_backend() {
    let routes = Routes::new(cpu(), Options::default());
    for (name, archive) in archives() {
        let summary = routes.agree(name, &archive).unwrap();
        // Where padding follows, the end of the member is not known.
        assert_eq!(summary.blocks.device > 0, name != "padded.gz", "{name}: {:?}", summary.blocks);
    }
    // Nothing of these is left to the host.
    for name in ["x.whl", "z.zip", "x.tar.gz", "members.gz", "frames.zst", "x.tar.zst", "x.tar"] {
        let (_, archive) = archives().into_iter().find(|(known, _)| *known == name).unwrap();
        let summary = routes.agree(name, &archive).unwrap();
        assert!(summary.blocks.host.is_empty(), "{name}: {:?}", summary.blocks.host);
    }
}

#[test]
fn archives_have_the_same_entries_on_the_reference() {
    let routes = Routes::new(Arc::new(ReferenceDevice::new()), Options::default());
    let parts = [
        Part::deflated("d", &prose(900, 1)),
        Part { method: 93, data: zstd(&prose(700, 2), 3, true), ..Part::stored("z", &prose(700, 2)) },
        Part::deflated("empty", b""),
    ];
    let wheel = build(&parts);
    for (name, archive) in [
        ("x.whl", wheel.clone()),
        ("x.gz", [gzip(&wheel), gzip(b"more")].concat()),
        ("x.zst", [zstd(&prose(600, 3), 3, true), zstd(&prose(500, 4), 19, false)].concat()),
    ] {
        let summary = routes.agree(name, &archive).unwrap();
        assert!(summary.blocks.device > 1 && summary.blocks.host.is_empty(), "{name}: {:?}", summary.blocks);
        for at in (0..archive.len()).step_by(archive.len() / 12) {
            let mut changed = archive.clone();
            changed[at] ^= 0x10;
            routes.agree(name, &changed);
        }
    }
}

/// A small archive of each form.
fn small() -> Vec<(&'static str, Vec<u8>)> {
    let parts = [
        Part::deflated("d", &prose(120, 1)),
        Part { method: 93, data: zstd(&text(160), 3, true), ..Part::stored("z", &text(160)) },
        Part::stored("s", b"stored"),
    ];
    vec![
        ("x.zip", build(&parts)),
        ("x.gz", [gzip(&prose(150, 2)), gzip(b"one more member")].concat()),
        ("x.zst", [zstd(&prose(200, 3), 3, true), zstd(&text(90), 3, false)].concat()),
    ]
}

#[test]
fn every_flipped_byte_has_the_verdict_of_the_host() {
    let routes = Routes::new(cpu(), Options::default());
    let mut damaged = 0;
    for (name, archive) in small() {
        assert!(routes.agree(name, &archive).unwrap().is_clean());
        for at in 0..archive.len() {
            for bit in [at % 8, (at * 5 + 3) % 8] {
                let mut changed = archive.clone();
                changed[at] ^= 1 << bit;
                damaged += usize::from(routes.agree(name, &changed).is_none_or(|summary| !summary.is_clean()));
            }
        }
    }
    assert!(damaged > 500, "{damaged} archives were damaged");
}

#[test]
fn every_truncation_has_the_verdict_of_the_host() {
    let routes = Routes::new(cpu(), Options::default());
    for (name, archive) in small() {
        for length in 0..archive.len() {
            routes.agree(name, &archive[..length]);
        }
    }
}

/// Sizes and checksums that the archive states wrongly, and bytes after the streams.
#[test]
fn false_statements_have_the_verdict_of_the_host() {
    let routes = Routes::new(cpu(), Options::default());
    let content = prose(5000, 1);
    let of = |method: u16| {
        let data = if method == 8 { deflate(&content) } else { zstd(&content, 3, true) };
        Part { method, data, ..Part::stored("a", &content) }
    };
    for method in [8, 93] {
        let mut parts = vec![of(method); 7];
        for (number, part) in parts.iter_mut().enumerate() {
            part.name = format!("{number}").into_bytes();
            part.local_name = part.name.clone();
        }
        parts[0].crc32 ^= 1;
        parts[1].size -= 1;
        parts[2].size += 1;
        parts[3].data.extend(b"tail");
        parts[4].size = u32::MAX - 1;
        parts[5].size = 0;
        let summary = routes.agree("x.zip", &build(&parts)).unwrap();
        assert_eq!(summary.damaged, 6, "{method}");
        assert!(summary.blocks.device >= 1, "{:?}", summary.blocks);
    }
    let members = [gzip(&content), gzip(&content), gzip(&content)];
    for (member, from_end) in [(0, 1), (0, 4), (0, 8), (1, 1), (1, 5), (2, 2), (2, 6)] {
        let mut damaged = members.clone();
        let at = damaged[member].len() - from_end;
        damaged[member][at] ^= 4;
        let summary = routes.agree("x.gz", &damaged.concat()).unwrap();
        assert!(!summary.is_clean());
    }
}

/// A wheel of several hundred files, as packages of Python have them.
#[test]
fn a_wheel_is_decoded_with_one_dispatch() {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let mut total = 0;
    for number in 0..600_usize {
        let method = if number % 9 == 0 { CompressionMethod::Stored } else { CompressionMethod::Deflated };
        let options = SimpleFileOptions::default().compression_method(method).unix_permissions(0o644);
        writer.start_file(format!("package/module_{:02}/file_{number}.py", number % 23), options).unwrap();
        let content = prose((number * number) % 30_011, number as u64);
        total += content.len() as u64;
        writer.write_all(&content).unwrap();
    }
    let wheel = writer.finish().unwrap().into_inner();
    let routes = Routes::new(cpu(), Options::default());
    let summary = routes.agree("package-1.0-py3-none-any.whl", &wheel).unwrap();
    assert_eq!((summary.dispatches, summary.entries, summary.output), (1, 600, total));
    assert!(summary.blocks.host.is_empty(), "{:?}", summary.blocks.host);
    assert_eq!(summary.blocks.device, 600 - 67);
    // Small memory for buffers: the contents wait in temporary files.
    let routes = Routes::new(cpu(), limited(Limits::default().with_memory(0)));
    assert_eq!(routes.agree("x.whl", &wheel).unwrap().blocks.device, 600 - 67);
}

#[test]
fn frames_of_several_mebibytes_are_decoded_together() {
    let content = [prose(3 << 20, 1), noise(300_000, 2), text(2 << 20)].concat();
    let stream: Vec<u8> = content.chunks(200_000).flat_map(|part| zstd(part, 3, true)).collect();
    let routes = Routes::new(cpu(), Options::default());
    let summary = routes.agree("x.zst", &stream).unwrap();
    assert_eq!((summary.blocks.device_output, summary.blocks.host.len()), (content.len() as u64, 0));
    // Damage in the middle: the frames before it are kept.
    let mut damaged = stream.clone();
    let middle = stream.len() / 2;
    damaged[middle] ^= 1;
    let summary = routes.agree("x.zst", &damaged).unwrap();
    assert!(!summary.is_clean() && summary.blocks.device > 3, "{:?}", summary.blocks);
}

#[test]
fn members_of_several_mebibytes_are_decoded_together() {
    let content = [prose(2 << 20, 1), noise(200_000, 2), vec![0; 1 << 20]].concat();
    let stream: Vec<u8> = content.chunks(150_001).flat_map(gzip).collect();
    let routes = Routes::new(cpu(), Options::default());
    let summary = routes.agree("x.gz", &stream).unwrap();
    assert_eq!(summary.blocks.device_output, content.len() as u64);
    assert!(summary.blocks.host.is_empty(), "{:?}", summary.blocks.host);
    let mut damaged = stream.clone();
    let middle = stream.len() / 2;
    damaged[middle] ^= 1;
    let summary = routes.agree("x.gz", &damaged).unwrap();
    assert!(!summary.is_clean() && summary.blocks.device > 1, "{:?}", summary.blocks);
}

#[test]
fn limits_are_those_of_the_host() {
    let limits = Limits::default();
    for limits in [
        limits.with_entry(60_000),
        limits.with_entry(99_999),
        limits.with_depth(2),
        limits.with_total(250_000),
        limits.with_total(1_100_000),
        limits.with_total(1_171_000),
        limits.with_entries(3),
        limits.with_memory(0),
    ] {
        let routes = Routes::new(cpu(), limited(limits));
        for (name, archive) in archives() {
            routes.agree(name, &archive);
        }
    }
    // A zip bomb: what it states is beyond the limits, so the device is not asked.
    let zeros = vec![0; 20 << 20];
    let bomb = build(&[Part::deflated("bomb", &zeros), Part::deflated("a", b"a")]);
    let summary = Routes::new(cpu(), Options::default()).agree("x.zip", &bomb).unwrap();
    assert_eq!(summary.blocks.device, 1);
    assert_eq!(summary.blocks.host.get(&HostReason::Limits), None, "the host refuses it before it decodes");
}

/// The device reserves its streams before those of the host, which come between them.
#[test]
fn the_total_is_that_of_the_host_for_streams_of_both() {
    let content: Vec<Vec<u8>> = (0..6).map(|seed| prose(300_000, seed)).collect();
    let xz = |bytes: &[u8]| {
        let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 0);
        encoder.write_all(bytes).expect("writes to a vector do not fail");
        encoder.finish().expect("writes to a vector do not fail")
    };
    let streams = [
        ("a.gz", gzip(&content[0])),
        ("b.xz", xz(&content[1])),
        ("c.gz", gzip(&content[2])),
        ("d.zst", zstd(&content[3], 3, true)),
        ("e.xz", xz(&content[4])),
        ("f.gz", gzip(&content[5])),
    ];
    let archive = tar_of(&streams);
    let mut ended = 0;
    for total in (1..24).map(|step| step * 100_000) {
        let routes = Routes::new(cpu(), limited(Limits::default().with_total(total)));
        ended += u32::from(routes.agree("x.tar", &archive).is_none());
    }
    assert!(ended > 10, "{ended}");
}
