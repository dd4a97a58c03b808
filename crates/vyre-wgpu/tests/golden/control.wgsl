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
    len_data: u32,
}

@group(0) @binding(0) 
var<storage, read_write> data: array<u32>;
var<workgroup> tile: array<u32, 100>;
@group(1) @binding(0) 
var<uniform> dispatch: Dispatch;

@compute @workgroup_size(8, 4, 1) 
fn main(@builtin(local_invocation_id) local_id: vec3<u32>, @builtin(workgroup_id) workgroup_id: vec3<u32>, @builtin(local_invocation_index) local_index: u32) {
    var sum: u32 = u32();
    var next_element: u32 = u32();
    var next_v12_: u32 = u32();

    let local_id_y = local_id.y;
    let local_id_x = local_id.x;
    let len_data = dispatch.len_data;
    let first_workgroup_id_z = dispatch.first_workgroup_z;
    let workgroup_id_z = (workgroup_id.z + first_workgroup_id_z);
    let num_workgroups_x = dispatch.num_workgroups_x;
    next_element = local_index;
    loop {
        let _e23 = next_element;
        if (_e23 < 100u) {
        } else {
            break;
        }
        tile[_e23] = u32();
        continuing {
            let _e26 = next_element;
            next_element = (_e26 + 32u);
        }
    }
    workgroupBarrier();
    let v2_ = (local_id_y * 8u);
    let v4_ = (v2_ + local_id_x);
    let v7_ = tile[v4_];
    sum = v7_;
    let v10_ = (len_data != 0u);
    let _e36 = data[0u];
    let v11_ = select(u32(), _e36, v10_);
    next_v12_ = 0u;
    loop {
        let v12_ = next_v12_;
        if (v12_ < v11_) {
        } else {
            break;
        }
        let v13_ = (v12_ < len_data);
        let _e47 = data[select(0u, v12_, v13_)];
        let v14_ = select(u32(), _e47, v13_);
        let v15_ = (v4_ == v14_);
        if v15_ {
            break;
        }
        let v18_ = sum;
        let v20_ = (v12_ * 32u);
        let v21_ = (v4_ + v20_);
        let v22_ = (v21_ < len_data);
        let _e57 = data[select(0u, v21_, v22_)];
        let v23_ = select(u32(), _e57, v22_);
        let v24_ = (v18_ + v23_);
        sum = v24_;
        continuing {
            let _e61 = next_v12_;
            next_v12_ = (_e61 + 1u);
        }
    }
    let v25_ = sum;
    tile[v4_] = v25_;
    storageBarrier();
    workgroupBarrier();
    let v28_ = (31u - v4_);
    let v30_ = tile[v28_];
    let v31_ = (100u < v30_);
    if v31_ {
        return;
    }
    let v36_ = (workgroup_id_z * num_workgroups_x);
    let v37_ = (v4_ + v36_);
    let v41_ = (v37_ < len_data);
    if v41_ {
        data[v37_] = v30_;
    }
}
