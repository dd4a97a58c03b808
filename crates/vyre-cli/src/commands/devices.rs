//! `vyre devices`: what programs can run on.

use std::io::{self, Write};

use anyhow::Context as _;
use serde::Serialize;
use vyre::runtime::{Backend, Device, Limits};

use crate::args::{DevicesArgs, Format};
use crate::exit::Outcome;
use crate::output::{ERROR, STDOUT, STRONG, plain_stdout, styled_stdout, visible};
use crate::report::JsonArray;

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
}

pub(crate) fn run(args: DevicesArgs) -> anyhow::Result<Outcome> {
    let entries = vyre::backends().into_iter().map(|backend| BackendEntry::new(&*backend));
    match args.format {
        Format::Human => {
            let mut out = styled_stdout();
            for entry in entries {
                entry.write(&mut out).context(STDOUT)?;
            }
            out.flush().context(STDOUT)?;
        }
        Format::Json => {
            let mut array = JsonArray::new(plain_stdout()).context(STDOUT)?;
            for entry in entries {
                array.push(&entry).context(STDOUT)?;
            }
            array.finish().context(STDOUT)?;
        }
    }
    Ok(Outcome::Clean)
}

impl BackendEntry {
    fn new(backend: &dyn Backend) -> BackendEntry {
        let (error, devices) = match backend.devices() {
            Ok(devices) => (None, devices.iter().map(|device| DeviceEntry::new(&**device)).collect()),
            Err(error) => (Some(error.to_string()), Vec::new()),
        };
        BackendEntry { backend: backend.name(), error, devices }
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "{STRONG}{}{STRONG:#}", self.backend)?;
        match &self.error {
            Some(error) => writeln!(out, "  {ERROR}error{ERROR:#}: {}", visible(error))?,
            None if self.devices.is_empty() => writeln!(out, "  no device")?,
            None => {}
        }
        self.devices.iter().try_for_each(|device| device.write(out))
    }
}

impl DeviceEntry {
    fn new(device: &dyn Device) -> DeviceEntry {
        let limits: &Limits = device.limits();
        DeviceEntry {
            name: device.name(),
            buffer_bytes: limits.buffer_bytes,
            uniform_bytes: limits.uniform_bytes,
            workgroup_bytes: limits.workgroup_bytes,
            workgroup_invocations: limits.workgroup_invocations,
            can_cancel: limits.can_cancel,
            can_check_races: limits.can_check_races,
        }
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "  {}", visible(&self.name))?;
        for (limit, value) in [
            ("largest buffer", with_unit(self.buffer_bytes)),
            ("largest uniform buffer", with_unit(self.uniform_bytes)),
            ("workgroup memory", with_unit(self.workgroup_bytes)),
            ("invocations of a workgroup", self.workgroup_invocations.to_string()),
            ("a run can be cancelled", if self.can_cancel { "yes" } else { "no" }.to_owned()),
            ("races can be looked for", if self.can_check_races { "yes" } else { "no" }.to_owned()),
        ] {
            writeln!(out, "    {limit:27} {value}")?;
        }
        Ok(())
    }
}

/// A number of bytes in the largest unit that it is a multiple of.
fn with_unit(bytes: u64) -> String {
    for (unit, shift) in [("GiB", 30), ("MiB", 20), ("KiB", 10)] {
        if bytes > 0 && bytes.trailing_zeros() >= shift {
            return format!("{} {unit}", bytes >> shift);
        }
    }
    format!("{bytes} bytes")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use vyre::runtime::Error;

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
        let entry = BackendEntry::new(&Broken);
        let mut out = Vec::new();
        entry.write(&mut out).expect("a vector takes everything");
        let text = String::from_utf8(out).expect("text");
        assert_eq!(anstream::adapter::strip_str(&text).to_string(), "broken\n  error: no GPU adapter was found\n");
        let json = serde_json::to_string(&entry).expect("JSON");
        assert_eq!(json, r#"{"backend":"broken","error":"no GPU adapter was found","devices":[]}"#);
    }

    #[test]
    fn sizes_have_the_largest_unit_that_fits() {
        assert_eq!(with_unit(1 << 32), "4 GiB");
        assert_eq!(with_unit(64 << 10), "64 KiB");
        assert_eq!(with_unit(1000), "1000 bytes");
        assert_eq!(with_unit(0), "0 bytes");
    }
}
