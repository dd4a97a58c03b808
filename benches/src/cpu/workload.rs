//! Workloads, and their runs on a device and as native code.

use rayon::ThreadPool;
use vyre_ir::Program;
use vyre_runtime::{Bindings, Buffer, CommandList, Device, RunOptions, RunReport, words};

use crate::data::{Difference, bytes_of};
use crate::device::{build_pipeline, parse_program};
use crate::error::Error;

/// Size of workloads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Size of the report: tens of megabytes.
    Full,
    /// 1/64 of the full size, to see that everything works.
    Quick,
    /// 1/4096 of the full size, for slow devices and tests.
    Tiny,
}

impl Scale {
    /// Number of elements at this scale, from that at full scale; at least 1.
    #[must_use]
    pub fn of(self, full: usize) -> usize {
        let divisor = match self {
            Scale::Full => 1,
            Scale::Quick => 64,
            Scale::Tiny => 4_096,
        };
        (full / divisor).max(1)
    }
}

/// Work of a run, from which reports compute the throughput.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Throughput {
    /// Bytes that the algorithm reads and writes.
    Bytes(u64),
    /// Items, with their name.
    Items(u64, &'static str),
}

/// Native code on all buffers by slot. It uses all threads of the pool.
#[derive(Clone, Copy, Debug)]
pub enum NativeCode {
    /// Native code on words, as on a device.
    Words(fn(&mut [Vec<u32>], &ThreadPool)),
    /// Native code on the bytes of the words.
    Bytes(fn(&mut [Vec<u8>], &ThreadPool)),
}

/// Native code that a device is compared with.
#[derive(Clone, Copy, Debug)]
pub struct Peer {
    /// Name in reports.
    pub name: &'static str,
    /// The code.
    pub code: NativeCode,
    /// Maximum ratio of the time of a device to that of this code; `None` if it is shown for information.
    pub goal: Option<f64>,
}

impl Peer {
    /// Native code of the algorithm of the program, on words.
    pub(super) fn same(goal: f64, code: fn(&mut [Vec<u32>], &ThreadPool)) -> Peer {
        Peer { name: "same algorithm", code: NativeCode::Words(code), goal: Some(goal) }
    }
}

/// Program with its buffers, its grid and its peers.
#[derive(Clone, Debug)]
pub struct Workload {
    /// Name in reports.
    pub name: &'static str,
    /// Program in text form. It must not call ops; its slots must be 0, 1, 2 and so on.
    pub program: String,
    /// Number of workgroups.
    pub grid: [u32; 3],
    /// Contents of the buffers before a run, by slot.
    pub buffers: Vec<Vec<u32>>,
    /// Slots that a run writes.
    pub results: &'static [usize],
    /// Slots that a run reads and writes, which are restored before each run.
    pub updates: &'static [usize],
    /// Work of a run.
    pub throughput: Throughput,
    /// Native code of the same algorithm, then native code of others with the same result.
    pub peers: Vec<Peer>,
}

impl Workload {
    /// Parses the program.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidProgram`].
    pub fn parse(&self) -> Result<Program, Error> {
        Ok(parse_program(self.name, &self.program)?.program)
    }
}

/// Grid with at least this number of invocations.
pub(super) fn workgroups(invocations: usize, size: usize) -> [u32; 3] {
    [u32::try_from(invocations.div_ceil(size)).unwrap_or(u32::MAX), 1, 1]
}

/// Workload whose buffers are on a device and whose pipeline is built.
pub struct DeviceRun<'d> {
    device: &'d dyn Device,
    buffers: Vec<Buffer>,
    commands: CommandList,
}

