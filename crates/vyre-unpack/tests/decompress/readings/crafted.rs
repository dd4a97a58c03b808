//! Archives on which readers disagree, and near misses on which they agree.

use super::build::{
    GNU, NO_MAGIC, Tar, Zip, end, file, long_name, padded, parts, pax, records, tar, unicode_path, wide_end, zip,
};

/// A crafted archive.
pub(crate) struct Crafted {
    pub(crate) name: &'static str,
    pub(crate) format: &'static str,
    pub(crate) bytes: Vec<u8>,
    /// True if all readers agree, so that nothing may be reported.
    pub(crate) is_agreed: bool,
}

/// A member that is hidden in the data of another one.
fn inner() -> Vec<u8> {
    file("package/inner.js", "INNER\n")
}

/// An archive of a header whose size is that of [`inner`] to some readers, and zero to others.
fn hiding(header: &Tar) -> Vec<u8> {
    tar(&[header.bytes(), inner(), file("z", "zz")])
}

/// An archive of a header whose size is 1024 to all readers.
fn sized(header: &Tar) -> Vec<u8> {
    tar(&[header.with(&[b'x'; 1024]), file("z", "zz")])
}

/// An archive of headers before a file `a`.
fn before(headers: &[Vec<u8>]) -> Vec<u8> {
    tar(&[headers.concat(), file("a", "aa")])
}

fn with_prefix(magic: &'static [u8; 8]) -> Vec<u8> {
    tar(&[Tar { magic, prefix: b"pre", ..Tar::new("a", b'0', 2) }.with(b"aa")])
}

fn with_sum(sum: fn(&str) -> Vec<u8>) -> Vec<u8> {
    tar(&[Tar { sum, ..Tar::new("a", b'0', 2) }.with(b"aa"), file("b", "bb")])
}

/// An archive of an extended header with this `size`, and a file of no bytes before [`inner`].
fn with_size(kind: u8, size: &str) -> Vec<u8> {
    tar(&[pax(kind, &[("size", size)]), Tar::new("a", b'0', 0).bytes(), inner(), file("y", "yy")])
}

/// An archive with raw bytes as the records of an extended header.
fn with_records(data: &[u8]) -> Vec<u8> {
    before(&[Tar::new("pax", b'x', data.len()).with(data)])
}

