// Copies every word in several dispatches; a uniform has the first invocation of each.
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@group(1) @binding(0) var<uniform> first_invocation: u32;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) invocation: vec3<u32>) {
    let i = first_invocation + invocation.x;
    if (i < arrayLength(&out)) {
        out[i] = input[i];
    }
}
