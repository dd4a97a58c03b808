//! Text form of a calibration.
//!
//! The first line is `vyre calibration 2`, the second `machine` and the identity of the machine. Lines `key value` of the host
//! follow, then for each device a line `device` with the name of its backend and its lines. Unknown and repeated keys are errors, so
//! a file of another version is never read in part.

use std::error::Error;
use std::fmt;
use std::fmt::Write as _;
use std::ops::RangeInclusive;

use vyre_ir::source::visible_prefix;

use super::machine::{DeviceSpeed, HostSpeed, Machine};

/// First line of a file, without the version of the format.
const HEADER: &str = "vyre calibration ";
/// Version of the format.
const VERSION: &str = "2";
/// Range of plausible constants, in whatever unit.
const PLAUSIBLE: RangeInclusive<f64> = 1e-6..=1e9;
/// Backends that can be chosen for their speed.
const BACKENDS: [&str; 3] = ["cpu", "cuda", "wgpu"];
/// Maximum number of threads.
const MAX_THREADS: usize = 1 << 16;
/// Maximum number of characters of a text of the file in a message.
const MAX_QUOTED: usize = 120;

/// Reason why a calibration is not used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CalibrationError {
    /// The first line is not that of a calibration.
    Version,
    /// The calibration has another version of the format.
    OtherVersion {
        /// Version in the file.
        found: String,
    },
    /// The calibration is of another machine, driver or version of this crate.
    OtherMachine {
        /// Identity in the file.
        found: String,
    },
    /// A line is damaged.
    Line {
        /// Number of the line, from 1.
        line: usize,
    },
    /// A constant or the CPU is missing.
    Incomplete,
    /// A constant is not a plausible number.
    Implausible {
        /// Number of the line, from 1.
        line: usize,
    },
    /// A key or the section of a device is repeated.
    Repeated {
        /// Number of the line, from 1.
        line: usize,
    },
    /// The number of threads is not that of the machine, or no number that a machine has.
    Threads {
        /// Number of the line, from 1.
        line: usize,
    },
    /// A backend cannot be chosen for its speed.
    Backend {
        /// Number of the line, from 1.
        line: usize,
        /// Name of the backend.
        backend: String,
    },
}

impl Error for CalibrationError {}

impl fmt::Display for CalibrationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CalibrationError::Version => f.write_str("it has another format"),
            CalibrationError::OtherVersion { found } => {
                write!(
                    f,
                    "it has version {} of the format, and this program reads version {VERSION}; calibrate again",
                    quoted(found)
                )
            }
            CalibrationError::OtherMachine { found } => {
                write!(f, "it is of another machine or version: {}", quoted(found))
            }
            CalibrationError::Line { line } => write!(f, "line {line} is damaged"),
            CalibrationError::Incomplete => f.write_str("it is not complete"),
            CalibrationError::Implausible { line } => {
                write!(f, "line {line} has no number from {:e} to {:e}", PLAUSIBLE.start(), PLAUSIBLE.end())
            }
            CalibrationError::Repeated { line } => write!(f, "line {line} repeats what another line has"),
            CalibrationError::Threads { line } => {
                write!(f, "line {line} has not the number of threads of this machine")
            }
            CalibrationError::Backend { line, backend } => {
                let backend = quoted(backend);
                write!(f, "line {line} names backend `{backend}`, which is never chosen for its speed")
            }
        }
    }
}

impl Machine {
    /// Text form, for a file. `identity` must not have line breaks.
    #[must_use]
    pub fn to_text(&self, identity: &str) -> String {
        let mut text = format!("{HEADER}{VERSION}\nmachine {identity}\n");
        // Writing to a string does not fail.
        let _ = writeln!(text, "threads {}", self.host.threads);
        let mut host = self.host.clone();
        for (key, value) in host_constants(&mut host) {
            let _ = writeln!(text, "{key} {value}");
        }
        for device in &self.devices {
            let _ = writeln!(text, "device {}", device.backend);
            let _ = writeln!(text, "name {}", one_line(&device.name));
            if let Some(driver) = &device.driver {
                let _ = writeln!(text, "driver {}", one_line(driver));
            }
            let mut device = device.clone();
            for (key, value) in device_constants(&mut device) {
                let _ = writeln!(text, "{key} {value}");
            }
        }
        text
    }