/// Tar archives.
pub(crate) fn tars() -> Vec<Crafted> {
    let one = |name, bytes| Crafted { name, format: "tar", bytes, is_agreed: false };
    let agreed = |name, bytes| Crafted { name, format: "tar", bytes, is_agreed: true };
    let path = |name| pax(b'x', &[("path", name)]);
    vec![
        agreed("plain", tar(&[file("a", "aa"), file("d/b", "bb")])),
        agreed("size after spaces", sized(&Tar::sized("a", b"       2000 "))),
        agreed("binary size", sized(&Tar::sized("a", b"\x80\0\0\0\0\0\0\0\0\0\x04\0"))),
        agreed("size in an extended header", {
            tar(&[pax(b'x', &[("size", "1024")]), Tar::new("a", b'0', 0).with(&[b'x'; 1024]), file("y", "yy")])
        }),
        agreed("long name", before(&[long_name("fromL")])),
        agreed("long name and time", before(&[pax(b'x', &[("mtime", "1")])])),
        agreed("comment in a global header", before(&[pax(b'g', &[("comment", "0123")])])),
        agreed("prefix", with_prefix(b"ustar\x0000")),
        agreed("contiguous file", tar(&[Tar::new("u", b'7', 2).with(b"uu")])),
        agreed(
            "links",
            tar(&[file("a", "aa"), Tar::link("s", b'2', "a", 0).bytes(), Tar::link("h", b'1', "a", 0).bytes()]),
        ),
        one("zeros before the size", hiding(&Tar::sized("a", b"\0\0\0\0\0\x30\x30\x32\x30\x30\x30\0"))),
        one("a zero before the size", hiding(&Tar::sized("a", b"\x000000002000\0"))),
        one("space in the size", hiding(&Tar::sized("a", b"000000 2000\0"))),
        one("letter after the size", hiding(&Tar::sized("a", b"00000002000x"))),
        one("letter after a space", hiding(&Tar::sized("a", b"0000002000 x"))),
        one("digit 8", tar(&[Tar::sized("a", b"00000001008\0").bytes(), inner()[..512].to_vec(), file("z", "zz")])),
        one("negative size", hiding(&Tar::sized("a", b"-0000002000\0"))),
        one("plus sign", hiding(&Tar::sized("a", b"+0000002000\0"))),
        one("tabulator", hiding(&Tar::sized("a", b"\t0000002000\0"))),
        one("binary size with sign", hiding(&Tar::sized("a", b"\xc0\0\0\0\0\0\0\0\0\0\x04\0"))),
        one("symbolic link with data", hiding(&Tar::link("s", b'2', "z", 1024))),
        one("hard link with data", tar(&[file("y", "yy"), hiding(&Tar::link("h", b'1', "y", 1024))])),
        one("directory with data", hiding(&Tar::new("d/", b'5', 1024))),
        one("pipe with data", hiding(&Tar::new("p", b'6', 1024))),
        one("device with data", hiding(&Tar::new("p", b'3', 1024))),
        one("file with a slash", hiding(&Tar::new("d/", b'0', 1024))),
        one("old file with a slash", hiding(&Tar { magic: NO_MAGIC, ..Tar::new("d/", 0, 1024) })),
        one("unknown type", hiding(&Tar::new("u", b'Z', 1024))),
        one("dumped directory", hiding(&Tar::new("u/", b'D', 1024))),
        one("label with data", hiding(&Tar::new("u", b'V', 1024))),
        one("continued file", hiding(&Tar::new("u", b'M', 1024))),
        one("inode", hiding(&Tar::new("u", b'I', 1024))),
        one("access list", hiding(&Tar::new("u", b'A', 1024))),
        one("link with a size in an extended header", {
            tar(&[pax(b'x', &[("size", "1024")]), Tar::link("s", b'2', "y", 0).bytes(), inner(), file("y", "yy")])
        }),
        one("size in a global header", with_size(b'g', "1024")),
        one("path in a global header", before(&[pax(b'g', &[("path", "gp")])])),
        one("path, then long name", before(&[path("fromx"), long_name("fromL")])),
        one("long name, then path", before(&[long_name("fromL"), path("fromx")])),
        one("two long names", before(&[long_name("fromL"), long_name("fromM")])),
        one("path, then another header", before(&[path("one"), pax(b'x', &[("mtime", "1")])])),
        one("two paths", before(&[path("one"), path("two")])),
        one("a record twice", before(&[pax(b'x', &[("path", "one"), ("path", "two")])])),
        one("Solaris header", before(&[pax(b'X', &[("path", "solaris")])])),
        one("size with a sign", with_size(b'x', "+1024")),
        one("size after a space", with_size(b'x', " 1024")),
        one("hexadecimal size", with_size(b'x', "0x400")),
        one("size with a fraction", with_size(b'x', "1024.5")),
        one("zero byte in a path", before(&[path("b\0c")])),
        one("empty path", before(&[path("")])),
        one("record in a value", with_records(b"25 comment=\n13 path=evil\n")),
        one("wrong length of a record", with_records(&[&records(&[("path", "abcd")])[..], b"99 x=y\n"].concat())),
        one("length with a zero", with_records(b"0013 path=ab\n")),
        one("prefix without version", with_prefix(b"ustar\0xx")),
        one("prefix without a zero byte", with_prefix(b"ustar000")),
        one("prefix of GNU tar", with_prefix(GNU)),
        one("prefix without magic", with_prefix(NO_MAGIC)),
        one("byte after the checksum", with_sum(|digits| format!("{digits}\0x").into_bytes())),
        one("byte after the space of the checksum", with_sum(|digits| format!("{digits} x").into_bytes())),
        one("zero byte before the checksum", with_sum(|digits| format!("\0{digits}\0").into_bytes())),
        one("one block of zeros", tar(&[file("a", "aa"), vec![0; 512], file("b", "bb")])),
        one("the same name twice", tar(&[file("a", "first"), file("a", "second")])),
        one("the same path twice", tar(&[file("d/a", "first"), file("./d//a", "second")])),
        one("absolute name", tar(&[file("/abs/a", "first"), file("abs/a", "second")])),
        one("name that goes up", tar(&[file("../a", "aa"), file("b", "bb")])),
    ]
}

