//! Entries whose content stays on a device: the same as those of the host, whole and damaged, and nothing else if the device fails.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use lzzzz::lz4f::{self, BlockMode, BlockSize, ContentChecksum, PreferencesBuilder};
use vyre_conform::wrapped_device::{DeviceWrapper, Wrapped};
use vyre_ir::ValidProgram;
use vyre_jit::{JitDevice, JitOptions};
use vyre_runtime::{Buffer, CommandList, Device, Error, Pipeline, PipelineOptions, RunOptions, RunReport};
use vyre_unpack::{DecompressError, DeviceEntries, DeviceUnpacker, Entry, Limits, Options, Route};

use crate::collect::{gzip, limited, noise, open_with, text};
use crate::device::{lz4, zstd_of_plain_blocks};
use crate::device_memory::Scarce;
use crate::device_routes::cpu;
use crate::formats::fixture;
use crate::tar::{member, tar_of};
use crate::zip::{Part, build};

/// An LZ4 frame with checksums of blocks and of the content.
fn lz4_with_checksums(bytes: &[u8]) -> Vec<u8> {
    let preferences = PreferencesBuilder::new()
        .block_mode(BlockMode::Independent)
        .block_size(BlockSize::Max64KB)
        .content_checksum(ContentChecksum::Enabled)
        .block_checksum(lz4f::BlockChecksum::Enabled)
        .build();
    let mut frame = Vec::new();
    lz4f::compress_to_vec(bytes, &mut frame, &preferences).unwrap();
    frame
}

/// An entry with its content, in the form that is compared.
type Comparable = (String, String);

fn comparable(entry: &Entry, bytes: &[u8]) -> Comparable {
    let Entry { path, kind, size, compressed_size, method, offset, mode, modified, problems, is_opened, .. } = entry;
    let rest = format!(
        "{kind:?} {size:?} {compressed_size} {method} {offset} {mode:?} {modified:?} {problems:?} {is_opened} {} {:08x}",
        bytes.len(),
        crc32fast::hash(bytes)
    );
    (path.display(), rest)
}

fn on_host(name: &str, archive: &[u8], options: &Options) -> Result<Vec<Comparable>, String> {
    let (collected, result) = open_with(name, archive.to_vec(), options.clone());
    result.map_err(|error| error.to_string())?;
    let mut entries: Vec<_> = collected.entries.iter().map(|entry| comparable(entry, &entry.bytes)).collect();
    entries.sort();
    Ok(entries)
}

fn on_device(device: &Arc<dyn Device>, found: &DeviceEntries) -> Vec<Comparable> {
    let mut entries = Vec::new();
    for found in &found.entries {
        assert!(found.entry.bytes.is_empty());
        let content = found.content.as_ref().map(|content| {
            let mut bytes = vec![0; content.length as usize];
            device.read_at(&content.buffer, content.offset, &mut bytes).unwrap();
            bytes
        });
        entries.push(comparable(&found.entry, &content.unwrap_or_default()));
    }
    entries.sort();
    entries
}

/// Both routes with the same options. The programs of the device are compiled once.
struct Routes {
    device: Arc<dyn Device>,
    options: Options,
    unpacker: DeviceUnpacker,
}

impl Routes {
    fn new(options: Options) -> Routes {
        Routes::on(cpu(), options)
    }

    fn on(device: Arc<dyn Device>, options: Options) -> Routes {
        // What `Route::Auto` means for the CPU is to decode on the host.
        let route = if options.route == Route::Auto { Route::Device } else { options.route };
        let unpacker = DeviceUnpacker::new(Arc::clone(&device), options.clone().with_route(route));
        Routes { device, options, unpacker }
    }

