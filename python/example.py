"""The example of the README: what is visible from a summit. Writes a picture."""
import sys

import numpy as np

import landfall as lf

random = np.random.default_rng(4)
rows, columns = np.meshgrid(np.fft.fftfreq(600), np.fft.fftfreq(900), indexing="ij")
spectrum = np.maximum(np.hypot(rows, columns), 1 / 900)**-2.2 * np.exp(2j * np.pi * random.random((600, 900)))
noise = np.fft.ifft2(spectrum).real
heights = (900 + 250 * noise / noise.std()).astype("float32")

grid = lf.Grid(heights, (30, 0, 400000, 0, -30, 6500000))
row, column = np.unravel_index(heights.argmax(), heights.shape)
summit = 400000 + 30 * (column + 0.5), 6500000 - 30 * (row + 0.5)
seen = grid.viewshed(summit, height=2, curvature="light")
print(grid)
print(seen)
path = sys.argv[1] if len(sys.argv) > 1 else "python.png"
with open(path, "wb") as file:
    file.write(seen._repr_png_())
print(path)
