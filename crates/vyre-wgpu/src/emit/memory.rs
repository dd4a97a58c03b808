//! Emission of buffers, loads, stores and atomics.

use std::num::NonZeroU32;

use naga::{
    AddressSpace, ArraySize, AtomicFunction, BinaryOperator, Block, Expression, GlobalVariable, Handle,
    PredeclaredType, ResourceBinding, Scalar, Span, Statement as Step, StorageAccess, Type, TypeInner,
};
use vyre_ir::{AtomicOp, BufferAccess, BufferDecl};
use vyre_kernel::{BufferId, BufferUse, Key as _, Op, ValueId, element_type};

use super::interface::{BUFFER_GROUP, host_position};
use super::{BoundBuffer, Emitter, identifier};

/// Variable of a buffer, an array.
#[derive(Clone, Copy)]
pub(super) struct ArrayVariable {
    pub(super) variable: Handle<Expression>,
    /// Type of a loaded element.
    pub(super) element: Handle<Type>,
}

impl Emitter<'_> {
    /// Declares the buffers that the kernel accesses.
    pub(super) fn declare_buffers(&mut self) {
        let kernel = self.kernel;
        for (id, decl) in kernel.buffers.iter() {
            let usage = self.usage.buffer(id);
            let array = usage.is_accessed().then(|| self.declare_buffer(id, decl, usage));
            self.arrays.push(array);
        }
    }

    fn declare_buffer(&mut self, id: BufferId, decl: &BufferDecl, usage: BufferUse) -> ArrayVariable {
        let ty = element_type(decl.element);
        let element = self.types.of(ty);
        let name = identifier(&decl.name);
        // All accesses to an array of atomics are atomic.
        let stored = if usage.is_atomic { self.types.atomic } else { element };
        let variable = if decl.access == BufferAccess::Workgroup {
            let count = decl.count.max(1);
            let bytes = ty.words() * 4;
            let ty = self.array_type(stored, bytes, Some(count));
            self.workgroup_variable(name, ty, u64::from(count) * u64::from(bytes))
        } else {
            let ty = self.array_type(stored, ty.words() * 4, None);
            let read_only = !usage.is_written && !usage.is_atomic;
            let mut access = StorageAccess::LOAD;
            access.set(StorageAccess::STORE, !read_only);
            let binding = ResourceBinding { group: BUFFER_GROUP, binding: self.bound.len() as u32 };
            self.bound.push(BoundBuffer { position: host_position(self.kernel, id), read_only });
            self.global(name, AddressSpace::Storage { access }, ty, Some(binding))
        };
        ArrayVariable { variable: self.add(Expression::GlobalVariable(variable)), element }
    }

    /// Type of an array. Without a count, the host determines its length.
    pub(super) fn array_type(&mut self, base: Handle<Type>, stride: u32, count: Option<u32>) -> Handle<Type> {
        let size = count.and_then(NonZeroU32::new).map_or(ArraySize::Dynamic, ArraySize::Constant);
        let inner = TypeInner::Array { base, size, stride };
        self.module.types.insert(Type { name: None, inner }, Span::UNDEFINED)
    }

    pub(super) fn workgroup_variable(&mut self, name: String, ty: Handle<Type>, bytes: u64) -> Handle<GlobalVariable> {
        self.workgroup_bytes = self.workgroup_bytes.saturating_add(bytes);
        self.global(name, AddressSpace::WorkGroup, ty, None)
    }

    /// Variable of an accessed buffer; `None` if the index is emitted as a literal outside of a workgroup buffer.
    ///
    /// naga rejects such indices, although their guards never hold.
    fn accessed_array(&self, buffer: BufferId, index: ValueId) -> Option<ArrayVariable> {
        let decl = &self.kernel.buffers[buffer];
        let is_outside = self.known_word(index).is_some_and(|index| index >= decl.count);
        let is_rejected = decl.access == BufferAccess::Workgroup && is_outside;
        if is_rejected { None } else { self.arrays[buffer.position()] }
    }

    pub(super) fn element_pointer(
        &mut self,
        base: Handle<Expression>,
        index: Handle<Expression>,
    ) -> Handle<Expression> {
        self.add(Expression::Access { base, index })
    }

    /// Loads an element, or zero if the guard does not hold. The access is then to element 0, which every binding has.
    pub(super) fn load(&mut self, buffer: BufferId, index: ValueId, guard: Option<ValueId>) -> Expression {
        let Some(array) = self.accessed_array(buffer, index) else {
            let element = element_type(self.kernel.buffers[buffer].element);
            return Expression::ZeroValue(self.types.of(element));
        };
        let index = self.value(index);
        let Some(guard) = guard else {
            let pointer = self.element_pointer(array.variable, index);
            return Expression::Load { pointer };
        };
        let condition = self.value(guard);
        let zero = self.word(0);
        let index =
            if index == zero { zero } else { self.add(Expression::Select { condition, accept: index, reject: zero }) };
        let pointer = self.element_pointer(array.variable, index);
        let accept = self.add(Expression::Load { pointer });
        let reject = self.add(Expression::ZeroValue(array.element));
        Expression::Select { condition, accept, reject }
    }

    pub(super) fn store_element(&mut self, buffer: BufferId, index: ValueId, value: ValueId, guard: Option<ValueId>) {
        let Some(array) = self.accessed_array(buffer, index) else { return };
        let (index, value) = (self.value(index), self.value(value));
        let write = |emitter: &mut Self| {
            let pointer = emitter.element_pointer(array.variable, index);
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

    /// Emits an atomic access, in a branch if it has a guard: no element may be modified instead.
    pub(super) fn atomic(&mut self, value: ValueId) {
        let Op::Atomic { op: _, buffer, index, expected, value: operand, guard } = self.kernel.op(value) else {
            return;
        };
        let Some(array) = self.accessed_array(buffer, index) else {
            let zero = self.word(0);
            return self.set_named(value, zero);
        };
        let index = self.value(index);
        let expected = expected.map(|expected| self.value(expected));
        let operand = operand.map(|operand| self.value(operand));
        let access = Access { array: array.variable, index, expected, operand };
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

    /// Emits an atomic access to an existing word, and returns its result.
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
        // Updates without a result may be cheaper.
        let has_result = op == AtomicOp::Exchange || self.usage.is_used(value);
        let result = has_result.then(|| {
            let result = Expression::AtomicResult { ty: self.types.word, comparison: false };
            self.function.expressions.append(result, Span::UNDEFINED)
        });
        self.push(Step::Atomic { pointer, fun, value: operand, result });
        result.unwrap_or_else(|| self.word(0))
    }

    /// Emits a strong compare-exchange: a loop around the weak one of the languages, which may fail spuriously.
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

/// Operands of an atomic access.
#[derive(Clone, Copy)]
struct Access {
    array: Handle<Expression>,
    index: Handle<Expression>,
    expected: Option<Handle<Expression>>,
    operand: Option<Handle<Expression>>,
}