    /// Unpacks an archive on both routes and compares all entries.
    #[track_caller]
    fn agree(&self, name: &str, archive: &[u8]) -> Option<DeviceEntries> {
        let expected = on_host(name, archive, &self.options);
        match (self.unpacker.unpack(name.as_bytes(), Bytes::copy_from_slice(archive)), expected) {
            (Ok(found), Ok(expected)) => {
                assert_eq!(on_device(&self.device, &found), expected, "{name}");
                assert_eq!(found.summary.entries, expected.len() as u64);
                Some(found)
            }
            (Err(error), Err(expected)) => {
                assert_eq!(error.to_string(), expected, "{name}");
                None
            }
            (found, expected) => {
                panic!("{name}: {:?} on the device, {:?} on the host", found.map(|_| ()), expected.map(|_| ()))
            }
        }
    }
}

/// Archives with contents of all kinds, named.
fn archives() -> Vec<(&'static str, Vec<u8>)> {
    let plain = zstd_of_plain_blocks(&noise(2500, 3), (9, 701));
    let content = [noise(2500, 3), vec![9; 701]].concat();
    let zstd = |name: &str| Part { method: 93, data: plain.clone(), ..Part::stored(name, &content) };
    let wheel = build(&[
        Part::stored("a", &text(3000)),
        zstd("z"),
        Part::deflated("d", &text(5000)),
        Part::stored("empty", b""),
        Part { flags: 8, has_sizes: false, after: descriptor(&noise(77, 1)), ..Part::stored("s", &noise(77, 1)) },
    ]);
    let inner = tar_of(&[("i/one", noise(1, 1)), ("i/text", text(70_000)), ("i/w.whl", wheel.clone())]);
    let linked = lz4(&text(200_000), BlockMode::Linked);
    let many = tar_of(&[
        ("w.whl", wheel.clone()),
        ("t.tar.lz4", lz4_with_checksums(&inner)),
        ("t.tar", inner.clone()),
        ("l.lz4", linked),
        ("g.gz", gzip(&text(90))),
        ("p.zst", plain.clone()),
        ("n", noise(300_000, 8)),
    ]);
    let script = [b"#!/bin/sh\n".to_vec(), wheel.clone()].concat();
    vec![
        ("x.whl", wheel.clone()),
        ("x.tar", many.clone()),
        ("x.tar.lz4", lz4_with_checksums(&many)),
        ("x.lz4", lz4_with_checksums(&noise(200_001, 5))),
        ("y.lz4", [lz4(&text(1001), BlockMode::Independent), lz4(&text(90_003), BlockMode::Independent)].concat()),
        ("w.lz4", lz4(&wheel, BlockMode::Independent)),
        ("script.lz4", lz4(&script, BlockMode::Independent)),
        ("outer.zip", build(&[Part::stored("in.zip", &wheel), Part::stored("in.tar", &inner), zstd("z")])),
        ("x.zst", plain),
        ("x.tar.gz", gzip(&many)),
        (
            "ar.lz4",
            lz4(b"!<arch>\nx/              0           0     0     644     3         `\nabc\n", BlockMode::Independent),
        ),
        ("empty.lz4", lz4(b"", BlockMode::Independent)),
        ("empty.tar", vec![0; 1024]),
    ]
}

/// A data descriptor without a signature.
fn descriptor(bytes: &[u8]) -> Vec<u8> {
    let size = bytes.len() as u32;
    [crc32fast::hash(bytes), size, size].into_iter().flat_map(u32::to_le_bytes).collect()
}

#[test]
fn entries_on_a_device_are_those_of_the_host() {
    for options in [
        Options::default(),
        Options::default().with_nested(false),
        Options::default().with_route(Route::Host),
        Options::default().with_strict(true),
    ] {
        let routes = Routes::new(options);
        for (name, archive) in archives() {
            routes.agree(name, &archive);
        }
    }
}

