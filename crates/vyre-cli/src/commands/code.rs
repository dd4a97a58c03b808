//! Code of the CPU backend for a kernel: Cranelift IR or assembly.

use std::io::{self, Write};

use vyre::ir::ValidProgram;
use vyre::kernel::Kernel;

use crate::output::visible_prefix;

/// A form of code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CodeForm {
    /// Cranelift IR.
    Clif,
    /// Assembly of the host.
    Asm,
}

/// Code as text.
pub(super) struct Code {
    /// Vectorization report, in lines.
    explanation: String,
    text: String,
}

impl Code {
    /// Compiles the kernel of a program as the CPU backend does.
    #[cfg(feature = "jit")]
    pub(super) fn of(program: &ValidProgram<'_>, kernel: &Kernel, form: CodeForm) -> anyhow::Result<Code> {
        use anyhow::Context as _;
        use vyre::cpu::{JitDevice, JitOptions, Listing};
        use vyre::runtime::Device as _;

        // Programs beyond the limits of the device are rejected.
        let options = JitOptions::default().with_threads(1);
        let device = JitDevice::new(&options)?;
        device.limits().check_program(program).context("the CPU backend cannot use the program")?;
        let listing =
            Listing::of(kernel, options.vectorization).context("the CPU backend cannot compile the kernel")?;
        let text = match form {
            CodeForm::Clif => listing.clif,
            CodeForm::Asm => listing.assembly,
        };
        Ok(Code { explanation: listing.explanation, text })
    }

    /// Fails: this build has no CPU backend.
    #[cfg(not(feature = "jit"))]
    pub(super) fn of(_program: &ValidProgram<'_>, _kernel: &Kernel, _form: CodeForm) -> anyhow::Result<Code> {
        anyhow::bail!(
            "this build has no CPU backend; build `vyre-cli` with its feature `jit`, or use `--target kernel`"
        )
    }

    /// Prints the code, preceded by its explanation in comments if `explain` is set.
    pub(super) fn write(&self, out: &mut impl Write, explain: bool) -> io::Result<()> {
        if explain {
            for line in self.explanation.lines() {
                // Names of the program are not trusted.
                writeln!(out, "; {}", visible_prefix(line, usize::MAX))?;
            }
        }
        out.write_all(self.text.as_bytes())?;
        if self.text.ends_with('\n') { Ok(()) } else { writeln!(out) }
    }
}
