//! Headers of zip entries beside their data, and the descriptors after it.

/// The first bytes of a local header.
pub(super) const SIGNATURE: &[u8] = b"PK\x03\x04";
const DESCRIPTOR_SIGNATURE: u32 = 0x0807_4b50;
const FIXED: usize = 30;
/// The size that stands for one in the extra field.
const IN_EXTRA_FIELD: u32 = u32::MAX;

/// The header of an entry beside its data.
#[derive(Debug, Clone, Copy)]
pub(super) struct LocalHeader<'a> {
    pub(super) flags: u16,
    pub(super) method: u16,
    pub(super) crc32: u32,
    pub(super) compressed_size: u64,
    pub(super) size: u64,
    pub(super) name: &'a [u8],
    /// Where the data begin.
    pub(super) data: usize,
}

impl<'a> LocalHeader<'a> {
    /// The header at this place, if there is one.
    pub(super) fn read(archive: &'a [u8], at: usize) -> Option<LocalHeader<'a>> {
        let fixed = archive.get(at..)?.get(..FIXED)?;
        if !fixed.starts_with(SIGNATURE) {
            return None;
        }
        let (compressed, size) = (u32_at(fixed, 18)?, u32_at(fixed, 22)?);
        let name_start = at + FIXED;
        let extra_start = name_start + usize::from(u16_at(fixed, 26)?);
        let data = extra_start + usize::from(u16_at(fixed, 28)?);
        let (compressed_size, size) = sizes(compressed, size, archive.get(extra_start..data)?);
        Some(LocalHeader {
            flags: u16_at(fixed, 6)?,
            method: u16_at(fixed, 8)?,
            crc32: u32_at(fixed, 14)?,
            compressed_size,
            size,
            name: &archive[name_start..extra_start],
            data,
        })
    }

    /// Whether sizes and checksum come after the data.
    pub(super) fn has_descriptor(&self) -> bool {
        self.flags & 8 != 0
    }

    /// Whether sizes and checksum are here.
    pub(super) fn has_sizes(&self) -> bool {
        !self.has_descriptor() || self.crc32 != 0 || self.compressed_size != 0 || self.size != 0
    }
}

/// Compressed and other size, from the extra field of large entries where they are there.
fn sizes(compressed: u32, size: u32, extra: &[u8]) -> (u64, u64) {
    let mut both = (u64::from(compressed), u64::from(size));
    if compressed != IN_EXTRA_FIELD && size != IN_EXTRA_FIELD {
        return both;
    }
    let mut fields = rawzip::extra_fields::ExtraFields::new(extra);
    let zip64 = fields.find(|(id, _)| *id == rawzip::extra_fields::ExtraFieldId::ZIP64);
    let Some((_, mut field)) = zip64 else { return both };
    if size == IN_EXTRA_FIELD
        && let Some(value) = u64_at(field, 0)
    {
        both.1 = value;
        field = &field[8..];
    }
    if compressed == IN_EXTRA_FIELD
        && let Some(value) = u64_at(field, 0)
    {
        both.0 = value;
    }
    both
}

/// What comes after the data of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Descriptor {
    pub(super) crc32: u32,
    pub(super) compressed_size: u64,
    pub(super) size: u64,
    /// How many bytes it takes.
    pub(super) length: usize,
}

impl Descriptor {
    /// All that the bytes at this place can be read as: with and without a signature, with sizes of 8 and of 4 bytes.
    pub(super) fn read(archive: &[u8], at: usize) -> impl Iterator<Item = Descriptor> + '_ {
        let bytes = archive.get(at..).unwrap_or_default();
        let starts = if u32_at(bytes, 0) == Some(DESCRIPTOR_SIGNATURE) { &[4, 0][..] } else { &[0] };
        starts.iter().flat_map(move |&start| {
            let crc32 = u32_at(bytes, start);
            let narrow = (u32_at(bytes, start + 4).map(u64::from), u32_at(bytes, start + 8).map(u64::from), start + 12);
            let wide = (u64_at(bytes, start + 4), u64_at(bytes, start + 12), start + 20);
            [narrow, wide].into_iter().filter_map(move |(compressed_size, size, length)| {
                Some(Descriptor { crc32: crc32?, compressed_size: compressed_size?, size: size?, length })
            })
        })
    }
}

/// A number of 2 bytes.
pub(super) fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// A number of 4 bytes.
pub(super) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// A number of 8 bytes.
pub(super) fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}