#[test]
fn contents_stay_on_the_device() {
    let routes = Routes::new(Options::default());
    let found = |name: &str| {
        let archives = archives();
        let (name, archive) = archives.iter().find(|(known, _)| *known == name).unwrap();
        routes.agree(name, archive).unwrap()
    };
    let wheel = found("x.whl");
    let by_host: Vec<String> =
        wheel.entries.iter().filter(|entry| entry.is_by_host).map(|entry| entry.entry.path.display()).collect();
    assert_eq!(by_host, [""; 0]);
    assert_eq!(wheel.summary.blocks.host, BTreeMap::new());
    // A large file in a compressed tar file does not come back: its headers and its first 1 MiB do, where an archive may be.
    let content = noise(9_000_000, 4);
    let archive = tar_of(&[("small", text(5)), ("large", content), ("end", text(6))]);
    let archive = lz4(&archive, BlockMode::Independent);
    let found = routes.agree("x.tar.lz4", &archive).unwrap();
    assert!(found.entries.iter().all(|entry| !entry.is_by_host));
    assert!(found.read_back < 1_500_000, "{} bytes came back", found.read_back);
    let buffers: Vec<u64> =
        found.entries.iter().filter_map(|entry| Some(entry.content.as_ref()?.buffer.id())).collect();
    assert!(buffers.windows(2).all(|pair| pair[0] == pair[1]), "the entries are slices of the tar file");
}

#[test]
fn archives_behind_programs_are_opened() {
    let routes = Routes::new(Options::default());
    for stub in [210_000, (1 << 20) - 6] {
        let program = [b"MZ".to_vec(), noise(stub - 2, 7), fixture("7z", "copy")].concat();
        for (name, archive) in [("x.zip", build(&[Part::deflated("setup.exe", &program)])), ("x.gz", gzip(&program))] {
            let found = routes.agree(name, &archive).unwrap();
            assert!(found.summary.blocks.device > 0, "{name}");
            let is_inside = |found: &vyre_unpack::DeviceEntry| found.entry.path.display().ends_with("a.txt");
            assert!(found.entries.iter().any(is_inside), "{name} {stub}");
        }
    }
}

#[test]
fn a_device_with_little_memory_has_the_same_entries_or_names_the_one_that_does_not_fit() {
    for is_stated in [false, true] {
        let routes = Routes::on(Scarce::device(310_000, is_stated), Options::default());
        for (name, archive) in archives() {
            routes.agree(name, &archive);
        }
        let device = Scarce::device(100_000, is_stated);
        let unpacker = DeviceUnpacker::new(device, Options::default().with_route(Route::Device));
        let error = unpacker.unpack(b"x.tar", tar_of(&[("large", noise(150_001, 1))]).into()).unwrap_err();
        assert!(error.to_string().contains("150001 bytes of large"), "{error}");
        let DecompressError::Upload { path, bytes: 150_001, .. } = error else { panic!("{error}") };
        assert_eq!(path.display(), "large");
    }
}

#[test]
fn damage_has_the_verdict_of_the_host() {
    let routes = Routes::new(Options::default());
    let mut damaged = 0;
    for (name, archive) in archives().into_iter().filter(|(_, archive)| archive.len() < 12_000) {
        let step = (archive.len() / 40).max(1);
        for at in (0..archive.len()).step_by(step) {
            let mut changed = archive.clone();
            changed[at] ^= 1 << (at % 8);
            damaged += usize::from(
                routes
                    .agree(name, &changed)
                    .is_none_or(|found| found.summary.damaged + found.summary.problem_count > 0),
            );
            routes.agree(name, &archive[..at]);
        }
    }
    assert!(damaged > 100, "{damaged} archives were damaged");
}

#[test]
fn damage_inside_of_compressed_archives_has_the_verdict_of_the_host() {
    let routes = Routes::new(Options::default());
    let archives = archives();
    let (_, wheel) = &archives[0];
    let inner = tar_of(&[("a", text(100)), ("b", noise(600, 2)), ("w.whl", wheel.clone())]);
    for (name, archive) in [("x.tar.lz4", &inner), ("x.lz4", wheel)] {
        for number in 0..60 {
            let at = (number * 7919 + 148) % archive.len();
            let mut changed = archive.clone();
            changed[at] = changed[at].wrapping_add(1 + (number % 200) as u8);
            routes.agree(name, &lz4(&changed, BlockMode::Independent));
            routes.agree(name, &lz4(&archive[..at], BlockMode::Independent));
        }
    }
    // Bytes between and after the entries, and a comment with an end record.
    let mut padded = wheel.clone();
    let comment = b"PK\x05\x06 a comment";
    let length = padded.len();
    padded[length - 2] = comment.len() as u8;
    padded.extend(comment);
    let gap = build(&[Part { after: noise(9, 3), ..Part::stored("a", b"abc") }, Part::stored("b", b"def")]);
    let special = [member(b"x", b'x', b"13 size=9999\n"), member(b"a", b'0', b"abc"), vec![0; 1024]].concat();
    for archive in [padded, gap, [wheel.clone(), wheel.clone()].concat(), special] {
        routes.agree("x", &lz4(&archive, BlockMode::Independent));
    }
}

