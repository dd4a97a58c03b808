//! Blocks on a device: the same entries as on the host, and one dispatch for all blocks of a layer.

use std::sync::{Arc, LazyLock};

use bytes::Bytes;
use lzzzz::lz4f::{self, BlockMode, BlockSize, PreferencesBuilder};
use vyre_jit::{JitDevice, JitOptions};
use vyre_unpack::{HostReason, Options, Route, Summary, Unpacker};

use crate::collect::{Collected, noise, text};
use crate::device_routes::cpu;
use crate::tar::tar_of;
use crate::zip::{Part, build};

/// An LZ4 frame whose blocks are independent or linked.
pub(crate) fn lz4(bytes: &[u8], mode: BlockMode) -> Vec<u8> {
    let preferences = PreferencesBuilder::new().block_mode(mode).block_size(BlockSize::Max64KB).build();
    let mut frame = Vec::new();
    lz4f::compress_to_vec(bytes, &mut frame, &preferences).unwrap();
    frame
}

/// A zstd frame of raw and RLE blocks.
pub(crate) fn zstd_of_plain_blocks(bytes: &[u8], repeated: (u8, u32)) -> Vec<u8> {
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0xa0];
    frame.extend((bytes.len() as u32 + repeated.1).to_le_bytes());
    for chunk in bytes.chunks(1000) {
        frame.extend(&((chunk.len() as u32) << 3).to_le_bytes()[..3]);
        frame.extend(chunk);
    }
    frame.extend(&(1 | 1 << 1 | repeated.1 << 3).to_le_bytes()[..3]);
    frame.push(repeated.0);
    frame
}

/// Unpacks an archive without problems, with the JIT device.
pub(crate) fn on_device(name: &str, archive: Vec<u8>, route: Route) -> (Collected, Summary) {
    // The programs of one unpacker are compiled once.
    static DEVICE: LazyLock<Unpacker> =
        LazyLock::new(|| Unpacker::on_device(cpu(), Options::default().with_route(Route::Device)));
    let other;
    let unpacker = match route {
        Route::Device => &*DEVICE,
        route => {
            other = Unpacker::on_device(cpu(), Options::default().with_route(route));
            &other
        }
    };
    let mut collected = Collected::default();
    let summary = unpacker.unpack(name.as_bytes(), Bytes::from(archive), &mut collected).unwrap();
    assert!(summary.is_clean(), "{:?} {:?}", summary.problems, collected.paths());
    (collected, summary)
}

#[test]
fn all_streams_of_a_layer_are_one_dispatch() {
    let contents: Vec<Vec<u8>> =
        (0..20).map(|number| [text(100_000 + number), noise(70_000, number as u64)].concat()).collect();
    let names: Vec<String> = (0..20).map(|number| format!("{number}.lz4")).collect();
    let files: Vec<(&str, Vec<u8>)> =
        names.iter().zip(&contents).map(|(name, bytes)| (name.as_str(), lz4(bytes, BlockMode::Independent))).collect();
    let archive = tar_of(&files);
    let (on_device_entries, summary) = on_device("x.tar", archive.clone(), Route::Device);
    assert_eq!(summary.dispatches, 1);
    assert_eq!(summary.blocks.device, 20 * 3);
    assert_eq!(summary.blocks.device_output, contents.iter().map(|bytes| bytes.len() as u64).sum::<u64>());
    assert!(summary.blocks.host.is_empty(), "{:?}", summary.blocks.host);
    for route in [Route::Auto, Route::Host] {
        let (on_host_entries, summary) = on_device("x.tar", archive.clone(), route);
        assert_eq!((summary.dispatches, summary.blocks.device), (0, 0));
        assert_eq!(summary.blocks.host[&HostReason::HostRoute], 20 * 3);
        assert!(on_host_entries.files() == on_device_entries.files());
    }
    for (number, bytes) in contents.iter().enumerate() {
        assert!(on_device_entries.get(&format!("{number}.lz4!/{number}")).bytes[..] == bytes[..]);
    }
}

#[test]
fn streams_and_zip_entries_share_a_layer() {
    let plain = zstd_of_plain_blocks(&noise(2500, 3), (9, 700));
    let expected = [noise(2500, 3), vec![9; 700]].concat();
    let part = |name: &str| Part { method: 93, data: plain.clone(), ..Part::stored(name, &expected) };
    let wheel = build(&[part("a"), Part::deflated("b", &text(50)), part("c")]);
    let linked = lz4(&text(300_000), BlockMode::Linked);
    let archive = tar_of(&[
        ("w.whl", wheel),
        ("p.zst", plain.clone()),
        ("l.lz4", linked),
        ("t.gz", crate::collect::gzip(&text(9))),
    ]);
    let (collected, summary) = on_device("x.tar", archive, Route::Device);
    assert!(collected.get("w.whl!/a").bytes[..] == expected[..]);
    assert!(collected.get("w.whl!/c").bytes[..] == expected[..]);
    assert!(collected.get("p.zst!/p").bytes[..] == expected[..]);
    assert!(collected.get("l.lz4!/l").bytes[..] == text(300_000)[..]);
    // zstd blocks, and Deflate streams.
    assert_eq!((summary.dispatches, summary.blocks.device), (2, 3 * 4 + 2));
    assert_eq!(summary.blocks.host.keys().collect::<Vec<_>>(), [&HostReason::LinkedBlocks]);
}

/// Blocks after the damage are not part of the output, and reasons without blocks are absent.
#[test]
fn unused_blocks_are_not_counted() {
    let mut frame = lz4(&noise(300_000, 1), BlockMode::Independent);
    // The size of the third block, which is stored, becomes too large.
    let third = 7 + 2 * (4 + 65_536);
    frame[third..third + 4].copy_from_slice(&0x8001_0001_u32.to_le_bytes());
    let device = Arc::new(JitDevice::new(&JitOptions::default()).unwrap());
    let unpacker = Unpacker::on_device(device, Options::default().with_route(Route::Device));
    let mut collected = Collected::default();
    let summary = unpacker.unpack(b"x.lz4", Bytes::from(frame), &mut collected).unwrap();
    assert_eq!(summary.damaged, 1);
    assert_eq!(summary.blocks.device_output + summary.blocks.host_output, collected.entries[0].bytes.len() as u64);
    assert_eq!((summary.blocks.device, summary.blocks.device_output), (2, 2 * 65_536));
    let (_, summary) = crate::collect::open("x.gz", b"\x1f\x8b\x08\0".to_vec());
    assert!(summary.blocks.host.is_empty(), "{:?}", summary.blocks.host);
}

/// Each block has a descriptor on the device and a record on the host, even if it is empty.
#[test]
fn streams_of_too_many_blocks_are_decoded_on_the_host() {
    let blocks = |count: usize| {
        let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0x20, 0];
        frame.extend([0; 3].repeat(count - 1));
        frame.extend([1, 0, 0]);
        frame
    };
    let (_, summary) = on_device("few.zst", blocks(1000), Route::Device);
    assert_eq!((summary.dispatches, summary.blocks.device), (1, 1000));
    let (_, summary) = on_device("many.zst", blocks(300_000), Route::Device);
    assert_eq!((summary.dispatches, summary.blocks.device), (0, 0));
    let files: Vec<(&str, Vec<u8>)> = ["a.zst", "b.zst", "c.zst"].map(|name| (name, blocks(200_000))).into();
    let (_, summary) = on_device("x.tar", tar_of(&files), Route::Device);
    assert_eq!((summary.dispatches, summary.blocks.device), (1, 400_000));
    assert_eq!(summary.blocks.host[&HostReason::DeviceMemory], 200_000);
}
