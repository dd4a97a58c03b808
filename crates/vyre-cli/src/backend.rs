//! Choosing what to run on.

use std::sync::Arc;

use anyhow::{Context as _, anyhow, bail};
use vyre::runtime::{Backend, Device};

use crate::advice::explained;
use crate::output::visible;

/// The name that stands for the first backend that will do.
pub(crate) const AUTO: &str = "auto";

/// The name of the backend that runs on threads.
pub(crate) const CPU: &str = "cpu";

/// The names of the backends that run on GPUs.
const GPUS: [&str; 2] = ["cuda", "wgpu"];

/// All backends, those that are most likely the fastest first.
const FASTEST_FIRST: [&str; 4] = ["cuda", "wgpu", CPU, "reference"];

/// What is wanted of a backend.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wish<'n> {
    /// Its name, or [`AUTO`].
    pub(crate) name: &'n str,
    /// Which of its devices: a number, or a part of a name; the first where none is said.
    pub(crate) device: Option<&'n str>,
    /// Whether it is to look for races.
    pub(crate) check_races: bool,
    /// On how many threads it is to run; 0 for one for each core.
    pub(crate) threads: Option<usize>,
}

/// A device and how it was found.
pub(crate) struct Chosen {
    pub(crate) backend: &'static str,
    pub(crate) device: Arc<dyn Device>,
    /// Why backends before it were not taken.
    pub(crate) passed_over: Vec<String>,
}

/// The backends of this build, the CPU with so many threads if a number is given.
pub(crate) fn backends(threads: Option<usize>) -> Vec<Box<dyn Backend>> {
    let all = vyre::backends();
    match threads {
        Some(threads) => all.into_iter().map(|backend| with_threads(backend, threads)).collect(),
        None => all,
    }
}

#[cfg(feature = "jit")]
fn with_threads(backend: Box<dyn Backend>, threads: usize) -> Box<dyn Backend> {
    if backend.name() == CPU { Box::new(CpuWithThreads { threads }) } else { backend }
}

#[cfg(not(feature = "jit"))]
fn with_threads(backend: Box<dyn Backend>, _threads: usize) -> Box<dyn Backend> {
    backend
}

/// The CPU with a number of threads.
#[cfg(feature = "jit")]
struct CpuWithThreads {
    threads: usize,
}

#[cfg(feature = "jit")]
impl Backend for CpuWithThreads {
    fn name(&self) -> &'static str {
        CPU
    }

    fn devices(&self) -> Result<Vec<Arc<dyn Device>>, vyre::runtime::Error> {
        use vyre::cpu::{JitDevice, JitOptions};
        Ok(vec![Arc::new(JitDevice::new(&JitOptions::default().with_threads(self.threads))?)])
    }
}

/// The device of the backend that is named, or of the first that has one and will do for [`AUTO`].
pub(crate) fn choose(backends: &[Box<dyn Backend>], wish: &Wish<'_>) -> anyhow::Result<Chosen> {
    match wish.device {
        Some(_) if wish.name == AUTO => {
            bail!("`--device` is about the devices of one backend; name it with `--backend`: {}", listed(backends))
        }
        _ if wish.name == AUTO => first(backends, wish),
        _ => named(backends, wish),
    }
}

/// The device of the backend that is named; for [`AUTO`] the one that is most likely the fastest: CUDA, a GPU through wgpu,
/// the CPU, the reference. A GPU that computes on the CPU is passed over.
pub(crate) fn choose_fastest(backends: &[Box<dyn Backend>], wish: &Wish<'_>) -> anyhow::Result<Chosen> {
    if wish.name != AUTO || wish.device.is_some() {
        return choose(backends, wish);
    }
    let mut passed_over = Vec::new();
    for backend in FASTEST_FIRST.iter().filter_map(|name| find(backends, name)) {
        let reason = if wish.threads.is_some() && backend.name() != CPU {
            "it takes no `--threads`".to_owned()
        } else {
            match devices_of(backend).map(|devices| devices.into_iter().find(|device| !device.is_software())) {
                Ok(Some(device)) => return Ok(Chosen { backend: backend.name(), device, passed_over }),
                Ok(None) => "it has no GPU, only drivers that compute on the CPU".to_owned(),
                Err(error) => format!("{error:#}"),
            }
        };
        passed_over.push(format!("backend `{}`: {reason}", backend.name()));
    }
    bail!("no backend will do: {}", passed_over.join("; "))
}

