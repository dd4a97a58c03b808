//! `vyre devices`: lists, probes and calibrates the devices of all backends.

use std::io::{self, Write};
use std::sync::Arc;

use anyhow::{Context as _, bail};
use serde::Serialize;
use vyre::runtime::{Backend, Device, Limits, probe};

use super::probing::{CheckEntry, Tally, write_probe};
use crate::advice::explained;
use crate::args::{DevicesArgs, Format};
use crate::exit::Outcome;
use crate::output::{ERROR, STDOUT, STRONG, columns, number, plain_stdout, print_note, size, styled_stdout, visible};
use crate::prose::wrap_from;
use crate::report::JsonArray;
use crate::select::{find_device, listed};

/// A backend as JSON. Fields are permanent: append, never rename.
#[derive(Serialize)]
struct BackendEntry {
    backend: &'static str,
    error: Option<String>,
    devices: Vec<DeviceEntry>,
}

/// A device as JSON. Fields are permanent: append, never rename.
#[derive(Serialize)]
struct DeviceEntry {
    name: String,
    buffer_bytes: u64,
    uniform_bytes: u64,
    workgroup_bytes: u64,
    workgroup_invocations: u64,
    can_cancel: bool,
    can_check_races: bool,
    index: usize,
    driver: Option<String>,
    workgroup_size: [u64; 3],
    /// `None` if there is no limit.
    accessed_buffers: Option<u64>,
    probe: Option<Vec<CheckEntry>>,
}

pub(crate) fn run(args: DevicesArgs) -> anyhow::Result<Outcome> {
    if args.calibrate {
        return super::calibrate::run();
    }
    let mut backends = vyre::backends();
    if let Some(name) = &args.backend {
        let names: Vec<&str> = backends.iter().map(|backend| backend.name()).collect();
        if !names.contains(&&**name) {
            bail!("there is no backend `{}`; there are {}", visible(name), listed(&names));
        }
        backends.retain(|backend| backend.name() == name);
    }
    let listed_backends = backends.iter().map(|backend| ListedBackend::new(&**backend, args.device.as_deref()));
    // Errors about missing devices precede all output.
    let listed_backends: Vec<ListedBackend> = listed_backends.collect::<anyhow::Result<_>>()?;
    let mut outcome = Outcome::Clean;
    match args.format {
        Format::Human => {
            let mut out = styled_stdout();
            for backend in listed_backends {
                outcome.worsen(backend.outcome(&args));
                outcome.worsen(backend.write(&mut out, args.probe, columns()).context(STDOUT)?);
            }
            out.flush().context(STDOUT)?;
        }
        Format::Json => {
            let mut array = JsonArray::new(plain_stdout()).context(STDOUT)?;
            for backend in listed_backends {
                outcome.worsen(backend.outcome(&args));
                let (entry, probed) = backend.entry(args.probe);
                outcome.worsen(probed);
                array.push(&entry).context(STDOUT)?;
            }
            array.finish().context(STDOUT)?;
        }
    }
    Ok(outcome)
}

/// A device with its index in its backend.
type Indexed = (usize, Arc<dyn Device>);

/// A backend with its selected devices, or its error.
struct ListedBackend {
    backend: &'static str,
    devices: Result<Vec<Indexed>, String>,
}

impl ListedBackend {
    fn new(backend: &dyn Backend, which: Option<&str>) -> anyhow::Result<ListedBackend> {
        let backend_name = backend.name();
        let devices = match backend.devices() {
            Ok(devices) => {
                let only = match which {
                    Some(which) if !devices.is_empty() => Some(find_device(backend_name, &devices, which)?),
                    _ => None,
                };
                let numbered = devices.into_iter().enumerate();
                Ok(numbered.filter(|(index, _)| only.is_none_or(|only| only == *index)).collect())
            }
            Err(error) => Err(explained(backend_name, &error)),
        };
        Ok(ListedBackend { backend: backend_name, devices })
    }

    /// Outcome of listing: a named backend must have a device.
    fn outcome(&self, args: &DevicesArgs) -> Outcome {
        let has_device = self.devices.as_ref().is_ok_and(|devices| !devices.is_empty());
        if args.backend.is_some() && !has_device { Outcome::Failure } else { Outcome::Clean }
    }

    /// Prints the device before its probe, since a broken driver can hang or crash this process.
    fn announce(&self, index: usize, device: &dyn Device) {
        print_note(&format!("probing device {index} of backend `{}`: {}", self.backend, visible(&device.name())));
    }

    fn entry(&self, with_probe: bool) -> (BackendEntry, Outcome) {
        let mut outcome = Outcome::Clean;
        let (error, devices) = match &self.devices {
            Ok(devices) => (None, &devices[..]),
            Err(error) => (Some(error.clone()), &[][..]),
        };
        let mut entries = Vec::new();
        for (index, device) in devices {
            let mut entry = DeviceEntry::new(*index, &**device);
            if with_probe {
                self.announce(*index, &**device);
                let results = probe(&**device);
                outcome.worsen(Tally::of(&results).outcome());
                entry.probe = Some(results.iter().map(CheckEntry::new).collect());
            }
            entries.push(entry);
        }
        (BackendEntry { backend: self.backend, error, devices: entries }, outcome)
    }

