//! Relocatable machine code: the bytes of a function and its relocations, with targets by name.

use cranelift_codegen::Context as CompilerContext;
use cranelift_codegen::binemit::Reloc;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::ir::LibCall;
use cranelift_codegen::isa::TargetIsa;
use cranelift_module::{FuncId, ModuleReloc, ModuleRelocTarget};
use vyre_runtime::Error;

use crate::target::failure;

/// The function of a kernel before it is loaded.
pub(crate) struct MachineCode {
    pub(crate) bytes: Vec<u8>,
    pub(crate) alignment: u64,
    pub(crate) relocations: Vec<ModuleReloc>,
    /// Bytes of stack.
    pub(crate) stack_bytes: u64,
}

/// Kinds of relocations that a file may contain. Their numbers are their positions, so the table is append-only.
const KINDS: [Reloc; 4] = [Reloc::Abs8, Reloc::X86PCRel4, Reloc::X86CallPCRel4, Reloc::Arm64Call];

/// Maximum number of bytes that a relocation changes.
const RELOCATION_BYTES: usize = 8;

/// Maximum alignment of code: the smallest page.
const MAX_ALIGNMENT: u64 = 4096;

impl MachineCode {
    /// Compiles the function of a context.
    pub(crate) fn compile(context: &mut CompilerContext, isa: &dyn TargetIsa) -> Result<MachineCode, Error> {
        let compiled = context.compile(isa, &mut ControlPlane::default()).map_err(|error| failure(error.inner))?;
        let bytes = compiled.code_buffer().to_vec();
        let alignment = u64::from(compiled.buffer.alignment);
        let frame = compiled.buffer.frame_layout();
        let stack_bytes = frame.map_or(0, |frame| u64::from(frame.frame_to_fp_offset));
        let relocations = compiled.buffer.relocs().to_vec();
        // No function refers to another one, so that any id serves.
        let id = FuncId::from_u32(0);
        let relocations =
            relocations.iter().map(|reloc| ModuleReloc::from_mach_reloc(reloc, &context.func, id)).collect();
        Ok(MachineCode { bytes, alignment, relocations, stack_bytes })
    }

    /// Encodes the code for a file; `None` if a relocation has no form there.
    ///
    /// Integers are in little-endian order: alignment, stack bytes and number of relocations, 8 bytes each; the relocations,
    /// each with its offset (4), kind (1), addend (8), length of the name of its target (1) and name; then the code.
    pub(crate) fn encode(&self) -> Option<Vec<u8>> {
        let MachineCode { bytes, alignment, relocations, stack_bytes } = self;
        let mut encoded = Vec::with_capacity(bytes.len() + 64);
        for number in [*alignment, *stack_bytes, relocations.len() as u64] {
            encoded.extend(number.to_le_bytes());
        }
        for ModuleReloc { offset, kind, name, addend } in relocations {
            let ModuleRelocTarget::LibCall(target) = name else { return None };
            let kind = KINDS.iter().position(|known| known == kind)?;
            let name = target.to_string();
            encoded.extend(offset.to_le_bytes());
            encoded.push(u8::try_from(kind).ok()?);
            encoded.extend(addend.to_le_bytes());
            encoded.push(u8::try_from(name.len()).ok()?);
            encoded.extend(name.as_bytes());
        }
        encoded.extend(bytes);
        Some(encoded)
    }

    /// Decodes code; `None` if the bytes are no encoded code.
    pub(crate) fn decode(encoded: &[u8]) -> Option<MachineCode> {
        let mut rest = encoded;
        let alignment = u64::from_le_bytes(take(&mut rest)?);
        let stack_bytes = u64::from_le_bytes(take(&mut rest)?);
        let count = u64::from_le_bytes(take(&mut rest)?);
        let mut relocations = Vec::new();
        for _ in 0..count {
            let offset = u32::from_le_bytes(take(&mut rest)?);
            let [kind] = take(&mut rest)?;
            let addend = i64::from_le_bytes(take(&mut rest)?);
            let [length] = take(&mut rest)?;
            let (name, after) = rest.split_at_checked(usize::from(length))?;
            rest = after;
            let target: LibCall = std::str::from_utf8(name).ok()?.parse().ok()?;
            let kind = *KINDS.get(usize::from(kind))?;
            relocations.push(ModuleReloc { offset, kind, name: ModuleRelocTarget::LibCall(target), addend });
        }
        let fits = |reloc: &ModuleReloc| reloc.offset as usize + RELOCATION_BYTES <= rest.len();
        let is_sound = alignment.is_power_of_two()
            && alignment <= MAX_ALIGNMENT
            && !rest.is_empty()
            && relocations.iter().all(fits);
        is_sound.then(|| MachineCode { bytes: rest.to_vec(), alignment, relocations, stack_bytes })
    }
}

fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (first, after) = rest.split_first_chunk::<N>()?;
    *rest = after;
    Some(*first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_relocations(relocations: Vec<ModuleReloc>) -> MachineCode {
        MachineCode { bytes: (0..40).collect(), alignment: 16, relocations, stack_bytes: 80 }
    }

    fn call(offset: u32, kind: Reloc) -> ModuleReloc {
        ModuleReloc { offset, kind, name: ModuleRelocTarget::LibCall(LibCall::FloorF32), addend: -4 }
    }

    #[test]
    fn encoded_code_is_decoded() {
        let code = with_relocations(KINDS.into_iter().zip([0, 8, 20, 32]).map(|(kind, at)| call(at, kind)).collect());
        let encoded = code.encode().expect("all relocations have a form");
        let decoded = MachineCode::decode(&encoded).expect("is decoded");
        assert_eq!((&decoded.bytes, decoded.alignment, decoded.stack_bytes), (&code.bytes, 16, 80));
        let parts = |code: &MachineCode| -> Vec<(u32, Reloc, String, i64)> {
            let part = |reloc: &ModuleReloc| (reloc.offset, reloc.kind, reloc.name.to_string(), reloc.addend);
            code.relocations.iter().map(part).collect()
        };
        assert_eq!(parts(&decoded), parts(&code));
        let code_start = encoded.len() - code.bytes.len();
        for length in 0..code_start {
            assert!(MachineCode::decode(&encoded[..length]).is_none(), "the first {length} bytes");
        }
    }

    #[test]
    fn relocations_outside_of_the_code_are_rejected() {
        let encoded = with_relocations(vec![call(33, Reloc::Abs8)]).encode().expect("has a form");
        assert!(MachineCode::decode(&encoded).is_none());
    }

    #[test]
    fn relocations_without_a_name_have_no_form() {
        let own = ModuleRelocTarget::FunctionOffset(FuncId::from_u32(0), 0);
        let relocation = ModuleReloc { offset: 0, kind: Reloc::Abs8, name: own, addend: 0 };
        assert!(with_relocations(vec![relocation]).encode().is_none());
        assert!(with_relocations(vec![call(0, Reloc::Arm32Call)]).encode().is_none());
    }
}
