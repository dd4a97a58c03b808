//! Nested archives, from bytes to files: nothing is lost, and no unverified file has its own name.

use bytes::Bytes;
use vyre_unpack::{DecompressError, ExtractTotals, Limits, Options, Summary, Unpacker};
use zip::CompressionMethod;

use super::{Around, Found};
use crate::collect::{gzip, limited, noise, text};
use crate::tar::{checksum, header, member, tar_of};
use crate::zip::{Part, build, zip_of};

/// Unpacks an archive and returns the files on disk.
fn unpack_with(name: &str, archive: Vec<u8>, options: Options) -> (Vec<(String, Vec<u8>)>, ExtractTotals, Outcome) {
    let around = Around::new();
    let mut extractor = around.extractor();
    let outcome = Unpacker::on_host(options).unpack(name.as_bytes(), Bytes::from(archive), &mut extractor);
    let extracted = extractor.finish().expect("the file system works");
    let files = around.tree().into_iter().filter_map(|(path, found)| match found {
        Found::File(bytes) => Some((path, bytes)),
        Found::Directory | Found::Link(_) => None,
    });
    (files.collect(), extracted, outcome)
}

type Outcome = Result<Summary, DecompressError>;

fn unpack(name: &str, archive: Vec<u8>) -> (Vec<(String, Vec<u8>)>, ExtractTotals, Summary) {
    let (files, extracted, outcome) = unpack_with(name, archive, Options::default());
    (files, extracted, outcome.unwrap())
}

fn paths(files: &[(String, Vec<u8>)]) -> Vec<&str> {
    files.iter().map(|(path, _)| &**path).collect()
}

#[test]
fn a_nested_archive_is_removed_only_if_it_is_extracted_completely() {
    let good = zip_of(&[("a", text(50)), ("b.gz", gzip(b"b"))], CompressionMethod::Deflated);
    let package = gzip(&tar_of(&[("p", text(9))]));
    let (files, extracted, summary) =
        unpack("x.tar", tar_of(&[("good.zip", good.clone()), ("p.tgz", package.clone())]));
    assert!(summary.is_clean());
    assert_eq!(paths(&files), ["good.zip!/a", "good.zip!/b.gz!/b", "p.tgz!/p"]);
    assert_eq!((extracted.opened, extracted.files), (3, 3));

    let mut crc = Part::stored("a", b"abc");
    crc.crc32 ^= 1;
    let long = format!("{}.gz", "n".repeat(252));
    let bad = [
        ("cut.gz", gzip(&noise(900, 1))[..500].to_vec()),
        ("magic.gz", b"\x1f\x8b\x08 and nothing else that would be a stream".to_vec()),
        ("magic.zst", b"\x28\xb5\x2f\xfd no frame at all".to_vec()),
        ("crc.zip", build(&[crc])),
        ("up.zip", build(&[Part::stored("../up", b"up"), Part::stored("a", b"a")])),
        ("tail.tgz", [&package[..], b"something after the end"].concat()),
        (&*long, gzip(b"long")),
    ];
    for (name, bytes) in bad {
        let (files, ..) = unpack("x.tar", tar_of(&[(name, bytes.clone()), ("good.zip", good.clone())]));
        let found = files.iter().find(|(path, _)| path == name);
        assert_eq!(found.map(|(_, found)| found), Some(&bytes), "{name}: {:?}", paths(&files));
        assert!(!paths(&files).contains(&"good.zip"), "{name}");
    }
}

#[test]
fn a_nested_archive_beyond_a_limit_is_kept() {
    let inner = gzip(&text(10_000));
    let archive = tar_of(&[("a.gz", inner.clone())]);
    for limits in [Limits::default().with_entry(5000), Limits::default().with_total(5000)] {
        let (files, ..) = unpack_with("x.tar", archive.clone(), limited(limits));
        assert_eq!(files, [("a.gz".to_owned(), inner.clone())]);
    }
    let zip = build(&[Part::stored("a", b"a"), Part::stored("b", b"b")]);
    let limits = Limits::default().with_entries(2);
    let (files, _, outcome) = unpack_with("x.tar", tar_of(&[("a.zip", zip.clone())]), limited(limits));
    assert!(outcome.is_err());
    assert!(files.contains(&("a.zip".to_owned(), zip)), "{:?}", paths(&files));
}

