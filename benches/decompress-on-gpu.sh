#!/usr/bin/env bash
# Measures decompression on an NVIDIA GPU through CUDA and wgpu (Vulkan): zstd, deflate and LZ4 against nvCOMP in the same
# iterations, and the engine from memory to memory. The conformance tests of the ops run first.
#
#   benches/decompress-on-gpu.sh build                    collects all files in target/carry
#   benches/decompress-on-gpu.sh run FOLDER [OPTION...]   measures; OPTIONs are those of decompress_report
#
# `build` needs a compiler and the packages (benches/fetch-packages crate). The machine with the GPU needs only benches/, tests/corpus/ops
# and target/carry, and no network. FOLDER receives the tables, report.md, the messages, messages.txt, and the output of the tests,
# conformance-BACKEND.txt. Each line is written at once, so that a run that is ended keeps its figures. The most important parts come
# first. Programs with one invocation for each block are left out, because they take most of the time. The exit status is 1 if a part
# failed.
#
#   CARRY        folder for the files [default: target/carry]
#   REPORT       binary of decompress_report [default: cargo builds it]
#   CONFORMANCE  folder with the tests `cuda` and `wgpu`, or `none` to leave them out [default: cargo builds them]
#   CUDA_HOME    folder that contains cuda_runtime_api.h and libcudart_static.a [default: NVIDIA's Python wheels are installed in
#                target/nvcomp, as is that of nvCOMP in any case]
#   LOADER       folder with libvulkan.so.1, for benches/with-nvidia-vulkan.sh; without it, wgpu is left out
#   BACKENDS     backends [default: "cuda wgpu"]
#   PARTS        parts [default: "conformance zstd deflate lz4 route"]
#   SECONDS_IN_ALL  seconds after which no part begins, and the running one is ended [default: 150]
set -euo pipefail

script=$(realpath "$0")
root=$(dirname "$(dirname "$script")")
carry=${CARRY:-$root/target/carry}

usage() {
    sed -n '2,25s/^# \{0,1\}//p' "$script" >&2
    exit 2
}

# Prints the path of the first file of this name below a folder.
find_file() {
    find "$2"/ -name "$1" -print -quit 2>/dev/null || true
}

# Packs a stripped program.
pack() {
    local stripped
    stripped=$(mktemp)
    strip -o "$stripped" "$1" 2>/dev/null || cp "$1" "$stripped"
    gzip -9 -c "$stripped" >"$carry/$2.gz"
    rm "$stripped"
}

# Builds the conformance test of a crate, and prints the path of the binary.
conformance_of() {
    local binary
    binary=$(cd "$root" && cargo test --release -p "$1" --test conformance --no-run 2>&1 |
        sed -n 's|^ *Executable .*tests/conformance\.rs (\(.*\))$|\1|p')
    (cd "$root" && realpath "$binary")
}

build() {
    local wheels=$root/target/nvcomp nvcomp library cuda header cudart report backend
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
    cc -O2 -std=c11 -Wall -Wextra -I"$header" -I"$nvcomp" -o "$carry/nvcomp_batched" "$root/benches/nvcomp/nvcomp_batched.c" \
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
    pack "$report" decompress_report
    for backend in cuda wgpu; do
        if [ "${CONFORMANCE:-}" = none ]; then
            rm -f "$carry/conformance-$backend.gz"
        elif [ -n "${CONFORMANCE:-}" ]; then
            pack "$CONFORMANCE/$backend" "conformance-$backend"
        else
            pack "$(conformance_of "vyre-$backend")" "conformance-$backend"
        fi
    done
    # Blocks of the other formats are made from the text of these.
    rm -rf "$carry/blocks"
    "$report" --write-blocks "$carry/blocks"
    rm "$carry/blocks/lz4.blocks" "$carry/blocks/deflate.blocks"
    if [ -n "${LOADER:-}" ]; then
        mkdir -p "$carry/vulkan"
        cp -L "$LOADER/libvulkan.so.1" "$carry/vulkan/"
    fi
    du -sh "$carry" >&2
    echo "copy $carry, benches/ and tests/corpus/ops/ to the machine with the GPU, then run benches/decompress-on-gpu.sh run FOLDER" >&2
}

failures=0

# Runs a command for at most this number of seconds, and no longer than the whole run may take.
part() {
    local name=$1 limit=$2 left before status=0
    shift 2
    left=$((${SECONDS_IN_ALL:-150} - SECONDS))
    if [ "$left" -lt 3 ]; then
        echo "LEFT OUT: $name: no time is left"
        failures=$((failures + 1))
        return 0
    fi
    echo "== $name" | tee -a "$folder/messages.txt" >>"$folder/report.md"
    before=$(stat -c %s "$folder/report.md")
    timeout --kill-after=2 "$((limit < left ? limit : left))" "$@" >>"$folder/report.md" 2>>"$folder/messages.txt" || status=$?
    echo "== $name: status $status, $SECONDS s since the start"
    tail -c "+$((before + 1))" "$folder/report.md"
    if [ "$status" -ne 0 ]; then
        failures=$((failures + 1))
        tail -n 20 "$folder/messages.txt"
        echo "FAILED: $name (status $status; 124 and 137: it took more than its time)"
    fi
}