    fn write(&self, out: &mut impl Write, with_probe: bool, columns: Option<usize>) -> io::Result<Outcome> {
        let mut outcome = Outcome::Clean;
        writeln!(out, "{STRONG}{}{STRONG:#}", self.backend)?;
        let devices = match &self.devices {
            Ok(devices) if devices.is_empty() => {
                writeln!(out, "  no device")?;
                return Ok(outcome);
            }
            Ok(devices) => devices,
            Err(error) => {
                let text = match columns {
                    Some(columns) => wrap_from(&visible(error), "  error: ".len(), columns, "    "),
                    None => visible(error).into_owned(),
                };
                writeln!(out, "  {ERROR}error{ERROR:#}: {text}")?;
                return Ok(outcome);
            }
        };
        for (index, device) in devices {
            DeviceEntry::new(*index, &**device).write(out, columns)?;
            if with_probe {
                out.flush()?;
                self.announce(*index, &**device);
                outcome.worsen(write_probe(out, &**device)?);
            }
        }
        Ok(outcome)
    }
}

impl DeviceEntry {
    fn new(index: usize, device: &dyn Device) -> DeviceEntry {
        let limits: &Limits = device.limits();
        DeviceEntry {
            name: device.name(),
            buffer_bytes: limits.buffer_bytes,
            uniform_bytes: limits.uniform_bytes,
            workgroup_bytes: limits.workgroup_bytes,
            workgroup_invocations: limits.workgroup_invocations,
            can_cancel: limits.can_cancel,
            can_check_races: limits.can_check_races,
            index,
            driver: device.driver(),
            workgroup_size: limits.workgroup_size,
            accessed_buffers: (limits.accessed_buffers != u64::MAX).then_some(limits.accessed_buffers),
            probe: None,
        }
    }

    fn write(&self, out: &mut impl Write, columns: Option<usize>) -> io::Result<()> {
        writeln!(out, "  {}: {}", self.index, visible(&self.name))?;
        let yes = |flag: bool| if flag { "yes" } else { "no" }.to_owned();
        let [x, y, z] = self.workgroup_size;
        for (what, value) in [
            ("driver", self.driver.as_deref().map_or("none".to_owned(), |driver| visible(driver).into_owned())),
            ("largest buffer", size(self.buffer_bytes)),
            ("largest uniform buffer", size(self.uniform_bytes)),
            ("buffers of a program", self.accessed_buffers.map_or("no limit".to_owned(), number)),
            ("workgroup memory", size(self.workgroup_bytes)),
            ("invocations of a workgroup", number(self.workgroup_invocations)),
            ("on each axis", [x, y, z].map(number).join(" × ")),
            ("a run can be cancelled", yes(self.can_cancel)),
            ("races can be looked for", yes(self.can_check_races)),
        ] {
            let value = match columns {
                Some(columns) => wrap_from(&value, 32, columns, &" ".repeat(32)),
                None => value,
            };
            writeln!(out, "    {what:27} {value}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use vyre::runtime::{Error, ReferenceBackend};

    use super::*;

    struct Broken;

    impl Backend for Broken {
        fn name(&self) -> &'static str {
            "broken"
        }

        fn devices(&self) -> Result<Vec<Arc<dyn Device>>, Error> {
            Err(Error::NoGpuAdapter)
        }
    }

    #[test]
    fn a_backend_that_fails_is_listed_with_its_error() {
        let backend = ListedBackend::new(&Broken, Some("0")).expect("a backend");
        let mut out = Vec::new();
        backend.write(&mut out, true, None).expect("writes to a vector do not fail");
        let reason = explained("broken", &Error::NoGpuAdapter);
        let text = String::from_utf8(out).expect("text");
        assert_eq!(anstream::adapter::strip_str(&text).to_string(), format!("broken\n  error: {reason}\n"));
        let json = serde_json::to_string(&backend.entry(true).0).expect("JSON");
        assert_eq!(json, format!(r#"{{"backend":"broken","error":"{reason}","devices":[]}}"#));
    }

    #[test]
    fn devices_are_selected_by_index_or_name() {
        let indices = |which| {
            let backend = ListedBackend::new(&ReferenceBackend, which).map_err(|error| error.to_string())?;
            backend.devices.map(|devices| devices.iter().map(|(index, _)| *index).collect::<Vec<usize>>())
        };
        assert_eq!(indices(None), Ok(vec![0]));
        assert_eq!(indices(Some("interp")), Ok(vec![0]));
        let expected = "backend `reference` has no device `1`; it has 0 (reference interpreter)";
        assert_eq!(indices(Some("1")), Err(expected.to_owned()));
    }
}
