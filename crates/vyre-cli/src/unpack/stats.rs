//! Output of `--stats`: blocks by route, with reasons and speed.

use std::time::Duration;

use vyre::engine::decompress::{Summary, ZstdBlockCounts};

use super::Totals;
use crate::output::{duration, number, print_note, rate, size};

/// Prints statistics on standard error.
pub(crate) fn print(summary: &Summary, input: u64, totals: &Totals, time: Duration) {
    lines(summary, input, totals, time).iter().for_each(|line| print_note(line));
}

fn lines(summary: &Summary, input: u64, totals: &Totals, time: Duration) -> Vec<String> {
    let blocks = &summary.blocks;
    let mut lines = vec![
        format!("format: {}", if summary.format.is_empty() { "-".to_owned() } else { summary.format.join(", ") }),
        format!("layers: {}, dispatches: {}", number(summary.layers), number(summary.dispatches)),
        format!(
            "entries: {}, with problems: {}; problems of archives: {}",
            number(totals.entries),
            number(totals.problems),
            number(summary.problem_count)
        ),
        format!("blocks on the device: {} ({})", number(blocks.device), size(blocks.device_output)),
        format!("blocks on the host: {} ({})", number(blocks.host.values().sum::<u64>()), size(blocks.host_output)),
    ];
    lines.extend(blocks.host.iter().map(|(reason, &count)| format!("    {}: {}", reason.text(), number(count))));
    if blocks.zstd.total() > 0 {
        let ZstdBlockCounts { raw, rle, compressed, .. } = blocks.zstd;
        let [raw, rle, compressed] = [raw, rle, compressed].map(number);
        lines.push(format!("zstd blocks by type: {raw} raw, {rle} RLE, {compressed} compressed"));
    }
    lines.push(format!("input: {}, output: {}", size(input), size(summary.output)));
    let (host, device) = (duration(summary.host_time), duration(summary.device_time));
    lines.push(format!("decoding on the host: {host}, on the device: {device}"));
    lines.push(format!("time: {}, {} of output", duration(time), rate(summary.output, time)));
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