impl<'d> DeviceRun<'d> {
    /// Creates the buffers and the pipeline of a workload.
    ///
    /// # Errors
    ///
    /// The program is not valid, or the device rejects it.
    pub fn new(workload: &Workload, device: &'d dyn Device) -> Result<DeviceRun<'d>, Error> {
        let pipeline = build_pipeline(device, workload.name, &parse_program(workload.name, &workload.program)?)?;
        let mut bindings = Bindings::new();
        let mut buffers = Vec::new();
        for (slot, contents) in workload.buffers.iter().enumerate() {
            let buffer = device.create_buffer(4 * contents.len() as u64)?;
            device.write(&buffer, 0, &bytes_of(contents))?;
            bindings = bindings.with(slot as u32, &buffer);
            buffers.push(buffer);
        }
        let mut commands = CommandList::new();
        commands.dispatch(&pipeline, &bindings, workload.grid);
        Ok(DeviceRun { device, buffers, commands })
    }

    /// Restores the slots that a run reads and writes.
    ///
    /// # Errors
    ///
    /// The device fails.
    pub fn restore(&self, workload: &Workload) -> Result<(), Error> {
        for &slot in workload.updates {
            self.device.write(&self.buffers[slot], 0, &bytes_of(&workload.buffers[slot]))?;
        }
        Ok(())
    }

    /// Runs the program once.
    ///
    /// # Errors
    ///
    /// The device fails.
    pub fn run(&self) -> Result<(), Error> {
        self.run_with(&RunOptions::default()).map(|_| ())
    }

    /// Runs the program once with these options.
    ///
    /// # Errors
    ///
    /// The device fails.
    pub fn run_with(&self, options: &RunOptions) -> Result<RunReport, Error> {
        Ok(self.device.run(&self.commands, options)?)
    }

    /// Words of a buffer.
    ///
    /// # Errors
    ///
    /// The device fails.
    pub fn words(&self, slot: usize) -> Result<Vec<u32>, Error> {
        Ok(words(&self.device.read(&self.buffers[slot])?))
    }
}

/// Native code with buffers of its own.
#[derive(Debug)]
pub struct NativeRun {
    peer: &'static str,
    memory: Memory,
}

#[derive(Debug)]
enum Memory {
    Words(fn(&mut [Vec<u32>], &ThreadPool), Vec<Vec<u32>>),
    Bytes(fn(&mut [Vec<u8>], &ThreadPool), Vec<Vec<u8>>),
}

impl NativeRun {
    /// Copies the buffers of a workload for one of its native codes.
    #[must_use]
    pub fn new(workload: &Workload, peer: &Peer) -> NativeRun {
        let memory = match peer.code {
            NativeCode::Words(code) => Memory::Words(code, workload.buffers.clone()),
            NativeCode::Bytes(code) => {
                Memory::Bytes(code, workload.buffers.iter().map(|words| bytes_of(words)).collect())
            }
        };
        NativeRun { peer: peer.name, memory }
    }

    /// Restores the slots that a run reads and writes.
    pub fn restore(&mut self, workload: &Workload) {
        for &slot in workload.updates {
            match &mut self.memory {
                Memory::Words(_, buffers) => buffers[slot].copy_from_slice(&workload.buffers[slot]),
                Memory::Bytes(_, buffers) => buffers[slot] = bytes_of(&workload.buffers[slot]),
            }
        }
    }

    /// Runs the code once.
    pub fn run(&mut self, pool: &ThreadPool) {
        match &mut self.memory {
            Memory::Words(code, buffers) => code(buffers, pool),
            Memory::Bytes(code, buffers) => code(buffers, pool),
        }
    }

    /// Words of a buffer.
    #[must_use]
    pub fn words(&self, slot: usize) -> Vec<u32> {
        match &self.memory {
            Memory::Words(_, buffers) => buffers[slot].clone(),
            Memory::Bytes(_, buffers) => words(&buffers[slot]),
        }
    }

    /// Verifies that all results are those of a device.
    ///
    /// # Errors
    ///
    /// A word differs, or the device fails.
    pub fn verify(&self, workload: &Workload, on_device: &DeviceRun<'_>) -> Result<(), Error> {
        for &slot in workload.results {
            let (native, device) = (self.words(slot), on_device.words(slot)?);
            if native == device {
                continue;
            }
            let same = native.iter().zip(&device).take_while(|(native, device)| native == device).count();
            let word = |words: &[u32]| words.get(same).copied().unwrap_or_default();
            return Err(Error::Mismatch {
                contender: format!("`{}` on the device, buffer {slot}", workload.name),
                against: format!("native code ({})", self.peer),
                difference: Difference { word: same, expected: word(&native), found: word(&device) },
            });
        }
        Ok(())
    }
}