/// The backend with this name.
fn find<'b>(backends: &'b [Box<dyn Backend>], name: &str) -> Option<&'b dyn Backend> {
    backends.iter().find(|backend| backend.name() == name).map(|backend| &**backend)
}

/// The position of the device that is meant: by its number, or by a part of its name that no other device has.
///
/// A number that no device has is looked for in names, as in those of many GPUs.
pub(crate) fn find_device(backend: &str, devices: &[Arc<dyn Device>], which: &str) -> anyhow::Result<usize> {
    if let Some(number) = which.parse().ok().filter(|&number| number < devices.len()) {
        return Ok(number);
    }
    let all: Vec<(usize, String)> = devices.iter().map(|device| device.name()).enumerate().collect();
    let part = which.to_lowercase();
    let fitting: Vec<(usize, String)> =
        all.iter().filter(|(_, name)| name.to_lowercase().contains(&part)).cloned().collect();
    let shown = visible(which);
    match &fitting[..] {
        [(number, _)] => Ok(*number),
        [] => bail!("backend `{backend}` has no device `{shown}`; it has {}", numbered(&all)),
        _ => bail!("`{shown}` fits several devices of backend `{backend}`: {}; use the number", numbered(&fitting)),
    }
}

/// Devices with their numbers, as `vyre devices` has them.
fn numbered(devices: &[(usize, String)]) -> String {
    let shown: Vec<String> = devices.iter().map(|(number, name)| format!("{number} ({})", visible(name))).collect();
    shown.join(", ")
}

fn named(backends: &[Box<dyn Backend>], wish: &Wish<'_>) -> anyhow::Result<Chosen> {
    let name = wish.name;
    let Some(backend) = find(backends, name) else {
        bail!("there is no backend `{}`; there are {}", visible(name), names(backends));
    };
    if wish.threads.is_some() && name != CPU {
        let has_cpu = backends.iter().any(|backend| backend.name() == CPU);
        let instead =
            if has_cpu { format!("leave it out or use `--backend {CPU}`") } else { "leave it out".to_owned() };
        bail!("backend `{name}` takes no `--threads`; {instead}");
    }
    let unusable = || format!("cannot use backend `{name}`; there are {}", names(backends));
    let devices = devices_of(backend).with_context(unusable)?;
    let number = wish.device.map_or(Ok(0), |which| find_device(name, &devices, which))?;
    let device = Arc::clone(&devices[number]);
    if wish.check_races && !device.limits().can_check_races {
        bail!("backend `{name}` cannot look for races; add `--backend reference`");
    }
    Ok(Chosen { backend: backend.name(), device, passed_over: Vec::new() })
}

fn first(backends: &[Box<dyn Backend>], wish: &Wish<'_>) -> anyhow::Result<Chosen> {
    // A GPU is a choice that people make: where there is the CPU, none is even looked for.
    let has_cpu = find(backends, CPU).is_some();
    let mut passed_over = Vec::new();
    for backend in backends.iter().filter(|backend| !has_cpu || !GPUS.contains(&backend.name())) {
        let reason = if wish.threads.is_some() && backend.name() != CPU {
            "it takes no `--threads`".to_owned()
        } else {
            match devices_of(&**backend).map(|devices| Arc::clone(&devices[0])) {
                Ok(device) if wish.check_races && !device.limits().can_check_races => {
                    "it cannot look for races".to_owned()
                }
                Ok(device) => return Ok(Chosen { backend: backend.name(), device, passed_over }),
                Err(error) => format!("{error:#}"),
            }
        };
        passed_over.push(format!("backend `{}`: {reason}", backend.name()));
    }
    bail!("no backend will do: {}", passed_over.join("; "))
}

/// The devices of a backend, of which there is one at least.
fn devices_of(backend: &dyn Backend) -> anyhow::Result<Vec<Arc<dyn Device>>> {
    let devices = backend.devices().map_err(|error| anyhow!("{}", explained(&error)))?;
    if devices.is_empty() { Err(anyhow!("it has no device")) } else { Ok(devices) }
}

