"""A real Slurm on one machine: a controller and some nodes, each node in its own namespaces."""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

from child_processes import ENVIRONMENT, fail, send, wait_until

NEEDED = {"slurmctld": "slurmctld", "slurmd": "slurmd", "sbatch": "slurm-client", "munged": "munge", "unshare": "util-linux"}

# Seconds from the start of a preemption to the end of a job of the partition `grace`.
GRACE = 120

# Nodes have the stated processors and memory, whatever the machine has (config_overrides). Jobs of the partition
# `first` preempt jobs of the others; jobs in `grace` get a grace time. A requeued job restarts only when its
# credentials have expired, so cred_expire is short. MinJobAge keeps the records of jobs as long as the cluster runs.
CONFIGURATION = """\
ClusterName=gridhunt
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket,cred_expire={expire}
CryptoType=crypto/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
SlurmdParameters=config_overrides
SlurmctldParameters=idle_on_node_suspend
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0
ReturnToService=2
SlurmdTimeout=30
KillWait=30
MinJobAge=86400
MpiDefault=none
StateSaveLocation={folder}/state
SlurmdSpoolDir=/tmp/slurmd
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/%n.log
{nodes}
PartitionName=all Nodes=ALL Default=YES PriorityTier=1 MaxTime=INFINITE
PartitionName=grace Nodes=ALL PriorityTier=1 MaxTime=INFINITE GraceTime={grace}
PartitionName=first Nodes=ALL PriorityTier=10 MaxTime=INFINITE PreemptMode=OFF
"""

# The PMIx plugin uses a folder of a fixed name in /tmp, so each node needs its own /tmp.
NODE = "mount -t tmpfs none /tmp && exec slurmd -D -N {node}"


def free_ports(count):
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


class Cluster:
    """A Slurm of some nodes with two processors each. Its files and those of its jobs are in `folder`."""

    def __init__(self, nodes):
        missing = [package for program, package in NEEDED.items() if not shutil.which(program)]
        if missing:
            fail(f"found no Slurm, expected one: apt-get install {' '.join(missing)}")
        if os.getuid() != 0:
            fail("found an ordinary user, expected root: the nodes of Slurm are namespaces with their own /tmp; use sudo")
        self.nodes = [f"n{number}" for number in range(1, nodes + 1)]
        self.daemons = {}

    def __enter__(self):
        # Not below /tmp: each node has its own.
        self.folder = Path(tempfile.mkdtemp(prefix="gridhunt-slurm-", dir="/var/tmp"))
        try:
            self.start()
        except BaseException:
            self.__exit__(*sys.exc_info())
            raise
        return self

    def start(self):
        host, expire = socket.gethostname().split(".")[0], 10
        port, *ports = free_ports(1 + len(self.nodes))
        nodes = "\n".join(
            f"NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=2 RealMemory=4000"
            for node, port in zip(self.nodes, ports)
        )
        values = {"host": host, "port": port, "folder": self.folder, "expire": expire, "grace": GRACE, "nodes": nodes}
        (self.folder / "slurm.conf").write_text(CONFIGURATION.format(**values))
        self.folder.chmod(0o755)
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o600)
        self.environment = {**ENVIRONMENT, "SLURM_CONF": str(self.folder / "slurm.conf"), "SLURM_MPI_TYPE": "pmix"}
        files = [f"--{name}-file={self.folder}/munge.{name}" for name in ("key", "log", "pid", "seed")]
        munged = ["munged", "--force", "--foreground", f"--socket={self.folder}/munge.socket", *files]
        self.start_daemon("munged", munged)
        wait_until((self.folder / "munge.socket").exists, "munged listens", 30)
        self.start_daemon("slurmctld", ["slurmctld", "-D"])
        for node in self.nodes:
            self.start_node(node)
        wait_until(lambda: self.states() == {"IDLE"}, "all nodes of Slurm are idle", 60)

    def start_daemon(self, name, command):
        with (self.folder / f"{name}.out").open("a") as output:
            pipes = {"stdin": subprocess.DEVNULL, "stdout": output, "stderr": output}
            self.daemons[name] = subprocess.Popen(command, **pipes, env=self.environment, start_new_session=True)

    def start_node(self, node):
        """Starts a node in its own namespaces. When its first process ends, all its processes end."""
        isolated = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
        self.start_daemon(node, [*isolated, "sh", "-c", NODE.format(node=node)])

    def lose_node(self, node):
        """Ends all processes of a node at once, as when its power fails."""
        self.daemons[node].kill()
        self.daemons.pop(node).wait()

    def states(self):
        return set(self.try_output("sinfo", "--noheader", "--format=%T").upper().split())

    def run(self, *command, **changes):
        environment = {**self.environment, **changes}
        pipes = {"stdin": subprocess.DEVNULL, "capture_output": True}
        return subprocess.run([*map(str, command)], **pipes, text=True, cwd=self.folder, env=environment, timeout=120)

    def try_output(self, *command):
        """The output of a command of Slurm; empty if it fails: a controller that is starting does not answer."""
        done = self.run(*command)
        return done.stdout if done.returncode == 0 else ""

    def run_checked(self, *command, **changes):
        done = self.run(*command, **changes)
        if done.returncode != 0:
            fail(f"{' '.join(map(str, command))}: ended with {done.returncode}: {done.stdout}{done.stderr}")
        return done.stdout

    def submit(self, *words, **environment):
        """Submits a job and returns its number."""
        return self.run_checked("sbatch", "--parsable", *words, **environment).strip()

    def job(self, number):
        """The fields that Slurm shows of a job, or of a task of an array, for example `7_2`."""
        shown = self.try_output("scontrol", "show", "job", "--oneliner", str(number))
        return dict(word.split("=", 1) for word in shown.split() if "=" in word)

    def wait_for(self, number, *states, seconds=240):
        """Waits until a job is in one of these states, and returns the fields of the job."""
        job = {}

        def is_in_states():
            job.update(self.job(number))
            return job.get("JobState") in states

        wait_until(is_in_states, f"job {number} is {' or '.join(states)}", seconds)
        return job

    def __exit__(self, *_):
        # Nodes first: they would log errors when the controller ends.
        for name in [*self.nodes, "slurmctld", "munged"]:
            if daemon := self.daemons.pop(name, None):
                send(signal.SIGKILL, daemon.pid)
                daemon.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
