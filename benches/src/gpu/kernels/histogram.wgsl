// Histogram of the lowest byte of every word in 256 global bins.
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> bins: array<atomic<u32>>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) invocation: vec3<u32>, @builtin(num_workgroups) workgroups: vec3<u32>) {
    let i = invocation.y * (workgroups.x * 256u) + invocation.x;
    if (i < arrayLength(&input)) {
        atomicAdd(&bins[input[i] & 255u], 1u);
    }
}
