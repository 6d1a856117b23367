/** A map from above, for browsers without WebGL. */
import type { Terrain } from './ground.ts';

/** Heights of the topmost ground at the samples of the lattice. */
function heightsOf(terrain: Terrain): Float32Array {
  const { columns, rows, local: t } = terrain.lattice;
  const points = new Float64Array(3 * columns * rows);
  for (let k = 0; k < columns * rows; k++) points.set([t[0] + t[1] * (k % columns), t[3] + t[5] * Math.floor(k / columns), Infinity], 3 * k);
  return Float32Array.from(terrain.local.heights(points));
}

export class FlatMap {
  #picture: HTMLCanvasElement;
  overlay: Uint8ClampedArray | null = null;

  constructor(readonly canvas: HTMLCanvasElement, readonly terrain: Terrain) {
    const { columns, rows, local: t } = terrain.lattice;
    const { low, high } = terrain;
    const heights = terrain.rasters.length === 1 && terrain.solids.length === 0 ? terrain.rasters[0].heights : heightsOf(terrain);
    this.#picture = Object.assign(document.createElement('canvas'), { width: columns, height: rows });
    const draw = this.#picture.getContext('2d')!;
    const image = draw.createImageData(columns, rows);
    const step = t[1];
    for (let k = 0; k < heights.length; k++) {
      // Light from the north-west: slopes of the two neighbours there.
      const [west, north] = [k % columns > 0 ? heights[k - 1] : heights[k], k >= columns ? heights[k - columns] : heights[k]];
      const slope = (2 * heights[k] - west - north) / step || 0;
      const shade = 0.78 + 0.22 * Math.tanh(slope);
      const h = (heights[k] - low) / Math.max(high - low, 1);
      const colour = Number.isNaN(heights[k]) ? [0, 0, 0, 0] : [shade * (110 + 130 * h), shade * (140 + 90 * h), shade * (80 + 150 * h), 255];
      image.data.set(colour, 4 * k);
    }
    draw.putImageData(image, 0, 0);
  }

  get #fit() {
    const { columns, rows } = this.terrain.lattice;
    const scale = Math.min(this.canvas.clientWidth / columns, this.canvas.clientHeight / rows);
    return { scale, left: (this.canvas.clientWidth - scale * columns) / 2, top: (this.canvas.clientHeight - scale * rows) / 2 };
  }

  /** East and north, metres, of a place of the canvas. */
  at(x: number, y: number): [number, number] {
    const { scale, left, top } = this.#fit;
    const t = this.terrain.lattice.local;
    return [t[0] + t[1] * ((x - left) / scale - 0.5), t[3] + t[5] * ((y - top) / scale - 0.5)];
  }

  draw(marks: readonly [number, number][], line: readonly [number, number][]): void {
    const { scale, left, top } = this.#fit;
    this.canvas.width = this.canvas.clientWidth;
    this.canvas.height = this.canvas.clientHeight;
    const draw = this.canvas.getContext('2d')!;
    draw.imageSmoothingEnabled = scale < 1;
    draw.drawImage(this.#picture, left, top, scale * this.terrain.lattice.columns, scale * this.terrain.lattice.rows);
    if (this.overlay) {
      const over = Object.assign(document.createElement('canvas'), { width: this.terrain.lattice.columns, height: this.terrain.lattice.rows });
      over.getContext('2d')!.putImageData(new ImageData(this.overlay.slice(), this.terrain.lattice.columns, this.terrain.lattice.rows), 0, 0);
      draw.drawImage(over, left, top, scale * this.terrain.lattice.columns, scale * this.terrain.lattice.rows);
    }
    const t = this.terrain.lattice.local;
    const place = ([e, n]: readonly [number, number]): [number, number] => [left + scale * ((e - t[0]) / t[1] + 0.5), top + scale * ((n - t[3]) / t[5] + 0.5)];
    draw.strokeStyle = '#c01010';
    draw.lineWidth = 2;
    draw.beginPath();
    for (const one of line) draw.lineTo(...place(one));
    draw.stroke();
    for (const mark of marks) {
      draw.beginPath();
      draw.arc(...place(mark), 6, 0, 7);
      draw.fillStyle = '#ffd400';
      draw.fill();
      draw.stroke();
    }
  }
}
