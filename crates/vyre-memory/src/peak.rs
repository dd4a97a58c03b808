//! Peak memory of the process.

/// Maximum number of bytes of the process that were in memory at once, mapped files included; `None` where the system does not tell.
#[must_use]
pub fn peak_bytes() -> Option<u64> {
    #[cfg(unix)]
    return resident_maximum();
    #[cfg(not(unix))]
    None
}

#[cfg(unix)]
#[expect(unsafe_code, reason = "the usage of resources has no safe binding")]
fn resident_maximum() -> Option<u64> {
    // Linux and the BSDs count in KiB, Apple's systems in bytes.
    const UNIT: u64 = if cfg!(target_vendor = "apple") { 1 } else { 1024 };
    // SAFETY: The structure is a plain record for which zeros are valid, and the call writes only to it.
    let (result, usage) = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        (libc::getrusage(libc::RUSAGE_SELF, &mut usage), usage)
    };
    u64::try_from(usage.ru_maxrss).ok().filter(|_| result == 0).map(|maximum| maximum * UNIT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn memory_that_is_used_counts() {
        let before = peak_bytes().expect("the peak of a process");
        let pages = vec![1u8; 64 << 20];
        let after = peak_bytes().expect("the peak of a process");
        assert!(after >= before && after >= pages.len() as u64, "{before} {after}");
    }
}
