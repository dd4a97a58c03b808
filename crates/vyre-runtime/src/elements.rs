//! Typed access to buffers: elements instead of bytes.
//!
//! Buffers are little endian on every host. On a little-endian host elements are transferred as they lie in memory; a
//! big-endian host swaps their bytes.

use std::ops::Range;

use crate::buffer::{Buffer, zeroed_vec};
use crate::device::Device;
use crate::error::Error;

/// Element that buffers hold: a number, or a vector of two or four words.
///
/// | Rust type | Element type of a program |
/// |---|---|
/// | `u32` | `u32`, and `bool` as 0 or 1 |
/// | `i32` | `i32` |
/// | `u64` | `u64` |
/// | `[u32; 2]`, `[u32; 4]` | `vec2u32`, `vec4u32` |
/// | `u8` | a quarter of a word of `bytes` or of `u32`, lowest byte first |
///
/// Buffers themselves have no type: a buffer that was filled with words can be read as vectors. The trait is sealed.
pub trait Element: sealed::Plain {}

impl<T: sealed::Plain> Element for T {}

mod sealed {
    /// Type of which every bit pattern is a value, with a byte order.
    pub trait Plain: bytemuck::Pod {
        /// The element with the bytes of each word reversed.
        fn swapped(self) -> Self;
    }
}

macro_rules! plain_numbers {
    ($($number:ty),*) => {
        $(impl sealed::Plain for $number {
            fn swapped(self) -> Self {
                self.swap_bytes()
            }
        })*
    };
}

plain_numbers!(u8, u32, i32, u64);

impl sealed::Plain for [u32; 2] {
    fn swapped(self) -> Self {
        self.map(u32::swap_bytes)
    }
}

impl sealed::Plain for [u32; 4] {
    fn swapped(self) -> Self {
        self.map(u32::swap_bytes)
    }
}

/// Bytes that a big-endian host converts at a time, so that no second copy of large contents exists.
const CHUNK_BYTES: usize = 1 << 20;

/// Typed access to buffers, for every device behind `dyn Device`.
///
/// ```
/// use std::sync::Arc;
/// use vyre_runtime::{Device, ReferenceDevice};
///
/// let device: Arc<dyn Device> = Arc::new(ReferenceDevice::new());
/// let squares = device.buffer_from(&[0u32, 1, 4, 9])?;
/// device.write_range(&squares, 1, &[10u32, 40])?;
/// assert_eq!(device.read_vec::<u32>(&squares)?, [0, 10, 40, 9]);
/// assert_eq!(device.read_range::<u32>(&squares, 2..4)?, [40, 9]);
/// assert_eq!(device.read_vec::<[u32; 2]>(&squares)?, [[0, 10], [40, 9]]);
/// # Ok::<(), vyre_runtime::Error>(())
/// ```
impl<'d> dyn Device + 'd {
    /// Creates a buffer with these elements.
    ///
    /// # Errors
    ///
    /// A buffer beyond the limits of the device, or exhausted memory.
    pub fn buffer_from<T: Element>(&self, elements: &[T]) -> Result<Buffer, Error> {
        let buffer = self.create_buffer(size_of_val(elements) as u64)?;
        self.write_range(&buffer, 0, elements)?;
        Ok(buffer)
    }

    /// Creates a buffer with these bytes, padded with zeros to whole words. Programs access bytes as parts of words, so a
    /// text is uploaded in this way.
    ///
    /// # Errors
    ///
    /// A buffer beyond the limits of the device, or exhausted memory.
    pub fn buffer_from_bytes(&self, bytes: &[u8]) -> Result<Buffer, Error> {
        let buffer = self.create_buffer((bytes.len() as u64).next_multiple_of(4))?;
        self.write(&buffer, 0, bytes)?;
        Ok(buffer)
    }

    /// Creates a buffer of `count` elements, all zero.
    ///
    /// # Errors
    ///
    /// A buffer beyond the limits of the device, or exhausted memory.
    pub fn zeros<T: Element>(&self, count: u64) -> Result<Buffer, Error> {
        self.create_buffer(count.saturating_mul(size_of::<T>() as u64))
    }

    /// Reads all elements of a buffer.
    ///
    /// # Errors
    ///
    /// [`Error::PartialElement`] if the size of the buffer is no multiple of the size of an element, a buffer of another
    /// device, exhausted memory, or a device failure.
    pub fn read_vec<T: Element>(&self, buffer: &Buffer) -> Result<Vec<T>, Error> {
        let element = size_of::<T>() as u64;
        if !buffer.size().is_multiple_of(element) {
            return Err(Error::PartialElement { bytes: buffer.size(), element });
        }
        self.read_range(buffer, 0..buffer.size() / element)
    }

    /// Reads a range of elements. Transfers only these elements.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfBuffer`] for a range beyond the end of the buffer, [`Error::ReversedRange`] for a range that ends
    /// before it starts, a buffer of another device, exhausted memory, or a device failure.
    pub fn read_range<T: Element>(&self, buffer: &Buffer, range: Range<u64>) -> Result<Vec<T>, Error> {
        let Range { start, end } = range;
        let count = end.checked_sub(start).ok_or(Error::ReversedRange { start, end })?;
        if buffer.device() != self.id() {
            return Err(Error::ForeignObject);
        }
        let element = size_of::<T>() as u64;
        // The range is checked first, so the buffer bounds the allocation.
        buffer.check_range(start.saturating_mul(element), count.saturating_mul(element))?;
        let mut elements = zeroed_vec(count)?;
        self.read_range_into(buffer, start, &mut elements)?;
        Ok(elements)
    }

    /// Reads elements from the position `start` into existing memory. Transfers only these elements.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfBuffer`] for a range beyond the end of the buffer, a buffer of another device, or a device failure.
    pub fn read_range_into<T: Element>(&self, buffer: &Buffer, start: u64, target: &mut [T]) -> Result<(), Error> {
        let offset = start.saturating_mul(size_of::<T>() as u64);
        self.read_at(buffer, offset, bytemuck::cast_slice_mut(target))?;
        if cfg!(target_endian = "big") {
            target.iter_mut().for_each(|element| *element = element.swapped());
        }
        Ok(())
    }

    /// Writes elements to the positions from `start` on.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfBuffer`] for elements beyond the end of the buffer, a buffer of another device, or a device failure.
    pub fn write_range<T: Element>(&self, buffer: &Buffer, start: u64, elements: &[T]) -> Result<(), Error> {
        let offset = start.saturating_mul(size_of::<T>() as u64);
        if cfg!(target_endian = "little") {
            return self.write(buffer, offset, bytemuck::cast_slice(elements));
        }
        buffer.check_range(offset, size_of_val(elements) as u64)?;
        let mut at = offset;
        for chunk in elements.chunks(CHUNK_BYTES / size_of::<T>()) {
            let swapped: Vec<T> = chunk.iter().map(|element| element.swapped()).collect();
            self.write(buffer, at, bytemuck::cast_slice(&swapped))?;
            at += size_of_val(chunk) as u64;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::sealed::Plain;

    #[test]
    fn swapping_reverses_the_bytes_of_each_word() {
        assert_eq!(0x0102_0304_u32.swapped(), 0x0403_0201);
        assert_eq!(0x0102_0304_0506_0708_u64.swapped(), 0x0807_0605_0403_0201);
        assert_eq!([1_u32, 2].swapped(), [1 << 24, 2 << 24], "a vector keeps the order of its components");
        assert_eq!(7_u8.swapped(), 7);
    }
}
