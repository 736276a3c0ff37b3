#!/usr/bin/env bash
# Searches on all nodes of a job of PBS (OpenPBS, PBS Professional), each board on all ranks together:
#   qsub -v CONFIG=CONFIG|BOARD,RUN=RUN scripts/cluster/pbs.sh
#
# RUN is the run directory, on a file system that all nodes share. Submitted again, or rerun, the job goes on where its
# last checkpoint left it, on any number of nodes. The results are in RUN.jsonl. The program has to be built with
# --features mpi and the MPI of the cluster, and named by GRIDHUNT or found by PATH (-v too); see docs/cluster-jobs.md.
# MPIRUN names another launcher with its options:  MPIRUN="mpiexec -ppn 1 -f" for MPICH and Intel MPI.
#PBS -N gridhunt
#PBS -l select=4:ncpus=16:mpiprocs=1
#PBS -l place=scatter:excl
#PBS -l walltime=24:00:00
#PBS -j oe
# After the loss of a node, and after preemption, the job begins again and goes on.
#PBS -r y
set -euo pipefail

# Before the time is over, all ranks stop with a checkpoint: walltime less ten minutes. PBS itself would leave them no time.
seconds=${SECONDS_TO_SEARCH:-85800}
cd "$PBS_O_WORKDIR"
: "${CONFIG:?expected qsub -v CONFIG=...,RUN=...}" "${RUN:?expected qsub -v CONFIG=...,RUN=...}"
# A board is a hunt of one board, by an engine that all ranks share.
if [ -f "$CONFIG" ] && [[ $CONFIG != *.toml ]]; then
    printf "dataset = '%s'\nengine = 'best-first'\n" "$(realpath "$CONFIG")" >"$RUN.toml"
    CONFIG=$(realpath "$RUN.toml")
fi
# A run that has begun goes on.
search=(hunt "$CONFIG" --run "$RUN")
[ ! -e "$RUN/run.toml" ] || search=(resume "$RUN")
# The ranks take all processors that PBS leaves them, or THREADS of them, and three quarters of the memory.
read -ra launcher <<<"${MPIRUN:-mpirun --map-by ppr:1:node --bind-to none --hostfile}"
exec timeout --foreground --preserve-status --signal=USR1 "$seconds" "${launcher[@]}" "$PBS_NODEFILE" \
    "$(command -v "${GRIDHUNT:-gridhunt}")" "${search[@]}" --output "$RUN.jsonl" \
    ${THREADS:+--threads "$THREADS"}
