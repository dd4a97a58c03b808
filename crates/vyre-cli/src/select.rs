//! Device selection from the command line by [`vyre::select`], with error messages in terms of flags.

use anyhow::{Error, anyhow};
use vyre::runtime::Device;
use vyre::select::{
    AUTO, CPU, DeviceRequest, IndexedName, RejectReason, Rejected, SelectError, Selected, find_device as find, select,
};

use crate::advice::explained;
use crate::output::visible;

/// Selects the device that the flags request.
pub(crate) fn select_device(request: &DeviceRequest<'_>) -> anyhow::Result<Selected> {
    select(request).map_err(|error| explain(&error))
}

/// Finds a device of a backend by its index or a part of its name.
pub(crate) fn find_device(
    backend: &'static str,
    devices: &[std::sync::Arc<dyn Device>],
    which: &str,
) -> anyhow::Result<usize> {
    find(backend, devices, which).map_err(|error| explain(&error))
}

/// Note about a rejected backend, in terms of flags.
pub(crate) fn rejection(rejected: &Rejected) -> String {
    format!("backend `{}`: {}", rejected.backend, reason(rejected))
}

/// Formats a list of backends for messages.
pub(crate) fn listed(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<String>>().join(", ")
}

fn reason(rejected: &Rejected) -> String {
    match &rejected.reason {
        RejectReason::Threads => "it takes no `--threads`".to_owned(),
        RejectReason::Backend(error) => explained(rejected.backend, error),
        other => other.to_string(),
    }
}

/// Message for a request that no device meets, with the flags that correct it.
fn explain(error: &SelectError) -> Error {
    match error {
        SelectError::DeviceWithoutBackend { backends } => {
            anyhow!("`--device` selects a device of one backend; name it with `--backend`: {}", listed(backends))
        }
        SelectError::UnknownBackend { name, backends } => {
            anyhow!("there is no backend `{}`; there are {}", visible(name), with_auto(backends))
        }
        SelectError::Unusable { rejected: Rejected { backend, reason: RejectReason::Threads }, backends } => {
            let alternative =
                if backends.contains(&CPU) { format!(" or use `--backend {CPU}`") } else { String::new() };
            anyhow!("backend `{backend}` takes no `--threads`; leave it out{alternative}")
        }
        SelectError::Unusable { rejected: Rejected { backend, reason: RejectReason::Races }, .. } => {
            anyhow!("backend `{backend}` cannot check for races; add `--backend reference`")
        }
        SelectError::Unusable { rejected, backends } => {
            let unusable = format!("cannot use backend `{}`; there are {}", rejected.backend, with_auto(backends));
            anyhow!("{}", reason(rejected)).context(unusable)
        }
        SelectError::NoSuchDevice { backend, device, devices } => {
            anyhow!("backend `{backend}` has no device `{}`; it has {}", visible(device), indexed(devices))
        }
        SelectError::AmbiguousDevice { backend, device, matches } => {
            let (device, matches) = (visible(device), indexed(matches));
            anyhow!("`{device}` matches several devices of backend `{backend}`: {matches}; use the index")
        }
        SelectError::NoneSuitable { rejected } => {
            let rejected: Vec<String> = rejected.iter().map(rejection).collect();
            anyhow!("no backend will do: {}", rejected.join("; "))
        }
        other => anyhow!("{other}"),
    }
}

/// Formats a list of devices with their indices, as in `vyre devices`.
fn indexed(devices: &[IndexedName]) -> String {
    let names: Vec<String> = devices.iter().map(|(index, name)| format!("{index} ({})", visible(name))).collect();
    names.join(", ")
}

fn with_auto(backends: &[&str]) -> String {
    format!("{} and `{AUTO}`", listed(backends))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_the_flags() {
        let unusable = |backend, reason, backends: &[&'static str]| SelectError::Unusable {
            rejected: Rejected { backend, reason },
            backends: backends.to_vec(),
        };
        let devices = vec![(0, "Fast 4090".to_owned()), (1, "Slow 4090 Ti".to_owned())];
        let adapter = vyre::runtime::Error::NoGpuAdapter;
        for (error, expected) in [
            (
                SelectError::DeviceWithoutBackend { backends: vec![CPU, "reference"] },
                "`--device` selects a device of one backend; name it with `--backend`: `cpu`, `reference`".to_owned(),
            ),
            (
                SelectError::UnknownBackend { name: "cudda".to_owned(), backends: vec![CPU] },
                "there is no backend `cudda`; there are `cpu` and `auto`".to_owned(),
            ),
            (
                unusable("reference", RejectReason::Threads, &[CPU, "reference"]),
                "backend `reference` takes no `--threads`; leave it out or use `--backend cpu`".to_owned(),
            ),
            (
                unusable("reference", RejectReason::Threads, &["reference"]),
                "backend `reference` takes no `--threads`; leave it out".to_owned(),
            ),
            (
                unusable(CPU, RejectReason::Races, &[CPU]),
                "backend `cpu` cannot check for races; add `--backend reference`".to_owned(),
            ),
            (
                unusable("wgpu", RejectReason::NoDevice, &["wgpu"]),
                "cannot use backend `wgpu`; there are `wgpu` and `auto`: it has no device".to_owned(),
            ),
            (
                unusable("cuda", RejectReason::Backend(adapter.clone()), &["cuda"]),
                format!("cannot use backend `cuda`; there are `cuda` and `auto`: {}", explained("cuda", &adapter)),
            ),
            (
                SelectError::NoSuchDevice { backend: "wgpu", device: "3".to_owned(), devices: devices.clone() },
                "backend `wgpu` has no device `3`; it has 0 (Fast 4090), 1 (Slow 4090 Ti)".to_owned(),
            ),
            (
                SelectError::AmbiguousDevice { backend: "wgpu", device: "4090".to_owned(), matches: devices },
                "`4090` matches several devices of backend `wgpu`: 0 (Fast 4090), 1 (Slow 4090 Ti); use the index"
                    .to_owned(),
            ),
            (
                SelectError::NoneSuitable {
                    rejected: vec![
                        Rejected { backend: CPU, reason: RejectReason::Races },
                        Rejected { backend: "reference", reason: RejectReason::Threads },
                    ],
                },
                "no backend will do: backend `cpu`: it cannot check for races; backend `reference`: it takes no \
                 `--threads`"
                    .to_owned(),
            ),
        ] {
            assert_eq!(format!("{:#}", explain(&error)), expected);
        }
    }
}
