#!/usr/bin/env bash
# Searches the boards of a hunt by a Slurm job array, one part a task:
#   sbatch --array=1-16 scripts/cluster/array.sh CONFIG RUN [OPTION...]
#
# The tasks are numbered from 1; their number is the number of parts. Later, tasks may be submitted again one by one:
#   sbatch --array=3,7 scripts/cluster/array.sh CONFIG RUN [OPTION...]
# OPTION is one of `gridhunt hunt`, but --threads and --memory: those are --cpus-per-task and --mem of sbatch.
# `gridhunt status RUN` shows all parts together, `gridhunt stop RUN` stops them. The program needs no MPI; see
# docs/cluster-jobs.md.
#SBATCH --job-name=gridhunt
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=16
#SBATCH --time=24:00:00
# A task begins again after the loss of its node, and after preemption, and goes on where the last checkpoint of its part
# left it.
#SBATCH --requeue
#SBATCH --open-mode=append
# Ten minutes before the time is over, the search stops with a checkpoint. Submit the array again to go on.
#SBATCH --signal=USR1@600
set -euo pipefail

if [ $# -lt 2 ]; then
    echo "usage: sbatch --array=1-N scripts/cluster/array.sh CONFIG RUN [OPTION...]" >&2
    exit 2
fi
config=$1 run=$2
shift 2
# The run knows its parts, once it has begun.
parts=$(sed -n 's/^parts = //p' "$run/parts.toml" 2>/dev/null) || parts=$SLURM_ARRAY_TASK_COUNT
threads=${SLURM_CPUS_PER_TASK:-1}
# Nine tenths of what the task has been given, or of what is free where that is no number. It is always named: a run
# keeps the limit of its first session.
memory=${SLURM_MEM_PER_NODE:-$((${SLURM_MEM_PER_CPU:-0} * threads))}
[ "$memory" != 0 ] || memory=$(awk '/^MemAvailable/ {print int($2 / 1024)}' /proc/meminfo)
# The search is a step: at the begin of a grace time Slurm signals steps alone. This shell gets a signal too where Slurm
# ends the task: it has to wait for the checkpoint. The results are in the output of the task, and in RUN.
trap : TERM
code=0
srun --ntasks=1 --cpus-per-task="$threads" --cpu-bind=none "${GRIDHUNT:-gridhunt}" hunt "$config" --run "$run" \
    --part "$SLURM_ARRAY_TASK_ID/$parts" --threads "$threads" --memory "$((memory * 9 / 10))MiB" --quiet --json "$@" ||
    code=$?
# At a preemption with a grace time, Slurm requeues only a task that outlasts the time.
task=${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID
if [[ $code = 138 || $code = 143 ]] &&
    scontrol show job --oneliner "$task" | grep -q ' JobState=RUNNING .* PreemptTime=[0-9]'; then
    scontrol requeue "$task" || true
fi
exit "$code"
