#!/usr/bin/env bash
# Searches the boards of a hunt by a job array, one part a task:
#   sbatch --array=1-16 scripts/cluster/array.sh CONFIG RUN [OPTION...]
#
# The tasks have to be numbered one by one; their number is the number of parts. `gridhunt status RUN` shows all parts together,
# `gridhunt stop RUN` stops them. The program needs no MPI; see docs/cluster.md.
#SBATCH --job-name=gridhunt
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=16
#SBATCH --time=24:00:00
# A task whose node is lost begins again, and goes on where the last checkpoint of its part left it.
#SBATCH --requeue
#SBATCH --open-mode=append
# A minute before the time is over, the search stops with a checkpoint. Submit the array again to go on.
#SBATCH --signal=B:USR1@60
set -euo pipefail

if [ $# -lt 2 ]; then
    echo "usage: sbatch --array=1-N scripts/cluster/array.sh CONFIG RUN [OPTION...]" >&2
    exit 2
fi
config=$1 run=$2
shift 2
memory=${SLURM_MEM_PER_NODE:+--memory=$((SLURM_MEM_PER_NODE * 9 / 10))MiB}
# Slurm signals this process, which is the search. The results are in the output of the task, and in RUN.
exec "${GRIDHUNT:-gridhunt}" hunt "$config" --run "$run" --part auto --threads "${SLURM_CPUS_PER_TASK:-1}" \
    ${memory:+"$memory"} --quiet --json "$@"
