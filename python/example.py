"""The example of the README: what is visible from a summit. Writes a picture."""
import sys

import numpy as np

import landfall as lf

y, x = np.mgrid[0:600, 0:900]
noise = sum(2.0**-k * np.sin(x * 2**k / 97 + 3 * k) * np.cos(y * 2**k / 71 + 5 * k) for k in range(6))
heights = (900 + 450 * noise).astype("float32")

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
