// Histogram of the lowest byte of every word in 256 bins.
#include <cstdint>

constexpr uint32_t BINS = 256;

// Global atomics only.
extern "C" __global__ void __launch_bounds__(256)
    histogram_global(const uint32_t *__restrict__ input, uint32_t *__restrict__ bins, uint32_t words) {
    const uint32_t i = blockIdx.x * 256 + threadIdx.x;
    if (i < words) {
        atomicAdd(&bins[input[i] % BINS], 1u);
    }
}

// A warp counts 16384 words in private bins of each thread, without atomics. The bins of a byte are contiguous, so that the lanes of the
// warp use different banks.
extern "C" __global__ void __launch_bounds__(32)
    histogram_private(const uint32_t *__restrict__ input, uint32_t *__restrict__ bins, uint32_t words) {
    __shared__ uint32_t counts[BINS * 32];
    const uint32_t lane = threadIdx.x;
    for (uint32_t k = 0; k < BINS; ++k) {
        counts[k * 32 + lane] = 0;
    }
    const uint32_t first = blockIdx.x * 16384 + lane;
    for (uint32_t k = 0; k < 512; ++k) {
        const uint32_t i = first + k * 32;
        if (i < words) {
            counts[input[i] % BINS * 32 + lane] += 1;
        }
    }
    __syncthreads();
    for (uint32_t k = 0; k < BINS / 32; ++k) {
        const uint32_t bin = k * 32 + lane;
        uint32_t count = 0;
        for (uint32_t step = 0; step < 32; ++step) {
            // Threads start at different offsets to avoid bank conflicts.
            count += counts[bin * 32 + (step + lane) % 32];
        }
        atomicAdd(&bins[bin], count);
    }
}

// Atomics on shared memory: 256 threads count 8192 words in bins of the block.
extern "C" __global__ void __launch_bounds__(256)
    histogram_shared_atomics(const uint32_t *__restrict__ input, uint32_t *__restrict__ bins, uint32_t words) {
    __shared__ uint32_t counts[BINS];
    counts[threadIdx.x] = 0;
    __syncthreads();
    const uint32_t first = blockIdx.x * 8192 + threadIdx.x;
#pragma unroll 8
    for (uint32_t k = 0; k < 32; ++k) {
        const uint32_t i = first + k * 256;
        if (i < words) {
            atomicAdd(&counts[input[i] % BINS], 1u);
        }
    }
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], counts[threadIdx.x]);
}
