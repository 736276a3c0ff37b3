#!/usr/bin/env bash
# Searches on all nodes of a job of PBS (OpenPBS, PBS Professional), each board on all ranks together:
#   qsub -v CONFIG=CONFIG|BOARD,RUN=RUN scripts/cluster/pbs.sh
#
# RUN is the run directory, on a file system that all nodes share. Resubmitted or rerun, on any number of nodes, the job
# resumes from its last checkpoint. The results are in RUN.jsonl. The program must be built with --features mpi and the
# MPI of the cluster; GRIDHUNT names it, or PATH finds it (pass either with -v); see docs/cluster-jobs.md.
# MPIRUN names another launcher with its options:  MPIRUN="mpiexec -ppn 1 -f" for MPICH and Intel MPI.
#PBS -N gridhunt
#PBS -l select=4:ncpus=16:mpiprocs=1
#PBS -l place=scatter:excl
#PBS -l walltime=24:00:00
#PBS -j oe
# After the loss of a node, and after preemption, PBS restarts the job, which resumes.
#PBS -r y
set -euo pipefail

# Walltime less ten minutes: then all ranks stop with a checkpoint. PBS itself would leave them no time for it.
seconds=${SECONDS_TO_SEARCH:-85800}
cd "$PBS_O_WORKDIR"
: "${CONFIG:?expected qsub -v CONFIG=...,RUN=...}" "${RUN:?expected qsub -v CONFIG=...,RUN=...}"
# For a board file, write a configuration of a hunt with this board, and an engine that runs on all ranks.
if [ -f "$CONFIG" ] && [[ $CONFIG != *.toml ]]; then
    printf "dataset = '%s'\nengine = 'best-first'\n" "$(realpath "$CONFIG")" >"$RUN.toml"
    CONFIG=$(realpath "$RUN.toml")
fi
# An existing run directory is resumed.
search=(hunt "$CONFIG" --run "$RUN")
[ ! -e "$RUN/run.toml" ] || search=(resume "$RUN")
# Each rank uses all processors that PBS grants (or THREADS of them), and three quarters of the free memory.
read -ra launcher <<<"${MPIRUN:-mpirun --map-by ppr:1:node --bind-to none --hostfile}"
exec timeout --foreground --preserve-status --signal=USR1 "$seconds" "${launcher[@]}" "$PBS_NODEFILE" \
    "$(command -v "${GRIDHUNT:-gridhunt}")" "${search[@]}" --output "$RUN.jsonl" \
    ${THREADS:+--threads "$THREADS"}
