//! Interface of shaders: bind groups, the dispatch block and built-in values.

use naga::{
    AddressSpace, BinaryOperator, Binding, BuiltIn, Expression, FunctionArgument, Handle, ResourceBinding, Span,
    StructMember, Type, TypeInner,
};
use vyre_ir::BufferAccess;
use vyre_kernel::{BufferId, Id, Kernel, Op, ValueId};
use vyre_runtime::shell::{GridPart, can_fold};

use super::{Emitter, Types, identifier};

/// Bind group of the buffers. The accessed ones have consecutive bindings from 0.
pub(crate) const BUFFER_GROUP: u32 = 0;

/// Bind group of the dispatch block.
pub(crate) const DISPATCH_GROUP: u32 = 1;

/// Binding of the dispatch block, the only one of its group.
pub(crate) const DISPATCH_BINDING: u32 = 0;

/// Uniform block with the parameters of a dispatch.
///
/// | Words | Contents |
/// |---|---|
/// | 0..3 | workgroups of the grid on each axis |
/// | 3..6 | first workgroup of the part |
/// | 6..9 | first invocation of the part |
/// | 9 | workgroups of a row of a folded part; 0 if the part is not folded |
/// | 10 | invocations of such a row |
/// | 11 | mask of the y position: 0 if the part is folded, all ones otherwise |
/// | 12.. | lengths of all buffers of the program, workgroup memory excluded |
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct DispatchBlock {
    words: Vec<u32>,
}

impl DispatchBlock {
    const NUM_WORKGROUPS: usize = 0;
    const FIRST_WORKGROUP: usize = 3;
    const FIRST_INVOCATION: usize = 6;
    const ROW_WORKGROUPS: usize = 9;
    const ROW_INVOCATIONS: usize = 10;
    const Y_MASK: usize = 11;
    const LENGTHS: usize = 12;

    pub(crate) fn new(grid: [u32; 3], part: GridPart, workgroup_size: [u32; 3], lengths: &[u32]) -> DispatchBlock {
        let mut words = Vec::with_capacity(Self::LENGTHS + lengths.len());
        words.extend(grid);
        words.extend(part.first);
        // An axis has at most 2^32 invocations, so the product does not wrap.
        words.extend(part.first.iter().zip(workgroup_size).map(|(first, size)| first.wrapping_mul(size)));
        let row = if part.is_folded { part.count[0] } else { 0 };
        words.extend([row, row.wrapping_mul(workgroup_size[0]), if part.is_folded { 0 } else { u32::MAX }]);
        words.extend(lengths);
        DispatchBlock { words }
    }

    pub(crate) fn bytes(&self) -> impl Iterator<Item = u8> {
        self.words.iter().flat_map(|word| word.to_le_bytes())
    }

    /// Size in bytes of a block with the lengths of so many buffers.
    pub(crate) fn size(buffers: usize) -> u64 {
        ((Self::LENGTHS + buffers) * 4) as u64
    }
}

/// Built-in values that the entry point takes as arguments.
#[derive(Default)]
pub(super) struct Builtins {
    arguments: Vec<(BuiltIn, Handle<Expression>)>,
}

impl Builtins {
    pub(super) fn arguments(&self, types: &Types) -> Vec<FunctionArgument> {
        let argument = |&(builtin, _): &(BuiltIn, Handle<Expression>)| {
            let (name, ty) = match builtin {
                BuiltIn::WorkGroupId => ("workgroup_id", types.ids),
                BuiltIn::LocalInvocationId => ("local_id", types.ids),
                BuiltIn::GlobalInvocationId => ("invocation_id", types.ids),
                _ => ("local_index", types.word),
            };
            FunctionArgument { name: Some(name.to_owned()), ty, binding: Some(Binding::BuiltIn(builtin)) }
        };
        self.arguments.iter().map(argument).collect()
    }
}

