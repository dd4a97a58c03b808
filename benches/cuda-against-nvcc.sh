#!/usr/bin/env bash
# Measures the CUDA backend against CUDA C++ that was written by hand and compiled by nvcc.
#
#   benches/cuda-against-nvcc.sh                  builds, then measures
#   benches/cuda-against-nvcc.sh build            compiles the kernels and the report
#   benches/cuda-against-nvcc.sh run [OPTION...]  measures; options are those of cuda_report, see `run --help`
#
# What `build` makes goes to target/cuda-report, which is all that `run` needs: a machine with the GPU needs neither a
# compiler nor a network.
#
#   NVCC             the compiler; otherwise the one in PATH, and where there is none, NVIDIA's packages for Python are
#                    installed in target/nvcc
#   CUDA_ARCH        what to compile for; sm_90 unless it is said
#   CUDA_REPORT_DIR  another folder than target/cuda-report
set -euo pipefail

script=$(realpath "$0")
root=$(dirname "$(dirname "$script")")
folder=${CUDA_REPORT_DIR:-$root/target/cuda-report}

usage() {
    sed -n '2,15s/^# \{0,1\}//p' "$script" >&2
    exit 2
}

# Prints the path of nvcc, which is installed if it has to be.
find_nvcc() {
    if [ -n "${NVCC:-}" ]; then
        echo "$NVCC"
        return
    fi
    if command -v nvcc; then
        return
    fi
    local environment=$root/target/nvcc
    if ! find "$environment" -path '*/bin/nvcc' -print -quit 2>/dev/null | grep -q .; then
        echo "nvcc is not in PATH; installing NVIDIA's wheels in $environment" >&2
        python3 -m venv "$environment" >&2
        "$environment/bin/pip" install --quiet \
            nvidia-cuda-nvcc==13.4.92 nvidia-cuda-crt==13.4.92 nvidia-cuda-runtime==13.4.92 nvidia-nvvm==13.4.92 \
            nvidia-cuda-cccl==13.3.5.0.6 >&2
    fi
    find "$environment" -path '*/bin/nvcc' -print -quit
}

build() {
    mkdir -p "$folder"
    local nvcc source
    nvcc=$(find_nvcc)
    if [ -z "$nvcc" ]; then
        echo "no nvcc: install the CUDA toolkit, or say where it is: NVCC=/path/to/nvcc" >&2
        exit 2
    fi
    for source in "$root"/benches/src/cuda/kernels/*.cu; do
        echo "nvcc $(basename "$source")" >&2
        "$nvcc" -O3 -arch="${CUDA_ARCH:-sm_90}" -cubin -o "$folder/$(basename "$source" .cu).cubin" "$source"
    done
    (cd "$root" && cargo build --release -p vyre-benches --bin cuda_report)
    local binary=${CARGO_TARGET_DIR:-$root/target}/release/cuda_report
    # Without debug information it is small enough to carry around.
    strip -o "$folder/cuda_report" "$binary" 2>/dev/null || cp "$binary" "$folder/cuda_report"
}

run() {
    if [ ! -x "$folder/cuda_report" ]; then
        echo "$folder/cuda_report is not there; build first: benches/cuda-against-nvcc.sh build" >&2
        exit 2
    fi
    "$folder/cuda_report" --kernels "$folder" "$@"
}

case "${1:-}" in
    '')
        build
        run
        ;;
    build)
        [ $# -eq 1 ] || usage
        build
        ;;
    run)
        shift
        run "$@"
        ;;
    *) usage ;;
esac
