//! Sessions: a device, an op table and a pipeline cache.

use std::fmt;
use std::fs;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use crate::error::Error;
use crate::ir::text::ParseOptions;
use crate::ir::{OpSpec, OpTable, Program, SizeLimits, ValidProgram, text, validate, wire};
use crate::runtime::{
    Buffer, CommandList, Device, Element, Grid, Pipeline, PipelineCache, PipelineOptions, RunOptions, RunReport,
};
use crate::select::{DeviceRequest, select};

/// Number of compiled programs that a session keeps.
const CACHED_PIPELINES: usize = 256;

/// The ops of the library, which validation summarises once for all sessions.
static LIBRARY: LazyLock<Arc<OpTable>> = LazyLock::new(|| Arc::new(crate::ops::table()));

/// A device with everything that running programs needs: the op library, compiled programs and run options.
///
/// A program is compiled from text, from a file or from a built [`Program`]. The result is a [`Pipeline`], and the session
/// keeps it: the same program is compiled once. Buffers hold elements of any [`Element`] type and stay on the device between
/// runs. A run binds buffers by the names that the program declares.
///
/// ```
/// use vyre::{Grid, Session};
///
/// let session = Session::new()?;
/// let scale = session.compile_text(
///     "workgroup_size 64;
///      buffer input: read u32 @0;
///      buffer output: read_write u32 @1;
///      entry {
///          let i = invocation_id.x;
///          if i < len(input) { output[i] = input[i] * 3; }
///      }",
/// )?;
/// let input = session.buffer_from(&[1u32, 2, 3])?;
/// let output = session.zeros::<u32>(3)?;
/// session.run(&scale, [("input", &input), ("output", &output)], Grid::invocations(3))?;
/// assert_eq!(session.read_vec::<u32>(&output)?, [3, 6, 9]);
/// # Ok::<(), vyre::Error>(())
/// ```
///
/// Several dispatches run as one list of commands, without a round trip to the host:
///
/// ```
/// use vyre::{CommandList, Grid, Session};
///
/// let session = Session::new()?;
/// let double = "workgroup_size 1; buffer data: read_write u32 @0; entry { data[0] = data[0] * 2; }";
/// let double = session.compile_text(double)?;
/// let data = session.buffer_from(&[5u32])?;
/// let mut commands = CommandList::new();
/// commands.dispatch_named(&double, [("data", &data)], Grid::workgroup())?;
/// commands.dispatch_named(&double, [("data", &data)], Grid::workgroup())?;
/// session.run_commands(&commands)?;
/// assert_eq!(session.read_vec::<u32>(&data)?, [20]);
/// # Ok::<(), vyre::Error>(())
/// ```
///
/// A session is `Send + Sync`. Threads share one session by reference or in an [`Arc`]; each run uses the buffers that it
/// names and nothing else.
pub struct Session {
    device: Arc<dyn Device>,
    ops: Arc<OpTable>,
    pipelines: PipelineCache,
    run_options: RunOptions,
    timeout: Option<Duration>,
}

impl Session {
    /// Creates a session on the device that [`any_device`](crate::any_device) returns: the CPU.
    ///
    /// # Errors
    ///
    /// No backend has a device.
    pub fn new() -> Result<Session, Error> {
        Ok(Session::on(crate::any_device()?))
    }

    /// Creates a session on a device.
    #[must_use]
    pub fn on(device: Arc<dyn Device>) -> Session {
        Session {
            device,
            ops: Arc::clone(&LIBRARY),
            pipelines: PipelineCache::new(CACHED_PIPELINES),
            run_options: RunOptions::default(),
            timeout: None,
        }
    }

    /// Creates a session on a device that meets a request. If the request is for a device that checks for races, every run
    /// of the session checks for them.
    ///
    /// ```
    /// use vyre::select::DeviceRequest;
    /// use vyre::{Error, Grid, Session};
    ///
    /// let session = Session::select(&DeviceRequest::default().with_race_check(true))?;
    /// let racy = "workgroup_size 2; buffer data: read_write u32 @0; entry { data[0] = local_id.x; }";
    /// let racy = session.compile_text(racy)?;
    /// let data = session.zeros::<u32>(1)?;
    /// let outcome = session.run(&racy, [("data", &data)], Grid::workgroup());
    /// assert!(matches!(outcome, Err(Error::Races(_))));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// No device meets the request.
    pub fn select(request: &DeviceRequest<'_>) -> Result<Session, Error> {
        let session = Session::on(select(request)?.device);
        Ok(session.with_run_options(RunOptions::default().with_race_check(request.check_races)))
    }

