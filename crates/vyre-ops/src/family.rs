//! Registration of the ops of a family.

/// Declares the modules of the ops of a family and the slice `OPS` of their descriptors, in order.
///
/// An entry is the name of the op's file, which has a constant `OP`. The names after a colon are the public items of the file.
/// The module of the file is public if `pub` precedes its name.
macro_rules! op_family {
    ($($(#[$attribute:meta])* $visibility:vis $module:ident $(: $($public:ident),+)?;)*) => {
        $(
            $(#[$attribute])*
            $visibility mod $module;
            $(pub use $module::{$($public),+};)?
        )*

        /// Ops of the family, in the order of the specification.
        pub(crate) const OPS: &[crate::Op] = &[$($module::OP),*];
    };
}

pub(crate) use op_family;