#[test]
fn archives_of_the_same_name_do_not_remove_each_other() {
    let mut crc = Part::stored("a", b"abc");
    crc.crc32 ^= 1;
    let (bad, good) = (build(&[crc]), build(&[Part::stored("b", b"b")]));
    let archive = tar_of(&[("a.zip", bad.clone()), ("a.zip", good)]);
    let (files, extracted, _) = unpack("x.tar", archive);
    assert!(files.contains(&("a.zip.duplicate".to_owned(), bad)), "{:?}", paths(&files));
    assert!(files.contains(&("a.zip!/b".to_owned(), b"b".to_vec())), "{:?}", paths(&files));
    assert_eq!(extracted.refused, 0);
}

#[test]
fn a_file_that_is_not_a_valid_archive_keeps_its_name() {
    let mut ustar = text(1500);
    ustar[257..262].copy_from_slice(b"ustar");
    let fake = b"PK\x03\x04 and nothing that follows".to_vec();
    let contents = [("fake.zip", fake), ("notes", ustar)];
    for archive in [tar_of(&contents), zip_of(&contents, CompressionMethod::Deflated)] {
        let (files, extracted, summary) = unpack("x", archive);
        assert_eq!(files, contents.clone().map(|(name, bytes)| (name.to_owned(), bytes)));
        assert_eq!((extracted.damaged, summary.damaged, summary.problem_count), (0, 0, 1));
    }
    let (files, ..) = unpack("fake.gz", gzip(&contents[0].1));
    assert_eq!(files, [("fake".to_owned(), contents[0].1.clone())]);
}

#[test]
fn sparse_files_with_damaged_maps_are_not_written() {
    let record = |keyword: &str, value: &str| {
        let rest = format!(" {keyword}={value}\n");
        let length = rest.len() + if rest.len() + 1 < 10 { 1 } else { 2 };
        format!("{length}{rest}").into_bytes()
    };
    let version =
        |major: &str, minor: &str| [record("GNU.sparse.major", major), record("GNU.sparse.minor", minor)].concat();
    let old = [record("GNU.sparse.size", "9000"), record("GNU.sparse.numbytes", "1")].concat();
    let map = [record("GNU.sparse.map", "0"), record("GNU.sparse.size", "9000")].concat();
    let beyond = [record("GNU.sparse.map", "8999,2"), record("GNU.sparse.size", "9000")].concat();
    for records in [old, map, beyond, version("1", "0")] {
        for data in [&b""[..], b"part"] {
            let archive = [member(b"x", b'x', &records), member(b"s", b'0', data), member(b"good", b'0', b"good")];
            let (files, extracted, summary) = unpack("x.tar", [archive.concat(), vec![0; 1024]].concat());
            // npm, 7-Zip and cargo know no sparse files.
            assert_eq!(files, [("good".to_owned(), b"good".to_vec()), ("s".to_owned(), data.to_vec())]);
            assert_eq!((extracted.nothing, summary.damaged), (1, 2));
        }
    }
    // An overlap of two parts.
    let mut damaged = header(b"s", b'S', 0);
    damaged[386..434].copy_from_slice(b"00000000000\x0000000000004\x0000000000003\x0000000000004\0");
    damaged[483..495].copy_from_slice(b"00000000010\0");
    checksum(&mut damaged);
    let archive = [damaged.to_vec(), member(b"good", b'0', b"good"), vec![0; 1024]];
    let (files, extracted, _) = unpack("x.tar", archive.concat());
    assert_eq!((paths(&files), extracted.nothing), (vec!["good"], 1));
}

#[test]
fn entries_without_a_checksum_in_a_damaged_archive_are_damaged() {
    let tar = tar_of(&[("a", text(100)), ("empty", Vec::new()), ("in.zip", build(&[Part::stored("z", b"z")]))]);
    let mut tgz = gzip(&tar);
    let crc = tgz.len() - 8;
    tgz[crc] ^= 1;
    let (files, extracted, summary) = unpack("x.tgz", tgz);
    assert_eq!(paths(&files), ["a.damaged", "empty", "in.zip!/z", "in.zip.damaged"]);
    assert_eq!((extracted.damaged, summary.damaged, summary.problem_count), (2, 2, 1));

    let mut part = Part::deflated("in.tar", &tar);
    part.crc32 ^= 1;
    let (files, ..) = unpack("x.zip", build(&[part]));
    let expected =
        ["in.tar!/a.damaged", "in.tar!/empty", "in.tar!/in.zip!/z", "in.tar!/in.zip.damaged", "in.tar.damaged"];
    assert_eq!(paths(&files), expected);
}
