//! Work records of the traversal: queued containers, open archives, member jobs and their results.
//!
//! The records only hold data. `layers` creates and consumes them, `batch` decodes members, `device_pass` decodes blocks.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use crate::archive::{ArchiveFormat, Listing, Member, MemberTable};
use crate::entry::Entry;
use crate::limits::LimitExceeded;
use crate::problem::Problem;
use crate::stream::{Decoded, StreamBlocks, StreamFormat};
use crate::summary::{HostReason, ZstdBlockCounts};

/// A container that waits for its layer.
pub(crate) struct Queued {
    /// Names of the containers around its entries.
    pub(crate) path: Arc<[Vec<u8>]>,
    /// File name, from which the content of a stream derives its name.
    pub(crate) name: Vec<u8>,
    pub(crate) bytes: Bytes,
    pub(crate) container: Container,
    /// Nesting depth; 1 for the outermost container.
    pub(crate) depth: u32,
    /// True if only streams surround it.
    pub(crate) is_outermost: bool,
    /// True if no problem of it is known so far.
    pub(crate) is_clean: bool,
    /// True if damage around it may have changed its bytes.
    pub(crate) may_be_corrupt: bool,
}

/// A container of a known format.
pub(crate) enum Container {
    Stream(&'static StreamFormat),
    Archive(&'static ArchiveFormat, Box<Listing>),
}

/// An archive whose members are being decoded.
pub(crate) struct OpenArchive {
    /// Names of the containers around its members, its own last.
    pub(crate) path: Arc<[Vec<u8>]>,
    pub(crate) bytes: Bytes,
    pub(crate) format: &'static ArchiveFormat,
    /// Nesting depth; 1 for the outermost container.
    pub(crate) depth: u32,
    /// True if no problem of the archive itself is known.
    pub(crate) is_clean: bool,
    /// True if damage around it may have changed its bytes.
    pub(crate) may_be_corrupt: bool,
    pub(crate) members: MemberTable,
    /// Names of members that ASAR archives among the members have beside them.
    pub(crate) beside_asar: BTreeSet<Vec<u8>>,
    /// Streams that the device decoded, by member index.
    pub(crate) decoded: BTreeMap<usize, Decoded>,
    /// Reasons for decoding other members on the host, by member index.
    pub(crate) reasons: BTreeMap<usize, StreamReason>,
}

/// A member to decode.
pub(crate) struct MemberJob {
    /// Index of its archive.
    pub(crate) archive: usize,
    pub(crate) member: Member,
    /// Its content, if the device decoded it.
    pub(crate) decoded: Option<Decoded>,
    /// Reason for decoding it on the host otherwise.
    pub(crate) reason: StreamReason,
    /// The limit that forbids it.
    pub(crate) refused: Option<LimitExceeded>,
}

/// A decoded member.
pub(crate) struct DecodedMember {
    /// Index of its archive.
    pub(crate) archive: usize,
    pub(crate) entry: Entry,
    /// The container that the member is, if it is to be opened.
    pub(crate) inner: Option<Container>,
    /// Set if the member starts as an archive but cannot be listed. It stays an ordinary file.
    pub(crate) rejected: Option<RejectedArchive>,
    pub(crate) host: HostWork,
    /// Decoded zstd blocks, by type.
    pub(crate) zstd: ZstdBlockCounts,
}

/// A file that starts as an archive but cannot be listed.
pub(crate) struct RejectedArchive {
    pub(crate) format: &'static str,
    pub(crate) problem: Problem,
}

/// Decoding work of the host for one member.
#[derive(Default)]
pub(crate) struct HostWork {
    /// Number of streams or blocks, by reason.
    pub(crate) blocks: BTreeMap<HostReason, u64>,
    /// Bytes of output.
    pub(crate) bytes: u64,
    pub(crate) time: Duration,
}

/// A decoded stream.
pub(crate) struct DecodedStream {
    pub(crate) source: Queued,
    pub(crate) format: &'static StreamFormat,
    pub(crate) decoded: Decoded,
    /// Reason for decoding it on the host; none if the device decoded it.
    pub(crate) reason: Option<StreamReason>,
    pub(crate) time: Duration,
}

/// Reason for decoding a stream on the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StreamReason {
    /// One reason for all blocks.
    All(HostReason),
    /// The device was asked for no block of the stream, and each block has its own reason.
    EachBlock,
}

impl StreamReason {
    /// Numbers of blocks by reason.
    pub(crate) fn blocks(self, blocks: &StreamBlocks) -> BTreeMap<HostReason, u64> {
        match self {
            StreamReason::All(reason) => BTreeMap::from([(reason, blocks.units)]),
            StreamReason::EachBlock => blocks.reasons_on_host(),
        }
    }
}

/// Identifies a stream of a layer: index of the queued container, and of the member if that is an archive.
pub(crate) type StreamKey = (usize, Option<usize>);

/// Results of the device for one layer, and reasons for the rest.
#[derive(Default)]
pub(crate) struct DeviceResults {
    pub(crate) decoded: BTreeMap<StreamKey, Decoded>,
    pub(crate) reasons: BTreeMap<StreamKey, StreamReason>,
}

impl DeviceResults {
    /// Removes and returns the results of the members of one archive.
    pub(crate) fn take_archive(&mut self, index: usize) -> (BTreeMap<usize, Decoded>, BTreeMap<usize, StreamReason>) {
        (take_members(index, &mut self.decoded), take_members(index, &mut self.reasons))
    }
}

fn take_members<T>(index: usize, all: &mut BTreeMap<StreamKey, T>) -> BTreeMap<usize, T> {
    let of_archive = all.extract_if((index, Some(0))..=(index, Some(usize::MAX)), |_, _| true);
    of_archive.filter_map(|((_, member), value)| Some((member?, value))).collect()
}
