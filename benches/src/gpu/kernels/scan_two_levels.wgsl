// Two-level inclusive scan of 256 elements per workgroup: 16 invocations scan a segment of 16 words each, then every invocation
// adds the totals of the segments before its own. Segments are padded by a word to avoid bank conflicts.
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> sums: array<u32>;

var<workgroup> tile: array<u32, 272>;
var<workgroup> totals: array<u32, 16>;

@compute @workgroup_size(256)
fn main(
    @builtin(global_invocation_id) invocation: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
) {
    let local_index = local.x;
    let i = invocation.y * (workgroups.x * 256u) + invocation.x;
    var value = 0u;
    if (i < arrayLength(&input)) {
        value = input[i];
    }
    let segment = local_index >> 4u;
    tile[local_index + segment] = value;
    workgroupBarrier();
    if (local_index < 16u) {
        let start = local_index * 17u;
        var total = 0u;
        for (var at = 0u; at < 16u; at++) {
            total += tile[start + at];
            tile[start + at] = total;
        }
        totals[local_index] = total;
    }
    workgroupBarrier();
    var sum = tile[local_index + segment];
    for (var before = 0u; before < segment; before++) {
        sum += totals[before];
    }
    if (i < arrayLength(&sums)) {
        sums[i] = sum;
    }
}
