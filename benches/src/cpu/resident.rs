//! How much memory this process has.

/// The memory of this process that is in use, in KiB; `None` where the system does not tell in the way of Linux.
#[must_use]
pub fn resident_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}
