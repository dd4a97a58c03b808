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
    uint len_input;
    uint len_params;
    uint len_pairs;
    uint len_quads;
    uint len_flags;
};

ByteAddressBuffer input : register(t0);
ByteAddressBuffer params : register(t1);
RWByteAddressBuffer pairs : register(u2);
RWByteAddressBuffer quads : register(u3);
RWByteAddressBuffer flags : register(u4);
cbuffer dispatch : register(b0, space1) { Dispatch dispatch; }

uint naga_div(uint lhs, uint rhs) {
    return lhs / (rhs == 0u ? 1u : rhs);
}

uint naga_mod(uint lhs, uint rhs) {
    return lhs % (rhs == 0u ? 1u : rhs);
}

uint ZeroValueuint() {
    return (uint)0;
}

[numthreads(64, 1, 1)]
void main(uint3 invocation_id : SV_DispatchThreadID, uint3 workgroup_id : SV_GroupID)
{
    uint row_of_invocation_id_x = dispatch.row_invocations;
    uint first_invocation_id_x = dispatch.first_invocation_x;
    uint invocation_id_x = ((invocation_id.x + (workgroup_id.y * row_of_invocation_id_x)) + first_invocation_id_x);
    uint len_input = dispatch.len_input;
    uint len_params = dispatch.len_params;
    uint len_pairs = dispatch.len_pairs;
    uint len_quads = dispatch.len_quads;
    uint len_flags = dispatch.len_flags;
    bool v2_ = (invocation_id_x < len_input);
    if (v2_) {
        uint v7_ = asuint(input.Load(invocation_id_x*4));
        uint v9_ = (invocation_id_x + 1u);
        bool v10_ = (v9_ < len_input);
        uint _e36 = asuint(input.Load((v10_ ? v9_ : 0u)*4));
        uint v11_ = (v10_ ? _e36 : ZeroValueuint());
        bool v12_ = (v11_ == 0u);
        uint v13_ = (v12_ ? 1u : v11_);
        uint v14_ = naga_div(v7_, v13_);
        uint v15_ = (v12_ ? 0u : v14_);
        bool v17_ = (len_params != 0u);
        uint _e45 = asuint(params.Load(0u*4));
        uint v18_ = (v17_ ? _e45 : ZeroValueuint());
        bool v19_ = (v18_ == 0u);
        uint v20_ = (v19_ ? 1u : v18_);
        uint v21_ = naga_mod(v7_, v20_);
        uint v22_ = (v15_ + v21_);
        uint v24_ = (v11_ & 31u);
        uint v25_ = (v7_ << v24_);
        bool v26_ = (1u < len_params);
        uint _e58 = asuint(params.Load((v26_ ? 1u : 0u)*4));
        uint v27_ = (v26_ ? _e58 : ZeroValueuint());
        uint v28_ = (v27_ & 31u);
        uint v29_ = (v25_ >> v28_);
        uint _e65 = (v7_ & 65535u);
        uint _e66 = (v7_ >> 16u);
        uint _e67 = (v11_ & 65535u);
        uint _e68 = (v11_ >> 16u);
        uint _e72 = ((_e66 * _e67) + ((_e65 * _e67) >> 16u));
        uint v30_ = (((_e66 * _e68) + (_e72 >> 16u)) + (((_e65 * _e68) + (_e72 & 65535u)) >> 16u));
        uint2 v31_ = uint2(v22_, v30_);
        bool v33_ = (invocation_id_x < len_pairs);
        if (v33_) {
            pairs.Store2(invocation_id_x*8, asuint(v31_));
        }
        uint v34_ = (31u - firstbithigh(v7_));
        uint v35_ = min(32u, firstbitlow(v11_));
        uint v36_ = (v34_ + v35_);
        uint v37_ = countbits(v7_);
        uint v38_ = (max(v7_, v11_) - min(v7_, v11_));
        uint4 v39_ = uint4(v29_, v36_, v37_, v38_);
        bool v41_ = (invocation_id_x < len_quads);
        if (v41_) {
            quads.Store4(invocation_id_x*16, asuint(v39_));
        }
        bool v43_ = (v11_ < len_flags);
        uint _e97 = asuint(flags.Load((v43_ ? v11_ : 0u)*4));
        uint v44_ = (v43_ ? _e97 : ZeroValueuint());
        bool v45_ = (v44_ != 0u);
        uint v46_ = uint(v45_);
        bool v47_ = (v7_ < len_flags);
        if (v47_) {
            flags.Store(v7_*4, asuint(v46_));
        }
    }
}
