#!/usr/bin/env bash
# Measures the dataflow engine on an NVIDIA GPU, through CUDA and through wgpu (Vulkan).
#
#   benches/dataflow-on-gpu.sh BINARY FOLDER [LOADER|- [OPTION...]]
#
# BINARY is dataflow_report. It may be built on another machine; the machine with the GPU needs neither a compiler nor a network:
#
#   cargo build --release -p vyre-benches --bin dataflow_report
#   strip -o dataflow_report target/release/dataflow_report
#
# FOLDER receives the tables of each backend and part, BACKEND-PART.md, and the progress, BACKEND-PART.log.
# LOADER is a folder with libvulkan.so.1, for benches/with-nvidia-vulkan.sh; without it, or with -, wgpu is left out.
# OPTIONs are those of dataflow_report, `--iterations 3` for example. Graphs are generated in each run and not stored.
#
#   BACKENDS  backends [default: "cuda wgpu"]
#   PARTS     graphs and `scales` [default: "G1 G2 G3 G4 scales"]
set -euo pipefail

script=$(realpath "$0")
if [ $# -lt 2 ]; then
    sed -n '2,17s/^# \{0,1\}//p' "$script" >&2
    exit 2
fi
binary=$(realpath "$1")
folder=$2
loader=${3:--}
shift $(($# < 3 ? $# : 3))
if [ ! -x "$binary" ]; then
    echo "$binary is missing or not executable" >&2
    exit 2
fi
mkdir -p "$folder"

failures=0
for backend in ${BACKENDS:-cuda wgpu}; do
    run=("$binary" --backend "$backend" --no-peers)
    if [ "$backend" = wgpu ]; then
        if [ "$loader" = - ]; then
            echo "wgpu: left out: no LOADER was given" >&2
            continue
        fi
        run=("$(dirname "$script")/with-nvidia-vulkan.sh" "$loader" "${run[@]}")
    fi
    for part in ${PARTS:-G1 G2 G3 G4 scales}; do
        case $part in
            scales) what=(--part scales) ;;
            *) what=(--part peers --only "$part") ;;
        esac
        out=$folder/$backend-$part
        echo "$backend, $part" >&2
        if "${run[@]}" "${what[@]}" "$@" >"$out.md" 2>"$out.log"; then
            cat "$out.md"
        else
            failures=$((failures + 1))
            tail -n 20 "$out.log" >&2
            echo "FAILED: $backend, $part" >&2
        fi
    done
done
[ "$failures" -eq 0 ]
