//! Memory in whole pages of its own, which a driver can pin.

use std::fmt;
use std::io;
use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, PoisonError};

use memmap2::MmapMut;

use crate::team::Team;

/// Bytes that a thread touches at a time: a huge page.
const PART_BYTES: usize = 2 << 20;

/// Size of the smallest pages.
const PAGE_BYTES: usize = 4 << 10;

/// Zeroed memory in pages that it shares with no other allocation, in huge pages where the system has them.
pub struct Pages {
    map: MmapMut,
    bytes: usize,
}

impl Pages {
    /// Allocates memory. The system provides each page on its first access.
    ///
    /// # Errors
    ///
    /// The system refuses the memory.
    pub fn new(bytes: usize) -> io::Result<Pages> {
        // No system maps 0 bytes.
        let map = MmapMut::map_anon(bytes.max(1))?;
        #[cfg(target_os = "linux")]
        if bytes >= PART_BYTES {
            // A system that refuses the advice uses small pages.
            let _ = map.advise(memmap2::Advice::HugePage);
        }
        Ok(Pages { map, bytes })
    }

    /// Touches every page on several threads, which takes a fraction of the time that one thread needs.
    pub fn touch(&mut self, team: &Team) {
        let members = self.bytes.div_ceil(PART_BYTES);
        let parts = Mutex::new(self.map.chunks_mut(PART_BYTES));
        team.run(members, &|| {
            loop {
                let part = parts.lock().unwrap_or_else(PoisonError::into_inner).next();
                let Some(part) = part else { return };
                part.iter_mut().step_by(PAGE_BYTES).for_each(|byte| *byte = 0);
            }
        });
    }
}

impl Deref for Pages {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.map[..self.bytes]
    }
}

impl DerefMut for Pages {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.map[..self.bytes]
    }
}

impl fmt::Debug for Pages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pages").field("bytes", &self.bytes).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_zero_and_can_be_written() {
        let team = Team::new("test", 4);
        for bytes in [0, 1, 4_097, (5 << 20) + 3] {
            let mut pages = Pages::new(bytes).expect("there is memory");
            pages.touch(&team);
            assert!(pages.len() == bytes && pages.iter().all(|&byte| byte == 0));
            pages.fill(7);
            assert!(pages.iter().all(|&byte| byte == 7));
        }
        assert!(Pages::new(1 << 60).is_err());
    }
}
