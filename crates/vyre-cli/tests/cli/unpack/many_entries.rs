//! Archives with many empty files, in formats that no crate of the tests writes: RPM packages, compound files, squashfs images and
//! ISO images. Only the parts that a reader of the tree needs are there.

/// An RPM package without names in its payload.
pub(super) fn rpm(names: &[String]) -> Vec<u8> {
    let count = names.len();
    let mut values: Vec<(u32, u32, usize, Vec<u8>)> = vec![
        (1030, 3, count, 0o100_644u16.to_be_bytes().repeat(count)),
        (1116, 4, count, vec![0; 4 * count]),
        (1117, 8, count, names.iter().flat_map(|name| [name.as_bytes(), b"\0"].concat()).collect()),
        (1118, 8, 1, b"/usr/\0".to_vec()),
        (5008, 5, count, vec![0; 8 * count]),
    ];
    let mut package = [&[0xed, 0xab, 0xee, 0xdb][..], &[0; 92]].concat();
    let mut header = |values: &mut Vec<(u32, u32, usize, Vec<u8>)>| {
        let size: usize = values.iter().map(|value| value.3.len()).sum();
        package.extend([0x8e, 0xad, 0xe8, 0x01, 0, 0, 0, 0]);
        package.extend([values.len() as u32, size as u32].map(u32::to_be_bytes).concat());
        let mut offset = 0;
        for (tag, kind, count, bytes) in &*values {
            package.extend([*tag, *kind, offset, *count as u32].map(u32::to_be_bytes).concat());
            offset += bytes.len() as u32;
        }
        for (.., bytes) in values.drain(..) {
            package.extend(bytes);
        }
    };
    header(&mut Vec::new());
    header(&mut values);
    for index in 0..count {
        package.extend(format!("07070X{index:08x}\0\0").bytes());
    }
    package
}

