"""Builds the compiled parts of the package against landfall's static libraries.

LANDFALL_BUILD names a build folder of landfall that has them (build/release by default); without one it is configured
and built first. LANDFALL_PYTHON_PARTS=core leaves out what needs GDAL.
"""
import os
import re
import subprocess
from pathlib import Path

import numpy
from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

here = Path(__file__).resolve().parent
root = here.parent
build = Path(os.environ.get("LANDFALL_BUILD") or root / "build" / "release").resolve()
parts = os.environ.get("LANDFALL_PYTHON_PARTS", "core io").split()


def version() -> str:
    text = (root / "include/landfall/base.h").read_text()
    return ".".join(re.findall(r"#define LF_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", text))


def pkg_config(*words: str) -> list:
    return subprocess.run(["pkg-config", *words], check=True, text=True, stdout=subprocess.PIPE).stdout.split()


def make_libraries() -> None:
    targets = ["landfall-static", "landfall-omp-static"] + (["landfall-io-static"] if "io" in parts else [])
    if not (build / "CMakeCache.txt").exists():
        subprocess.run(["cmake", "-S", str(root), "-B", str(build), "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release"], check=True)
    if "LANDFALL_BUILD" not in os.environ:
        subprocess.run(["cmake", "--build", str(build), "--target", *targets], check=True)


def extension(name: str, libraries: list, flags: list) -> Extension:
    archives = [str(build / "src" / folder / f"lib{library}.a") for folder, library in libraries]
    return Extension(
        f"landfall.{name}", [f"landfall/{name}.pyx"],
        include_dirs=[str(root / "include"), numpy.get_include()],
        # The same arithmetic as the library's own; only the module's start is for others to see.
        extra_compile_args=["-O2", "-std=gnu17", "-ffp-contract=off", "-fvisibility=hidden", "-Wno-cpp",
                            "-Wno-unused-function", "-Wno-maybe-uninitialized"],
        extra_objects=archives,
        extra_link_args=["-Wl,--exclude-libs,ALL", *flags, "-lm", "-pthread"],
        depends=[str(p) for p in (here / "landfall").glob("*.px*")],
    )


class BuildAll(build_ext):
    def run(self) -> None:
        make_libraries()
        super().run()


extensions = [extension("_core", [("omp", "landfall-omp"), ("", "landfall")], ["-fopenmp"])]
if "io" in parts:
    needs = pkg_config("--libs", "cairo", "jansson", "libdeflate")
    extensions.append(extension("_io", [("io", "landfall-io"), ("", "landfall")], [*needs, "-lpng", "-lnova", "-ldl"]))

if __name__ == "__main__":
    os.chdir(here)
    made = os.path.relpath(os.environ.get("LANDFALL_PYTHON_C", str(build / "python-c")), here)
    os.makedirs(made, exist_ok=True)
    setup(
        version=version(),
        ext_modules=cythonize(extensions, build_dir=made, language_level=3),
        cmdclass={"build_ext": BuildAll},
        options={"build": {"build_base": made}, "egg_info": {"egg_base": made}},  # nothing beside the sources
    )
