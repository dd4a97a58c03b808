//! ptxas: assembles PTX and reports the resources of the machine code.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use vyre_cuda::Ptx;

/// The assembler.
pub(crate) struct Ptxas {
    path: PathBuf,
    /// Version, such as `13.4.92`.
    pub(crate) version: String,
}

/// PTX to assemble.
pub(crate) struct Job {
    /// Name in messages.
    pub(crate) name: String,
    /// Compute capability of the target.
    pub(crate) sm: u32,
    pub(crate) text: String,
}

/// Resources of a kernel's machine code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Resources {
    /// Registers of a thread.
    pub(crate) registers: u32,
    /// Bytes of spill stores and spill loads.
    pub(crate) spills: [u32; 2],
    /// Static shared memory of a block, in bytes.
    pub(crate) shared: u32,
}

/// Oldest compute capability that ptxas supports. PTX for older ones is assembled for this one; the target in the text still
/// restricts its instructions.
const MIN_SM: u32 = 75;

/// Kernels per process. The start of a process takes longer than the assembly of most kernels.
const BATCH_KERNELS: usize = 32;

impl Ptxas {
    /// Finds ptxas: the one that `VYRE_PTXAS` names, which must work, or the one in the search path. Prints a line if there is
    /// none.
    pub(crate) fn find() -> Option<Ptxas> {
        let named = std::env::var_os("VYRE_PTXAS").map(PathBuf::from);
        let path = named.clone().unwrap_or_else(|| "ptxas".into());
        let version = version_of(&path);
        if version.is_none() {
            assert!(named.is_none(), "VYRE_PTXAS is {}, which is not ptxas", path.display());
            println!("SKIPPED: there is no ptxas; `.ci/install-ptxas` gets one, and VYRE_PTXAS names it");
        }
        Some(Ptxas { path, version: version? })
    }

    /// Assembles on all cores. Results are in the order of the jobs.
    pub(crate) fn assemble(&self, jobs: &[Job]) -> Vec<Result<Resources, String>> {
        // A process assembles for one target.
        let mut order: Vec<usize> = (0..jobs.len()).collect();
        order.sort_by_key(|&at| jobs[at].sm);
        let batches: Vec<&[usize]> = order.chunk_by(|&a, &b| jobs[a].sm == jobs[b].sm).collect();
        let batches: Vec<&[usize]> = batches.into_iter().flat_map(|same| same.chunks(BATCH_KERNELS)).collect();
        let done = Mutex::new(vec![Err(String::new()); jobs.len()]);
        let next = AtomicUsize::new(0);
        let threads = std::thread::available_parallelism().map_or(1, |threads| threads.get());
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    while let Some(&batch) = batches.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let found = self.assemble_batch(batch.iter().map(|&at| &jobs[at]).collect());
                        let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
                        batch.iter().zip(found).for_each(|(&at, found)| done[at] = found);
                    }
                });
            }
        });
        done.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Assembles a batch in one process, and after a failure each job in its own, to find the failing one.
    fn assemble_batch(&self, jobs: Vec<&Job>) -> Vec<Result<Resources, String>> {
        match self.assemble_together(&jobs) {
            Ok(resources) => resources.into_iter().map(Ok).collect(),
            Err(log) if jobs.len() == 1 => vec![Err(log)],
            Err(_) => jobs.iter().map(|&job| Ok(self.assemble_together(&[job])?.remove(0))).collect(),
        }
    }

    /// Assembles kernels of one target in one process. Their names must differ.
    fn assemble_together(&self, jobs: &[&Job]) -> Result<Vec<Resources>, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let entry = |at: usize| format!("{}_{at}", Ptx::ENTRY);
        let sm = jobs.iter().map(|job| job.sm).max().unwrap_or_default().max(MIN_SM);
        let mut command = Command::new(&self.path);
        command.arg("--verbose").arg(format!("--gpu-name=sm_{sm}"));
        command.arg("--output-file").arg(folder.path().join("kernels.cubin"));
        for (at, job) in jobs.iter().enumerate() {
            let file = folder.path().join(format!("{at}.ptx"));
            std::fs::write(&file, job.text.replace(Ptx::ENTRY, &entry(at))).map_err(|error| error.to_string())?;
            command.arg(file);
        }
        let output = command.output().map_err(|error| error.to_string())?;
        let log = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        if !output.status.success() {
            return Err(log);
        }
        let resources = (0..jobs.len()).map(|at| parse_resources(&log, &entry(at)));
        resources.collect::<Option<_>>().ok_or_else(|| format!("unexpected output of ptxas:\n{log}"))
    }
}

/// The version of the program at this place, if it is ptxas.
fn version_of(path: &Path) -> Option<String> {
    let output = Command::new(path).arg("--version").output().ok()?;
    let log = String::from_utf8_lossy(&output.stdout).into_owned();
    let version = log.lines().find(|line| line.starts_with("Cuda compilation tools"))?.rsplit_once(", V")?.1;
    Some(version.trim().to_owned())
}

/// Parses the output of ptxas about a kernel:
///
/// ```text
/// ptxas info    : Compiling entry function 'vyre_main_0' for 'sm_90'
/// ptxas info    : Function properties for vyre_main_0
///     0 bytes stack frame, 8 bytes spill stores, 16 bytes spill loads
/// ptxas info    : Used 24 registers, used 1 barriers, 1024 bytes smem
/// ```
fn parse_resources(log: &str, entry: &str) -> Option<Resources> {
    let about = log.split_once(&format!("Compiling entry function '{entry}'"))?.1;
    let about = about.split_once("Compiling entry function").map_or(about, |(about, _)| about);
    let number = |unit: &str| -> Option<u32> { about.split_once(unit)?.0.rsplit(' ').next()?.parse().ok() };
    Some(Resources {
        registers: number(" registers")?,
        spills: [number(" bytes spill stores")?, number(" bytes spill loads")?],
        shared: number(" bytes smem").unwrap_or(0),
    })
}

#[test]
fn output_of_ptxas_is_parsed() {
    let log = "ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'vyre_main_10' for 'sm_90'
ptxas info    : Function properties for vyre_main_10
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 8 registers, used 0 barriers
ptxas info    : Compiling entry function 'vyre_main_1' for 'sm_90'
ptxas info    : Function properties for vyre_main_1
    16 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 255 registers, used 1 barriers, 1024 bytes smem, 360 bytes cmem[0]
";
    let few = Resources { registers: 8, ..Resources::default() };
    assert_eq!(parse_resources(log, "vyre_main_10"), Some(few));
    assert_eq!(parse_resources(log, "vyre_main_1"), Some(Resources { registers: 255, spills: [8, 12], shared: 1024 }));
    assert_eq!(parse_resources(log, "vyre_main_2"), None);
}
