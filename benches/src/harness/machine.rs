//! Description of the machine that a report runs on.

use std::fmt;
use std::fs;

/// Processor, memory and instruction sets of this machine.
#[derive(Clone, Debug)]
pub struct Machine {
    processor: Option<String>,
    cores: usize,
    memory_gib: Option<u64>,
    /// Widest vector extension that native code is compiled for.
    pub compiled_vectors: &'static str,
    /// Widest vector extension that the processor has.
    pub present_vectors: &'static str,
}

impl Machine {
    /// Describes this machine. Processor and memory are known on Linux only.
    #[must_use]
    pub fn current() -> Machine {
        let name = |avx512: bool, avx2: bool| match (avx512, avx2) {
            (true, _) => "AVX-512",
            (false, true) => "AVX2",
            (false, false) => "neither AVX2 nor AVX-512",
        };
        let compiled_vectors = name(cfg!(target_feature = "avx512f"), cfg!(target_feature = "avx2"));
        #[cfg(target_arch = "x86_64")]
        let present_vectors = name(is_x86_feature_detected!("avx512f"), is_x86_feature_detected!("avx2"));
        #[cfg(not(target_arch = "x86_64"))]
        let present_vectors = compiled_vectors;
        let kib =
            field("/proc/meminfo", "MemTotal").and_then(|total| total.strip_suffix("kB")?.trim().parse::<u64>().ok());
        Machine {
            processor: field("/proc/cpuinfo", "model name"),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            memory_gib: kib.map(|kib| kib.div_ceil(1 << 20)),
            compiled_vectors,
            present_vectors,
        }
    }

    /// True if native code is compiled for the vector extensions that the machine has.
    #[must_use]
    pub fn native_code_fits(&self) -> bool {
        self.compiled_vectors == self.present_vectors || self.compiled_vectors.starts_with("AVX")
    }
}

/// First value of a field in a file of `name: value` lines.
fn field(path: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let value = text.lines().find_map(|line| line.strip_prefix(name)?.split_once(':'))?.1;
    Some(value.trim().to_owned())
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.cores == 1 { "" } else { "s" };
        write!(f, "{} core{plural}", self.cores)?;
        if let Some(processor) = &self.processor {
            write!(f, " ({processor})")?;
        }
        write!(f, " with {}", self.present_vectors)?;
        if let Some(gib) = self.memory_gib {
            write!(f, ", {gib} GiB of memory")?;
        }
        write!(f, ", {} {}", std::env::consts::OS, std::env::consts::ARCH)
    }
}
