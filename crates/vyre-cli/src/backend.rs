//! Choosing what to run on.

use std::sync::Arc;

use anyhow::{Context as _, bail};
use vyre::runtime::{Backend, Device};

use crate::output::visible;

/// The name that stands for the first backend with a device.
pub(crate) const AUTO: &str = "auto";

/// A device and how it was found.
pub(crate) struct Chosen {
    pub(crate) backend: &'static str,
    pub(crate) device: Arc<dyn Device>,
    /// Why backends before it were not taken.
    pub(crate) passed_over: Vec<String>,
}

/// The device of the backend with this name, or of the first that has one for [`AUTO`].
pub(crate) fn choose(backends: &[Box<dyn Backend>], name: &str, check_races: bool) -> anyhow::Result<Chosen> {
    let chosen = if name == AUTO { first(backends)? } else { named(backends, name)? };
    if check_races && !chosen.device.limits().can_check_races {
        bail!("backend `{}` cannot look for races; add `--backend reference`", chosen.backend);
    }
    Ok(chosen)
}

fn named(backends: &[Box<dyn Backend>], name: &str) -> anyhow::Result<Chosen> {
    let Some(backend) = backends.iter().find(|backend| backend.name() == name) else {
        bail!("there is no backend `{}`; there are {}", visible(name), names(backends));
    };
    match first_device(&**backend) {
        Ok(device) => Ok(Chosen { backend: backend.name(), device, passed_over: Vec::new() }),
        Err(error) => Err(error.context(format!("cannot use backend `{name}`; there are {}", names(backends)))),
    }
}

fn first(backends: &[Box<dyn Backend>]) -> anyhow::Result<Chosen> {
    let mut passed_over = Vec::new();
    for backend in backends {
        match first_device(&**backend) {
            Ok(device) => return Ok(Chosen { backend: backend.name(), device, passed_over }),
            Err(error) => passed_over.push(format!("backend `{}`: {error:#}", backend.name())),
        }
    }
    bail!("no backend has a device: {}", passed_over.join("; "))
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
        has_device: bool,
    }

    impl Backend for Other {
        fn name(&self) -> &'static str {
            "other"
        }

        fn devices(&self) -> Result<Vec<Arc<dyn Device>>, Error> {
            let device = ReferenceDevice::with_limits(Limits::new(1 << 20, 1 << 15, 256));
            if self.has_device { Ok(vec![Arc::new(device)]) } else { Err(Error::NoGpuAdapter) }
        }
    }

    fn backends(has_device: bool) -> Vec<Box<dyn Backend>> {
        vec![Box::new(Other { has_device }), Box::new(ReferenceBackend)]
    }

    fn failure(has_device: bool, name: &str, check_races: bool) -> String {
        choose(&backends(has_device), name, check_races).err().map(|error| format!("{error:#}")).unwrap_or_default()
    }

    #[test]
    fn auto_takes_the_first_device_and_says_what_it_passed_over() {
        let chosen = choose(&backends(true), AUTO, false).expect("a device");
        assert_eq!((chosen.backend, chosen.passed_over.len()), ("other", 0));
        let chosen = choose(&backends(false), AUTO, false).expect("a device");
        assert_eq!(chosen.backend, "reference");
        assert_eq!(chosen.passed_over, ["backend `other`: no GPU adapter was found"]);
        assert!(choose(&[], AUTO, false).is_err());
    }

    #[test]
    fn a_named_backend_is_taken_or_fails() {
        assert_eq!(choose(&backends(true), "reference", true).expect("a device").backend, "reference");
        let expected =
            "cannot use backend `other`; there are `other`, `reference` and `auto`: no GPU adapter was found";
        assert_eq!(failure(false, "other", false), expected);
        let expected = "there is no backend `cuda`; there are `other`, `reference` and `auto`";
        assert_eq!(failure(true, "cuda", false), expected);
    }

    #[test]
    fn races_are_not_left_unlooked_for() {
        assert!(failure(true, AUTO, true).contains("cannot look for races; add `--backend reference`"));
        assert!(failure(true, "other", true).contains("cannot look for races"));
    }
}
