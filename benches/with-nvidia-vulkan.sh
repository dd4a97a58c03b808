#!/usr/bin/env bash
# Runs a command with NVIDIA's Vulkan driver on a machine that has the libraries of the driver but no Vulkan configuration, such as
# a container made for CUDA.
#
#   benches/with-nvidia-vulkan.sh LOADER COMMAND...
#
# LOADER is a folder with libvulkan.so.1, for example that of the package libvulkan1.
set -euo pipefail

if [ $# -lt 2 ]; then
    sed -n '2,7s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
loader=$(realpath "$1")
shift

driver=$(find /usr /lib /opt -name 'libEGL_nvidia.so.0' -print -quit 2>/dev/null || true)
if [ -z "$driver" ]; then
    echo "no libEGL_nvidia.so.0: NVIDIA's driver is missing" >&2
    exit 2
fi
folder=$(dirname "$driver")
description=$(mktemp --suffix=.json)
trap 'rm -f "$description"' EXIT
printf '{ "file_format_version": "1.0.0", "ICD": { "library_path": "%s", "api_version": "1.3.0" } }\n' "$driver" >"$description"
export LD_LIBRARY_PATH="$loader:$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export VK_ICD_FILENAMES="$description" VK_DRIVER_FILES="$description"
"$@"
