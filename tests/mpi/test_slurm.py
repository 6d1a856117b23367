#!/usr/bin/python3
"""landfall-mpi under Slurm: a cluster of one node, of its own, in a folder that is removed. Only in the long tests.

test_slurm.py FOLDER: the folder of the programs."""
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

BIN = os.path.abspath(sys.argv[1])
QUESTION = ["total", "ground.tif", "--range", "2500", "--azimuths", "90", "--check", "2", "--tile", "70,64", "-q"]
SETTINGS = """ClusterName=landfall
SlurmctldHost={host}(127.0.0.1)
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
SlurmUser=root
SlurmdUser=root
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=pmix
ReturnToService=2
NodeName={host} NodeAddr=127.0.0.1 CPUs={cores} State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


def free_ports(count):
    places = [socket.socket() for _ in range(count)]
    for place in places:
        place.bind(("127.0.0.1", 0))
    ports = [place.getsockname()[1] for place in places]
    for place in places:
        place.close()
    return ports


def start_cluster(folder):
    """munged, slurmctld and slurmd in the foreground, so that they end with their processes."""
    for name in ("state", "spool"):
        os.mkdir(f"{folder}/{name}")
    with open(f"{folder}/key", "wb") as file:
        file.write(os.urandom(1024))
    os.chmod(f"{folder}/key", 0o600)
    with open(f"{folder}/slurm.conf", "w", encoding="utf-8") as file:
        file.write(SETTINGS.format(host=socket.gethostname().split(".")[0], folder=folder, ports=free_ports(2),
                                   cores=os.cpu_count()))
    os.environ["SLURM_CONF"] = f"{folder}/slurm.conf"
    munge = ["munged", "--foreground", "--force"] + [
        f"--{name}={folder}/{file}" for name, file in (
            ("key-file", "key"), ("socket", "munge.socket"), ("pid-file", "munge.pid"), ("log-file", "munge.log"),
            ("seed-file", "munge.seed"))]
    daemons = []
    for words in (munge, ["slurmctld", "-D"], ["slurmd", "-D"]):
        with open(f"{folder}/{words[0]}.out", "wb") as log:
            daemons.append(subprocess.Popen(words, stdout=log, stderr=log))
        time.sleep(0.5)
    return daemons


def wait_for_node():
    for _ in range(120):
        done = subprocess.run(["sinfo", "-h", "-o", "%t"], capture_output=True, text=True, check=False)
        if "idle" in done.stdout:
            return True
        time.sleep(0.5)
    return False


def content(path):
    with open(path, "rb") as file:
        return file.read()


def same_result():
    subprocess.run([BIN + "/landfall", "make", "mountains", "-o", "ground.tif", "--size", "260", "-q"], check=True)
    subprocess.run([BIN + "/landfall", *QUESTION, "-o", "whole.tif"], check=True, stdout=subprocess.DEVNULL)
    whole = content("whole.tif")
    step = ["srun", "-n", "2", BIN + "/landfall-mpi", *QUESTION, "-o", "out.tif"]
    subprocess.run(step, check=True, stdout=subprocess.DEVNULL, timeout=300)
    assert content("out.tif") == whole, "another result under srun"
    os.remove("out.tif")
    # A rank is killed; the same step continues.
    job = subprocess.Popen(step, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(600):
        time.sleep(0.05)
        if os.path.exists("out.tif.tiles") and any(name.endswith(".tif") for name in os.listdir("out.tif.tiles")):
            break
    victims = [int(name) for name in os.listdir("/proc") if name.isdigit() and is_rank(name)]
    if victims:
        os.kill(victims[0], signal.SIGKILL)
    job.wait(timeout=300)
    assert not victims or job.returncode != 0
    subprocess.run(step, check=True, stdout=subprocess.DEVNULL, timeout=300)
    assert content("out.tif") == whole, "another result after a rank was killed"


def is_rank(process):
    """A rank of this test: it works in this folder."""
    try:
        return (os.readlink(f"/proc/{process}/cwd") == os.getcwd() and
                os.readlink(f"/proc/{process}/exe") == os.path.realpath(BIN + "/landfall-mpi"))
    except OSError:
        return False


def main():
    if os.environ.get("LANDFALL_LONG") != "1":
        print("skipped: Slurm: only with LANDFALL_LONG=1")
        return
    if os.geteuid() != 0 or not all(shutil.which(name) for name in ("munged", "slurmctld", "slurmd", "srun")):
        print("skipped: Slurm: needs root, slurmctld, slurmd, srun and munged (tools/install-missing slurm)")
        return
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        daemons = start_cluster(folder)
        try:
            assert wait_for_node(), "the node of Slurm does not become idle"
            os.mkdir(f"{folder}/work")
            os.chdir(f"{folder}/work")
            same_result()
        finally:
            os.chdir("/")
            for daemon in reversed(daemons):
                daemon.terminate()
                daemon.wait(timeout=30)
    print("ok")


main()
