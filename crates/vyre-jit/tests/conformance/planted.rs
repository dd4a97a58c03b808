//! Planted bugs beside the compiler, in sections of ops with large inputs: machine code runs them in seconds. Each is found by its section,
//! which the device without the bug passes. `crates/vyre-conform/tests/all/suite/planted.rs` has those of the other sections.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use vyre_conform::certificate::{Certificate, Verdict};
use vyre_conform::suite::{Amounts, Level, Report, Silent, Suite};
use vyre_conform::wrapped_device::{DeviceWrapper, Wrapped};
use vyre_jit::JitDevice;
use vyre_runtime::{Buffer, Command, CommandList, Device, Error, RunOptions, RunReport};

/// A bug of a driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bug {
    None,
    /// The last bytes of a write are damaged.
    Writes,
    /// Reads are made in units of 16 bytes, and the rest of the range is not read.
    ReadUnits,
    /// The highest byte of the last word of each read is wrong. Searches on the host then see counters that never reach their ends.
    LastByte,
    /// All bytes of each read are wrong, as above.
    AllBytes,
    /// Fills ignore their byte and write zeros.
    Fills,
    /// Fills with zeros do nothing, because new buffers are zeros.
    ZeroFills,
    /// Sizes of buffers are truncated to 32 bits.
    Sizes,
    /// Every seventh run does nothing.
    LostRuns,
    /// Repetitions of commands are one too few, unless they are one.
    Repetitions,
}

struct Damaged {
    inner: JitDevice,
    bug: Bug,
    runs: AtomicU64,
}

impl DeviceWrapper for Damaged {
    fn inner(&self) -> &dyn Device {
        &self.inner
    }

    fn create_buffer(&self, bytes: u64) -> Result<Buffer, Error> {
        let bytes = if self.bug == Bug::Sizes { u64::from(bytes as u32) } else { bytes };
        self.inner.create_buffer(bytes)
    }

    fn write(&self, buffer: &Buffer, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        let mut damaged = bytes.to_vec();
        if let (Bug::Writes, [.., _, _, _, _, _, _, low, high]) = (self.bug, &mut damaged[..]) {
            (*low, *high) = (low.wrapping_add(3), high.wrapping_add(5));
        }
        self.inner.write(buffer, offset, &damaged)
    }

    fn read_at(&self, buffer: &Buffer, offset: u64, target: &mut [u8]) -> Result<(), Error> {
        let whole = target.len() / 16 * 16;
        if self.bug == Bug::ReadUnits {
            return self.inner.read_at(buffer, offset, &mut target[..whole]);
        }
        self.inner.read_at(buffer, offset, target)?;
        let right = match self.bug {
            Bug::LastByte => target.len().saturating_sub(1),
            Bug::AllBytes => 0,
            _ => target.len(),
        };
        target[right..].iter_mut().for_each(|byte| *byte = byte.wrapping_add(1));
        Ok(())
    }

    fn run(&self, commands: &CommandList, options: &RunOptions) -> Result<RunReport, Error> {
        let number = self.runs.fetch_add(1, Ordering::Relaxed);
        if self.bug == Bug::LostRuns && number % 7 == 6 {
            return Ok(RunReport::default());
        }
        self.inner.run(&damaged(commands, self.bug), options)
    }
}

fn damaged(commands: &CommandList, bug: Bug) -> CommandList {
    let mut list = CommandList::new();
    for mut command in commands.commands().iter().cloned() {
        match &mut command {
            Command::Repeat { count, commands } => {
                *commands = damaged(commands, bug);
                *count -= u32::from(bug == Bug::Repetitions && *count > 1);
            }
            Command::Fill { byte, .. } if bug == Bug::Fills => *byte = 0,
            Command::Fill { byte: 0, .. } if bug == Bug::ZeroFills => continue,
            _ => {}
        }
        list.push(command);
    }
    list
}

/// Runs sections on small inputs, as for an interpreter, or not.
fn run(bug: Bug, is_small: bool, sections: &[&str]) -> Report {
    let mut amounts = Amounts::tiny();
    // The first graphs have few findings. A device that interprets programs gets a tenth.
    amounts.dataflow_graphs = 40;
    let suite = Suite::new(Level::Quick).with_amounts(amounts).with_interpreter(is_small).with_threads(2);
    let device = Wrapped(Damaged { inner: super::device(2, true), bug, runs: AtomicU64::new(0) });
    let report = suite.with_only(sections.iter().copied()).expect("sections");
    let report = report.run_on("damaged", Arc::new(device), &mut Silent);
    for section in &report.sections {
        println!(
            "{bug:?}: {}: {} of {} checks failed in {} ms",
            section.name, section.failed, section.checked, section.milliseconds
        );
    }
    report
}

/// These sections find the bug, in these items at least, and pass without it.
#[track_caller]
fn expect_found(bug: Bug, is_small: bool, items: &[(&str, &str)]) {
    let sections: Vec<&str> = items.iter().map(|(section, _)| *section).collect();
    let healthy = run(Bug::None, is_small, &sections);
    assert!(healthy.sections.iter().all(|section| section.has_passed()), "{healthy}");
    let report = run(bug, is_small, &sections);
    for (section, item) in items {
        let found = report.section(section).and_then(|section| section.item(item));
        assert!(found.is_some_and(|item| item.failed > 0), "{section}, {item}: {report}");
    }
    assert_eq!(Certificate::of(&report).verdict, Verdict::Failed);
}

#[test]
fn damaged_writes_are_found() {
    expect_found(
        Bug::Writes,
        true,
        &[
            ("compression-archetypes", "LZ4: block with only literals"),
            ("checksums", "random ranges of checksum.crc32"),
        ],
    );
}

#[test]
fn short_repetitions_are_found() {
    expect_found(Bug::Repetitions, true, &[("driver-probes", "repeats")]);
}

#[test]
fn reads_without_their_last_bytes_are_found() {
    expect_found(Bug::ReadUnits, true, &[("compressed-blocks", "compression.lz4: generated blocks")]);
}

#[test]
fn fills_with_another_byte_are_found() {
    expect_found(Bug::Fills, true, &[("graph-ops", "graph.scc")]);
}

#[test]
fn lost_runs_are_found() {
    let item = "determinism: same graph, same sources, 100 runs (graph.bfs)";
    expect_found(Bug::LostRuns, false, &[("graph-archetypes", item)]);
}

#[test]
fn truncated_sizes_are_found() {
    let item = "scale: num_sources * words_per_source approaches buffer size limits";
    expect_found(Bug::Sizes, true, &[("graph-archetypes", item)]);
}

#[test]
fn fills_that_do_nothing_are_found() {
    expect_found(Bug::ZeroFills, true, &[("dataflow", "small batches")]);
}

/// Host code reads counters until they have their last values. With wrong ones it must end too.
#[test]
fn a_device_with_damaged_reads_has_a_report() {
    for bug in [Bug::LastByte, Bug::AllBytes] {
        let report = run(bug, true, &["graph-archetypes", "graph-ops", "dataflow"]);
        for section in &report.sections {
            assert!(section.failed > 0, "{bug:?}, {}: {report}", section.name);
        }
    }
}