/// Zip archives.
pub(crate) fn zips() -> Vec<Crafted> {
    let one = |name, bytes| Crafted { name, format: "zip", bytes, is_agreed: false };
    let agreed = |name, bytes| Crafted { name, format: "zip", bytes, is_agreed: true };
    let (benign, evil) = (Zip::stored("a", "benign"), Zip::stored("a", "EVIL!!"));
    let (local, directory) = parts(std::slice::from_ref(&benign));
    let hidden = benign.local_bytes().len();
    let both = [benign.local_bytes(), evil.local_bytes()].concat();
    let (first, second) = (benign.central_bytes(0), evil.central_bytes(hidden));
    let size = first.len();
    let field = |name: &str| unicode_path(name, "a");
    let with = |change: &dyn Fn(&mut Zip)| {
        let mut entry = benign.clone();
        change(&mut entry);
        zip(&[entry])
    };
    let mac = {
        let mut entry = Zip::deflated("a", &"benign".repeat(20));
        let central = entry.central.clone();
        (entry.local.flags, entry.central.flags) = (8, 8);
        (entry.local.crc32, entry.local.compressed) = (0, 0);
        entry.after = b"PK\x07\x08".to_vec();
        entry.after.extend([central.crc32, central.compressed, central.size].into_iter().flat_map(u32::to_le_bytes));
        zip(&[entry])
    };
    let wide = |before: &[u8]| {
        let at = local.len() + directory.len();
        let wide = wide_end(1, directory.len(), local.len(), at);
        [before, &local, &directory, &wide, &end(u16::MAX, u32::MAX as usize, u32::MAX as usize, b"")].concat()
    };
    let differing = |change: fn(&mut Zip)| {
        let mut entry = Zip::deflated("a", &"benign".repeat(9));
        change(&mut entry);
        zip(&[entry])
    };
    vec![
        agreed("plain", zip(&[benign.clone(), Zip::deflated("d/b", "bb")])),
        agreed("layout of macOS", mac),
        agreed("behind a script", [b"#!/bin/sh\n", &zip(std::slice::from_ref(&benign))[..]].concat()),
        agreed("behind one byte", [b"X", &zip(std::slice::from_ref(&benign))[..]].concat()),
        agreed("stored archive as the last entry", {
            let inner = zip(&[Zip::stored("b", "inner")]);
            let mut entry = Zip::stored("inner.zip", "");
            for header in [&mut entry.local, &mut entry.central] {
                (header.compressed, header.size) = (inner.len() as u32, inner.len() as u32);
                header.crc32 = crc32fast::hash(&inner);
            }
            entry.data = inner;
            zip(&[benign.clone(), entry])
        }),
        agreed("zip64", wide(b"")),
        agreed("Unicode path of another name", with(&|entry| entry.central.extra = unicode_path("evil", "b"))),
        agreed("zip64 field beside sizes", with(&|entry| entry.central.extra = b"\x01\0\x08\0AAAAAAAA".to_vec())),
        one("zip64 behind a script", wide(b"#!/bin/sh\n")),
        one("second directory in a signature", {
            let signature = [b"PK\x05\x05", &(second.len() as u16).to_le_bytes()[..], &second].concat();
            [&both[..], &first, &signature, &end(1, size, both.len(), b"")].concat()
        }),
        one("second directory after a signature", {
            let rest = [b"PK\x05\x05\0\0", &second[..]].concat();
            [&both[..], &first, &rest, &end(1, size + rest.len(), both.len(), b"")].concat()
        }),
        one("zip64 record beside an end record", {
            let start = [&both[..], &first, &second].concat();
            let wide = wide_end(1, size, both.len() + size, start.len());
            [&start[..], &wide, &end(1, size, both.len(), b"")].concat()
        }),
        one("offset and size of two directories", {
            [&both[..], &first, &second, &end(1, size, both.len(), b"")].concat()
        }),
        one("directory larger than it is", [&local[..], &directory, &end(1, size + 5, local.len(), b"")].concat()),
        one("directory of size zero", [&local[..], &directory, &end(1, 0, local.len(), b"")].concat()),
        one("directory smaller than it is", [&local[..], &directory, &end(1, size - 5, local.len(), b"")].concat()),
        one("fewer entries than there are", {
            [&both[..], &first, &second, &end(1, 2 * size, both.len(), b"")].concat()
        }),
        one("more entries than there are", [&local[..], &directory, &end(2, size, local.len(), b"")].concat()),
        one("archive in a comment", {
            let comment = zip(std::slice::from_ref(&evil));
            [&local[..], &directory, &end(1, size, local.len(), &comment)].concat()
        }),
        one("two archives", [zip(std::slice::from_ref(&benign)), zip(&[Zip::stored("b", "EVIL!!")])].concat()),
        one(
            "Unicode path",
            with(&|entry| {
                entry.central.extra = field("evil");
                entry.local.extra = field("evil");
            }),
        ),
        one("Unicode path in the directory", with(&|entry| entry.central.extra = field("evil"))),
        one("Unicode path in the local header", with(&|entry| entry.local.extra = field("evil"))),
        one("directory attribute of DOS", with(&|entry| (entry.attributes, entry.system) = (0x10, 0))),
        one("the same name twice", zip(&[benign.clone(), evil.clone()])),
        one("the same path twice", zip(&[benign.clone(), Zip::stored("./a", "EVIL!!")])),
        one("backslash", zip(&[Zip::stored("d/a", "benign"), Zip::stored("d\\a", "EVIL!!")])),
        one("backslash in one name", zip(&[Zip::stored("d\\a", "text")])),
        one("absolute name", zip(&[Zip::stored("/abs/a", "x"), Zip::stored("abs/a", "y")])),
        one("name that goes up", zip(&[Zip::stored("../a", "x"), Zip::stored("b", "y")])),
        one("other name in the local header", with(&|entry| entry.local.name = b"evil".to_vec())),
        one("zero byte in the name", zip(&[Zip::stored("a\0b", "benign")])),
        one("other method in the local header", differing(|entry| entry.central.method = 0)),
        one("other size in the local header", {
            let mut entry = Zip::stored("a", "benignEVIL!!");
            let short = Zip::stored("a", "benign").central;
            entry.central = short;
            zip(&[entry])
        }),
        one("other checksum in the local header", with(&|entry| entry.local.crc32 = 7)),
        one("encrypted in the directory", with(&|entry| entry.central.flags = 1)),
        one("encrypted in the local header", with(&|entry| entry.local.flags = 1)),
        one("entry that no directory lists", {
            let local = [benign.local_bytes(), Zip::stored("hidden", "EVIL!!").local_bytes()].concat();
            [&local[..], &first, &end(1, size, local.len(), b"")].concat()
        }),
        one("two entries in one place", {
            let other = Zip::stored("b", "benign").central_bytes(0);
            [&local[..], &first, &other, &end(2, size + other.len(), local.len(), b"")].concat()
        }),
        one("local header alone", [local.clone(), padded(b"")].concat()),
    ]
}
