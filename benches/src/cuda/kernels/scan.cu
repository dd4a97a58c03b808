// Prefix sums of the words of each block.
#include <cstdint>

constexpr uint32_t ALL = 0xffffffffu;

// Recursive doubling in shared memory (Hillis and Steele), with two barriers per step.
extern "C" __global__ void __launch_bounds__(256)
    prefix_sum_doubling(const uint32_t *__restrict__ input, uint32_t *__restrict__ sums, uint32_t words) {
    __shared__ uint32_t tile[256];
    const uint32_t lane = threadIdx.x;
    const uint32_t i = blockIdx.x * 256 + lane;
    tile[lane] = i < words ? input[i] : 0;
    __syncthreads();
#pragma unroll
    for (uint32_t distance = 1; distance < 256; distance *= 2) {
        const uint32_t before = lane >= distance ? tile[lane - distance] : 0;
        const uint32_t sum = tile[lane] + before;
        __syncthreads();
        tile[lane] = sum;
        __syncthreads();
    }
    if (i < words) {
        sums[i] = tile[lane];
    }
}

// Inclusive scan of a warp by shuffles.
static __device__ __forceinline__ uint32_t warp_scan(uint32_t value) {
    const uint32_t lane = threadIdx.x % 32;
#pragma unroll
    for (uint32_t distance = 1; distance < 32; distance *= 2) {
        const uint32_t before = __shfl_up_sync(ALL, value, distance);
        if (lane >= distance) {
            value += before;
        }
    }
    return value;
}

// Two-level scan: the first warp scans the totals of all warps.
template <uint32_t SIZE> static __device__ __forceinline__ uint32_t scan_first_warp(uint32_t value) {
    __shared__ uint32_t totals[SIZE / 32];
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const uint32_t sum = warp_scan(value);
    if (lane == 31) {
        totals[warp] = sum;
    }
    __syncthreads();
    if (warp == 0) {
        const uint32_t scanned = warp_scan(lane < SIZE / 32 ? totals[lane] : 0);
        if (lane < SIZE / 32) {
            totals[lane] = scanned;
        }
    }
    __syncthreads();
    return warp == 0 ? sum : sum + totals[warp - 1];
}

// Two-level scan: every warp sums the totals of the warps before it, which saves a barrier.
template <uint32_t SIZE> static __device__ __forceinline__ uint32_t scan_every_warp(uint32_t value) {
    __shared__ uint32_t totals[SIZE / 32];
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const uint32_t sum = warp_scan(value);
    if (lane == 31) {
        totals[warp] = sum;
    }
    __syncthreads();
    return sum + __reduce_add_sync(ALL, lane < warp ? totals[lane] : 0);
}

#define SCAN(NAME, METHOD, SIZE, EXCLUSIVE)                                                             \
    extern "C" __global__ void __launch_bounds__(SIZE)                                                  \
        NAME(const uint32_t *__restrict__ input, uint32_t *__restrict__ sums, uint32_t words) {         \
        const uint32_t i = blockIdx.x * SIZE + threadIdx.x;                                             \
        const uint32_t value = i < words ? input[i] : 0;                                                \
        const uint32_t sum = METHOD<SIZE>(value);                                                       \
        if (i < words) {                                                                                \
            sums[i] = EXCLUSIVE ? sum - value : sum;                                                    \
        }                                                                                               \
    }

SCAN(scan_first_warp_256, scan_first_warp, 256, false)
SCAN(scan_first_warp_1024, scan_first_warp, 1024, false)
SCAN(scan_first_warp_exclusive_256, scan_first_warp, 256, true)
SCAN(scan_every_warp_256, scan_every_warp, 256, false)
SCAN(scan_every_warp_1024, scan_every_warp, 1024, false)
SCAN(scan_every_warp_exclusive_256, scan_every_warp, 256, true)
