//! What kernels are passed.

use std::ffi::c_void;

use vyre_ir::DataType;
use vyre_runtime::Error;

use crate::ptx::PtxParameter;

/// A buffer, as a kernel sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BoundBuffer {
    pub(crate) address: u64,
    /// The number of its elements.
    pub(crate) length: u32,
}

/// What a kernel is passed, in order.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Arguments {
    /// Each in the first bytes of a word, as many as it has.
    values: Vec<u64>,
    /// By axis: where the position of the first workgroup is.
    first_workgroup: [Option<usize>; 3],
}

impl Arguments {
    /// The arguments of a launch that begins at the start of its grid.
    ///
    /// # Errors
    ///
    /// A parameter of something that is not there.
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
                PtxParameter::Length(at) => buffers.get(at).map(|buffer| word(buffer.length)),
                PtxParameter::Workgroups(axis) => grid.get(axis).map(|&count| word(count)),
                PtxParameter::FirstWorkgroup(axis) => arguments.first_workgroup.get_mut(axis).map(|place| {
                    *place = Some(position);
                    0
                }),
                PtxParameter::Cancel => cancel,
            };
            let nothing = || Error::Backend { message: format!("a kernel has a parameter for nothing: {parameter:?}") };
            arguments.values.push(value.ok_or_else(nothing)?);
        }
        Ok(arguments)
    }

    /// Begins at another workgroup.
    ///
    /// # Errors
    ///
    /// A kernel that cannot begin there.
    pub(crate) fn begin_at(&mut self, first: [u32; 3]) {
        for (&place, first) in self.first_workgroup.iter().zip(first) {
            // A kernel that does not ask for it does the same in all parts of a grid.
            if let Some(place) = place {
                self.values[place] = word(first);
            }
        }
    }

    /// Pointers to the arguments, which hold as long as the arguments stay where they are.
    pub(crate) fn pointers(&mut self, pointers: &mut Vec<*mut c_void>) {
        pointers.clear();
        pointers.extend(self.values.iter_mut().map(|value| std::ptr::from_mut(value).cast::<c_void>()));
    }
}

/// A number of 32 bits in the first bytes of a word.
fn word(value: u32) -> u64 {
    let [a, b, c, d] = value.to_ne_bytes();
    u64::from_ne_bytes([a, b, c, d, 0, 0, 0, 0])
}

/// The bytes that a kernel with these parameters is passed.
pub(crate) fn parameter_bytes(parameters: &[PtxParameter]) -> u64 {
    parameters.iter().fold(0, |end: u64, parameter| {
        let bytes = match parameter {
            PtxParameter::Address(_) | PtxParameter::Cancel => 8,
            PtxParameter::Length(_) | PtxParameter::Workgroups(_) | PtxParameter::FirstWorkgroup(_) => 4,
        };
        end.next_multiple_of(bytes) + bytes
    })
}

/// The number of elements of a buffer, as programs see it.
pub(crate) fn length(bytes: u64, element: DataType) -> u32 {
    u32::try_from(bytes / element.element_bytes() as u64).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUFFERS: [BoundBuffer; 2] =
        [BoundBuffer { address: 0x1_2345_6780, length: 7 }, BoundBuffer { address: 0x9_0000_0010, length: u32::MAX }];

    /// The first bytes of each argument, as the driver reads them.
    fn bytes(arguments: &mut Arguments) -> Vec<[u8; 8]> {
        arguments.values.iter().map(|value| value.to_ne_bytes()).collect()
    }

    #[test]
    fn arguments_stand_in_the_order_of_the_parameters() {
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
    fn parameters_for_nothing_are_refused() {
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
        assert_eq!(length(17, DataType::U32), 4);
        assert_eq!(length(u64::MAX, DataType::Bytes), u32::MAX);
    }
}
