//! Fresh names, and replacement of unusable ones.

use std::collections::BTreeSet;

use vyre_ir::Name;

/// Generator of names that are not in use.
pub(crate) struct FreshNames {
    taken: BTreeSet<Name>,
    count: usize,
}

impl FreshNames {
    pub(crate) fn new<'n>(taken: impl IntoIterator<Item = &'n Name>) -> FreshNames {
        FreshNames { taken: taken.into_iter().cloned().collect(), count: 0 }
    }

    /// The next free name: the stem and a number.
    pub(crate) fn next(&mut self, stem: &str) -> Name {
        loop {
            let name = Name::from(format!("{stem}{}", self.count));
            self.count += 1;
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
    }
}

/// Replaces names that are not acceptable, and all but the first of duplicates.
pub(super) fn replace_names(names: &[&Name], stem: &str, is_acceptable: &dyn Fn(&str) -> bool) -> Vec<Name> {
    let mut fresh = FreshNames::new(names.iter().copied());
    let mut seen = BTreeSet::new();
    let mut replaced = Vec::with_capacity(names.len());
    for &name in names {
        let stays = is_acceptable(name) && seen.insert(name);
        replaced.push(if stays { name.clone() } else { fresh.next(stem) });
    }
    replaced
}
