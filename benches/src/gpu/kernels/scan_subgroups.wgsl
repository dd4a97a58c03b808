// Inclusive scan of 256 elements per workgroup with subgroups. Words are assigned by subgroup, so that the mapping of invocations
// to subgroups does not matter; subgroups must be full.
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> sums: array<u32>;

var<workgroup> totals: array<u32, 256>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_invocation_id) subgroup_index: u32,
    @builtin(subgroup_size) subgroup_width: u32,
) {
    let local_index = subgroup * subgroup_width + subgroup_index;
    let i = (workgroup.y * workgroups.x + workgroup.x) * 256u + local_index;
    var value = 0u;
    if (i < arrayLength(&input)) {
        value = input[i];
    }
    var sum = subgroupInclusiveAdd(value);
    if (subgroup_index == subgroup_width - 1u) {
        totals[subgroup] = sum;
    }
    workgroupBarrier();
    for (var before = 0u; before < subgroup; before++) {
        sum += totals[before];
    }
    if (i < arrayLength(&sums)) {
        sums[i] = sum;
    }
}
