//! Tables of the engine on streams beside the libraries of their formats.

use std::time::Duration;

use rayon::ThreadPoolBuilder;

use super::host_route::{HostStream, StreamKind};
use crate::error::Error;
use crate::harness::{Plan, RatioTable, Report, Role, Table, Unit, compare, finished, step};

/// Sizes of the data, in bytes.
const SIZES: [usize; 5] = [4 << 10, 64 << 10, 1 << 20, 24 << 20, 256 << 20];
/// Time after which no further iteration of a comparison starts.
const TIME_LIMIT: Duration = Duration::from_secs(10);

/// Compares the engine with the library of each format, on data of several sizes that repeat `data`, with these numbers of threads.
///
/// # Errors
///
/// A compressor or a contender fails, or a thread cannot be started.
pub fn report_host_route(report: &mut Report, data: &[u8], threads: &[usize], iterations: usize) -> Result<(), Error> {
    report.heading("The engine beside plain calls of libraries");
    report.paragraph(&format!(
        "One call of `Unpacker::unpack` for a whole file, from memory to memory, with all checks, beside one call of the best library \
         for each of its parts, which also allocates its output and verifies the checksum; the parts on all threads. Medians of up to \
         {iterations} iterations. *Ratio* is the time of the engine over that of the library; *memory in use* is the ratio to a call of \
         the library into memory that was allocated and touched before."
    ));
    let labels = Table::new().text("Stream").number("Data, KiB").number("To 1").number("Threads");
    let table = RatioTable::new(labels, "library", "vyre", Unit::Microseconds).with_digits(1, 2);
    report.table(&table.table().number("Memory in use"));
    let plan = Plan::new(iterations).with_warm_up(1).alternating().with_time_limit(TIME_LIMIT);
    let mut pools = Vec::new();
    for &threads in threads {
        pools.push(ThreadPoolBuilder::new().num_threads(threads).build().map_err(Error::unavailable)?);
    }
    for kind in StreamKind::ALL {
        for size in SIZES {
            if kind.is_split() && size < 4 << 20 {
                continue;
            }
            let data: Vec<u8> = data.iter().copied().cycle().take(size).collect();
            let stream = HostStream::new(kind, &data)?;
            for pool in &pools {
                let threads = pool.current_num_threads().to_string();
                let what = format!("{}, {} KiB, {threads} threads", kind.name(), size >> 10);
                let comparison = compare(stream.contenders(pool), plan, |next| step(&format!("{what}: {next}")))?;
                finished(&what);
                let seconds = |role| comparison.fastest(role).map(crate::harness::Measured::seconds);
                let all = (seconds(Role::Peer), seconds(Role::Ours), seconds(Role::Information));
                let (Some(peer), Some(ours), Some(reused)) = all else { continue };
                let ratio = format!("{:.1}", stream.ratio());
                let size = (size >> 10).to_string();
                let mut cells = table.cells(&[kind.name(), &size, &ratio, &threads], &peer, &ours);
                cells.push(format!("{:.2}", ours.ratio_to(&reused)));
                report.row(cells);
            }
        }
    }
    Ok(())
}
