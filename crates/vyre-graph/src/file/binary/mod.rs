//! Binary graph files: the arrays of a graph as they lie in memory, little-endian, with checksums.
//!
//! | Bytes | Contents |
//! |---|---|
//! | 0 to 7 | signature `89 56 47 52 0d 0a 1a 0a` |
//! | 8 to 11 | version of the format, 1 or 2 |
//! | 12 to 15 | 0 in version 1; number of entries of the table of sections in version 2, 6 to 64 |
//! | 16 to 23 | number of nodes |
//! | 24 to 31 | number of edges |
//! | 32 to 55 | 0 |
//! | 56 to 63 | checksum of the rest of the header |
//! | from 64 | table of sections: position, length, checksum, 0; all are 0 if the section is absent |
//!
//! Sections follow in their order, each at the next multiple of 64 bytes. Bytes between them are 0, and the file ends with the
//! last one. Numbers in the table and counts have 64 bits. Checksums are XXH3 with 64 bits ([`checksum`]).
//!
//! Version 1 has the first six [sections](section::Section). Version 2 can have the index of the graph, which a reader can ignore.
//! Sections with higher numbers must have this property too, so that readers skip those that they do not know.

pub(crate) mod check;
pub(crate) mod checksum;
pub(crate) mod error;
pub(crate) mod header;
pub(crate) mod mapped;
pub(crate) mod section;
pub(crate) mod stream;
pub(crate) mod version;
pub(crate) mod write;
