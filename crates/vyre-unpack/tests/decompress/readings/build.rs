//! Builders of archives with unusual fields.

use crate::collect::deflate;

/// A tar header of any form.
#[derive(Clone)]
pub(super) struct Tar {
    pub(super) name: Vec<u8>,
    pub(super) kind: u8,
    /// The 12 bytes of the size.
    pub(super) size: Vec<u8>,
    pub(super) target: Vec<u8>,
    pub(super) magic: &'static [u8; 8],
    pub(super) prefix: &'static [u8],
    /// Makes the checksum field of its digits.
    pub(super) sum: fn(&str) -> Vec<u8>,
}

pub(super) const POSIX: &[u8; 8] = b"ustar\x0000";
pub(super) const GNU: &[u8; 8] = b"ustar  \0";
pub(super) const NO_MAGIC: &[u8; 8] = b"\0\0\0\0\0\0\0\0";

impl Tar {
    pub(super) fn new(name: &str, kind: u8, size: usize) -> Tar {
        Tar {
            name: name.into(),
            kind,
            size: format!("{size:011o}\0").into_bytes(),
            target: Vec::new(),
            magic: POSIX,
            prefix: b"",
            sum: |digits| format!("{digits}\0 ").into_bytes(),
        }
    }

    pub(super) fn link(name: &str, kind: u8, target: &str, size: usize) -> Tar {
        Tar { target: target.into(), ..Tar::new(name, kind, size) }
    }

    /// A file whose size field has these bytes.
    pub(super) fn sized(name: &str, size: &[u8; 12]) -> Tar {
        Tar { size: size.to_vec(), ..Tar::new(name, b'0', 0) }
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut header = [0; 512];
        header[..self.name.len()].copy_from_slice(&self.name);
        header[100..124].copy_from_slice(b"0000644\x000000000\x000000000\0");
        header[124..136].copy_from_slice(&self.size);
        header[136..148].copy_from_slice(b"00000000012\0");
        header[148..156].fill(b' ');
        header[156] = self.kind;
        header[157..157 + self.target.len()].copy_from_slice(&self.target);
        header[257..265].copy_from_slice(self.magic);
        header[345..345 + self.prefix.len()].copy_from_slice(self.prefix);
        let sum: u32 = header.iter().map(|&byte| u32::from(byte)).sum();
        header[148..156].copy_from_slice(&(self.sum)(&format!("{sum:06o}")));
        header.to_vec()
    }

    pub(super) fn with(&self, data: &[u8]) -> Vec<u8> {
        [self.bytes(), padded(data)].concat()
    }
}

/// Data padded to whole blocks.
pub(super) fn padded(data: &[u8]) -> Vec<u8> {
    let mut data = data.to_vec();
    data.resize(data.len().next_multiple_of(512), 0);
    data
}

/// A file of a tar archive.
pub(super) fn file(name: &str, data: &str) -> Vec<u8> {
    Tar::new(name, b'0', data.len()).with(data.as_bytes())
}

