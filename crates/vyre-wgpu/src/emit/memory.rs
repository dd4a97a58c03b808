//! Buffers and accesses to them.

use naga::{
    AddressSpace, ArraySize, AtomicFunction, BinaryOperator, Block, Expression, GlobalVariable, Handle,
    PredeclaredType, ResourceBinding, Scalar, Span, Statement as Step, StorageAccess, Type, TypeInner,
};
use std::num::NonZeroU32;
use vyre_ir::{AtomicOp, BufferAccess, BufferDecl};
use vyre_kernel::{BufferId, BufferUse, Key as _, Op, ValueId, element_type};

use super::interface::{BUFFER_GROUP, host_position};
use super::{BoundBuffer, Emitter, identifier};

/// A buffer of the kernel as a variable of the module.
#[derive(Clone, Copy)]
pub(super) struct Storage {
    /// The variable, an array.
    pub(super) array: Handle<Expression>,
    /// The type of an element as a value.
    pub(super) element: Handle<Type>,
}

impl Emitter<'_> {
    /// Declares the buffers that the kernel accesses.
    pub(super) fn declare_buffers(&mut self) {
        let kernel = self.kernel;
        for (id, decl) in kernel.buffers.iter() {
            let usage = self.usage.buffer(id);
            let storage = usage.is_accessed().then(|| self.declare_buffer(id, decl, usage));
            self.storages.push(storage);
        }
    }

    fn declare_buffer(&mut self, id: BufferId, decl: &BufferDecl, usage: BufferUse) -> Storage {
        let ty = element_type(decl.element);
        let element = self.types.of(ty);
        let name = identifier(&decl.name);
        let variable = if decl.access == BufferAccess::Workgroup {
            let count = decl.count.max(1);
            let bytes = ty.words() * 4;
            let ty = self.array(element, bytes, Some(count));
            self.workgroup_variable(name, ty, u64::from(count) * u64::from(bytes))
        } else {
            let stored = if usage.is_atomic { self.types.atomic } else { element };
            let ty = self.array(stored, ty.words() * 4, None);
            let read_only = !usage.is_written && !usage.is_atomic;
            let mut access = StorageAccess::LOAD;
            access.set(StorageAccess::STORE, !read_only);
            let binding = ResourceBinding { group: BUFFER_GROUP, binding: self.bound.len() as u32 };
            self.bound.push(BoundBuffer { position: host_position(self.kernel, id), read_only });
            self.global(name, AddressSpace::Storage { access }, ty, Some(binding))
        };
        Storage { array: self.add(Expression::GlobalVariable(variable)), element }
    }

    /// The type of an array; without a count, of one whose length the host decides.
    pub(super) fn array(&mut self, base: Handle<Type>, stride: u32, count: Option<u32>) -> Handle<Type> {
        let size = count.and_then(NonZeroU32::new).map_or(ArraySize::Dynamic, ArraySize::Constant);
        let inner = TypeInner::Array { base, size, stride };
        self.module.types.insert(Type { name: None, inner }, Span::UNDEFINED)
    }

    pub(super) fn workgroup_variable(&mut self, name: String, ty: Handle<Type>, bytes: u64) -> Handle<GlobalVariable> {
        self.workgroup_bytes = self.workgroup_bytes.saturating_add(bytes);
        self.global(name, AddressSpace::WorkGroup, ty, None)
    }

    /// The variable of a buffer, for an access that may have a place in it.
    ///
    /// Usage has seen every access, so there is a variable. But naga refuses indices that are known to lie outside of an array,
    /// though their guards never hold.
    fn storage(&self, buffer: BufferId, index: ValueId) -> Option<Storage> {
        let decl = &self.kernel.buffers[buffer];
        let is_outside = self.kernel.as_word(index).is_some_and(|index| index >= decl.count);
        let has_no_place = decl.access == BufferAccess::Workgroup && is_outside;
        if has_no_place { None } else { self.storages[buffer.position()] }
    }

    pub(super) fn element_pointer(
        &mut self,
        base: Handle<Expression>,
        index: Handle<Expression>,
    ) -> Handle<Expression> {
        self.add(Expression::Access { base, index })
    }

    /// An element, or zero where the guard does not hold; then element 0 is read, which every binding has.
    pub(super) fn load(&mut self, buffer: BufferId, index: ValueId, guard: Option<ValueId>) -> Expression {
        let Some(storage) = self.storage(buffer, index) else {
            let element = element_type(self.kernel.buffers[buffer].element);
            return Expression::ZeroValue(self.types.of(element));
        };
        let index = self.value(index);
        let Some(guard) = guard else {
            let pointer = self.element_pointer(storage.array, index);
            return Expression::Load { pointer };
        };
        let condition = self.value(guard);
        let zero = self.word(0);
        let index =
            if index == zero { zero } else { self.add(Expression::Select { condition, accept: index, reject: zero }) };
        let pointer = self.element_pointer(storage.array, index);
        let accept = self.add(Expression::Load { pointer });
        let reject = self.add(Expression::ZeroValue(storage.element));
        Expression::Select { condition, accept, reject }
    }

    pub(super) fn store_element(&mut self, buffer: BufferId, index: ValueId, value: ValueId, guard: Option<ValueId>) {
        let Some(storage) = self.storage(buffer, index) else { return };
        let (index, value) = (self.value(index), self.value(value));
        let write = |emitter: &mut Self| {
            let pointer = emitter.element_pointer(storage.array, index);
            emitter.store(pointer, value);
        };
        match guard {
            Some(guard) => {
                let condition = self.value(guard);
                self.when(condition, write);
            }
            None => write(self),
        }
    }

    /// An atomic access, behind a branch if it has a guard: there is no harmless place that it could go to instead.
    pub(super) fn atomic(&mut self, value: ValueId) {
        let Op::Atomic { op: _, buffer, index, expected, value: operand, guard } = self.kernel.op(value) else {
            return;
        };
        let Some(storage) = self.storage(buffer, index) else { return };
        let index = self.value(index);
        let expected = expected.map(|expected| self.value(expected));
        let operand = operand.map(|operand| self.value(operand));
        let access = Access { array: storage.array, index, expected, operand };
        let Some(guard) = guard else {
            let result = self.unguarded_atomic(value, access);
            return self.set_named(value, result);
        };
        let condition = self.value(guard);
        if !self.usage.is_used(value) {
            return self.when(condition, |emitter| {
                emitter.unguarded_atomic(value, access);
            });
        }
        let result = self.variable(format!("result_{value}"), self.types.word);
        let zero = self.word(0);
        self.store(result, zero);
        self.when(condition, |emitter| {
            let before = emitter.unguarded_atomic(value, access);
            emitter.store(result, before);
        });
        let found = self.add(Expression::Load { pointer: result });
        self.set_named(value, found);
    }

    /// An atomic access to a word that is there; gives what the value is.
    fn unguarded_atomic(&mut self, value: ValueId, access: Access) -> Handle<Expression> {
        let Op::Atomic { op, .. } = self.kernel.op(value) else { return self.word(0) };
        let pointer = self.element_pointer(access.array, access.index);
        let operand = access.operand.unwrap_or_else(|| self.word(0));
        let fun = match op {
            AtomicOp::Load => return self.add(Expression::Load { pointer }),
            AtomicOp::Store => {
                self.store(pointer, operand);
                return self.word(0);
            }
            AtomicOp::CompareExchange => {
                let expected = access.expected.unwrap_or(operand);
                return self.compare_exchange(value, pointer, expected, operand);
            }
            AtomicOp::Add => AtomicFunction::Add,
            AtomicOp::Or => AtomicFunction::InclusiveOr,
            AtomicOp::And => AtomicFunction::And,
            AtomicOp::Xor => AtomicFunction::ExclusiveOr,
            AtomicOp::Min => AtomicFunction::Min,
            AtomicOp::Max => AtomicFunction::Max,
            AtomicOp::Exchange => AtomicFunction::Exchange { compare: None },
        };
        // Updates whose result nobody wants may be cheaper.
        let must_give = op == AtomicOp::Exchange || self.usage.is_used(value);
        let result = must_give.then(|| {
            let result = Expression::AtomicResult { ty: self.types.word, comparison: false };
            self.function.expressions.append(result, Span::UNDEFINED)
        });
        self.push(Step::Atomic { pointer, fun, value: operand, result });
        result.unwrap_or_else(|| self.word(0))
    }

    /// A strong compare-exchange: what languages offer may fail though the word is the expected one, so it is tried again.
    fn compare_exchange(
        &mut self,
        value: ValueId,
        pointer: Handle<Expression>,
        expected: Handle<Expression>,
        operand: Handle<Expression>,
    ) -> Handle<Expression> {
        let found = self.variable(format!("found_{value}"), self.types.word);
        let ty = self.module.generate_predeclared_type(PredeclaredType::AtomicCompareExchangeWeakResult(Scalar::U32));
        let body = self.within(|emitter| {
            let result = Expression::AtomicResult { ty, comparison: true };
            let result = emitter.function.expressions.append(result, Span::UNDEFINED);
            let fun = AtomicFunction::Exchange { compare: Some(expected) };
            emitter.push(Step::Atomic { pointer, fun, value: operand, result: Some(result) });
            let before = emitter.add(Expression::AccessIndex { base: result, index: 0 });
            let exchanged = emitter.add(Expression::AccessIndex { base: result, index: 1 });
            emitter.store(found, before);
            let differs = emitter.binary(BinaryOperator::NotEqual, before, expected);
            let is_done = emitter.binary(BinaryOperator::LogicalOr, exchanged, differs);
            emitter.when(is_done, |emitter| emitter.push(Step::Break));
        });
        self.push(Step::Loop { body, continuing: Block::new(), break_if: None });
        self.add(Expression::Load { pointer: found })
    }
}

/// The operands of an atomic access.
#[derive(Clone, Copy)]
struct Access {
    array: Handle<Expression>,
    index: Handle<Expression>,
    expected: Option<Handle<Expression>>,
    operand: Option<Handle<Expression>>,
}
