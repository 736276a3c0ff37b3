#!/usr/bin/env bash
# Searches on all nodes of a Slurm job, each board on all ranks together:
#   sbatch scripts/cluster/slurm.sh CONFIG|BOARD RUN [OPTION...]
#
# RUN is the run directory, on a file system that all nodes share; OPTION is one of `gridhunt resume`, but --threads and
# --memory: those are --cpus-per-task and --mem of sbatch. Submitted again, or requeued, the job goes on where its last
# checkpoint left it, on any number of nodes. The results are in RUN.jsonl.
# The program has to be built with --features mpi and the MPI of the cluster, and found by GRIDHUNT or PATH; where srun
# needs to be told the kind of MPI: SLURM_MPI_TYPE=pmix sbatch ...; see docs/cluster-jobs.md.
#SBATCH --job-name=gridhunt
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=16
#SBATCH --exclusive
#SBATCH --mem=0
#SBATCH --time=24:00:00
# After the loss of a node, and after preemption, the job begins again and goes on.
#SBATCH --requeue
#SBATCH --open-mode=append
# Ten minutes before the time is over, all ranks stop with a checkpoint. How long that takes: docs/cluster-jobs.md.
#SBATCH --signal=USR1@600
set -euo pipefail

if [ $# -lt 2 ]; then
    echo "usage: sbatch scripts/cluster/slurm.sh CONFIG|BOARD RUN [OPTION...]" >&2
    exit 2
fi
config=$1 run=$2
shift 2
# A board is a hunt of one board, by an engine that all ranks share.
if [ -f "$config" ] && [[ $config != *.toml ]]; then
    printf "dataset = '%s'\nengine = 'best-first'\n" "$(realpath "$config")" >"$run.toml"
    config=$(realpath "$run.toml")
fi
# A run that has begun goes on.
search=(hunt "$config" --run "$run")
[ ! -e "$run/run.toml" ] || search=(resume "$run")
# What the job has been given on each node, in MiB; 0 is all of it.
tasks=${SLURM_NTASKS_PER_NODE:-1}
memory=${SLURM_MEM_PER_NODE:-$((${SLURM_MEM_PER_CPU:-0} * SLURM_CPUS_PER_TASK * tasks))}
# Each rank takes its share of nine tenths of that, or of what is free on its own node where that is no number. The limit
# is always named: a run keeps that of its first session.
rank='tasks=$1 memory=$2
read -r _ free _ < <(grep MemAvailable /proc/meminfo)
[ "$memory" != 0 ] || memory=$((free / 1024))
exec "${@:3}" --memory "$((memory * 9 / 10 / tasks))MiB"'
# Slurm signals the ranks, and this shell too where it ends the job: it has to wait for their checkpoint.
trap : TERM
code=0
srun --kill-on-bad-exit=1 --cpus-per-task="$SLURM_CPUS_PER_TASK" --cpu-bind=none \
    bash -c "$rank" rank "$tasks" "$memory" "${GRIDHUNT:-gridhunt}" "${search[@]}" \
    --threads "$SLURM_CPUS_PER_TASK" --output "$run.jsonl" "$@" || code=$?
case $code in
# A rank that is lost ends all, often before Slurm knows that its node is lost. Then the job goes on, a few times.
70 | 137) [ "${SLURM_RESTART_COUNT:-0}" -lt 5 ] ;;
# At a preemption with a grace time, Slurm signals the ranks first, and requeues only a job that outlasts the time.
138 | 143) scontrol show job --oneliner "$SLURM_JOB_ID" | grep -q ' JobState=RUNNING .* PreemptTime=[0-9]' ;;
*) false ;;
esac && scontrol requeue "$SLURM_JOB_ID" || true
exit "$code"