    /// Parses the text form of a calibration of the machine with this identity.
    ///
    /// # Errors
    ///
    /// Another version, another machine, or damage.
    pub fn from_text(text: &str, identity: &str) -> Result<Machine, CalibrationError> {
        let mut lines = text.lines().zip(1..).peekable();
        match lines.next().and_then(|(line, _)| line.strip_prefix(HEADER)) {
            Some(VERSION) => {}
            Some(found) => return Err(CalibrationError::OtherVersion { found: found.to_owned() }),
            None => return Err(CalibrationError::Version),
        }
        match lines.next().and_then(|(line, _)| line.strip_prefix("machine ")) {
            Some(found) if found == identity => {}
            Some(found) => return Err(CalibrationError::OtherMachine { found: found.to_owned() }),
            None => return Err(CalibrationError::Line { line: 2 }),
        }
        // A negative number marks a constant that is not read yet.
        let mut machine = Machine::typical(1);
        host_constants(&mut machine.host).into_iter().for_each(|(_, value)| *value = -1.0);
        let mut blank = machine.devices.remove(0);
        device_constants(&mut blank).into_iter().for_each(|(_, value)| *value = -1.0);
        let mut threads = None;
        for (text, line) in lines {
            let damaged = CalibrationError::Line { line };
            let Some((key, value)) = text.split_once(' ') else { return Err(damaged) };
            let repeated = CalibrationError::Repeated { line };
            let is_repeated = machine.device(value).is_some();
            match (key, machine.devices.last_mut()) {
                ("device", _) if !BACKENDS.contains(&value) => {
                    return Err(CalibrationError::Backend { line, backend: value.to_owned() });
                }
                ("device", _) if is_repeated => return Err(repeated),
                ("device", _) => machine.devices.push(DeviceSpeed { backend: value.to_owned(), ..blank.clone() }),
                ("name", Some(device)) if !device.name.is_empty() => return Err(repeated),
                ("driver", Some(device)) if device.driver.is_some() => return Err(repeated),
                ("threads", None) if threads.is_some() => return Err(repeated),
                ("name", Some(device)) => value.clone_into(&mut device.name),
                ("driver", Some(device)) => device.driver = Some(value.to_owned()),
                ("threads", None) => {
                    let number = value.parse().ok().filter(|number| (1..=MAX_THREADS).contains(number));
                    let is_known = number.is_some() && threads_of(identity).is_none_or(|known| Some(known) == number);
                    threads = if is_known { number } else { return Err(CalibrationError::Threads { line }) };
                }
                (key, device) => {
                    let constants = match device {
                        Some(device) => device_constants(device),
                        None => host_constants(&mut machine.host),
                    };
                    let constant = constants.into_iter().find(|(name, _)| *name == key);
                    let (Some((_, constant)), Ok(number)) = (constant, value.parse()) else { return Err(damaged) };
                    if !PLAUSIBLE.contains(&number) {
                        return Err(CalibrationError::Implausible { line });
                    }
                    if *constant >= 0.0 {
                        return Err(repeated);
                    }
                    *constant = number;
                }
            }
        }
        let is_read = |(_, value): (&str, &mut f64)| *value >= 0.0;
        let is_complete = host_constants(&mut machine.host).into_iter().all(is_read)
            && machine.devices.iter_mut().flat_map(device_constants).all(is_read)
            && machine.device("cpu").is_some();
        match threads {
            Some(threads) if is_complete => {
                machine.host.threads = threads;
                machine.is_calibrated = true;
                Ok(machine)
            }
            _ => Err(CalibrationError::Incomplete),
        }
    }
}

