#!/usr/bin/env bash
# Searches one hard board on all nodes of a Slurm job:  sbatch scripts/cluster/slurm.sh BOARD [OPTION...]
#
# The program has to be built with --features mpi and the MPI of the cluster; see docs/cluster.md.
#SBATCH --job-name=gridhunt
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=16
#SBATCH --exclusive
#SBATCH --time=24:00:00
# A minute before the time is over, all ranks stop, and the proven range is printed.
#SBATCH --signal=USR1@60
set -euo pipefail

memory=$(awk '/^MemAvailable/ {printf "%dMiB", $2 / 1024 * 9 / 10}' /proc/meminfo)
# The shell waits for srun, which passes the signal on.
exec srun --cpu-bind=none "${GRIDHUNT:-gridhunt}" solve "$@" --threads "$SLURM_CPUS_PER_TASK" --memory "$memory" \
    --json --output "gridhunt-$SLURM_JOB_ID.jsonl"
