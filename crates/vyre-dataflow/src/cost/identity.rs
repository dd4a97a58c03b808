//! Identity of a machine, to which a calibration belongs.

use std::path::Path;

/// Identity of this machine as far as it can be read without starting a driver: processor, number of threads, version of the driver
/// of NVIDIA, version of this crate. It is one line.
#[must_use]
pub fn machine_identity() -> String {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let processor = line_of("/proc/cpuinfo", "model name").unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    let driver = line_of("/proc/driver/nvidia/version", "").unwrap_or_else(|| "no NVIDIA driver".to_owned());
    format!("{processor}; {threads} threads; {driver}; vyre {}", env!("CARGO_PKG_VERSION"))
}

/// Rest of the first line of a system file with this prefix, without repeated blanks.
fn line_of(path: &str, prefix: &str) -> Option<String> {
    let text = std::fs::read_to_string(Path::new(path)).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(prefix))?;
    let words: Vec<&str> = line.trim_start_matches(['\t', ' ', ':']).split_whitespace().collect();
    Some(words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_identity_is_one_line_and_does_not_change() {
        let identity = machine_identity();
        assert_eq!(identity, machine_identity());
        assert!(!identity.contains('\n') && identity.contains("vyre "), "{identity}");
    }
}
