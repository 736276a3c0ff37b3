#!/usr/bin/env bash
# Searches on hosts that ssh reaches, without a scheduler, each board on all ranks together:
#   scripts/cluster/hosts.sh HOSTS CONFIG|BOARD RUN [OPTION...]
#
# HOSTS is a file with the name of a host on each line. RUN is the run directory, on a file system that all hosts share;
# OPTION is one of `gridhunt resume`. Started again, the search goes on where its last checkpoint left it, on any hosts.
# USR1 to this process stops all ranks with a checkpoint, `gridhunt stop RUN` too. The results are in RUN.jsonl. The
# program has to be built with --features mpi and lie under the same path on all hosts; see docs/cluster-jobs.md.
# MPIRUN names another launcher with its options:  MPIRUN="mpiexec -ppn 1 -f" for MPICH and Intel MPI.
set -euo pipefail

if [ $# -lt 3 ]; then
    echo "usage: scripts/cluster/hosts.sh HOSTS CONFIG|BOARD RUN [OPTION...]" >&2
    exit 2
fi
hosts=$1 config=$2 run=$3
shift 3
# A board is a hunt of one board, by an engine that all ranks share.
if [ -f "$config" ] && [[ $config != *.toml ]]; then
    printf "dataset = '%s'\nengine = 'best-first'\n" "$(realpath "$config")" >"$run.toml"
    config=$(realpath "$run.toml")
fi
# A run that has begun goes on.
search=(hunt "$config" --run "$run")
[ ! -e "$run/run.toml" ] || search=(resume "$run")
# The ranks take all processors of their host, and three quarters of its free memory.
read -ra launcher <<<"${MPIRUN:-mpirun --map-by ppr:1:node --bind-to none --hostfile}"
exec "${launcher[@]}" "$hosts" "$(command -v "${GRIDHUNT:-gridhunt}")" \
    "${search[@]}" --output "$run.jsonl" "$@"