/// Records of an extended header.
pub(super) fn records(pairs: &[(&str, &str)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (key, value) in pairs {
        let rest = key.len() + value.len() + 3;
        let length = (1..).find(|&length: &usize| rest + length.to_string().len() == length).unwrap();
        bytes.extend(format!("{length} {key}={value}\n").bytes());
    }
    bytes
}

/// An extended header of this type with these records.
pub(super) fn pax(kind: u8, pairs: &[(&str, &str)]) -> Vec<u8> {
    let data = records(pairs);
    Tar::new("pax", kind, data.len()).with(&data)
}

/// A GNU long name.
pub(super) fn long_name(name: &str) -> Vec<u8> {
    let data = format!("{name}\0");
    Tar { magic: GNU, ..Tar::new("././@LongLink", b'L', data.len()) }.with(data.as_bytes())
}

/// A tar archive of these parts.
pub(super) fn tar(parts: &[Vec<u8>]) -> Vec<u8> {
    [parts.concat(), vec![0; 1024]].concat()
}

/// An entry of a zip archive: what the local header and the central record say.
#[derive(Clone)]
pub(super) struct Zip {
    pub(super) local: ZipHeader,
    pub(super) central: ZipHeader,
    pub(super) data: Vec<u8>,
    /// Bytes after the data.
    pub(super) after: Vec<u8>,
    pub(super) attributes: u32,
    pub(super) system: u8,
}

/// The fields that both headers have.
#[derive(Clone)]
pub(super) struct ZipHeader {
    pub(super) name: Vec<u8>,
    pub(super) flags: u16,
    pub(super) method: u16,
    pub(super) crc32: u32,
    pub(super) compressed: u32,
    pub(super) size: u32,
    pub(super) extra: Vec<u8>,
}

impl Zip {
    pub(super) fn stored(name: &str, data: &str) -> Zip {
        let header = ZipHeader {
            name: name.into(),
            flags: 0,
            method: 0,
            crc32: crc32fast::hash(data.as_bytes()),
            compressed: data.len() as u32,
            size: data.len() as u32,
            extra: Vec::new(),
        };
        let data = data.as_bytes().to_vec();
        Zip { local: header.clone(), central: header, data, after: Vec::new(), attributes: 0, system: 3 }
    }

    pub(super) fn deflated(name: &str, content: &str) -> Zip {
        let mut entry = Zip::stored(name, content);
        entry.data = deflate(content.as_bytes());
        for header in [&mut entry.local, &mut entry.central] {
            header.method = 8;
            header.compressed = entry.data.len() as u32;
        }
        entry
    }

    pub(super) fn local_bytes(&self) -> Vec<u8> {
        let ZipHeader { name, flags, method, crc32, compressed, size, extra } = &self.local;
        let mut bytes = b"PK\x03\x04\x14\0".to_vec();
        bytes.extend([*flags, *method, 0, 0x21].into_iter().flat_map(u16::to_le_bytes));
        bytes.extend([*crc32, *compressed, *size].into_iter().flat_map(u32::to_le_bytes));
        bytes.extend([name.len() as u16, extra.len() as u16].into_iter().flat_map(u16::to_le_bytes));
        [&bytes[..], name, extra, &self.data, &self.after].concat()
    }

    pub(super) fn central_bytes(&self, offset: usize) -> Vec<u8> {
        let ZipHeader { name, flags, method, crc32, compressed, size, extra } = &self.central;
        let mut bytes = vec![b'P', b'K', 1, 2, 0x14, self.system, 0x14, 0];
        bytes.extend([*flags, *method, 0, 0x21].into_iter().flat_map(u16::to_le_bytes));
        bytes.extend([*crc32, *compressed, *size].into_iter().flat_map(u32::to_le_bytes));
        bytes.extend([name.len() as u16, extra.len() as u16, 0, 0, 0].into_iter().flat_map(u16::to_le_bytes));
        bytes.extend([self.attributes, offset as u32].into_iter().flat_map(u32::to_le_bytes));
        [&bytes[..], name, extra].concat()
    }
}

/// The end record.
pub(super) fn end(count: u16, size: usize, offset: usize, comment: &[u8]) -> Vec<u8> {
    let mut bytes = b"PK\x05\x06\0\0\0\0".to_vec();
    bytes.extend([count, count].into_iter().flat_map(u16::to_le_bytes));
    bytes.extend([size as u32, offset as u32].into_iter().flat_map(u32::to_le_bytes));
    bytes.extend((comment.len() as u16).to_le_bytes());
    [&bytes[..], comment].concat()
}

/// The zip64 end record at `at` and its locator.
pub(super) fn wide_end(count: u64, size: usize, offset: usize, at: usize) -> Vec<u8> {
    let mut bytes = b"PK\x06\x06".to_vec();
    bytes.extend(44u64.to_le_bytes());
    bytes.extend([45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    bytes.extend([count, count, size as u64, offset as u64].into_iter().flat_map(u64::to_le_bytes));
    bytes.extend(b"PK\x06\x07\0\0\0\0");
    bytes.extend((at as u64).to_le_bytes());
    bytes.extend(1u32.to_le_bytes());
    bytes
}

/// The local entries and the central directory of a zip archive.
pub(super) fn parts(entries: &[Zip]) -> (Vec<u8>, Vec<u8>) {
    let (mut local, mut directory) = (Vec::new(), Vec::new());
    for entry in entries {
        directory.extend(entry.central_bytes(local.len()));
        local.extend(entry.local_bytes());
    }
    (local, directory)
}

/// A zip archive of these entries.
pub(super) fn zip(entries: &[Zip]) -> Vec<u8> {
    let (local, directory) = parts(entries);
    [&local[..], &directory, &end(entries.len() as u16, directory.len(), local.len(), b"")].concat()
}

/// A Unicode path field for an entry of this name.
pub(super) fn unicode_path(name: &str, own: &str) -> Vec<u8> {
    let mut field = 0x7075u16.to_le_bytes().to_vec();
    field.extend((name.len() as u16 + 5).to_le_bytes());
    field.push(1);
    field.extend(crc32fast::hash(own.as_bytes()).to_le_bytes());
    field.extend(name.bytes());
    field
}
