struct Dispatch {
    uint num_workgroups_x;
    uint num_workgroups_y;
    uint num_workgroups_z;
    uint first_workgroup_x;
    uint first_workgroup_y;
    uint first_workgroup_z;
    uint first_invocation_x;
    uint first_invocation_y;
    uint first_invocation_z;
    uint row_workgroups;
    uint row_invocations;
    uint y_mask;
    uint len_data;
};

RWByteAddressBuffer data : register(u0);
groupshared uint tile[100];
cbuffer dispatch : register(b0, space1) { Dispatch dispatch; }

uint ZeroValueuint() {
    return (uint)0;
}

[numthreads(8, 4, 1)]
void main(uint3 local_id : SV_GroupThreadID, uint3 workgroup_id : SV_GroupID, uint local_index : SV_GroupIndex)
{
    uint sum = ZeroValueuint();
    uint next_element = ZeroValueuint();
    uint next_v12_ = ZeroValueuint();

    uint local_id_y = local_id.y;
    uint local_id_x = local_id.x;
    uint len_data = dispatch.len_data;
    uint first_workgroup_id_z = dispatch.first_workgroup_z;
    uint workgroup_id_z = (workgroup_id.z + first_workgroup_id_z);
    uint num_workgroups_x = dispatch.num_workgroups_x;
    next_element = local_index;
    bool loop_init = true;
    while(true) {
        if (!loop_init) {
            uint _e26 = next_element;
            next_element = (_e26 + 32u);
        }
        loop_init = false;
        uint _e23 = next_element;
        if ((_e23 < 100u)) {
        } else {
            break;
        }
        tile[_e23] = ZeroValueuint();
    }
    GroupMemoryBarrierWithGroupSync();
    uint v2_ = (local_id_y * 8u);
    uint v4_ = (v2_ + local_id_x);
    uint v7_ = tile[v4_];
    sum = v7_;
    bool v10_ = (len_data != 0u);
    uint _e36 = asuint(data.Load(0u*4));
    uint v11_ = (v10_ ? _e36 : ZeroValueuint());
    next_v12_ = 0u;
    bool loop_init_1 = true;
    while(true) {
        if (!loop_init_1) {
            uint _e61 = next_v12_;
            next_v12_ = (_e61 + 1u);
        }
        loop_init_1 = false;
        uint v12_ = next_v12_;
        if ((v12_ < v11_)) {
        } else {
            break;
        }
        bool v13_ = (v12_ < len_data);
        uint _e47 = asuint(data.Load((v13_ ? v12_ : 0u)*4));
        uint v14_ = (v13_ ? _e47 : ZeroValueuint());
        bool v15_ = (v4_ == v14_);
        if (v15_) {
            break;
        }
        uint v18_ = sum;
        uint v20_ = (v12_ * 32u);
        uint v21_ = (v4_ + v20_);
        bool v22_ = (v21_ < len_data);
        uint _e57 = asuint(data.Load((v22_ ? v21_ : 0u)*4));
        uint v23_ = (v22_ ? _e57 : ZeroValueuint());
        uint v24_ = (v18_ + v23_);
        sum = v24_;
    }
    uint v25_ = sum;
    tile[v4_] = v25_;
    DeviceMemoryBarrierWithGroupSync();
    GroupMemoryBarrierWithGroupSync();
    uint v28_ = (31u - v4_);
    uint v30_ = tile[v28_];
    bool v31_ = (100u < v30_);
    if (v31_) {
        return;
    }
    uint v36_ = (workgroup_id_z * num_workgroups_x);
    uint v37_ = (v4_ + v36_);
    bool v41_ = (v37_ < len_data);
    if (v41_) {
        data.Store(v37_*4, asuint(v30_));
    }
}
