//! Workloads, and what runs them: a device, or native code.

use rayon::ThreadPool;
use vyre_ir::{OpTable, Program, text};
use vyre_runtime::{Bindings, Buffer, CommandList, Device, PipelineOptions, RunOptions, RunReport, words};

use super::error::Error;

/// How large workloads are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// What figures are made of: tens of megabytes.
    Full,
    /// A sixty-fourth of that, to see that everything works.
    Quick,
    /// A four-thousandth of that, for slow devices and tests.
    Tiny,
}

impl Scale {
    /// A number of things at this scale, given that at full scale; at least 1.
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

/// What a run goes through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    /// Bytes that are read and written.
    Bytes(u64),
    /// Things, with what they are called.
    Items(u64, &'static str),
}

/// Native code, on all buffers by slot. The pool has as many threads as are to be used.
#[derive(Clone, Copy, Debug)]
pub enum Code {
    /// On words, as a device has them.
    Words(fn(&mut [Vec<u32>], &ThreadPool)),
    /// On the same contents as bytes.
    Bytes(fn(&mut [Vec<u8>], &ThreadPool)),
}

/// Native code that a device is compared with.
#[derive(Clone, Copy, Debug)]
pub struct Peer {
    /// What it is.
    pub name: &'static str,
    /// The code.
    pub code: Code,
    /// How many times as long as this a device may take; `None` where it is shown for information.
    pub goal: Option<f64>,
}

impl Peer {
    /// Native code of the same algorithm on words.
    pub(super) fn same(goal: f64, code: fn(&mut [Vec<u32>], &ThreadPool)) -> Peer {
        Peer { name: "same algorithm", code: Code::Words(code), goal: Some(goal) }
    }
}

/// A program with everything that it is run on.
#[derive(Clone, Debug)]
pub struct Workload {
    /// The name in reports.
    pub name: &'static str,
    /// The program in text form. It calls no ops; its slots are 0, 1, 2 and so on.
    pub program: String,
    /// How many workgroups run.
    pub grid: [u32; 3],
    /// The contents of the buffers before a run, by slot.
    pub buffers: Vec<Vec<u32>>,
    /// The slots that a run writes.
    pub results: &'static [usize],
    /// Those of them that it also reads, so that they are put back before each run.
    pub updates: &'static [usize],
    /// What a run goes through.
    pub amount: Amount,
    /// Native code of the same algorithm first, then of others with the same result.
    pub peers: Vec<Peer>,
}

impl Workload {
    /// The program.
    ///
    /// # Errors
    ///
    /// [`Error::Program`].
    pub fn parse(&self) -> Result<Program, Error> {
        let failed = |message: String| Error::Program { workload: self.name, message };
        Ok(text::parse(&self.program).map_err(|error| failed(error.to_string()))?.program)
    }
}

/// How many workgroups it takes for an invocation each.
pub(super) fn workgroups(invocations: usize, size: usize) -> [u32; 3] {
    [u32::try_from(invocations.div_ceil(size)).unwrap_or(u32::MAX), 1, 1]
}

/// A workload whose buffers are on a device and whose pipeline is built.
pub struct OnDevice<'d> {
    device: &'d dyn Device,
    buffers: Vec<Buffer>,
    commands: CommandList,
}

