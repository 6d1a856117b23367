"""The wheel and the notebooks."""
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
NOTEBOOKS = sorted((HERE.parent / "notebooks").glob("*.ipynb"))


@pytest.mark.long
def test_wheel(tmp_path):
    """pip wheel makes a package that works by itself, from another folder."""
    build = Path(os.environ["LANDFALL_LIBRARIES"]).parent
    run = subprocess.run([sys.executable, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "--no-index", "-w",
                          str(tmp_path), str(HERE.parent)], capture_output=True, text=True,
                         env={**os.environ, "LANDFALL_BUILD": str(build), "LANDFALL_PYTHON_C": str(tmp_path / "c")})
    assert run.returncode == 0, run.stdout + run.stderr
    wheel, = tmp_path.glob("landfall-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        archive.extractall(tmp_path / "site")
    for name in ("landfall/__init__.py", "landfall/py.typed", "landfall/_core.pyi", "landfall/dask.py"):
        assert name in names
    code = "import landfall as lf; print(lf.__file__, lf.Grid([[0.0, 1], [2, 3]]).height(0.5, 0.5), lf.sun_at(0, 0, 0)[0] > 0)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path,
                         env={**os.environ, "PYTHONPATH": str(tmp_path / "site")})
    assert run.stdout.startswith(str(tmp_path)) and run.stdout.endswith("1.5 True\n"), run.stderr


@pytest.mark.long
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks(notebook, tmp_path, monkeypatch):
    """Every notebook runs from start to end, and shows pictures."""
    pytest.importorskip("nbconvert")
    import nbformat
    from nbconvert.preprocessors import ExecutePreprocessor

    monkeypatch.delenv("MPLBACKEND", raising=False)  # the kernel shows figures itself
    document = nbformat.read(str(notebook), as_version=4)
    ExecutePreprocessor(timeout=300, kernel_name="python3").preprocess(document, {"metadata": {"path": str(tmp_path)}})
    pictures = [output for cell in document.cells for output in cell.get("outputs", [])
                if "image/png" in output.get("data", {})]
    assert pictures
    kept = os.environ.get("LANDFALL_NOTEBOOKS")
    if kept:
        import base64

        for number, output in enumerate(pictures):
            Path(kept, f"{notebook.stem}-{number}.png").write_bytes(base64.b64decode(output["data"]["image/png"]))


def test_there_are_five_notebooks():
    assert len(NOTEBOOKS) == 5