#[test]
fn limits_are_those_of_the_host() {
    let limits = Limits::default();
    for limits in [limits.with_depth(1), limits.with_depth(2), limits.with_entry(2000)] {
        let routes = Routes::new(limited(limits));
        for (name, archive) in archives() {
            routes.agree(name, &archive);
        }
    }
    // These end the call, and the numbers in the message depend on the order of entries.
    for limits in [limits.with_total(900), limits.with_entries(1)] {
        let routes = Routes::new(limited(limits));
        for (name, archive) in archives() {
            let host = on_host(name, &archive, &limited(limits)).is_ok();
            let result = routes.unpacker.unpack(name.as_bytes(), archive.into());
            assert_eq!(result.is_ok(), host, "{name}: {:?}", result.err().map(|error| error.to_string()));
        }
    }
}

/// A device that fails at one of its calls.
struct Failing {
    device: JitDevice,
    calls: AtomicUsize,
    fails_at: usize,
}

impl Failing {
    fn call(&self) -> Result<(), Error> {
        // Every later call fails too, as on a lost device.
        if self.calls.fetch_add(1, Ordering::Relaxed) < self.fails_at {
            return Ok(());
        }
        Err(Error::DeviceLost {
            reason: vyre_runtime::LossReason::Reported { message: "a test".into() },
            can_reopen: false,
        })
    }
}

impl DeviceWrapper for Failing {
    fn inner(&self) -> &dyn Device {
        &self.device
    }

    fn create_buffer(&self, bytes: u64) -> Result<Buffer, Error> {
        self.call()?;
        self.device.create_buffer(bytes)
    }

    fn write(&self, buffer: &Buffer, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        self.call()?;
        self.device.write(buffer, offset, bytes)
    }

    fn read_at(&self, buffer: &Buffer, offset: u64, target: &mut [u8]) -> Result<(), Error> {
        self.call()?;
        self.device.read_at(buffer, offset, target)
    }

    fn create_pipeline(&self, program: &ValidProgram<'_>, options: &PipelineOptions) -> Result<Pipeline, Error> {
        self.call()?;
        self.device.create_pipeline(program, options)
    }

    fn run(&self, commands: &CommandList, options: &RunOptions) -> Result<RunReport, Error> {
        self.call()?;
        self.device.run(commands, options)
    }
}

#[test]
fn a_lost_device_is_an_error() {
    let archives = archives();
    let (name, archive) = &archives[2];
    let mut failures = 0;
    for fails_at in (0..).step_by(13) {
        let device = JitDevice::new(&JitOptions::default()).unwrap();
        let failing = Arc::new(Wrapped(Failing { device, calls: AtomicUsize::new(0), fails_at }));
        let options = Options::default().with_route(Route::Device);
        let unpacker = DeviceUnpacker::new(Arc::clone(&failing) as Arc<dyn Device>, options);
        match unpacker.unpack(name.as_bytes(), archive.clone().into()) {
            Err(DecompressError::Device(Error::DeviceLost { .. })) => failures += 1,
            Ok(found) => {
                assert!(failing.0.calls.load(Ordering::Relaxed) <= fails_at, "a failure was ignored");
                assert!(!found.entries.is_empty());
                break;
            }
            Err(other) => panic!("{other}"),
        }
    }
    assert!(failures > 2, "{failures} failures");
}
