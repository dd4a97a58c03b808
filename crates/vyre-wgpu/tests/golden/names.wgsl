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
    len_main: u32,
    len_n_ber_gr_e: u32,
    len_float4x4_: u32,
    len_dispatch: u32,
}

@group(0) @binding(0) 
var<storage> main_1: array<u32>;
@group(0) @binding(1) 
var<storage> n_ber_gr_e: array<u32>;
@group(0) @binding(2) 
var<storage, read_write> float4x4_: array<u32>;
var<workgroup> n_reserved: array<u32, 4>;
@group(0) @binding(3) 
var<storage> dispatch: array<u32>;
@group(1) @binding(0) 
var<uniform> dispatch_1: Dispatch;

@compute @workgroup_size(1, 1, 1) 
fn main(@builtin(local_invocation_index) local_index: u32) {
    var while_: u32 = u32();
    var next_element: u32 = u32();
    var next_v10_: u32 = u32();

    let len_main = dispatch_1.len_main;
    let len_n_ber_gr_e = dispatch_1.len_n_ber_gr_e;
    let len_dispatch = dispatch_1.len_dispatch;
    let len_float4x4_ = dispatch_1.len_float4x4_;
    next_element = local_index;
    loop {
        let _e22 = next_element;
        if (_e22 < 4u) {
        } else {
            break;
        }
        n_reserved[_e22] = u32();
        continuing {
            let _e25 = next_element;
            next_element = (_e25 + 1u);
        }
    }
    workgroupBarrier();
    let v2_ = (len_main != 0u);
    let _e30 = main_1[0u];
    let v3_ = select(u32(), _e30, v2_);
    let v6_ = (1u < len_n_ber_gr_e);
    let _e36 = n_ber_gr_e[select(0u, 1u, v6_)];
    let v7_ = select(u32(), _e36, v6_);
    let v8_ = (v3_ + v7_);
    while_ = v8_;
    next_v10_ = 0u;
    loop {
        let v10_ = next_v10_;
        if (v10_ < v8_) {
        } else {
            break;
        }
        let v11_ = while_;
        let v13_ = (v10_ < len_dispatch);
        let _e48 = dispatch[select(0u, v10_, v13_)];
        let v14_ = select(u32(), _e48, v13_);
        let v15_ = (v11_ + v14_);
        while_ = v15_;
        continuing {
            let _e52 = next_v10_;
            next_v10_ = (_e52 + 1u);
        }
    }
    let v16_ = while_;
    let v18_ = (v16_ & 3u);
    n_reserved[v18_] = v16_;
    let v24_ = n_reserved[1u];
    let v25_ = (v16_ + v24_);
    let v26_ = (len_dispatch + v25_);
    let v28_ = (len_float4x4_ != 0u);
    if v28_ {
        float4x4_[0u] = v26_;
    }
}
