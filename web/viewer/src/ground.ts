/** The terrain that is shown: its samples, where they are, and the engine's grounds made of them. */
import { readGeoTiff, type Grid, type Landfall, type Raster } from 'landfall';
import type { RemoteGround, RemoteLandfall } from 'landfall/worker';

/** Scene coordinates are metres east, up and south of the middle; map coordinates are those of the file. */
export interface Terrain {
  name: string;
  columns: number;
  rows: number;
  /** Row by row, from the north; NaN: no height. */
  heights: Float32Array;
  low: number;
  high: number;
  raster: Raster;
  /** In metres about the middle, for cameras and picking. */
  local: Grid;
  /** In the map's own coordinates, in a worker. */
  remote: RemoteGround<Grid>;
  /** Metres per unit of the map. */
  scale: [number, number];
  middle: [number, number];
  /** Where a sample of the file is in `heights`. */
  place(column: number, row: number): number;
  toMap(east: number, north: number): [number, number];
  toLocal(x: number, y: number): [number, number];
}

/** Hills and a ridge, for a first look. */
export function sample(side = 513): Raster {
  const samples = new Float32Array(side * side);
  for (let r = 0; r < side; r++)
    for (let c = 0; c < side; c++) {
      let height = 0;
      for (let o = 0, f = 1 / 190, a = 420; o < 8; o++, f *= 1.93, a *= 0.47) {
        const [u, v] = [c * f * 6.2832 + 1.7 * o, r * f * 6.2832 + 2.3 * o];
        height += a * Math.sin(u + 0.7 * Math.sin(v * 1.1)) * Math.cos(v * 0.9 + 0.8 * Math.sin(u * 0.6));
      }
      samples[r * side + c] = 900 + height + 700 * Math.exp(-(((c - 0.55 * side) / (0.16 * side)) ** 2 + ((r - 0.5 * side) / (0.22 * side)) ** 2));
    }
  return { samples, columns: side, rows: side, transform: [0, 30, 0, 30 * (side - 1), 0, -30] };
}

/** Read a file by its content. */
export async function read(lf: Landfall, file: ArrayBuffer, name: string): Promise<Raster> {
  const magic = new TextDecoder('latin1').decode(file.slice(0, 4));
  if (magic.startsWith('II') || magic.startsWith('MM')) return readGeoTiff(file);
  const ground = lf.open(file);
  if (!('columns' in ground)) throw new Error(`${name}: it holds polygons; the viewer draws rasters (.lf or GeoTIFF)`);
  const grid = ground as Grid;
  const raster = { samples: Float32Array.from(grid.samples()), columns: grid.columns, rows: grid.rows, transform: grid.transform, degrees: grid.degrees };
  grid.dispose();
  return raster;
}

export async function terrainOf(lf: Landfall, worker: RemoteLandfall, raster: Raster, name: string): Promise<Terrain> {
  const { columns, rows } = raster;
  const t = raster.transform ?? [0, 1, 0, 0, 0, 1];
  if (t[2] !== 0 || t[4] !== 0) throw new Error(`${name}: its rows are not along x: rotated rasters cannot be shown`);
  const [x0, dx, , y0, , dy] = t;
  const middle: [number, number] = [x0 + (dx * (columns - 1)) / 2, y0 + (dy * (rows - 1)) / 2];
  const latitude = (middle[1] * Math.PI) / 180;
  const scale: [number, number] = raster.degrees ? [111319.49 * Math.cos(latitude), 110946.3] : [1, 1];
  const place = (column: number, row: number) => (dy < 0 ? row : rows - 1 - row) * columns + (dx > 0 ? column : columns - 1 - column);
  const heights = new Float32Array(columns * rows);
  let [low, high] = [Infinity, -Infinity];
  for (let r = 0; r < rows; r++)
    for (let c = 0; c < columns; c++) {
      const value = raster.samples[r * columns + c];
      const missing = Number.isNaN(value) || value === raster.nodata || !Number.isFinite(value);
      heights[place(c, r)] = missing ? NaN : value;
      if (!missing) [low, high] = [Math.min(low, value), Math.max(high, value)];
    }
  if (!(low <= high)) throw new Error(`${name}: no sample has a height`);
  const [sx, sy] = [Math.abs(dx) * scale[0], Math.abs(dy) * scale[1]];
  const local = lf.grid({ samples: heights, columns, rows, transform: [(-sx * (columns - 1)) / 2, sx, 0, (sy * (rows - 1)) / 2, 0, -sy] });
  const remote = await worker.grid(raster);
  return {
    name, columns, rows, heights, low, high, raster, local, remote, scale, middle, place,
    toMap: (east, north) => [middle[0] + east / scale[0], middle[1] + north / scale[1]],
    toLocal: (x, y) => [(x - middle[0]) * scale[0], (y - middle[1]) * scale[1]],
  };
}