impl<'d> OnDevice<'d> {
    /// Puts a workload on a device.
    ///
    /// # Errors
    ///
    /// A program that is not valid, or a device that does not take it.
    pub fn new(workload: &Workload, device: &'d dyn Device) -> Result<OnDevice<'d>, Error> {
        let (program, ops) = (workload.parse()?, OpTable::default());
        let valid = vyre_ir::validate(&program, &ops).map_err(|errors| Error::Program {
            workload: workload.name,
            message: errors.first().map(ToString::to_string).unwrap_or_default(),
        })?;
        let pipeline = device.create_pipeline(&valid, &PipelineOptions::default())?;
        let mut bindings = Bindings::new();
        let mut buffers = Vec::new();
        for (slot, contents) in workload.buffers.iter().enumerate() {
            let buffer = device.create_buffer(4 * contents.len() as u64)?;
            device.write(&buffer, 0, &bytes(contents))?;
            bindings = bindings.with(slot as u32, &buffer);
            buffers.push(buffer);
        }
        let mut commands = CommandList::new();
        commands.dispatch(&pipeline, &bindings, workload.grid);
        Ok(OnDevice { device, buffers, commands })
    }

    /// Puts back what a run reads and writes.
    ///
    /// # Errors
    ///
    /// A device failure.
    pub fn restore(&self, workload: &Workload) -> Result<(), Error> {
        for &slot in workload.updates {
            self.device.write(&self.buffers[slot], 0, &bytes(&workload.buffers[slot]))?;
        }
        Ok(())
    }

    /// Runs the program once.
    ///
    /// # Errors
    ///
    /// A device failure.
    pub fn run(&self) -> Result<(), Error> {
        self.run_with(&RunOptions::default()).map(|_| ())
    }

    /// Runs the program once, in a certain way.
    ///
    /// # Errors
    ///
    /// A device failure.
    pub fn run_with(&self, options: &RunOptions) -> Result<RunReport, Error> {
        Ok(self.device.run(&self.commands, options)?)
    }

    /// The words of a buffer.
    ///
    /// # Errors
    ///
    /// A device failure.
    pub fn words(&self, slot: usize) -> Result<Vec<u32>, Error> {
        Ok(words(&self.device.read(&self.buffers[slot])?))
    }
}

/// The buffers of a workload for native code.
#[derive(Debug)]
pub struct OnHost {
    peer: &'static str,
    memory: Memory,
}

#[derive(Debug)]
enum Memory {
    Words(fn(&mut [Vec<u32>], &ThreadPool), Vec<Vec<u32>>),
    Bytes(fn(&mut [Vec<u8>], &ThreadPool), Vec<Vec<u8>>),
}

impl OnHost {
    /// A copy of the buffers for one of the native codes.
    #[must_use]
    pub fn new(workload: &Workload, peer: &Peer) -> OnHost {
        let memory = match peer.code {
            Code::Words(code) => Memory::Words(code, workload.buffers.clone()),
            Code::Bytes(code) => Memory::Bytes(code, workload.buffers.iter().map(|words| bytes(words)).collect()),
        };
        OnHost { peer: peer.name, memory }
    }

    /// Puts back what a run reads and writes.
    pub fn restore(&mut self, workload: &Workload) {
        for &slot in workload.updates {
            match &mut self.memory {
                Memory::Words(_, buffers) => buffers[slot].copy_from_slice(&workload.buffers[slot]),
                Memory::Bytes(_, buffers) => buffers[slot] = bytes(&workload.buffers[slot]),
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

    /// The words of a buffer.
    #[must_use]
    pub fn words(&self, slot: usize) -> Vec<u32> {
        match &self.memory {
            Memory::Words(_, buffers) => buffers[slot].clone(),
            Memory::Bytes(_, buffers) => words(&buffers[slot]),
        }
    }

    /// Compares all results with those of a device.
    ///
    /// # Errors
    ///
    /// The first word that differs, or a device failure.
    pub fn compare(&self, workload: &Workload, on_device: &OnDevice<'_>) -> Result<(), Error> {
        for &slot in workload.results {
            let (native, device) = (self.words(slot), on_device.words(slot)?);
            if native == device {
                continue;
            }
            let same = native.iter().zip(&device).take_while(|(native, device)| native == device).count();
            return Err(Error::Different {
                workload: workload.name,
                peer: self.peer,
                slot,
                word: same,
                native: native.get(same).copied(),
                device: device.get(same).copied(),
            });
        }
        Ok(())
    }
}

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}
