#!/usr/bin/env bash
# Measures the CUDA backend against hand-written CUDA C++ that nvcc compiles.
#
#   benches/cuda-against-nvcc.sh                  builds, then measures
#   benches/cuda-against-nvcc.sh build            compiles the kernels and the report
#   benches/cuda-against-nvcc.sh run [OPTION...]  measures; options are those of cuda_report, see `run --help`
#
# `build` writes to target/cuda-report, which is all that `run` needs: the machine with the GPU needs neither a compiler nor a
# network.
#
#   NVCC             compiler [default: nvcc in PATH; otherwise NVIDIA's Python packages are installed in target/nvcc]
#   CUDA_ARCH        target architecture [default: sm_90]
#   CUDA_REPORT_DIR  folder for kernels and report [default: target/cuda-report]
set -euo pipefail

script=$(realpath "$0")
root=$(dirname "$(dirname "$script")")
folder=${CUDA_REPORT_DIR:-$root/target/cuda-report}

usage() {
    sed -n '2,13s/^# \{0,1\}//p' "$script" >&2
    exit 2
}

# Prints the path of nvcc, and installs nvcc if necessary.
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
        echo "no nvcc: install the CUDA toolkit, or set NVCC=/path/to/nvcc" >&2
        exit 2
    fi
    for source in "$root"/benches/src/cuda/kernels/*.cu; do
        echo "nvcc $(basename "$source")" >&2
        "$nvcc" -O3 -arch="${CUDA_ARCH:-sm_90}" -cubin -o "$folder/$(basename "$source" .cu).cubin" "$source"
    done
    (cd "$root" && cargo build --release -p vyre-benches --bin cuda_report)
    local binary=${CARGO_TARGET_DIR:-$root/target}/release/cuda_report
    # Without debug information the file is small enough to copy to other machines.
    strip -o "$folder/cuda_report" "$binary" 2>/dev/null || cp "$binary" "$folder/cuda_report"
}

run() {
    if [ ! -x "$folder/cuda_report" ]; then
        echo "$folder/cuda_report is missing; build first: benches/cuda-against-nvcc.sh build" >&2
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
