//! Kernel arguments.
//!
//! Each argument is stored in a 64-bit word, and the driver reads as many of its first bytes as the parameter has:
//!
//! | Parameter | Bytes | Value |
//! |---|---|---|
//! | `Address` | 8 | address of a buffer |
//! | `Length` | 4 | number of elements of a buffer |
//! | `Workgroups` | 4 | workgroups of the grid on an axis |
//! | `FirstWorkgroup` | 4 | position of the launch's first workgroup on an axis |
//! | `Cancel` | 8 | address of the cancel word |
//!
//! The parameters of a kernel lie in order, each aligned to its size.

use std::ffi::c_void;

use vyre_runtime::Error;

use crate::ptx::PtxParameter;

/// Buffer that is bound to a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BoundBuffer {
    pub(crate) address: u64,
    /// Number of elements.
    pub(crate) length: u32,
}

/// Arguments of a launch, in the order of the parameters.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Arguments {
    /// One word per argument.
    values: Vec<u64>,
    /// By axis: index of the `FirstWorkgroup` argument.
    first_workgroup: [Option<usize>; 3],
}

impl Arguments {
    /// Arguments of a launch that begins at workgroup (0, 0, 0).
    ///
    /// # Errors
    ///
    /// Fails for a parameter of a buffer, axis or cancel word that does not exist.
    pub(crate) fn new(
        parameters: &[PtxParameter],
        buffers: &[BoundBuffer],
        grid: [u32; 3],
        cancel: Option<u64>,
    ) -> Result<Arguments, Error> {
        let mut arguments = Arguments { values: Vec::with_capacity(parameters.len()), first_workgroup: [None; 3] };
        for (position, parameter) in parameters.iter().enumerate() {
            let value = match *parameter {
                PtxParameter::Address(at) => buffers.get(at).map(|buffer| buffer.address),
                PtxParameter::Length(at) => buffers.get(at).map(|buffer| low_word(buffer.length)),
                PtxParameter::Workgroups(axis) => grid.get(axis).map(|&count| low_word(count)),
                PtxParameter::FirstWorkgroup(axis) => arguments.first_workgroup.get_mut(axis).map(|index| {
                    *index = Some(position);
                    0
                }),
                PtxParameter::Cancel => cancel,
            };
            let unknown =
                || Error::compile("the PTX emitter", format!("a parameter without an argument: {parameter:?}"));
            arguments.values.push(value.ok_or_else(unknown)?);
        }
        Ok(arguments)
    }

    /// Sets the position of the first workgroup. A kernel without the parameter does not depend on it.
    pub(crate) fn begin_at(&mut self, first: [u32; 3]) {
        for (&index, first) in self.first_workgroup.iter().zip(first) {
            if let Some(index) = index {
                self.values[index] = low_word(first);
            }
        }
    }

    /// Replaces `pointers` by pointers to the arguments. They are valid until the arguments move or are dropped.
    pub(crate) fn pointers(&mut self, pointers: &mut Vec<*mut c_void>) {
        pointers.clear();
        pointers.extend(self.values.iter_mut().map(|value| std::ptr::from_mut(value).cast::<c_void>()));
    }
}

/// Word whose first four bytes are a 32-bit number.
fn low_word(value: u32) -> u64 {
    let [a, b, c, d] = value.to_ne_bytes();
    u64::from_ne_bytes([a, b, c, d, 0, 0, 0, 0])
}

/// Bytes of all parameters of a kernel.
pub(crate) fn parameter_bytes(parameters: &[PtxParameter]) -> u64 {
    parameters.iter().fold(0, |end: u64, parameter| {
        let bytes = match parameter {
            PtxParameter::Address(_) | PtxParameter::Cancel => 8,
            PtxParameter::Length(_) | PtxParameter::Workgroups(_) | PtxParameter::FirstWorkgroup(_) => 4,
        };
        end.next_multiple_of(bytes) + bytes
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUFFERS: [BoundBuffer; 2] =
        [BoundBuffer { address: 0x1_2345_6780, length: 7 }, BoundBuffer { address: 0x9_0000_0010, length: u32::MAX }];

    /// Bytes of each argument, as the driver reads them.
    fn bytes(arguments: &mut Arguments) -> Vec<[u8; 8]> {
        arguments.values.iter().map(|value| value.to_ne_bytes()).collect()
    }

    #[test]
    fn arguments_follow_the_order_of_the_parameters() {
        use PtxParameter::{Address, Cancel, FirstWorkgroup, Length, Workgroups};
        let parameters = [Address(1), Length(0), Cancel, Workgroups(2), FirstWorkgroup(0), Address(0), Length(1)];
        let mut arguments = Arguments::new(&parameters, &BUFFERS, [3, 4, 5], Some(0x77)).expect("they fit");
        arguments.begin_at([9, 1, 0]);
        let found = bytes(&mut arguments);
        let small = |value: u32, at: usize| assert_eq!(found[at][..4], value.to_ne_bytes(), "{at}");
        assert_eq!(found[0], 0x9_0000_0010_u64.to_ne_bytes());
        small(7, 1);
        assert_eq!(found[2], 0x77_u64.to_ne_bytes());
        small(5, 3);
        small(9, 4);
        assert_eq!(found[5], 0x1_2345_6780_u64.to_ne_bytes());
        small(u32::MAX, 6);
        let mut pointers = Vec::new();
        arguments.pointers(&mut pointers);
        assert_eq!(pointers.len(), parameters.len());
    }

    #[test]
    fn parameters_without_a_value_are_rejected() {
        let with = |parameter| Arguments::new(&[parameter], &BUFFERS, [1, 1, 1], None).map(|_| ());
        for parameter in [
            PtxParameter::Address(2),
            PtxParameter::Length(2),
            PtxParameter::Workgroups(3),
            PtxParameter::FirstWorkgroup(3),
            PtxParameter::Cancel,
        ] {
            assert!(with(parameter).is_err(), "{parameter:?}");
        }
    }

    #[test]
    fn parameters_are_aligned_to_their_size() {
        use PtxParameter::{Address, Cancel, Length};
        assert_eq!(parameter_bytes(&[]), 0);
        assert_eq!(parameter_bytes(&[Address(0), Length(0)]), 12);
        assert_eq!(parameter_bytes(&[Length(0), Address(0), Length(1), Cancel]), 32);
    }
}