/// A text of a file for a message: a file may have escape sequences, and lines of any length.
fn quoted(text: &str) -> std::borrow::Cow<'_, str> {
    visible_prefix(text, MAX_QUOTED)
}

/// Number of threads in an identity, if it has one.
fn threads_of(identity: &str) -> Option<usize> {
    identity.split("; ").find_map(|part| part.strip_suffix(" threads")?.parse().ok())
}

fn clamp(constants: Vec<(&'static str, &mut f64)>) {
    constants.into_iter().for_each(|(_, value)| *value = value.clamp(*PLAUSIBLE.start(), *PLAUSIBLE.end()));
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Constants of the host with their keys.
fn host_constants(host: &mut HostSpeed) -> Vec<(&'static str, &mut f64)> {
    let HostSpeed { threads: _, start_ms, cached_step_ns, memory_step_ns, algorithms } = host;
    let mut all = vec![("start_ms", start_ms), ("cached_step_ns", cached_step_ns), ("memory_step_ns", memory_step_ns)];
    all.extend(algorithms.constants());
    all
}

/// Constants of a device with their keys.
fn device_constants(device: &mut DeviceSpeed) -> Vec<(&'static str, &mut f64)> {
    let DeviceSpeed {
        backend: _,
        name: _,
        driver: _,
        start_ms,
        order_edge_ns,
        prune_edge_ns,
        load_edge_ns,
        bit_edge_ns,
        bit_word_ns,
        level_us,
        step_ns,
        lanes,
        distance_step_ns,
        output_ns,
        algorithms,
    } = device;
    let mut all = vec![
        ("start_ms", start_ms),
        ("order_edge_ns", order_edge_ns),
        ("prune_edge_ns", prune_edge_ns),
        ("load_edge_ns", load_edge_ns),
        ("bit_edge_ns", bit_edge_ns),
        ("bit_word_ns", bit_word_ns),
        ("level_us", level_us),
        ("step_ns", step_ns),
        ("lanes", lanes),
        ("distance_step_ns", distance_step_ns),
        ("output_ns", output_ns),
    ];
    all.extend(algorithms.constants());
    all
}

impl DeviceSpeed {
    /// Replaces constants that a file would not accept by the nearest ones: a measurement can be too short for the clock.
    pub(crate) fn clamp(&mut self) {
        clamp(device_constants(self));
    }

    /// Constants with their keys, whose last part is the unit.
    #[must_use]
    pub fn constants(&self) -> Vec<(&'static str, f64)> {
        device_constants(&mut self.clone()).into_iter().map(|(key, value)| (key, *value)).collect()
    }
}

impl HostSpeed {
    /// Replaces constants that a file would not accept by the nearest ones.
    pub(crate) fn clamp(&mut self) {
        clamp(host_constants(self));
    }

    /// Constants with their keys, whose last part is the unit.
    #[must_use]
    pub fn constants(&self) -> Vec<(&'static str, f64)> {
        host_constants(&mut self.clone()).into_iter().map(|(key, value)| (key, *value)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured() -> Machine {
        let mut machine = Machine::typical(3);
        let mut gpu = machine.devices[0].clone();
        (gpu.backend, gpu.name, gpu.driver) = ("cuda".into(), "A GPU".into(), Some("driver 1.2".into()));
        gpu.start_ms = 331.25;
        machine.devices.push(gpu);
        machine.is_calibrated = true;
        machine
    }

    #[test]
    fn a_calibration_is_read_as_it_was_written() {
        let machine = measured();
        assert_eq!(Machine::from_text(&machine.to_text("this one"), "this one"), Ok(machine));
    }

    #[test]
    fn damaged_old_and_foreign_calibrations_are_rejected() {
        let text = measured().to_text("this one");
        let read = |text: &str| Machine::from_text(text, "this one").expect_err("is rejected");
        assert_eq!(read(""), CalibrationError::Version);
        let old = read(&text.replace("calibration 2", "calibration 1"));
        assert_eq!(old, CalibrationError::OtherVersion { found: "1".to_owned() });
        assert!(old.to_string().ends_with("; calibrate again"), "{old}");
        let foreign = CalibrationError::OtherMachine { found: "that one".to_owned() };
        assert_eq!(read(&text.replace("this one", "that one")), foreign);
        let line = 1 + text.lines().position(|line| line == "start_ms 331.25").expect("the constant is written");
        for value in ["-1", "0", "NaN", "inf", "1e10"] {
            let changed = text.replace("start_ms 331.25", &format!("start_ms {value}"));
            assert_eq!(read(&changed), CalibrationError::Implausible { line }, "{value}");
        }
        assert_eq!(read(&text.replace("start_ms 331.25", "start_ms much")), CalibrationError::Line { line });
        let backend = "reference".to_owned();
        let named = text.replace("device cuda", "device reference");
        assert_eq!(read(&named), CalibrationError::Backend { line: line - 3, backend });
        for named in ["auto", "gpu", "CUDA", ""] {
            let backend = named.to_owned();
            let named = text.replace("device cuda", &format!("device {named}"));
            assert_eq!(read(&named), CalibrationError::Backend { line: line - 3, backend });
        }
        for threads in ["0", "65537", "-1", "many", "18446744073709551616"] {
            let changed = text.replace("threads 3", &format!("threads {threads}"));
            assert_eq!(read(&changed), CalibrationError::Threads { line: 3 }, "{threads}");
        }
        assert_eq!(read(&text.replace("step_ns", "step_us")), CalibrationError::Line { line: 5 });
        // Every prefix that ends a line lacks a constant.
        let lines: Vec<&str> = text.lines().collect();
        for length in 2..lines.len() {
            let prefix = lines[..length].join("\n");
            let is_whole = lines.get(length).is_some_and(|next| next.starts_with("device cuda"));
            assert_eq!(Machine::from_text(&prefix, "this one").is_ok(), is_whole, "{length} lines");
        }
    }

    #[test]
    fn every_repeated_line_is_rejected() {
        let text = measured().to_text("this one");
        let lines: Vec<&str> = text.lines().collect();
        // The name of the CPU is empty, which says nothing.
        for (at, line) in lines.iter().enumerate().skip(2).filter(|(_, line)| **line != "name ") {
            let repeated = [&lines[..=at], &[*line], &lines[at + 1..]].concat().join("\n");
            let error = Machine::from_text(&repeated, "this one").expect_err("is rejected");
            assert_eq!(error, CalibrationError::Repeated { line: at + 2 }, "{line}");
        }
        let again = format!("{text}device cpu\n");
        assert_eq!(Machine::from_text(&again, "this one"), Err(CalibrationError::Repeated { line: lines.len() + 1 }));
    }

    #[test]
    fn threads_agree_with_the_identity() {
        let identity = |threads: usize| format!("a CPU; {threads} threads; no driver");
        let text = |threads: usize| measured().to_text(&identity(threads));
        assert!(Machine::from_text(&text(3), &identity(3)).is_ok());
        assert_eq!(Machine::from_text(&text(4), &identity(4)), Err(CalibrationError::Threads { line: 3 }));
    }

    #[test]
    fn messages_have_no_escape_sequences_and_no_long_texts() {
        let found = format!("\u{1b}[2J\u{7}{}", "x".repeat(60_000));
        for error in [
            CalibrationError::OtherVersion { found: found.clone() },
            CalibrationError::OtherMachine { found: found.clone() },
            CalibrationError::Backend { line: 3, backend: found.clone() },
        ] {
            let text = error.to_string();
            assert!(!text.contains(char::is_control) && text.len() < 300, "{text:?}");
            assert!(text.contains("\\u{1b}[2J\\u{7}xxx") && text.contains("..."), "{text:?}");
        }
    }
}