# Prints the words that run a program on a backend, each on a line.
on_backend() {
    if [ "$1" = wgpu ]; then
        printf '%s\n' "$(dirname "$script")/with-nvidia-vulkan.sh" "${LOADER:-$carry/vulkan}"
    fi
}

run() {
    [ $# -ge 1 ] || usage
    local backend name prefix backends=() pids=() names=() logs=() report
    folder=$1
    shift
    if [ ! -x "$carry/nvcomp_batched" ]; then
        echo "$carry/nvcomp_batched is missing; build first: benches/decompress-on-gpu.sh build" >&2
        exit 2
    fi
    mkdir -p "$folder"
    : >"$folder/report.md"
    : >"$folder/messages.txt"
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    for name in decompress_report conformance-cuda conformance-wgpu; do
        [ -e "$carry/$name.gz" ] || continue
        gunzip -c "$carry/$name.gz" >"$work/$name"
        chmod +x "$work/$name"
    done
    if ! ldconfig -p 2>/dev/null | grep -q 'libstdc++\.so\.6'; then
        export LD_LIBRARY_PATH=$carry/fallback${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    fi
    for backend in ${BACKENDS:-cuda wgpu}; do
        if [ "$backend" = wgpu ] && [ ! -e "${LOADER:-$carry/vulkan}/libvulkan.so.1" ]; then
            echo "LEFT OUT: wgpu: no LOADER was given" >&2
            failures=$((failures + 1))
        else
            backends+=("$backend")
        fi
    done
    "$work/decompress_report" --blocks "$carry/blocks" --write-blocks "$work/blocks" 2>&1
    echo "== blocks: $SECONDS s since the start"

    # Nothing is timed here, so the backends run at the same time.
    local parts=" ${PARTS:-conformance zstd deflate lz4 route} "
    if [[ $parts == *' conformance '* ]]; then
        for backend in "${backends[@]}"; do
            if [ ! -e "$work/conformance-$backend" ]; then
                echo "LEFT OUT: conformance, $backend: there are no tests in $carry"
                continue
            fi
            mapfile -t prefix < <(on_backend "$backend")
            VYRE_CORPUS=$root/tests/corpus timeout --kill-after=2 "${CONFORMANCE_SECONDS:-35}" \
                "${prefix[@]}" "$work/conformance-$backend" compress damaged_blocks zstd deflate checksum --nocapture \
                >"$folder/conformance-$backend.txt" 2>&1 &
            pids+=($!)
            names+=("$backend")
            logs+=("$folder/conformance-$backend.txt")
        done
        for at in "${!pids[@]}"; do
            local status=0
            wait "${pids[$at]}" || status=$?
            echo "== conformance, ${names[$at]}: status $status, $SECONDS s since the start"
            grep -E '^(test result|[0-9]+ cases|compression|checksum)|WRONG|panicked|FAILED' "${logs[$at]}" | cut -c1-500 || true
            if [ "$status" -ne 0 ]; then
                failures=$((failures + 1))
                echo "FAILED: the ops are WRONG on ${names[$at]}, or the tests took more than their time: ${logs[$at]}"
            fi
        done
    fi

    for backend in "${backends[@]}"; do
        mapfile -t prefix < <(on_backend "$backend")
        report=("${prefix[@]}" "$work/decompress_report" --backend "$backend" --blocks "$work/blocks")
        for name in zstd deflate lz4; do
            if [[ $parts == *" $name "* ]]; then
                part "$name-$backend" 30 "${report[@]}" --part "$name" --nvcomp "$carry/nvcomp_batched" --iterations 7 \
                    --time-limit 4 --only cooperative_8 cooperative_16 cooperative_32 "$@"
            fi
        done
        if [[ $parts == *' route '* ]]; then
            part "route-zip-$backend" 15 "${report[@]}" --part route --route-file zip --iterations 5 "$@"
            part "route-lz4-$backend" 20 "${report[@]}" --part route --route-file lz4 --lz4-blocks 1024 4096 --threads 1 4 16 \
                --iterations 5 "$@"
            part "route-zstd-$backend" 35 "${report[@]}" --part route --route-file zstd --threads 4 16 --iterations 3 "$@"
        fi
    done
    echo "== all: $failures failures, $SECONDS s"
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
