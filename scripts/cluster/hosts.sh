#!/usr/bin/env bash
# Searches on hosts that ssh reaches, without a scheduler, each board on all ranks together:
#   scripts/cluster/hosts.sh HOSTS CONFIG|BOARD RUN [OPTION...]
#
# HOSTS is a file with the name of a host on each line. RUN is the run directory, on a file system that all hosts share;
# OPTION is any option of `gridhunt resume`. The same command, on any hosts, resumes the search from its last checkpoint.
# USR1 to this process, or `gridhunt stop RUN`, stops all ranks with a checkpoint. The results are in RUN.jsonl. The
# program must be built with --features mpi and have the same path on all hosts; see docs/cluster-jobs.md.
# MPIRUN names another launcher with its options:  MPIRUN="mpiexec -ppn 1 -f" for MPICH and Intel MPI.
set -euo pipefail

if [ $# -lt 3 ]; then
    echo "usage: scripts/cluster/hosts.sh HOSTS CONFIG|BOARD RUN [OPTION...]" >&2
    exit 2
fi
hosts=$1 config=$2 run=$3
shift 3
# For a board file, write a configuration of a hunt with this board, and an engine that runs on all ranks.
if [ -f "$config" ] && [[ $config != *.toml ]]; then
    printf "dataset = '%s'\nengine = 'best-first'\n" "$(realpath "$config")" >"$run.toml"
    config=$(realpath "$run.toml")
fi
# An existing run directory is resumed.
search=(hunt "$config" --run "$run")
[ ! -e "$run/run.toml" ] || search=(resume "$run")
# Each rank uses all processors of its host, and three quarters of its free memory.
read -ra launcher <<<"${MPIRUN:-mpirun --map-by ppr:1:node --bind-to none --hostfile}"
exec "${launcher[@]}" "$hosts" "$(command -v "${GRIDHUNT:-gridhunt}")" \
    "${search[@]}" --output "$run.jsonl" "$@"
