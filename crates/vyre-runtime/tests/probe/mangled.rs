//! A device with defects like those of real drivers.

use vyre_ir::{OpTable, ValidProgram, text};
use vyre_runtime::{
    Buffer, Command, CommandList, Device, DeviceId, Error, Limits, Pipeline, PipelineOptions, ReferenceDevice,
    RunOptions, RunReport,
};

/// Reference device that changes programs, commands and contents.
pub(crate) struct Mangled {
    pub(crate) inner: ReferenceDevice,
    /// Changes the text of a program.
    pub(crate) program: Box<dyn Fn(&str) -> String + Send + Sync>,
    /// Changes a command; `None` omits it.
    pub(crate) command: fn(&Command) -> Option<Command>,
    /// Changes the contents that are read back.
    pub(crate) contents: fn(Vec<u8>) -> Vec<u8>,
    /// Changes the offset of written bytes.
    pub(crate) offset: fn(u64) -> u64,
    /// Byte that fills new buffers.
    pub(crate) fresh: u8,
    /// True if races are errors.
    pub(crate) check_races: bool,
    /// True if all runs fail.
    pub(crate) broken: bool,
}

impl Default for Mangled {
    /// A device without defects.
    fn default() -> Mangled {
        Mangled {
            inner: ReferenceDevice::new(),
            program: Box::new(str::to_owned),
            command: |command| Some(command.clone()),
            contents: |bytes| bytes,
            offset: |offset| offset,
            fresh: 0,
            check_races: false,
            broken: false,
        }
    }
}

impl Mangled {
    /// Replaces a text in all programs.
    pub(crate) fn replacing(old: &'static str, new: &'static str) -> Mangled {
        Mangled::with_program(move |program| program.replace(old, new))
    }

    /// Changes all programs.
    pub(crate) fn with_program(program: impl Fn(&str) -> String + Send + Sync + 'static) -> Mangled {
        Mangled { program: Box::new(program), ..Mangled::default() }
    }

    /// Changes all commands.
    pub(crate) fn with_command(command: fn(&Command) -> Option<Command>) -> Mangled {
        Mangled { command, ..Mangled::default() }
    }

    fn list(&self, commands: &CommandList) -> CommandList {
        let mut list = CommandList::new();
        for command in commands.commands().iter().filter_map(self.command) {
            list.push(match command {
                Command::Repeat { count, commands } => Command::Repeat { count, commands: self.list(&commands) },
                command => command,
            });
        }
        list
    }
}

impl Device for Mangled {
    fn name(&self) -> String {
        "mangled".to_owned()
    }

    fn id(&self) -> DeviceId {
        self.inner.id()
    }

    fn limits(&self) -> &Limits {
        self.inner.limits()
    }

    fn create_buffer(&self, bytes: u64) -> Result<Buffer, Error> {
        let buffer = self.inner.create_buffer(bytes)?;
        self.inner.write(&buffer, 0, &vec![self.fresh; bytes as usize])?;
        Ok(buffer)
    }

    fn write(&self, buffer: &Buffer, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        self.inner.write(buffer, (self.offset)(offset), bytes)
    }

    fn read_at(&self, buffer: &Buffer, offset: u64, target: &mut [u8]) -> Result<(), Error> {
        self.inner.read_at(buffer, offset, target)
    }

    fn read(&self, buffer: &Buffer) -> Result<Vec<u8>, Error> {
        Ok((self.contents)(self.inner.read(buffer)?))
    }

    fn create_pipeline(&self, program: &ValidProgram<'_>, options: &PipelineOptions) -> Result<Pipeline, Error> {
        let text = (self.program)(&text::print(program.program()));
        let parsed = text::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let ops = OpTable::default();
        let valid = parsed.validate(&ops).unwrap_or_else(|errors| panic!("{}\n{text}", errors[0]));
        self.inner.create_pipeline(&valid, options)
    }

    fn run(&self, commands: &CommandList, options: &RunOptions) -> Result<RunReport, Error> {
        if self.broken {
            return Err(Error::driver("run", "gone"));
        }
        let mut options = options.clone();
        options.check_races = self.check_races;
        let report = self.inner.run(&self.list(commands), &options)?;
        assert!(report.races.races.is_empty(), "{:?}", report.races);
        Ok(report)
    }
}
