#!/usr/bin/env bash
# Searches the boards of a hunt by a Slurm job array, some boards per task. Here 16 tasks search 1000 boards:
#   sbatch --array=1-16 scripts/cluster/array.sh CONFIG RUNS 16 1000 [OPTION...]
#
# The run directory of task N is RUNS/N. Single tasks can be resubmitted later, by their numbers:
#   sbatch --array=3,7 scripts/cluster/array.sh CONFIG RUNS 16 1000 [OPTION...]
# OPTION is any option of `gridhunt resume` except --threads and --memory: set these by --cpus-per-task and --mem of
# sbatch. `gridhunt status RUNS` shows all runs, `gridhunt results RUNS/*` joins their results. The program needs no MPI;
# see docs/cluster-jobs.md.
#SBATCH --job-name=gridhunt
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=16
#SBATCH --time=24:00:00
# After the loss of its node, and after preemption, Slurm restarts the task, which resumes from its last checkpoint.
#SBATCH --requeue
#SBATCH --open-mode=append
# Ten minutes before the time limit, the search writes a checkpoint and stops. Resubmit the array to resume.
#SBATCH --signal=USR1@600
set -euo pipefail

if [ $# -lt 4 ]; then
    echo "usage: sbatch --array=1-TASKS scripts/cluster/array.sh CONFIG RUNS TASKS BOARDS [OPTION...]" >&2
    exit 2
fi
config=$1 task=$SLURM_ARRAY_TASK_ID tasks=$3 boards=$4
run=$2/$task
shift 4
threads=${SLURM_CPUS_PER_TASK:-1}
# --memory is nine tenths of the memory of the task, or of the free memory if Slurm names no number. It is always passed,
# because a resumed run would use the limit of its first session.
memory=${SLURM_MEM_PER_NODE:-$((${SLURM_MEM_PER_CPU:-0} * threads))}
[ "$memory" != 0 ] || memory=$(awk '/^MemAvailable/ {print int($2 / 1024)}' /proc/meminfo)
# An existing run directory is resumed; it records its boards.
search=(hunt "$config" --run "$run" --boards "$(((task - 1) * boards / tasks + 1))-$((task * boards / tasks))")
[ ! -e "$run/run.toml" ] || search=(resume "$run")
# The search is a step: at the start of a grace time Slurm signals only steps. When Slurm ends the task, this shell gets
# SIGTERM too: it ignores the signal, to wait for the checkpoint. The results are in the output of the task, and in the run.
trap : TERM
code=0
srun --ntasks=1 --cpus-per-task="$threads" --cpu-bind=none "${GRIDHUNT:-gridhunt}" "${search[@]}" \
    --threads "$threads" --memory "$((memory * 9 / 10))MiB" --quiet --json "$@" || code=$?
# After a preemption with a grace time, Slurm requeues a task only if the task is still running at the end of this time.
job=${SLURM_ARRAY_JOB_ID}_$task
if [[ $code = 138 || $code = 143 ]] &&
    scontrol show job --oneliner "$job" | grep -q ' JobState=RUNNING .* PreemptTime=[0-9]'; then
    scontrol requeue "$job" || true
fi
exit "$code"
