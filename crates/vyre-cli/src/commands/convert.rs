//! `vyre convert`: converts programs between text and wire.

use std::io::Write as _;
use std::path::Path;

use anyhow::bail;
use vyre::ir::convert::{ConvertError, text_to_text, text_to_wire, wire_to_text, wire_to_wire};

use crate::args::{ConvertArgs, Target};
use crate::destination::Destination;
use crate::exit::Outcome;
use crate::input::{Form, Input, MAX_BYTES};
use crate::load::{decode, syntax_report, wire_report};
use crate::output::styled_stderr;
use crate::report::{Report, write_human};

pub(crate) fn run(args: ConvertArgs) -> anyhow::Result<Outcome> {
    let input = Input::new(&args.input);
    let bytes = input.read()?;
    let form = Form::of(&bytes);
    let target = args.to.or_else(|| args.output.as_deref().and_then(target_of)).unwrap_or(match form {
        Form::Text => Target::Wire,
        Form::Wire => Target::Text,
    });
    let converted = match convert(&input.name(), bytes, form, target)? {
        Ok(converted) => converted,
        Err(report) => {
            let mut out = styled_stderr();
            write_human(&mut out, &report, usize::MAX).and_then(|()| out.flush())?;
            return Ok(Outcome::Failure);
        }
    };
    let destination = match (&args.output, &input, target) {
        (None, Input::File(path), Target::Wire) => Destination::Beside(path.with_extension("vir")),
        _ => Destination::new(args.output),
    };
    destination.check(&input, (target == Target::Wire).then_some("wire form"))?;
    destination.write(&converted)?;
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

/// Converts a program, or reports why the input is none. Text to text preserves comments.
fn convert(name: &str, bytes: Vec<u8>, form: Form, target: Target) -> anyhow::Result<Result<Vec<u8>, Report>> {
    let (result, text) = match form {
        Form::Wire => match target {
            Target::Text => (wire_to_text(&bytes, MAX_BYTES).map(String::into_bytes), String::new()),
            Target::Wire => (wire_to_wire(&bytes).map_err(ConvertError::from), String::new()),
        },
        Form::Text => {
            let text = match decode(name, bytes) {
                Ok(text) => text,
                Err(report) => return Ok(Err(report)),
            };
            match target {
                Target::Text => (text_to_text(&text, MAX_BYTES).map(String::into_bytes), text),
                Target::Wire => (text_to_wire(&text).map_err(ConvertError::from), text),
            }
        }
    };
    Ok(match result {
        Ok(converted) => Ok(converted),
        Err(ConvertError::Syntax(errors)) => Err(syntax_report(name, text, errors)),
        Err(ConvertError::Wire(error)) => Err(wire_report(name, error)),
        Err(_) => bail!("the text form of the program would take more than 32 MiB"),
    })
}
