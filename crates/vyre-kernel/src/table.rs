//! Tables with typed indices (an entity arena).

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// Typed index of a [`Table`].
pub trait Key: Copy + Eq + fmt::Debug {
    /// Key of the entry at a position.
    fn from_position(position: usize) -> Self;
    /// Position of the entry.
    fn position(self) -> usize;
}

/// Declares the key of a table, which is printed as a letter and a number.
macro_rules! key {
    ($(#[$doc:meta])* $name:ident, $letter:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        impl $crate::table::Key for $name {
            fn from_position(position: usize) -> $name {
                // A valid program has at most 100,000 nodes, and each becomes a few entries.
                $name(u32::try_from(position).unwrap_or(u32::MAX))
            }

            fn position(self) -> usize {
                self.0 as usize
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "{}{}", $letter, self.0)
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Display::fmt(self, f)
            }
        }
    };
}
pub(crate) use key;

/// Append-only table whose entries have typed keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table<K, V> {
    entries: Vec<V>,
    key: PhantomData<K>,
}

impl<K, V> Default for Table<K, V> {
    fn default() -> Table<K, V> {
        Table { entries: Vec::new(), key: PhantomData }
    }
}

impl<K: Key, V> Table<K, V> {
    /// Appends an entry and returns its key.
    pub fn push(&mut self, entry: V) -> K {
        self.entries.push(entry);
        K::from_position(self.entries.len() - 1)
    }

    /// Number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// True if the table is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Entry of a key, if it exists.
    #[must_use]
    pub fn get(&self, key: K) -> Option<&V> {
        self.entries.get(key.position())
    }

    /// All entries with their keys, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (K, &V)> + ExactSizeIterator {
        self.entries.iter().enumerate().map(|(position, entry)| (K::from_position(position), entry))
    }

    /// All keys, in order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = K> + ExactSizeIterator + use<K, V> {
        (0..self.entries.len()).map(K::from_position)
    }
}

impl<K: Key, V> Index<K> for Table<K, V> {
    type Output = V;

    fn index(&self, key: K) -> &V {
        &self.entries[key.position()]
    }
}

impl<K: Key, V> IndexMut<K> for Table<K, V> {
    fn index_mut(&mut self, key: K) -> &mut V {
        &mut self.entries[key.position()]
    }
}
