struct Dispatch {
    num_workgroups_x: u32,
    num_workgroups_y: u32,
    num_workgroups_z: u32,
    first_workgroup_x: u32,
    first_workgroup_y: u32,
    first_workgroup_z: u32,
    first_invocation_x: u32,
    first_invocation_y: u32,
    first_invocation_z: u32,
    row_workgroups: u32,
    row_invocations: u32,
    y_mask: u32,
    len_counters: u32,
    len_seen: u32,
}

@group(0) @binding(0) 
var<storage, read_write> counters: array<atomic<u32>>;
@group(0) @binding(1) 
var<storage, read_write> seen: array<u32>;
@group(1) @binding(0) 
var<uniform> dispatch: Dispatch;

@compute @workgroup_size(32, 1, 1) 
fn main(@builtin(global_invocation_id) invocation_id: vec3<u32>, @builtin(workgroup_id) workgroup_id: vec3<u32>) {
    var result_v7_: u32 = u32();
    var result_v9_: u32 = u32();
    var found_v9_: u32 = u32();
    var result_v13_: u32 = u32();
    var result_v19_: u32 = u32();
    var result_v25_: u32 = u32();
    var result_v33_: u32 = u32();

    let row_of_invocation_id_x = dispatch.row_invocations;
    let first_invocation_id_x = dispatch.first_invocation_x;
    let invocation_id_x = ((invocation_id.x + (workgroup_id.y * row_of_invocation_id_x)) + first_invocation_id_x);
    let len_counters = dispatch.len_counters;
    let len_seen = dispatch.len_seen;
    let v4_ = (len_counters != 0u);
    if v4_ {
        atomicAdd((&counters[0u]), 1u);
    }
    let v6_ = (invocation_id_x < len_counters);
    result_v7_ = 0u;
    if v6_ {
        let _e26 = atomicAdd((&counters[invocation_id_x]), 1u);
        result_v7_ = _e26;
    }
    let v7_ = result_v7_;
    let v8_ = (1u < len_counters);
    result_v9_ = 0u;
    if v8_ {
        loop {
            let _e34 = atomicCompareExchangeWeak((&counters[1u]), v7_, invocation_id_x);
            found_v9_ = _e34.old_value;
            if (_e34.exchanged || (_e34.old_value != v7_)) {
                break;
            }
        }
        let _e39 = found_v9_;
        result_v9_ = _e39;
    }
    let v9_ = result_v9_;
    let v12_ = (3u < len_counters);
    result_v13_ = 0u;
    if v12_ {
        let _e46 = atomicAnd((&counters[3u]), v9_);
        result_v13_ = _e46;
    }
    let v13_ = result_v13_;
    let v14_ = (2u < len_counters);
    if v14_ {
        atomicOr((&counters[2u]), v13_);
    }
    let v18_ = (5u < len_counters);
    result_v19_ = 0u;
    if v18_ {
        let _e56 = atomicMin((&counters[5u]), invocation_id_x);
        result_v19_ = _e56;
    }
    let v19_ = result_v19_;
    let v20_ = (4u < len_counters);
    if v20_ {
        atomicXor((&counters[4u]), v19_);
    }
    let v24_ = (7u < len_counters);
    result_v25_ = 0u;
    if v24_ {
        let _e66 = atomicExchange((&counters[7u]), invocation_id_x);
        result_v25_ = _e66;
    }
    let v25_ = result_v25_;
    let v26_ = (6u < len_counters);
    if v26_ {
        atomicMax((&counters[6u]), v25_);
    }
    let v29_ = (8u < len_counters);
    if v29_ {
        atomicStore((&counters[8u]), invocation_id_x);
    }
    let v32_ = (9u < len_counters);
    result_v33_ = 0u;
    if v32_ {
        let _e79 = atomicLoad((&counters[9u]));
        result_v33_ = _e79;
    }
    let v33_ = result_v33_;
    let v35_ = (10u < len_counters);
    let _e85 = atomicLoad((&counters[select(0u, 10u, v35_)]));
    let v36_ = select(u32(), _e85, v35_);
    let v37_ = (v33_ + v36_);
    let v38_ = (v9_ + v37_);
    let v40_ = (invocation_id_x < len_seen);
    if v40_ {
        seen[invocation_id_x] = v38_;
    }
}
