//! Operations of `ir_report` under criterion, for each workload and size. Throughput is in statements and expressions.

use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use vyre_benches::ir::{Case, Operation, SIZES, Workload};

fn operations(criterion: &mut Criterion) {
    let cases: Vec<Case> =
        Workload::ALL.into_iter().flat_map(|workload| SIZES.map(|nodes| Case::new(workload, nodes))).collect();
    for operation in Operation::ALL {
        let mut group = criterion.benchmark_group(operation.name());
        for case in &cases {
            group.throughput(Throughput::Elements(case.nodes as u64));
            group.bench_function(BenchmarkId::new(case.workload.name(), case.nodes), |bencher| {
                bencher.iter_custom(|iterations| (0..iterations).map(|_| case.time(operation)).sum());
            });
        }
        group.finish();
    }
}

fn short() -> Criterion {
    Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
}

criterion_group! {
    name = benches;
    config = short();
    targets = operations
}
criterion_main!(benches);