    /// Replaces the op library by these ops.
    #[must_use]
    pub fn with_ops(mut self, ops: OpTable) -> Session {
        self.ops = Arc::new(ops);
        self
    }

    /// Adds an op that programs can call.
    ///
    /// # Errors
    ///
    /// [`Error::Op`] if the session has an op with this id.
    pub fn with_op(self, op: OpSpec) -> Result<Session, Error> {
        let ops = OpTable::new(self.ops.iter().cloned().chain([op]))?;
        Ok(self.with_ops(ops))
    }

    /// Sets race checking of all runs, and the cancellation token and the deadline of all runs and compilations.
    #[must_use]
    pub fn with_run_options(mut self, options: RunOptions) -> Session {
        self.run_options = options;
        self
    }

    /// Limits the time of each run and of each compilation. A compiler checks the limit between its phases, so a compilation
    /// can take longer.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Session {
        self.timeout = Some(timeout);
        self
    }

    /// The device.
    #[must_use]
    pub fn device(&self) -> &Arc<dyn Device> {
        &self.device
    }

    /// The ops that programs can call.
    #[must_use]
    pub fn ops(&self) -> &OpTable {
        &self.ops
    }

    /// Validates and compiles a program.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] with all violations of rules; [`Error::Device`] for a program beyond the limits of the device.
    pub fn compile(&self, program: &Program) -> Result<Pipeline, Error> {
        self.compile_with(program, &PipelineOptions::default())
    }

    /// Validates and compiles a program with options, such as values of uniform buffers that become constants.
    ///
    /// # Errors
    ///
    /// As [`compile`](Session::compile); [`Error::Device`] for options that do not match the program.
    pub fn compile_with(&self, program: &Program, options: &PipelineOptions) -> Result<Pipeline, Error> {
        self.pipeline(&validate(program, &self.ops)?, options)
    }

    /// Compiles a program in the text format (module [`language`](crate::language)). Memory is bounded for any text: a
    /// program beyond the limits of validation is rejected while it is read.
    ///
    /// # Errors
    ///
    /// [`Error::Syntax`] for a text that is no program, and the errors of [`compile`](Session::compile). The texts of both
    /// show the lines of the program.
    pub fn compile_text(&self, text: &str) -> Result<Pipeline, Error> {
        let parsed = text::parse_with(text, &ParseOptions::default().with_limits(SizeLimits::of_validation()))?;
        self.pipeline(&parsed.validate(&self.ops)?, &PipelineOptions::default())
    }

    /// Compiles a program file: text, or the wire format, which begins with [`wire::MAGIC`].
    ///
    /// # Errors
    ///
    /// [`Error::File`] for a file that cannot be read; [`Error::InFile`] with the name of the file and an error of
    /// [`compile_text`](Session::compile_text), or [`Error::Wire`].
    pub fn compile_file(&self, path: impl AsRef<Path>) -> Result<Pipeline, Error> {
        let path = path.as_ref();
        let unreadable = |source| Error::File { path: path.to_owned(), source };
        let bytes = fs::read(path).map_err(unreadable)?;
        let compiled = if bytes.starts_with(&wire::MAGIC) {
            wire::from_wire_within(&bytes, &SizeLimits::of_validation())
                .map_err(Error::from)
                .and_then(|program| self.compile(&program))
        } else {
            let text = str::from_utf8(&bytes).map_err(|error| unreadable(std::io::Error::other(error)))?;
            self.compile_text(text)
        };
        compiled.map_err(|error| Error::InFile { path: path.to_owned(), error: Box::new(error) })
    }

    fn pipeline(&self, program: &ValidProgram<'_>, options: &PipelineOptions) -> Result<Pipeline, Error> {
        let limits = self.limited_run_options();
        let mut options = options.clone();
        options.deadline = options.deadline.into_iter().chain(limits.deadline).min();
        options.cancel = options.cancel.or(limits.cancel);
        Ok(self.pipelines.pipeline(&*self.device, program, &options)?)
    }

    /// Creates a buffer with these elements.
    ///
    /// # Errors
    ///
    /// A buffer beyond the limits of the device, or exhausted memory.
    pub fn buffer_from<T: Element>(&self, elements: &[T]) -> Result<Buffer, Error> {
        Ok(self.device.buffer_from(elements)?)
    }

    /// Creates a buffer with these bytes, padded with zeros to whole words. Programs access bytes as parts of words, so a
    /// text is uploaded in this way. `len` of the buffer counts the padded words: a program that needs the number of bytes gets
    /// it in a uniform buffer.
    ///
    /// # Errors
    ///
    /// A buffer beyond the limits of the device, or exhausted memory.
    pub fn buffer_from_bytes(&self, bytes: &[u8]) -> Result<Buffer, Error> {
        Ok(self.device.buffer_from_bytes(bytes)?)
    }

    /// Creates a buffer of `count` elements, all zero.
    ///
    /// # Errors
    ///
    /// A buffer beyond the limits of the device, or exhausted memory.
    pub fn zeros<T: Element>(&self, count: u64) -> Result<Buffer, Error> {
        Ok(self.device.zeros::<T>(count)?)
    }

    /// Reads all elements of a buffer.
    ///
    /// # Errors
    ///
    /// A buffer of no whole number of elements, a buffer of another device, or a device failure.
    pub fn read_vec<T: Element>(&self, buffer: &Buffer) -> Result<Vec<T>, Error> {
        Ok(self.device.read_vec(buffer)?)
    }

    /// Reads a range of elements. Transfers only these elements.
    ///
    /// # Errors
    ///
    /// A range beyond the end of the buffer, a buffer of another device, or a device failure.
    pub fn read_range<T: Element>(&self, buffer: &Buffer, range: Range<u64>) -> Result<Vec<T>, Error> {
        Ok(self.device.read_range(buffer, range)?)
    }

    /// Writes elements to the positions from `start` on.
    ///
    /// # Errors
    ///
    /// Elements beyond the end of the buffer, a buffer of another device, or a device failure.
    pub fn write_range<T: Element>(&self, buffer: &Buffer, start: u64, elements: &[T]) -> Result<(), Error> {
        Ok(self.device.write_range(buffer, start, elements)?)
    }

    /// Runs a program over a grid, with its buffers by name, and waits for the end.
    ///
    /// # Errors
    ///
    /// A name that the program does not declare, a buffer that is missing, bound twice while it is written, or no whole number of
    /// elements; a grid beyond the limits; a run that was
    /// stopped; a device failure; [`Error::Races`] if the run checks for races and finds some.
    pub fn run<'b>(
        &self,
        pipeline: &Pipeline,
        buffers: impl IntoIterator<Item = (&'b str, &'b Buffer)>,
        grid: Grid,
    ) -> Result<RunReport, Error> {
        let mut commands = CommandList::new();
        commands.dispatch_named(pipeline, buffers, grid)?;
        self.run_commands(&commands)
    }

    /// Runs commands in order and waits for the end. [`CommandList::dispatch_named`] adds a dispatch to a list.
    ///
    /// # Errors
    ///
    /// Commands that do not match their buffers, before any command runs; otherwise as [`run`](Session::run).
    pub fn run_commands(&self, commands: &CommandList) -> Result<RunReport, Error> {
        let report = self.device.run(commands, &self.limited_run_options())?;
        if report.races.total > 0 { Err(Error::Races(report.races)) } else { Ok(report) }
    }

    /// Run options of a run that begins now.
    pub(crate) fn limited_run_options(&self) -> RunOptions {
        let mut options = self.run_options.clone();
        if let Some(timeout) = self.timeout {
            let limited = RunOptions::default().with_timeout(timeout).deadline;
            options.deadline = options.deadline.into_iter().chain(limited).min();
        }
        options
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Session { device, ops, pipelines, run_options, timeout } = self;
        f.debug_struct("Session")
            .field("device", &device.name())
            .field("ops", &ops.len())
            .field("pipelines", &pipelines.len())
            .field("run_options", run_options)
            .field("timeout", timeout)
            .finish()
    }
}