/// A compound file with sectors of 4,096 bytes. Its records are a list: each one is the right neighbour of the one before.
pub(super) fn cfb(count: usize) -> Vec<u8> {
    const SECTOR: usize = 4096;
    const END: u32 = 0xffff_fffe;
    const NONE: u32 = u32::MAX;
    let record = |name: &str, kind: u8, right: u32, child: u32| {
        let mut record = [0u8; 128];
        for (place, byte) in name.bytes().enumerate() {
            record[place * 2] = byte;
        }
        record[64] = (name.len() * 2 + 2) as u8;
        record[66] = kind;
        for (at, word) in [(68, NONE), (72, right), (76, child), (116, END)] {
            record[at..at + 4].copy_from_slice(&word.to_le_bytes());
        }
        record
    };
    let mut directory = record("Root Entry", 5, NONE, 1).to_vec();
    for number in 1..=count {
        let right = if number < count { number as u32 + 1 } else { NONE };
        directory.extend(record(&format!("stream-with-a-name-{number:09}"), 2, right, NONE));
    }
    directory.resize(directory.len().next_multiple_of(SECTOR), 0);
    let directory_sectors = directory.len() / SECTOR;
    let table_sectors = (directory_sectors + 8).div_ceil(SECTOR / 4 - 1);
    // Sectors of the table are first, then those of the directory.
    let mut table = vec![NONE; table_sectors * SECTOR / 4];
    table[..table_sectors].fill(0xffff_fffd);
    let end = table_sectors + directory_sectors;
    for (next, word) in (table_sectors + 1..).zip(&mut table[table_sectors..end]) {
        *word = if next < end { next as u32 } else { END };
    }
    let mut file = vec![0; SECTOR];
    file[..8].copy_from_slice(&[0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
    (file[30], file[32]) = (12, 6);
    for (at, word) in [(48, table_sectors as u32), (56, 4096), (60, END), (68, END)] {
        file[at..at + 4].copy_from_slice(&word.to_le_bytes());
    }
    for (place, at) in (76..512).step_by(4).enumerate() {
        let sector = if place < table_sectors { place as u32 } else { NONE };
        file[at..at + 4].copy_from_slice(&sector.to_le_bytes());
    }
    file.extend(table.iter().flat_map(|word| word.to_le_bytes()));
    file.extend(directory);
    file
}

/// An ISO image with one directory.
pub(super) fn iso(names: &[String]) -> Vec<u8> {
    const SECTOR: usize = 2048;
    let record = |name: &[u8], extent: u32, size: u32, flags: u8| {
        let length = (33 + name.len()).next_multiple_of(2);
        let mut record = vec![0; length];
        record[0] = length as u8;
        record[2..6].copy_from_slice(&extent.to_le_bytes());
        record[10..14].copy_from_slice(&size.to_le_bytes());
        record[25] = flags;
        record[32] = name.len() as u8;
        record[33..33 + name.len()].copy_from_slice(name);
        record
    };
    let mut directory: Vec<u8> = Vec::new();
    for name in names {
        let record = record(name.as_bytes(), 17, 0, 0);
        if directory.len() % SECTOR + record.len() > SECTOR {
            directory.resize(directory.len().next_multiple_of(SECTOR), 0);
        }
        directory.extend(record);
    }
    directory.resize(directory.len().next_multiple_of(SECTOR), 0);
    let mut image = vec![0; 18 * SECTOR];
    for (sector, kind) in [(16, 1), (17, 255)] {
        image[sector * SECTOR..][..6].copy_from_slice(&[kind, b'C', b'D', b'0', b'0', b'1']);
    }
    image[16 * SECTOR + 156..][..34].copy_from_slice(&record(&[0], 18, directory.len() as u32, 2));
    image.extend(directory);
    image
}

/// A squashfs image whose metadata are not compressed, with one directory.
pub(super) fn squashfs(names: &[String]) -> Vec<u8> {
    const BLOCK: usize = 8192;
    const SUPERBLOCK: u64 = 96;
    // An inode has 32 bytes, so that 256 are in a block, which is also the longest run of a directory.
    const RUN: usize = 256;
    let stored = |bytes: &[u8]| -> Vec<u8> {
        let blocks = bytes.chunks(BLOCK);
        blocks.flat_map(|block| [&(block.len() as u16 | 0x8000).to_le_bytes()[..], block].concat()).collect()
    };
    let words = |words: &[u32]| -> Vec<u8> { words.iter().flat_map(|word| word.to_le_bytes()).collect() };
    let (mut inodes, mut directory) = (Vec::new(), Vec::new());
    for (run, names) in names.chunks(RUN).enumerate() {
        directory.extend(words(&[names.len() as u32 - 1, (run * (BLOCK + 2)) as u32, 0]));
        for (place, name) in names.iter().enumerate() {
            inodes.extend([2u16, 0o644, 0, 0].map(u16::to_le_bytes).concat());
            inodes.extend(words(&[0, 1, 0, u32::MAX, 0, 0]));
            directory.extend([place as u16 * 32, 0, 2, name.len() as u16 - 1].map(u16::to_le_bytes).concat());
            directory.extend(name.as_bytes());
        }
    }
    inodes.resize(inodes.len().next_multiple_of(BLOCK), 0);
    let root = (inodes.len() / BLOCK * (BLOCK + 2)) as u64;
    inodes.extend([8u16, 0o755, 0, 0].map(u16::to_le_bytes).concat());
    inodes.extend(words(&[0, 1, 1, directory.len() as u32 + 3, 0, 0, 0, 0]));
    let (inodes, directory) = (stored(&inodes), stored(&directory));
    let directories = SUPERBLOCK + inodes.len() as u64;
    let end = directories + directory.len() as u64;
    let mut image = b"hsqs".to_vec();
    image.extend(words(&[names.len() as u32, 0, 4096, 0]));
    image.extend([1u16, 12, 0, 1, 4, 0].map(u16::to_le_bytes).concat());
    image.extend(
        [root << 16, end, u64::MAX, u64::MAX, SUPERBLOCK, directories, end, u64::MAX].map(u64::to_le_bytes).concat(),
    );
    image.extend(inodes);
    image.extend(directory);
    image
}