impl Emitter<'_> {
    /// Linear index of the invocation in its workgroup.
    pub(super) fn local_index(&mut self) -> Handle<Expression> {
        self.builtin(BuiltIn::LocalInvocationIndex)
    }

    fn builtin(&mut self, builtin: BuiltIn) -> Handle<Expression> {
        if let Some(&(_, known)) = self.builtins.arguments.iter().find(|(other, _)| *other == builtin) {
            return known;
        }
        let handle = self.add(Expression::FunctionArgument(self.builtins.arguments.len() as u32));
        self.builtins.arguments.push((builtin, handle));
        handle
    }

    /// Emits the ids and lengths that the kernel uses, before its statements.
    pub(super) fn leaves(&mut self) {
        let kernel = self.kernel;
        let is_leaf = |value: ValueId| matches!(kernel.op(value), Op::Id(..) | Op::Length(_));
        let values = kernel.values.iter().map(|(value, _)| value);
        let used: Vec<ValueId> = values.filter(|&value| is_leaf(value) && self.usage.is_used(value)).collect();
        let mut block = None;
        if self.features.split_blocks {
            return self.split_leaves(&used, |emitter, leaf| emitter.leaf(leaf, &mut block));
        }
        for leaf in used {
            self.leaf(leaf, &mut block);
        }
    }

    fn leaf(&mut self, leaf: ValueId, block: &mut Option<Handle<Expression>>) {
        let kernel = self.kernel;
        let expression = match kernel.op(leaf) {
            Op::Id(id, axis) => self.id(id, axis, block),
            Op::Length(buffer) => {
                let name = format!("len_{}", identifier(&kernel.buffers[buffer].name));
                self.dispatch_word(DispatchBlock::LENGTHS + host_position(kernel, buffer), name, block)
            }
            _ => return,
        };
        self.set_value(leaf, expression);
    }

    fn id(&mut self, id: Id, axis: u8, block: &mut Option<Handle<Expression>>) -> Handle<Expression> {
        let letter = ['x', 'y', 'z'][usize::from(axis)];
        let name = format!("{}_{letter}", id.name());
        let axis_of = |emitter: &mut Self, builtin| {
            let base = emitter.builtin(builtin);
            Expression::AccessIndex { base, index: u32::from(axis) }
        };
        let (builtin, first, row_length) = match id {
            Id::NumWorkgroups => {
                return self.dispatch_word(DispatchBlock::NUM_WORKGROUPS + usize::from(axis), name, block);
            }
            Id::Local => {
                let local = axis_of(self, BuiltIn::LocalInvocationId);
                return self.named(local, name);
            }
            Id::Workgroup => (BuiltIn::WorkGroupId, DispatchBlock::FIRST_WORKGROUP, DispatchBlock::ROW_WORKGROUPS),
            Id::Invocation => {
                (BuiltIn::GlobalInvocationId, DispatchBlock::FIRST_INVOCATION, DispatchBlock::ROW_INVOCATIONS)
            }
        };
        let within = axis_of(self, builtin);
        let mut within = self.add(within);
        match axis {
            0 if can_fold(self.kernel.workgroup_size) => {
                let base = self.builtin(BuiltIn::WorkGroupId);
                let row = self.add(Expression::AccessIndex { base, index: 1 });
                let length = self.dispatch_word(row_length, format!("row_of_{name}"), block);
                let before = self.binary(BinaryOperator::Multiply, row, length);
                within = self.binary(BinaryOperator::Add, within, before);
            }
            1 if can_fold(self.kernel.workgroup_size) => {
                let mask = self.dispatch_word(DispatchBlock::Y_MASK, format!("mask_of_{name}"), block);
                within = self.binary(BinaryOperator::And, within, mask);
            }
            _ => {}
        }
        let first = self.dispatch_word(first + usize::from(axis), format!("first_{name}"), block);
        self.named(Expression::Binary { op: BinaryOperator::Add, left: within, right: first }, name)
    }

    /// Loads a word of the dispatch block.
    fn dispatch_word(
        &mut self,
        position: usize,
        name: String,
        block: &mut Option<Handle<Expression>>,
    ) -> Handle<Expression> {
        let base = *block.get_or_insert_with(|| self.declare_dispatch());
        let pointer = self.add(Expression::AccessIndex { base, index: position as u32 });
        self.named(Expression::Load { pointer }, name)
    }

    /// Declares the dispatch block.
    fn declare_dispatch(&mut self) -> Handle<Expression> {
        let axes = |what: &str| ['x', 'y', 'z'].map(|axis| format!("{what}_{axis}"));
        let mut names: Vec<String> = ["num_workgroups", "first_workgroup", "first_invocation"].map(axes).concat();
        names.extend(["row_workgroups", "row_invocations", "y_mask"].map(str::to_owned));
        for (_, decl) in self.kernel.buffers.iter().filter(|(_, decl)| decl.access != BufferAccess::Workgroup) {
            names.push(format!("len_{}", identifier(&decl.name)));
        }
        let members: Vec<StructMember> = (0..)
            .step_by(4)
            .zip(names)
            .map(|(offset, name)| StructMember { name: Some(name), ty: self.types.word, binding: None, offset })
            .collect();
        let span = members.len() as u32 * 4;
        let ty = Type { name: Some("Dispatch".to_owned()), inner: TypeInner::Struct { members, span } };
        let ty = self.module.types.insert(ty, Span::UNDEFINED);
        let binding = ResourceBinding { group: DISPATCH_GROUP, binding: DISPATCH_BINDING };
        let variable = self.global("dispatch".to_owned(), AddressSpace::Uniform, ty, Some(binding));
        self.add(Expression::GlobalVariable(variable))
    }
}

/// Position of a buffer among those of the program, workgroup memory excluded.
pub(super) fn host_position(kernel: &Kernel, buffer: BufferId) -> usize {
    let before = kernel.buffers.iter().take_while(|(id, _)| *id != buffer);
    before.filter(|(_, decl)| decl.access != BufferAccess::Workgroup).count()
}
