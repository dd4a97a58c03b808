// Groups of 8, 16 or 32 threads, each with its own number of iterations, in which the threads of a group communicate. A block has
// several groups, so the groups of a warp diverge; every collective operation has the mask of its group.
//
// The size of a block must be a multiple of the size of a group, and at most 128.
#include <cstdint>

constexpr uint32_t ALL = 0xffffffffu;
constexpr uint32_t MAX_THREADS = 128;

// Group within its warp.
template <uint32_t SIZE> struct Tile {
    uint32_t first; // First lane of the group in its warp.
    uint32_t lane;
    uint32_t mask;

    __device__ __forceinline__ Tile() {
        const uint32_t in_warp = threadIdx.x % 32;
        first = in_warp / SIZE * SIZE;
        lane = in_warp % SIZE;
        mask = (SIZE == 32 ? ALL : (1u << SIZE % 32) - 1) << first;
    }
};

// Sum of the group by shuffles.
template <uint32_t SIZE> struct ReduceByShuffles {
    static __device__ __forceinline__ uint32_t step(const Tile<SIZE> &, uint32_t mask, uint32_t state, uint32_t word,
                                                    uint32_t iteration) {
        const uint32_t mixed = state ^ word;
        uint32_t total = mixed;
#pragma unroll
        for (uint32_t distance = SIZE / 2; distance > 0; distance /= 2) {
            total += __shfl_xor_sync(mask, total, distance, SIZE);
        }
        const uint32_t next = mixed * 0x85ebca6bu + (total ^ iteration);
        return next ^ (next >> 13);
    }
};

// Sum of the group by the reduction instruction; the mask must be that of the group.
template <uint32_t SIZE> struct ReduceByInstruction {
    static __device__ __forceinline__ uint32_t step(const Tile<SIZE> &, uint32_t mask, uint32_t state, uint32_t word,
                                                    uint32_t iteration) {
        const uint32_t mixed = state ^ word;
        const uint32_t total = __reduce_add_sync(mask, mixed);
        const uint32_t next = mixed * 0x85ebca6bu + (total ^ iteration);
        return next ^ (next >> 13);
    }
};

// Ballot, and the state of the lane that the ballot selects.
template <uint32_t SIZE> struct Vote {
    static __device__ __forceinline__ uint32_t step(const Tile<SIZE> &tile, uint32_t mask, uint32_t state, uint32_t word,
                                                    uint32_t iteration) {
        const uint32_t bits = SIZE == 32 ? ALL : (1u << SIZE % 32) - 1;
        const uint32_t votes = __ballot_sync(mask, (state ^ word) & 1) >> tile.first & bits;
        const uint32_t other = __shfl_sync(mask, state, tile.lane ^ (__popc(votes) & 7), SIZE);
        const uint32_t next = (other ^ word) * 0x85ebca6bu + (votes ^ iteration);
        return next ^ (next >> 13);
    }
};

// Exchange through shared memory, with a barrier before and after the read.
template <uint32_t SIZE> struct Exchange {
    static __device__ __forceinline__ uint32_t step(const Tile<SIZE> &, uint32_t mask, uint32_t state, uint32_t word,
                                                    uint32_t iteration) {
        __shared__ uint32_t slots[MAX_THREADS];
        const uint32_t mixed = state ^ word;
        slots[threadIdx.x] = mixed;
        __syncwarp(mask);
        const uint32_t other = slots[threadIdx.x ^ (1 + iteration % 7)];
        __syncwarp(mask);
        const uint32_t next = mixed * 0x85ebca6bu + (other ^ iteration);
        return next ^ (next >> 13);
    }
};

// Groups diverge: each runs its own number of iterations.
template <template <uint32_t> class Step, uint32_t SIZE>
static __device__ __forceinline__ void divergent(const uint32_t *__restrict__ trips, const uint32_t *__restrict__ table,
                                                uint32_t *__restrict__ out, uint32_t threads) {
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= threads) {
        return;
    }
    const Tile<SIZE> tile;
    const uint32_t iterations = trips[i / SIZE];
    uint32_t state = i * 0x9e3779b1u + 0x7f4a7c15u;
    for (uint32_t iteration = 0; iteration < iterations; ++iteration) {
        state = Step<SIZE>::step(tile, tile.mask, state, table[state >> 16], iteration);
    }
    out[i] = state;
}

// Groups of a warp run in lockstep for the maximum of their numbers of iterations; a finished group discards its results.
template <template <uint32_t> class Step, uint32_t SIZE>
static __device__ __forceinline__ void lockstep(const uint32_t *__restrict__ trips, const uint32_t *__restrict__ table,
                                                uint32_t *__restrict__ out, uint32_t threads) {
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    const Tile<SIZE> tile;
    const uint32_t iterations = i < threads ? trips[i / SIZE] : 0;
    const uint32_t longest = __reduce_max_sync(ALL, iterations);
    uint32_t state = i * 0x9e3779b1u + 0x7f4a7c15u;
    for (uint32_t iteration = 0; iteration < longest; ++iteration) {
        const uint32_t next = Step<SIZE>::step(tile, ALL, state, table[state >> 16], iteration);
        state = iteration < iterations ? next : state;
    }
    if (i < threads) {
        out[i] = state;
    }
}

#define KERNEL(NAME, LOOP, STEP, SIZE)                                                                  \
    extern "C" __global__ void __launch_bounds__(MAX_THREADS)                                           \
        NAME(const uint32_t *__restrict__ trips, const uint32_t *__restrict__ table,                    \
             uint32_t *__restrict__ out, uint32_t threads) {                                            \
        LOOP<STEP, SIZE>(trips, table, out, threads);                                                   \
    }

#define KERNELS(SIZE)                                                                                   \
    KERNEL(reduce_shuffles_##SIZE, divergent, ReduceByShuffles, SIZE)                                   \
    KERNEL(reduce_instruction_##SIZE, divergent, ReduceByInstruction, SIZE)                             \
    KERNEL(reduce_lockstep_##SIZE, lockstep, ReduceByShuffles, SIZE)                                    \
    KERNEL(vote_##SIZE, divergent, Vote, SIZE)                                                          \
    KERNEL(vote_lockstep_##SIZE, lockstep, Vote, SIZE)                                                  \
    KERNEL(exchange_##SIZE, divergent, Exchange, SIZE)                                                  \
    KERNEL(exchange_lockstep_##SIZE, lockstep, Exchange, SIZE)

KERNELS(8)
KERNELS(16)
KERNELS(32)
