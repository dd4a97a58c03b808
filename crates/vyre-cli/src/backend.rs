//! Choosing what to run on.

use std::sync::Arc;

use anyhow::{Context as _, bail};
use vyre::runtime::{Backend, Device};

use crate::output::visible;

/// The name that stands for the first backend that will do.
pub(crate) const AUTO: &str = "auto";

/// The name of the backend that runs on threads.
const CPU: &str = "cpu";

/// What is wanted of a backend.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wish<'n> {
    /// Its name, or [`AUTO`].
    pub(crate) name: &'n str,
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
    if wish.name == AUTO { first(backends, wish) } else { named(backends, wish) }
}

fn named(backends: &[Box<dyn Backend>], wish: &Wish<'_>) -> anyhow::Result<Chosen> {
    let name = wish.name;
    let Some(backend) = backends.iter().find(|backend| backend.name() == name) else {
        bail!("there is no backend `{}`; there are {}", visible(name), names(backends));
    };
    if wish.threads.is_some() && name != CPU {
        let has_cpu = backends.iter().any(|backend| backend.name() == CPU);
        let instead =
            if has_cpu { format!("leave it out or use `--backend {CPU}`") } else { "leave it out".to_owned() };
        bail!("backend `{name}` takes no `--threads`; {instead}");
    }
    let device = match first_device(&**backend) {
        Ok(device) => device,
        Err(error) => return Err(error.context(format!("cannot use backend `{name}`; there are {}", names(backends)))),
    };
    if wish.check_races && !device.limits().can_check_races {
        bail!("backend `{name}` cannot look for races; add `--backend reference`");
    }
    Ok(Chosen { backend: backend.name(), device, passed_over: Vec::new() })
}

fn first(backends: &[Box<dyn Backend>], wish: &Wish<'_>) -> anyhow::Result<Chosen> {
    let mut passed_over = Vec::new();
    for backend in backends {
        let reason = if wish.threads.is_some() && backend.name() != CPU {
            "it takes no `--threads`".to_owned()
        } else {
            match first_device(&**backend) {
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

fn first_device(backend: &dyn Backend) -> anyhow::Result<Arc<dyn Device>> {
    backend.devices()?.into_iter().next().context("it has no device")
}

fn names(backends: &[Box<dyn Backend>]) -> String {
    let quoted: Vec<String> = backends.iter().map(|backend| format!("`{}`", backend.name())).collect();
    format!("{} and `{AUTO}`", quoted.join(", "))
}

#[cfg(test)]
mod tests {
    use vyre::runtime::{Error, Limits, ReferenceBackend, ReferenceDevice};

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
        Wish { name, check_races: false, threads: None }
    }

    fn racing(name: &str) -> Wish<'_> {
        Wish { check_races: true, ..plain(name) }
    }

    fn threaded(name: &str) -> Wish<'_> {
        Wish { threads: Some(2), ..plain(name) }
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
        assert_eq!(chosen.passed_over, ["backend `other`: no GPU adapter was found"]);
        assert!(choose(&[], &plain(AUTO)).is_err());
    }

    #[test]
    fn a_named_backend_is_taken_or_fails() {
        assert_eq!(choose(&with("other", true), &racing("reference")).expect("a device").backend, "reference");
        let expected =
            "cannot use backend `other`; there are `other`, `reference` and `auto`: no GPU adapter was found";
        assert_eq!(failure(&with("other", false), &plain("other")), expected);
        let expected = "there is no backend `cuda`; there are `other`, `reference` and `auto`";
        assert_eq!(failure(&with("other", true), &plain("cuda")), expected);
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
        let expected = "no backend will do: backend `cpu`: no GPU adapter was found; backend `reference`: it takes no \
                        `--threads`";
        assert_eq!(failure(&with(CPU, false), &threaded(AUTO)), expected);
        let expected = "no backend will do: backend `cpu`: it cannot look for races; backend `reference`: it takes no \
                        `--threads`";
        assert_eq!(failure(&with(CPU, true), &Wish { check_races: true, ..threaded(AUTO) }), expected);
    }
}
