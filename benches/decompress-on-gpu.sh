#!/usr/bin/env bash
# Measures LZ4 decompression on an NVIDIA GPU through CUDA and wgpu (Vulkan), against nvCOMP in the same iterations.
#
#   benches/decompress-on-gpu.sh build                    collects all files in target/carry
#   benches/decompress-on-gpu.sh run FOLDER [OPTION...]   measures; OPTIONs are those of decompress_report
#
# `build` needs a compiler and the packages (benches/fetch-packages crate). The machine with the GPU needs only this script and
# target/carry, and no network. FOLDER receives the tables of each backend, BACKEND.md, the progress, BACKEND.log, and the times of
# nvCOMP in a run of its own, nvcomp.tsv.
#
#   CARRY       folder for the files [default: target/carry]
#   REPORT      binary of decompress_report [default: cargo builds it]
#   CUDA_HOME   folder that contains cuda_runtime_api.h and libcudart_static.a [default: NVIDIA's Python wheels are installed in
#               target/nvcomp, as is that of nvCOMP in any case]
#   LOADER      folder with libvulkan.so.1, for benches/with-nvidia-vulkan.sh; without it, wgpu is left out
#   BACKENDS    backends [default: "cuda wgpu"]
set -euo pipefail

script=$(realpath "$0")
root=$(dirname "$(dirname "$script")")
carry=${CARRY:-$root/target/carry}

usage() {
    sed -n '2,16s/^# \{0,1\}//p' "$script" >&2
    exit 2
}

# Prints the path of the first file of this name below a folder.
find_file() {
    find "$2"/ -name "$1" -print -quit 2>/dev/null || true
}

build() {
    local wheels=$root/target/nvcomp nvcomp library cuda header cudart report
    if [ -z "$(find_file libnvcomp.so.6 "$wheels")" ]; then
        python3 -m venv "$wheels"
        "$wheels/bin/pip" install --quiet --disable-pip-version-check nvidia-libnvcomp-cu13==6.0.0.12
    fi
    cuda=${CUDA_HOME:-$wheels}
    if [ -z "${CUDA_HOME:-}" ] && [ -z "$(find_file cuda_runtime_api.h "$wheels")" ]; then
        "$wheels/bin/pip" install --quiet --disable-pip-version-check nvidia-cuda-runtime==13.0.96 nvidia-cuda-crt==13.0.88
    fi
    library=$(find_file libnvcomp.so.6 "$wheels")
    nvcomp=$(dirname "$(find_file nvcomp.h "$wheels")")
    header=$(dirname "$(find_file cuda_runtime_api.h "$cuda")")
    cudart=$(find_file libcudart_static.a "$cuda")
    if [ -z "$library" ] || [ -z "$cudart" ]; then
        echo "no libnvcomp.so.6 below $wheels, or no libcudart_static.a below $cuda" >&2
        exit 2
    fi
    mkdir -p "$carry/fallback"
    # The library is used without its debug information and local symbols.
    strip --strip-unneeded -o "$carry/libnvcomp.so.6" "$library" 2>/dev/null || cp "$library" "$carry/libnvcomp.so.6"
    cc -O2 -std=c11 -Wall -Wextra -I"$header" -I"$nvcomp" -o "$carry/nvcomp_lz4" "$root/benches/nvcomp/nvcomp_lz4.c" \
        "$library" "$cudart" -lstdc++ -lm -lpthread -ldl -lrt -Wl,-rpath,'$ORIGIN'
    # For machines without a C++ runtime.
    for name in libstdc++.so.6 libgcc_s.so.1; do
        cp -L "$(cc -print-file-name="$name")" "$carry/fallback/$name"
    done
    if [ -n "${REPORT:-}" ]; then
        report=$REPORT
    else
        (cd "$root" && cargo build --release -p vyre-benches --bin decompress_report)
        report=${CARGO_TARGET_DIR:-$root/target}/release/decompress_report
    fi
    strip -o "$carry/decompress_report" "$report" 2>/dev/null || cp "$report" "$carry/decompress_report"
    "$carry/decompress_report" --write-blocks "$carry/blocks.bin"
    if [ -n "${LOADER:-}" ]; then
        mkdir -p "$carry/vulkan"
        cp -L "$LOADER/libvulkan.so.1" "$carry/vulkan/"
    fi
    du -sh "$carry" >&2
    echo "copy $carry and benches/ to the machine with the GPU, then run benches/decompress-on-gpu.sh run FOLDER" >&2
}

run() {
    [ $# -ge 1 ] || usage
    local folder=$1 backend copies failures=0 run
    shift
    if [ ! -x "$carry/nvcomp_lz4" ]; then
        echo "$carry/nvcomp_lz4 is missing; build first: benches/decompress-on-gpu.sh build" >&2
        exit 2
    fi
    mkdir -p "$folder"
    if ! ldconfig -p 2>/dev/null | grep -q 'libstdc++\.so\.6'; then
        export LD_LIBRARY_PATH=$carry/fallback${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    fi
    echo "nvCOMP in a run of its own" >&2
    for copies in 128 8; do
        "$carry/nvcomp_lz4" "$carry/blocks.bin" "$copies" || failures=$((failures + 1))
    done >"$folder/nvcomp.tsv"
    cat "$folder/nvcomp.tsv"
    for backend in ${BACKENDS:-cuda wgpu}; do
        run=("$carry/decompress_report" --part lz4 --backend "$backend" --blocks "$carry/blocks.bin"
            --nvcomp "$carry/nvcomp_lz4" --iterations 15 "$@")
        if [ "$backend" = wgpu ]; then
            local loader=${LOADER:-$carry/vulkan}
            if [ ! -e "$loader/libvulkan.so.1" ]; then
                echo "wgpu: left out: no LOADER was given" >&2
                continue
            fi
            run=("$(dirname "$script")/with-nvidia-vulkan.sh" "$loader" "${run[@]}")
        fi
        echo "$backend" >&2
        if "${run[@]}" >"$folder/$backend.md" 2>"$folder/$backend.log"; then
            cat "$folder/$backend.md"
        else
            failures=$((failures + 1))
            tail -n 20 "$folder/$backend.log" >&2
            echo "FAILED: $backend" >&2
        fi
    done
    [ "$failures" -eq 0 ]
}

case "${1:-}" in
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