/// The names of all backends, as messages list them.
pub(crate) fn listed(backends: &[Box<dyn Backend>]) -> String {
    backends.iter().map(|backend| format!("`{}`", backend.name())).collect::<Vec<String>>().join(", ")
}

fn names(backends: &[Box<dyn Backend>]) -> String {
    format!("{} and `{AUTO}`", listed(backends))
}

#[cfg(test)]
mod tests {
    use vyre::ir::ValidProgram;
    use vyre::runtime::{
        Buffer, CommandList, DeviceId, Error, Limits, Pipeline, PipelineOptions, ReferenceBackend, ReferenceDevice,
        RunOptions, RunReport,
    };

    use super::*;

    /// A backend without a device, or with one that is not the reference.
    struct Other {
        name: &'static str,
        has_device: bool,
    }

    impl Backend for Other {
        fn name(&self) -> &'static str {
            self.name
        }

        fn devices(&self) -> Result<Vec<Arc<dyn Device>>, Error> {
            let device = ReferenceDevice::with_limits(Limits::new(1 << 20, 1 << 15, 256));
            if self.has_device { Ok(vec![Arc::new(device)]) } else { Err(Error::NoGpuAdapter) }
        }
    }

    fn with(name: &'static str, has_device: bool) -> Vec<Box<dyn Backend>> {
        vec![Box::new(Other { name, has_device }), Box::new(ReferenceBackend)]
    }

    fn plain(name: &str) -> Wish<'_> {
        Wish { name, device: None, check_races: false, threads: None }
    }

    fn racing(name: &str) -> Wish<'_> {
        Wish { check_races: true, ..plain(name) }
    }

    fn threaded(name: &str) -> Wish<'_> {
        Wish { threads: Some(2), ..plain(name) }
    }

    /// A device of a backend that is named.
    fn device<'n>(name: &'n str, device: &'n str) -> Wish<'n> {
        Wish { device: Some(device), ..plain(name) }
    }

    /// The reference under another name.
    struct Called(&'static str, ReferenceDevice);

    impl Device for Called {
        fn name(&self) -> String {
            self.0.to_owned()
        }

        fn is_software(&self) -> bool {
            self.0.starts_with("llvmpipe")
        }

        fn id(&self) -> DeviceId {
            self.1.id()
        }

        fn limits(&self) -> &Limits {
            self.1.limits()
        }

        fn create_buffer(&self, bytes: u64) -> Result<Buffer, Error> {
            self.1.create_buffer(bytes)
        }

        fn write(&self, buffer: &Buffer, offset: u64, bytes: &[u8]) -> Result<(), Error> {
            self.1.write(buffer, offset, bytes)
        }

        fn read(&self, buffer: &Buffer) -> Result<Vec<u8>, Error> {
            self.1.read(buffer)
        }

        fn create_pipeline(&self, program: &ValidProgram<'_>, options: &PipelineOptions) -> Result<Pipeline, Error> {
            self.1.create_pipeline(program, options)
        }

        fn run(&self, commands: &CommandList, options: &RunOptions) -> Result<RunReport, Error> {
            self.1.run(commands, options)
        }
    }

    /// A backend with devices of these names.
    struct Several(&'static [&'static str]);

    impl Backend for Several {
        fn name(&self) -> &'static str {
            "several"
        }

        fn devices(&self) -> Result<Vec<Arc<dyn Device>>, Error> {
            let device = |name: &&'static str| Arc::new(Called(name, ReferenceDevice::new())) as Arc<dyn Device>;
            Ok(self.0.iter().map(device).collect())
        }
    }

    fn several() -> Vec<Box<dyn Backend>> {
        vec![Box::new(Several(&["Fast 4090", "Slow 4090 Ti", "llvmpipe (LLVM 19)"]))]
    }

    #[track_caller]
    fn failure(backends: &[Box<dyn Backend>], wish: &Wish<'_>) -> String {
        choose(backends, wish).err().map(|error| format!("{error:#}")).unwrap_or_default()
    }

    #[test]
    fn auto_takes_the_first_device_and_says_what_it_passed_over() {
        let chosen = choose(&with("other", true), &plain(AUTO)).expect("a device");
        assert_eq!((chosen.backend, chosen.passed_over.len()), ("other", 0));
        let chosen = choose(&with("other", false), &plain(AUTO)).expect("a device");
        assert_eq!(chosen.backend, "reference");
        assert_eq!(chosen.passed_over, [format!("backend `other`: {}", explained(&Error::NoGpuAdapter))]);
        assert!(choose(&[], &plain(AUTO)).is_err());
    }

    /// A GPU that computes on the CPU.
    struct Software;

    impl Backend for Software {
        fn name(&self) -> &'static str {
            "wgpu"
        }

        fn devices(&self) -> Result<Vec<Arc<dyn Device>>, Error> {
            Ok(vec![Arc::new(Called("llvmpipe", ReferenceDevice::new()))])
        }
    }

    #[test]
    fn the_fastest_is_a_gpu_unless_that_is_software() {
        let all = |cuda: bool, software: bool, cpu: bool| -> Vec<Box<dyn Backend>> {
            let gpu: Box<dyn Backend> =
                if software { Box::new(Software) } else { Box::new(Other { name: "wgpu", has_device: true }) };
            let cuda = Other { name: "cuda", has_device: cuda };
            vec![Box::new(Other { name: CPU, has_device: cpu }), Box::new(cuda), gpu, Box::new(ReferenceBackend)]
        };
        for ((cuda, software, cpu), expected) in [
            ((true, false, true), "cuda"),
            ((false, false, true), "wgpu"),
            ((false, true, true), CPU),
            ((false, true, false), "reference"),
        ] {
            assert_eq!(choose_fastest(&all(cuda, software, cpu), &plain(AUTO)).expect("a device").backend, expected);
        }
        let chosen = choose_fastest(&all(false, true, true), &plain("wgpu")).expect("a device");
        assert_eq!(chosen.backend, "wgpu", "what is named is taken");
        assert_eq!(choose_fastest(&all(true, false, true), &threaded(AUTO)).expect("a device").backend, CPU);
        let error = choose_fastest(&all(true, true, false)[..1], &plain(AUTO)).err().expect("no device");
        assert_eq!(
            error.to_string(),
            format!("no backend will do: backend `cpu`: {}", explained(&Error::NoGpuAdapter))
        );
    }

    /// A backend that must not be asked, because that alone loads drivers.
    struct Untouched(&'static str);

    impl Backend for Untouched {
        fn name(&self) -> &'static str {
            self.0
        }

        fn devices(&self) -> Result<Vec<Arc<dyn Device>>, Error> {
            panic!("`{}` was asked for devices", self.0)
        }
    }

    #[test]
    fn auto_asks_no_gpu_where_there_is_the_cpu() {
        let all = |has_cpu_device: bool| -> Vec<Box<dyn Backend>> {
            let mut all: Vec<Box<dyn Backend>> = vec![Box::new(Other { name: CPU, has_device: has_cpu_device })];
            all.extend(GPUS.map(|name| Box::new(Untouched(name)) as Box<dyn Backend>));
            all.push(Box::new(ReferenceBackend));
            all
        };
        assert_eq!(choose(&all(true), &plain(AUTO)).expect("a device").backend, CPU);
        for wish in [plain(AUTO), racing(AUTO)] {
            let chosen = choose(&all(wish.check_races), &wish).expect("a device");
            assert_eq!((chosen.backend, chosen.passed_over.len()), ("reference", 1), "{:?}", chosen.passed_over);
        }
    }

    #[test]
    fn a_gpu_is_taken_where_it_is_named_or_there_is_no_cpu() {
        let all = |gpu| -> Vec<Box<dyn Backend>> {
            let cpu = Other { name: CPU, has_device: true };
            vec![Box::new(cpu), Box::new(Other { name: gpu, has_device: true }), Box::new(ReferenceBackend)]
        };
        for gpu in GPUS {
            assert_eq!(choose(&all(gpu), &plain(gpu)).expect("a device").backend, gpu);
            assert_eq!(choose(&with(gpu, true), &plain(AUTO)).expect("a device").backend, gpu);
        }
    }

    #[test]
    fn a_named_backend_is_taken_or_fails() {
        assert_eq!(choose(&with("other", true), &racing("reference")).expect("a device").backend, "reference");
        let reason = explained(&Error::NoGpuAdapter);
        let expected = format!("cannot use backend `other`; there are `other`, `reference` and `auto`: {reason}");
        assert_eq!(failure(&with("other", false), &plain("other")), expected);
        let expected = "there is no backend `cudda`; there are `other`, `reference` and `auto`";
        assert_eq!(failure(&with("other", true), &plain("cudda")), expected);
    }

    #[test]
    fn races_are_not_left_unlooked_for() {
        let expected = "backend `other` cannot look for races; add `--backend reference`";
        assert_eq!(failure(&with("other", true), &racing("other")), expected);
        let chosen = choose(&with("other", true), &racing(AUTO)).expect("a device");
        assert_eq!(chosen.backend, "reference");
        assert_eq!(chosen.passed_over, ["backend `other`: it cannot look for races"]);
    }

    #[test]
    fn only_the_cpu_takes_threads() {
        assert_eq!(choose(&with(CPU, true), &threaded(CPU)).expect("a device").backend, CPU);
        assert_eq!(choose(&with(CPU, true), &threaded(AUTO)).expect("a device").backend, CPU);
        let expected = "backend `reference` takes no `--threads`; leave it out or use `--backend cpu`";
        assert_eq!(failure(&with(CPU, true), &threaded("reference")), expected);
        let expected = "backend `reference` takes no `--threads`; leave it out";
        assert_eq!(failure(&with("other", true), &threaded("reference")), expected);
        let reason = explained(&Error::NoGpuAdapter);
        let expected =
            format!("no backend will do: backend `cpu`: {reason}; backend `reference`: it takes no `--threads`");
        assert_eq!(failure(&with(CPU, false), &threaded(AUTO)), expected);
        let expected = "no backend will do: backend `cpu`: it cannot look for races; backend `reference`: it takes no \
                        `--threads`";
        assert_eq!(failure(&with(CPU, true), &Wish { check_races: true, ..threaded(AUTO) }), expected);
    }

    #[test]
    fn devices_are_chosen_by_number_or_by_a_part_of_the_name() {
        for (which, name) in [
            ("0", "Fast 4090"),
            ("2", "llvmpipe (LLVM 19)"),
            ("LLVMPIPE", "llvmpipe (LLVM 19)"),
            ("fast", "Fast 4090"),
            ("ti", "Slow 4090 Ti"),
            ("19", "llvmpipe (LLVM 19)"),
        ] {
            let chosen = choose(&several(), &device("several", which)).expect("a device");
            assert_eq!((chosen.backend, &*chosen.device.name()), ("several", name), "{which}");
        }
        assert_eq!(choose(&several(), &plain("several")).expect("a device").device.name(), "Fast 4090");
    }

    #[test]
    fn devices_that_are_not_there_or_not_the_only_ones_are_listed() {
        let all = "0 (Fast 4090), 1 (Slow 4090 Ti), 2 (llvmpipe (LLVM 19))";
        for which in ["3", "-1", "radv"] {
            let expected = format!("backend `several` has no device `{which}`; it has {all}");
            assert_eq!(failure(&several(), &device("several", which)), expected);
        }
        let expected =
            "`4090` fits several devices of backend `several`: 0 (Fast 4090), 1 (Slow 4090 Ti); use the number";
        assert_eq!(failure(&several(), &device("several", "4090")), expected);
        let none: Vec<Box<dyn Backend>> = vec![Box::new(Several(&[]))];
        let expected = "cannot use backend `several`; there are `several` and `auto`: it has no device";
        assert_eq!(failure(&none, &device("several", "0")), expected);
        let expected = format!(
            "cannot use backend `other`; there are `other`, `reference` and `auto`: {}",
            explained(&Error::NoGpuAdapter)
        );
        assert_eq!(failure(&with("other", false), &device("other", "0")), expected);
    }

    #[test]
    fn a_device_needs_a_backend() {
        let expected = "`--device` is about the devices of one backend; name it with `--backend`: `other`, `reference`";
        assert_eq!(failure(&with("other", true), &device(AUTO, "0")), expected);
    }
}
