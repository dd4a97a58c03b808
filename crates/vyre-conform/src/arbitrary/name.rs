//! Strategies for names.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use vyre_ir::Name;

use crate::pool::ODD_NAMES;

/// Any name: plain, odd, or a few arbitrary characters.
pub fn arb_name() -> impl Strategy<Value = Name> {
    prop_oneof![
        2 => select(&["a", "b", "c", "i", "data", "Out_7"]).prop_map(Name::from),
        3 => select(&ODD_NAMES).prop_map(Name::from),
        1 => vec(any::<char>(), 0..6).prop_map(|characters| Name::from(String::from_iter(characters))),
    ]
}
