#!/usr/bin/python3
"""landfall-mpi: the result of landfall, bit for bit, on any number of ranks and after ranks have been killed.

test_mpi.py FOLDER: the folder of the programs."""
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

BIN = os.path.abspath(sys.argv[1])
LONG = os.environ.get("LANDFALL_LONG") == "1"
SEED = int(os.environ.get("LANDFALL_SEED", "1"))
QUESTION = ["total", "ground.tif", "--range", "2500", "--azimuths", "60", "--check", "2", "--tile", "70,64"]
ENVIRONMENT = dict(
    os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMP_NUM_THREADS="1",
    OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_hwloc_base_binding_policy="none",
    OMPI_MCA_btl="self,vader")


def landfall(*words):
    done = subprocess.run([BIN + "/landfall", *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, (words, done.stderr)
    return done.stdout


def start(ranks, *words):
    return subprocess.Popen(["mpirun", "-n", str(ranks), BIN + "/landfall-mpi", *words], env=ENVIRONMENT, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)


def run(ranks, *words):
    job = start(ranks, *words)
    out, err = job.communicate(timeout=300)
    return job.returncode, out, err


def status_of_each(ranks, *words):
    """What every rank ends with; mpirun would end the others after the first that fails."""
    keep = '"$0" "$@"; echo $? > status.$OMPI_COMM_WORLD_RANK'
    subprocess.run(["mpirun", "-n", str(ranks), "sh", "-c", keep, BIN + "/landfall-mpi", *words], env=ENVIRONMENT,
                   capture_output=True, timeout=300, check=False)
    found = []
    for rank in range(ranks):
        with open(f"status.{rank}", encoding="utf-8") as file:
            found.append(int(file.read()))
        os.remove(f"status.{rank}")
    return found


def content(path):
    with open(path, "rb") as file:
        return file.read()


def ranks_of(job):
    """The processes that mpirun has started."""
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8") as file:
                parent = int(file.read().rsplit(")", 1)[1].split()[1])
        except OSError:
            continue
        if parent == job.pid:
            found.append(int(name))
    return found


def any_number_of_ranks(whole, printed):
    for ranks in (1, 2, 3, 4) if LONG else (1, 3):
        threads = ["--threads", "2"] if ranks == 1 else []  # one rank for a machine, or for a core
        status, out, err = run(ranks, *QUESTION, *threads, "-q", "-o", "out.tif")
        assert status == 0, err
        assert out == printed, (ranks, out, printed)
        assert content("out.tif") == whole, f"{ranks} ranks: another result"
        assert not os.path.exists("out.tif.tiles")
        os.remove("out.tif")


def other_questions():
    """Every subcommand, against landfall."""
    places = ["--at", "2000,2000,30", "--at", "3000,4000,5", "--at", "4100,3500,5"]
    for words in (["viewshed", "ground.tif", *places, "--mode", "count"], ["viewshed", "ground.tif", *places, "--mode", "who"],
                  ["viewshed", "ground.tif", *places[:2], "--mode", "ground"], ["horizon", "ground.tif", "--map", "17,200"],
                  ["horizon", "ground.tif", "--sky", "8"], ["shadow", "ground.tif", "--sun", "200,15"],
                  ["sunhours", "ground.tif", "--date", "2026-03-04", "--step", "120", "--ground-crs", "EPSG:32632"]):
        words += ["--range", "1500", "--tile", "90,90", "-q"]
        printed = landfall(*words, "-o", "one.tif")
        status, out, err = run(2, *words, "-o", "out.tif")
        assert status == 0 and out == printed, (words, out, printed, err)
        assert content("out.tif") == content("one.tif"), words
        os.remove("out.tif")


def kills(whole, chance, usual):
    """One rank or all are killed at any time of the usual ones; the same command continues."""
    wanted = 50 if LONG else 3
    killed = continued = 0
    for _ in range(4 * wanted):
        if killed == wanted:
            break
        ranks = chance.randint(1, 4 if LONG else 2)
        job = start(ranks, *QUESTION, "-q", "-o", "out.tif")
        time.sleep(chance.uniform(0.1, usual))
        victims = ranks_of(job)
        chosen = victims if chance.random() < 0.5 else victims[:1]
        for victim in chosen:
            try:
                os.kill(victim, signal.SIGKILL)
            except ProcessLookupError:
                pass
        job.communicate(timeout=300)
        killed += job.returncode != 0
        assert job.returncode != 0 or os.path.exists("out.tif")
        if os.path.exists("out.tif"):  # it had written it before; a result is complete or not there
            assert content("out.tif") == whole, "a killed job has left another result"
            os.remove("out.tif")
            continue
        if chance.random() < 0.5:
            continue  # and is killed again
        status, _, err = run(chance.randint(1, 3), *QUESTION, "-o", "out.tif")
        assert status == 0, err
        continued += " 0 done before" not in err
        assert content("out.tif") == whole, "another result after a kill"
        os.remove("out.tif")
    status, _, err = run(2, *QUESTION, "-q", "-o", "out.tif")
    assert status == 0 and content("out.tif") == whole, err
    os.remove("out.tif")
    print(f"{killed} kills, {continued} jobs with tiles to continue from")
    assert killed == wanted, killed
    if LONG:
        assert continued > 5, continued


def refusals():
    """One message, a status that is not 0, and nothing written."""
    for words, said in (
            (["total", "missing.tif", "-o", "no.tif"], "landfall-mpi total: missing.tif: No such file or directory"),
            (["height", "ground.tif"], "landfall-mpi: height: expected total, viewshed, horizon, shadow or sunhours"),
            (["total", "ground.tif", "-o", "nowhere/no.tif"], "landfall-mpi total: nowhere/no.tif: No such file"),
            (["total", "ground.tif", "-o", "no.tif", "--memory", "1M"], "landfall-mpi total: --memory 1M: a tile of"),
            (["total", "plain.vrt", "-o", "no.tif", "--memory", "150M", "--range", "400000"],
             "landfall-mpi total: --memory 150M: a tile of 64 x 64 samples and what is within the range of 400000 m"),
            (["viewshed", "ground.tif", "--observers", "none.csv", "--mode", "count", "--range", "900", "-o",
              "no.tif"], "landfall-mpi viewshed: none.csv: ")):
        status, out, err = run(2, *words)
        assert status != 0, words
        assert err.count(said) == 1 and err.count("landfall-mpi ") + err.count("landfall-mpi: ") == 1, (said, err)
        assert out == "", out
        assert status_of_each(3, *words) == [2, 2, 2], words
        assert not os.path.exists("no.tif") and not os.path.exists("no.tif.tiles")


def in_two_folders(folder, *words):
    """Rank 0 here, rank 1 in another folder."""
    command = [BIN + "/landfall-mpi", *words]
    return subprocess.run(["mpirun", "-n", "1", *command, ":", "-n", "1", "--wdir", os.path.abspath(folder), *command],
                          env=ENVIRONMENT, text=True, capture_output=True, timeout=300, check=False)


def other_files():
    """A rank that sees another file of the same name, or none, is named, before anything is written."""
    os.mkdir("elsewhere")
    os.mkdir("empty")
    landfall("make", "hills", "-o", "elsewhere/ground.tif", "--size", "260")
    for folder, said in (("elsewhere", "inputs: differ from those of rank 0 (input ground.tif"),
                         ("empty", "ground.tif: No such file or directory")):
        job = in_two_folders(folder, *QUESTION, "-o", "no.tif")
        assert job.returncode != 0
        assert job.stderr.count("landfall-mpi total: rank 1 on ") == 1 and job.stderr.count("landfall-mpi") == 1, job.stderr
        assert job.stderr.count(said) == 1, job.stderr
        for place in (".", folder):
            assert not [name for name in os.listdir(place) if name.startswith("no.tif")], os.listdir(place)


def full_disk(whole):
    """No space for tiles, or for the result: one message, the old result stays, and the same command continues when there is space."""
    os.mkdir("small")
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "none", "small"], capture_output=True,
                             check=False).returncode == 0
    path = "small/out.tif"
    try:
        for left in (60000, 700000) if mounted else ():
            with open(path, "wb") as file:
                file.write(b"old")
            space = os.statvfs("small")
            with open("small/filler", "wb") as file:
                file.write(bytes(space.f_bavail * space.f_frsize - left))
            status, _, err = run(2, *QUESTION, "-q", "-o", path)
            assert status != 0 and err.count("landfall-mpi total: ") == 1, err
            assert "No space left on device" in err, err
            assert content(path) == b"old"
            os.remove("small/filler")
            status, _, err = run(2, *QUESTION, "-o", path)
            assert status == 0, err
            assert left < 100000 or "landfall-mpi total: note: 20 tiles of 70 x 64 samples, 0 done" not in err, err
            assert content(path) == whole, "another result after a full disk"
            os.remove(path)
        if not mounted:
            print("skipped: a small file system, which only root can mount")
    finally:
        if mounted:
            subprocess.run(["umount", "small"], check=True)


