// Prefix sums of 256 elements per workgroup with subgroups. Words go to lanes by subgroup, whatever the order of lanes is;
// subgroups must be full.
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> sums: array<u32>;

var<workgroup> totals: array<u32, 256>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_invocation_id) subgroup_lane: u32,
    @builtin(subgroup_size) subgroup_lanes: u32,
) {
    let lane = subgroup * subgroup_lanes + subgroup_lane;
    let i = (workgroup.y * workgroups.x + workgroup.x) * 256u + lane;
    var value = 0u;
    if (i < arrayLength(&input)) {
        value = input[i];
    }
    var sum = subgroupInclusiveAdd(value);
    if (subgroup_lane == subgroup_lanes - 1u) {
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
