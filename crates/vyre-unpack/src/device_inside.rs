//! What a content on a device turns out to be: a file or a container. Of zip and tar archives only the headers are read back.

use bytes::Bytes;

use crate::batch::MAX_PATH_BYTES;
use crate::context::Context;
use crate::device_image::DeviceImage;
use crate::error::DecompressError;
use crate::formats::{Format, HIDDEN_START_BYTES, foreign_format, read_headers};
use crate::limits::Budget;
use crate::work::Container;

/// Bytes at the start of a file that show its format, but for archives behind other bytes.
const HEAD_BYTES: usize = 64 << 10;
/// Bytes at the end of a file in which the end record of a zip archive is.
const TAIL_BYTES: usize = 66 << 10;
/// Size up to which all bytes of a content are looked at.
pub(crate) const LOOKED_AT_BYTES: usize = HEAD_BYTES + TAIL_BYTES;

/// What a verified content turned out to be.
pub(crate) enum Inside {
    /// A file.
    File,
    /// A container that can be opened on the device.
    Container(Box<Opened>),
    /// Something that the traversal of the host must look at. The bytes are the whole content.
    Unclear(Bytes),
}

/// An opened container.
pub(crate) struct Opened {
    pub(crate) container: Container,
    pub(crate) bytes: Bytes,
    pub(crate) is_complete: bool,
}

/// Place of a content: its name, the names of the containers around it, and their number.
#[derive(Clone, Copy)]
pub(crate) struct Place<'p> {
    pub(crate) context: &'p Context<'p>,
    /// True for a member, whose name may show the format.
    pub(crate) is_member: bool,
    pub(crate) name: &'p [u8],
    pub(crate) path: &'p [Vec<u8>],
    pub(crate) depth: u32,
}

impl Place<'_> {
    /// Finds out what a content on the device is.
    ///
    /// # Errors
    ///
    /// The device fails.
    pub(crate) fn look_inside(&self, image: &mut DeviceImage<'_>) -> Result<Inside, DecompressError> {
        let length = image.bytes().len();
        let head = HEAD_BYTES.min(length);
        image.read(&[0..head, length.saturating_sub(TAIL_BYTES).max(head)..length])?;
        let mut format = Format::detect(image.bytes());
        if format.is_none() && length > head {
            image.read_range(head..HIDDEN_START_BYTES.min(length))?;
            format = Format::detect(image.bytes());
        }
        if format.is_none() && foreign_format(image.bytes()).is_none() && !is_unclear(image.bytes()) {
            return Ok(Inside::File);
        }
        if let Some(Format::Archive(archive)) = format
            && read_headers(archive, image)?
            && let Some(container) = self.open(Format::Archive(archive), image.bytes())
        {
            let bytes = Bytes::from(image.take_bytes());
            return Ok(Inside::Container(Box::new(Opened { container, bytes, is_complete: false })));
        }
        image.read_all()?;
        let bytes = Bytes::from(image.take_bytes());
        let format = if self.is_member { Format::detect_named(self.name, &bytes) } else { Format::detect(&bytes) };
        Ok(self.inside(format, bytes))
    }

    /// What a content is whose bytes are on the host.
    pub(crate) fn inside(&self, format: Option<Format>, bytes: Bytes) -> Inside {
        match format {
            None if foreign_format(&bytes).is_none() => Inside::File,
            Some(format) => match self.open(format, &bytes) {
                Some(container) => Inside::Container(Box::new(Opened { container, bytes, is_complete: true })),
                None => Inside::Unclear(bytes),
            },
            None => Inside::Unclear(bytes),
        }
    }

    /// Opens a nested container. None if the traversal of the host must do it, because it is unusual, damaged or beyond a limit, or because
    /// it has no members that could stay on the device.
    fn open(&self, format: Format, bytes: &[u8]) -> Option<Container> {
        let names = self.path.iter().map(Vec::len).sum::<usize>() + self.name.len();
        let is_known = match format {
            Format::Archive(archive) => matches!(archive.name, "zip" | "tar"),
            Format::Stream(stream) => stream.find_blocks.is_some(),
        };
        if !is_known || self.context.depth_exceeded(self.depth + 1).is_some() || names > MAX_PATH_BYTES {
            return None;
        }
        // Listing reserves entries, which must not count twice.
        let scratch = Budget::new(*self.context.budget.limits());
        let container = format.open(bytes, &scratch).ok()?;
        if let Container::Archive(_, listing) = &container {
            if !listing.problems.is_empty() || listing.limit.is_some() || listing.members.problems().next().is_some() {
                return None;
            }
            self.context.budget.reserve_entries(scratch.reserved_entries()).ok()?;
        }
        Some(container)
    }
}

/// True if bytes in the middle of a file decide whether it is a container: there may be a zip archive behind other bytes, and frames may
/// follow skippable frames.
fn is_unclear(image: &[u8]) -> bool {
    let tail = &image[image.len().saturating_sub(TAIL_BYTES)..];
    memchr::memmem::find(tail, b"PK\x05\x06").is_some() || crate::stream::skippable::is_at(image, 0)
}
