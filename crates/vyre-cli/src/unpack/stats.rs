//! Output of `--stats`: blocks by route, with reasons and speed.

use std::time::Duration;

use vyre::engine::decompress::{Summary, ZstdBlockCounts};

use super::Totals;
use crate::output::{counted, print_note};

/// Prints statistics on standard error.
pub(crate) fn print(summary: &Summary, input: u64, totals: &Totals, time: Duration) {
    lines(summary, input, totals, time).iter().for_each(|line| print_note(line));
}

fn lines(summary: &Summary, input: u64, totals: &Totals, time: Duration) -> Vec<String> {
    let blocks = &summary.blocks;
    let mut lines = vec![
        format!("format: {}", if summary.format.is_empty() { "-".to_owned() } else { summary.format.join(", ") }),
        format!("layers: {}, dispatches: {}", summary.layers, summary.dispatches),
        format!(
            "entries: {}, with problems: {}; problems of archives: {}",
            totals.entries, totals.problems, summary.problem_count
        ),
        format!("blocks on the device: {} ({})", blocks.device, counted(blocks.device_output, "byte")),
        format!("blocks on the host: {} ({})", blocks.host.values().sum::<u64>(), counted(blocks.host_output, "byte")),
    ];
    lines.extend(blocks.host.iter().map(|(reason, count)| format!("    {}: {count}", reason.text())));
    if blocks.zstd.total() > 0 {
        let ZstdBlockCounts { raw, rle, compressed, .. } = blocks.zstd;
        lines.push(format!("zstd blocks by type: {raw} raw, {rle} RLE, {compressed} compressed"));
    }
    lines.push(format!("bytes in: {input}, out: {}", summary.output));
    lines.push(format!("decoding on the host: {:.1?}, on the device: {:.1?}", summary.host_time, summary.device_time));
    lines.push(format!("time: {time:.1?}, {:.3} GB/s of output", gigabytes_per_second(summary.output, time)));
    lines
}

/// Throughput in 10^9 bytes per second.
pub(super) fn gigabytes_per_second(bytes: u64, time: Duration) -> f64 {
    let seconds = time.as_secs_f64();
    if seconds > 0.0 { bytes as f64 / seconds / 1e9 } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn throughput_is_bytes_divided_by_time() {
        assert_eq!(gigabytes_per_second(3_000_000_000, Duration::from_secs(2)), 1.5);
        assert_eq!(gigabytes_per_second(1, Duration::ZERO), 0.0);
    }
}
