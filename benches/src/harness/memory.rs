//! Memory of this process, from `/proc/self/status`.

/// Resident memory of this process in KiB; `None` on systems other than Linux.
#[must_use]
pub fn resident_kib() -> Option<u64> {
    status_field("VmRSS:")
}

/// Peak resident memory of this process in KiB; `None` on systems other than Linux.
#[must_use]
pub fn peak_kib() -> Option<u64> {
    status_field("VmHWM:")
}

fn status_field(name: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let field = status.lines().find_map(|line| line.strip_prefix(name))?;
    field.trim().strip_suffix("kB")?.trim().parse().ok()
}
