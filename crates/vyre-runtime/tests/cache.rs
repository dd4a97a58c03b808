//! The cache builds one pipeline for each combination of device, program, ops and options.

use vyre_ir::{
    BufferDecl, Convention, DataType, Expr, Name, Node, OpSignature, OpSpec, OpTable, Program, Specialization, validate,
};
use vyre_runtime::{Error, Pipeline, PipelineCache, PipelineOptions, ReferenceDevice};

/// An op that adds a constant to its argument, through another op.
fn table(constant: u32) -> OpTable {
    let op = |id: &str, value: Expr| OpSpec {
        id: Name::from(id),
        version: 1,
        signature: OpSignature { inputs: vec![DataType::U32], output: DataType::U32 },
        inlinable: true,
        program: Program::new(
            vec![BufferDecl::read("x", 0, DataType::U32), BufferDecl::output("out", 1, DataType::U32)],
            [1, 1, 1],
            vec![Node::store("out", 0u32, value)],
        ),
    };
    let inner = Expr::Call { op_id: Name::from("test.inner"), args: vec![Expr::load("x", 0u32)] };
    OpTable::new([op("test.outer", inner), op("test.inner", Expr::load("x", 0u32) + constant)]).expect("two ids")
}

fn program(stored: u32) -> Program {
    let buffers = vec![
        BufferDecl::read("input", 2, DataType::U32),
        BufferDecl::uniform("params", 1, DataType::U32),
        BufferDecl::output("out", 0, DataType::U32),
    ];
    let call = Expr::Call { op_id: Name::from("test.outer"), args: vec![Expr::load("params", 0u32)] };
    Program::new(buffers, [1, 1, 1], vec![Node::store("out", stored, call)])
}

fn get(
    cache: &PipelineCache,
    device: &ReferenceDevice,
    (stored, constant): (u32, u32),
    options: &PipelineOptions,
) -> Result<Pipeline, Error> {
    let (program, ops) = (program(stored), table(constant));
    let valid = validate(&program, &ops).unwrap_or_else(|errors| panic!("{}", errors[0]));
    cache.pipeline(device, &valid, options)
}

#[test]
fn device_program_ops_and_options_are_part_of_the_key() {
    let (cache, device) = (PipelineCache::new(100), ReferenceDevice::new());
    let plain = PipelineOptions::default();
    let fixed = PipelineOptions::default().with_specialization(Specialization::default().with(1, 0, 5));
    let convention = PipelineOptions::default().with_convention(Convention::V1);
    let requests = [
        (&device, (0, 1), &plain),
        (&device, (1, 1), &plain),
        // Only an op that is called by an op differs.
        (&device, (0, 2), &plain),
        (&device, (0, 1), &fixed),
        (&device, (0, 1), &convention),
        (&ReferenceDevice::new(), (0, 1), &plain),
    ];
    let build = || requests.map(|(device, programs, options)| get(&cache, device, programs, options).expect("builds"));
    let (first, second) = (build(), build());
    assert_eq!(cache.len(), requests.len());
    for (at, pipeline) in first.iter().enumerate() {
        for (other_at, other) in second.iter().enumerate() {
            assert_eq!(pipeline.is_same(other), at == other_at, "{at} and {other_at}");
        }
    }
}

#[test]
fn the_least_recently_used_pipeline_is_evicted() {
    let (cache, device) = (PipelineCache::new(2), ReferenceDevice::new());
    let plain = PipelineOptions::default();
    let ask = |stored| get(&cache, &device, (stored, 1), &plain).expect("builds");
    let (zero, one) = (ask(0), ask(1));
    assert!(ask(0).is_same(&zero));
    ask(2);
    assert_eq!(cache.len(), 2);
    assert!(ask(0).is_same(&zero), "asked for last");
    assert!(!ask(1).is_same(&one), "built anew");
    cache.clear();
    assert!(cache.is_empty() && !ask(0).is_same(&zero));
}

#[test]
fn a_cache_of_capacity_0_and_failures_store_nothing() {
    let device = ReferenceDevice::new();
    let none = PipelineCache::new(0);
    assert!(get(&none, &device, (0, 1), &PipelineOptions::default()).is_ok());
    assert!(none.is_empty());
    let cache = PipelineCache::new(2);
    let wrong = PipelineOptions::default().with_specialization(Specialization::default().with(0, 0, 5));
    assert!(get(&cache, &device, (0, 1), &wrong).is_err());
    assert!(cache.is_empty());
}
