#!/usr/bin/env bash
# Searches on all nodes of a Slurm job, each board on all ranks together:
#   sbatch scripts/cluster/slurm.sh CONFIG|BOARD RUN [OPTION...]
#
# RUN is the run directory, on a file system that all nodes share; OPTION is any option of `gridhunt resume` except
# --threads and --memory: set these by --cpus-per-task and --mem of sbatch. Resubmitted or requeued, on any number of
# nodes, the job resumes from its last checkpoint. The results are in RUN.jsonl.
# The program must be built with --features mpi and the MPI of the cluster; GRIDHUNT names it, or PATH finds it. If srun
# must be told the kind of MPI: SLURM_MPI_TYPE=pmix sbatch ...; see docs/cluster-jobs.md.
#SBATCH --job-name=gridhunt
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=16
#SBATCH --exclusive
#SBATCH --mem=0
#SBATCH --time=24:00:00
# After the loss of a node, and after preemption, Slurm restarts the job, which resumes.
#SBATCH --requeue
#SBATCH --open-mode=append
# Ten minutes before the time limit, all ranks stop with a checkpoint. How long that takes: docs/cluster-jobs.md.
#SBATCH --signal=USR1@600
set -euo pipefail

if [ $# -lt 2 ]; then
    echo "usage: sbatch scripts/cluster/slurm.sh CONFIG|BOARD RUN [OPTION...]" >&2
    exit 2
fi
config=$1 run=$2
shift 2
# For a board file, write a configuration of a hunt with this board, and an engine that runs on all ranks.
if [ -f "$config" ] && [[ $config != *.toml ]]; then
    printf "dataset = '%s'\nengine = 'best-first'\n" "$(realpath "$config")" >"$run.toml"
    config=$(realpath "$run.toml")
fi
# An existing run directory is resumed.
search=(hunt "$config" --run "$run")
[ ! -e "$run/run.toml" ] || search=(resume "$run")
# The memory of the job on each node, in MiB; 0 means all memory of the node.
tasks=${SLURM_NTASKS_PER_NODE:-1}
memory=${SLURM_MEM_PER_NODE:-$((${SLURM_MEM_PER_CPU:-0} * SLURM_CPUS_PER_TASK * tasks))}
# Each rank gets its share of nine tenths of this memory, or of the free memory of its node if this is 0. --memory is
# always passed, because a resumed run would use the limit of its first session.
rank='tasks=$1 memory=$2
read -r _ free _ < <(grep MemAvailable /proc/meminfo)
[ "$memory" != 0 ] || memory=$((free / 1024))
exec "${@:3}" --memory "$((memory * 9 / 10 / tasks))MiB"'
# When Slurm ends the job, this shell gets SIGTERM as the ranks do: it ignores the signal, to wait for their checkpoint.
trap : TERM
code=0
srun --kill-on-bad-exit=1 --cpus-per-task="$SLURM_CPUS_PER_TASK" --cpu-bind=none \
    bash -c "$rank" rank "$tasks" "$memory" "${GRIDHUNT:-gridhunt}" "${search[@]}" \
    --threads "$SLURM_CPUS_PER_TASK" --output "$run.jsonl" "$@" || code=$?
case $code in
# A lost rank ends all ranks, often before Slurm notices the lost node. Then the job is requeued, at most 5 times.
70 | 137) [ "${SLURM_RESTART_COUNT:-0}" -lt 5 ] ;;
# After a preemption with a grace time, Slurm requeues a job only if the job is still running at the end of this time.
138 | 143) scontrol show job --oneliner "$SLURM_JOB_ID" | grep -q ' JobState=RUNNING .* PreemptTime=[0-9]' ;;
*) false ;;
esac && scontrol requeue "$SLURM_JOB_ID" || true
exit "$code"