def progress():
    """Lines of rank 0 tell how far all ranks are; none with -q."""
    status, _, err = run(2, *QUESTION, "-o", "out.tif")
    lines = [line for line in err.splitlines() if " tiles done on 2 ranks" in line]
    assert status == 0 and 5 <= len(lines) <= 10, err
    assert "landfall-mpi total: note: 20 tiles of 70 x 64 samples, 0 done before" in err, err
    assert "landfall total" not in err, err
    assert lines[-1] == "landfall-mpi: 20 of 20 tiles done on 2 ranks", lines
    os.remove("out.tif")
    assert " tiles done" not in run(2, *QUESTION, "-q", "-o", "out.tif")[2]
    os.remove("out.tif")


def vrt_of_tiles(whole_vrt):
    status, _, err = run(2, *QUESTION, "-q", "-o", "tiles.vrt")
    assert status == 0, err
    assert content("tiles.vrt") == whole_vrt
    status, _, err = run(2, *QUESTION[:-2], "--eye", "9", "--tile", "70,64", "-q", "-o", "tiles.vrt")
    assert status != 0 and "tiles.vrt.tiles: belongs to another job" in err, err
    assert content("tiles.vrt") == whole_vrt


def main():
    chance = random.Random(SEED)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        landfall("make", "mountains", "-o", "ground.tif", "--size", "260")
        with open("none.csv", "w", encoding="utf-8") as file:
            file.write("# nobody\n")
        with open("plain.vrt", "w", encoding="utf-8") as file:  # no file is behind it: all of it is 0
            file.write('<VRTDataset rasterXSize="20000" rasterYSize="20000"><GeoTransform>0,30,0,0,0,-30</GeoTransform>'
                       '<VRTRasterBand dataType="Float32" band="1"/></VRTDataset>')
        printed = landfall(*QUESTION, "-q", "-o", "tiles.vrt")
        whole_vrt = content("tiles.vrt")
        landfall(*QUESTION, "-q", "-o", "whole.tif")
        whole = content("whole.tif")
        began = time.time()
        any_number_of_ranks(whole, printed)
        usual = (time.time() - began) / (4 if LONG else 2)
        other_questions()
        kills(whole, chance, usual)
        refusals()
        other_files()
        full_disk(whole)
        progress()
        vrt_of_tiles(whole_vrt)
        os.chdir("/")
    print("ok")


main()
