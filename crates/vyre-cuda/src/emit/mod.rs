//! Emission of PTX text from a kernel.
//!
//! The kernel already contains what the language guarantees: guards of accesses, divisors other than zero, shift amounts below
//! 32. The emission translates it as it stands. A guard becomes a predicate, so an access out of range is an instruction
//! without effect. Registers are numbered and never reused; the driver's assembler allocates the real ones.
//!
//! | Module | Contents |
//! |---|---|
//! | [`operand`] | registers, constants, labels |
//! | [`packing`] | invocations to threads, workgroup memory to shared memory |
//! | [`idiom`], [`vectors`], [`assembler_workaround`] | analyses of the kernel |
//! | [`emitter`] | text and registers so far |
//! | [`arithmetic`] | instructions of operators |
//! | [`interface`] | parameters and ids |
//! | [`collective`] | barriers and collectives |
//! | [`memory`] | loads, stores, atomics |
//! | [`value`] | values |
//! | [`flow`] | statements and control flow |

mod arithmetic;
mod assembler_workaround;
mod collective;
mod emitter;
mod flow;
mod idiom;
mod interface;
mod memory;
mod operand;
mod packing;
mod value;
mod vectors;

use std::fmt::Write as _;

use vyre_kernel::{Kernel, Op, Statement, Usage};
use vyre_runtime::Error;

use self::emitter::Emitter;
use self::packing::BlockPacking;
use crate::ptx::{Ptx, PtxTarget};

/// PTX version of the text: that of CUDA 12.0, which supports all targets up to `sm_90`.
const VERSION: &str = "8.0";

/// Maximum number of predicated loads. The assembler's time grows with the square of their number: 19,000 of them take more
/// than three minutes, and six seconds as unpredicated loads with a selected index.
const MAX_PREDICATED_LOADS: usize = 512;

fn guarded_loads(kernel: &Kernel) -> usize {
    let mut count = 0;
    kernel.for_each_statement(|statement| {
        let Statement::Let(value) = statement else { return };
        count += usize::from(matches!(kernel.op(value), Op::Load { guard: Some(_), .. }));
    });
    count
}

/// Translates a kernel.
pub(crate) fn emit(kernel: &Kernel, target: PtxTarget) -> Result<Ptx, Error> {
    let usage = Usage::of(kernel);
    let packing = BlockPacking::of(kernel, &usage)?;
    let mut emitter = Emitter::new(kernel, target, usage, packing);
    emitter.has_many_guards = guarded_loads(kernel) > MAX_PREDICATED_LOADS;
    emitter.entry();
    emitter.declare_slots();
    emitter.clear_workgroup_memory();
    emitter.block(kernel.entry);
    Ok(finish(emitter))
}

/// Assembles the text from prologue and body.
fn finish(mut emitter: Emitter<'_>) -> Ptx {
    // Addresses first, so that no padding lies between parameters.
    emitter.parameters.sort_by_key(|parameter| !parameter.is_address());
    let mut text = String::with_capacity(emitter.prologue.len() + emitter.body.len() + 1024);
    let _ = writeln!(text, ".version {VERSION}\n.target sm_{}\n.address_size 64\n", emitter.target.sm);
    emitter.packing.declare_shared_memory(&mut text);
    let _ = write!(text, ".visible .entry {}(", Ptx::ENTRY);
    for (number, parameter) in emitter.parameters.iter().enumerate() {
        let separator = if number == 0 { "" } else { "," };
        let _ = write!(text, "{separator}\n\t.param {} {}", parameter.declared_type(), parameter.name());
    }
    let [x, y, z] = emitter.packing.block;
    let _ = writeln!(text, "\n)\n.maxntid {x}, {y}, {z}\n{{");
    let registers = [("pred", "p", emitter.predicates), ("b32", "r", emitter.words), ("b64", "rd", emitter.addresses)];
    for (ty, name, count) in registers {
        if count != 0 {
            let _ = writeln!(text, "\t.reg .{ty} %{name}<{count}>;");
        }
    }
    text.push_str(&emitter.prologue);
    text.push_str(&emitter.body);
    text.push_str("\tret;\n}\n");
    Ptx {
        text,
        block: emitter.packing.block,
        groups_per_block: emitter.packing.groups,
        dynamic_shared_bytes: emitter.packing.dynamic_bytes(),
        parameters: emitter.parameters,
    }
}
