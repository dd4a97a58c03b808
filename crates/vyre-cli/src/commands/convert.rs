//! `vyre convert`: converts programs between text and wire.

use std::io::Write as _;
use std::path::Path;

use anyhow::bail;
use vyre::ir::{text, wire};

use crate::args::{ConvertArgs, Target};
use crate::destination::Destination;
use crate::exit::Outcome;
use crate::input::Input;
use crate::load::{Loaded, load};
use crate::output::styled_stderr;
use crate::report::write_human;
use crate::text_size::text_is_too_large;

pub(crate) fn run(args: ConvertArgs) -> anyhow::Result<Outcome> {
    let input = Input::new(&args.input);
    let loaded = match load(&input.name(), input.read()?) {
        Ok(loaded) => loaded,
        Err(report) => {
            let mut out = styled_stderr();
            write_human(&mut out, &report, usize::MAX).and_then(|()| out.flush())?;
            return Ok(Outcome::Failure);
        }
    };
    let target = args.to.or_else(|| args.output.as_deref().and_then(target_of)).unwrap_or(match &loaded {
        Loaded::Text(_) => Target::Wire,
        Loaded::Wire(_) => Target::Text,
    });
    let destination = match (&args.output, &input, target) {
        (None, Input::File(path), Target::Wire) => Destination::Beside(path.with_extension("vir")),
        _ => Destination::new(args.output),
    };
    destination.check(&input, (target == Target::Wire).then_some("wire form"))?;
    destination.write(&encode(&loaded, target)?)?;
    Ok(Outcome::Clean)
}

/// Form by the extension of a file.
fn target_of(path: &Path) -> Option<Target> {
    match path.extension()?.to_str()? {
        "vyre" => Some(Target::Text),
        "vir" => Some(Target::Wire),
        _ => None,
    }
}

fn encode(loaded: &Loaded, target: Target) -> anyhow::Result<Vec<u8>> {
    let program = loaded.program();
    match target {
        Target::Wire => Ok(wire::to_wire(program)),
        Target::Text if text_is_too_large(program) => bail!("the text form of the program would take more than 32 MiB"),
        Target::Text => Ok(match loaded {
            // Text to text preserves comments.
            Loaded::Text(parsed) => text::format(parsed.source_map.text())?,
            Loaded::Wire(program) => text::print(program),
        }
        .into_bytes()),
    }
}
