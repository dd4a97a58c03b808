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
    uint len_main;
    uint len_n_ber_gr_e;
    uint len_float4x4_;
    uint len_dispatch;
};

ByteAddressBuffer main_1 : register(t0);
ByteAddressBuffer n_ber_gr_e : register(t1);
RWByteAddressBuffer float4x4_ : register(u2);
groupshared uint n_reserved[4];
ByteAddressBuffer dispatch : register(t3);
cbuffer dispatch_1 : register(b0, space1) { Dispatch dispatch_1; }

uint ZeroValueuint() {
    return (uint)0;
}

[numthreads(1, 1, 1)]
void main(uint local_index : SV_GroupIndex)
{
    uint while_ = ZeroValueuint();
    uint next_element = ZeroValueuint();
    uint next_v10_ = ZeroValueuint();

    uint len_main = dispatch_1.len_main;
    uint len_n_ber_gr_e = dispatch_1.len_n_ber_gr_e;
    uint len_dispatch = dispatch_1.len_dispatch;
    uint len_float4x4_ = dispatch_1.len_float4x4_;
    next_element = local_index;
    bool loop_init = true;
    while(true) {
        if (!loop_init) {
            uint _e25 = next_element;
            next_element = (_e25 + 1u);
        }
        loop_init = false;
        uint _e22 = next_element;
        if ((_e22 < 4u)) {
        } else {
            break;
        }
        n_reserved[_e22] = ZeroValueuint();
    }
    GroupMemoryBarrierWithGroupSync();
    bool v2_ = (len_main != 0u);
    uint _e30 = asuint(main_1.Load(0u*4));
    uint v3_ = (v2_ ? _e30 : ZeroValueuint());
    bool v6_ = (1u < len_n_ber_gr_e);
    uint _e36 = asuint(n_ber_gr_e.Load((v6_ ? 1u : 0u)*4));
    uint v7_ = (v6_ ? _e36 : ZeroValueuint());
    uint v8_ = (v3_ + v7_);
    while_ = v8_;
    next_v10_ = 0u;
    bool loop_init_1 = true;
    while(true) {
        if (!loop_init_1) {
            uint _e52 = next_v10_;
            next_v10_ = (_e52 + 1u);
        }
        loop_init_1 = false;
        uint v10_ = next_v10_;
        if ((v10_ < v8_)) {
        } else {
            break;
        }
        uint v11_ = while_;
        bool v13_ = (v10_ < len_dispatch);
        uint _e48 = asuint(dispatch.Load((v13_ ? v10_ : 0u)*4));
        uint v14_ = (v13_ ? _e48 : ZeroValueuint());
        uint v15_ = (v11_ + v14_);
        while_ = v15_;
    }
    uint v16_ = while_;
    uint v18_ = (v16_ & 3u);
    n_reserved[v18_] = v16_;
    uint v24_ = n_reserved[1u];
    uint v25_ = (v16_ + v24_);
    uint v26_ = (len_dispatch + v25_);
    bool v28_ = (len_float4x4_ != 0u);
    if (v28_) {
        float4x4_.Store(0u*4, asuint(v26_));
    }
}
