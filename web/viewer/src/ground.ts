/** The terrain that is shown: what it is made of, where it is, and the engine's grounds made of it. */
import { readGeoTiff, readLf, type FilePart, type Globe, type Grid, type Ground, type GridOptions, type Hit, type Landfall, type Part, type Raster } from 'landfall';
import type { RemoteGround, RemoteLandfall } from 'landfall/worker';

type V3 = [number, number, number];

/** A raster in local coordinates, row by row from the north-west; NaN: no height. */
export interface LocalRaster {
  columns: number;
  rows: number;
  heights: Float32Array;
  transform: readonly number[];
}

/** Polygons in local coordinates. */
export interface Solid {
  vertices: Float64Array;
  triangles: Uint32Array;
}

/** Local coordinates are metres east, north and up of the middle; map coordinates are those of the file. */
export interface Terrain {
  name: string;
  low: number;
  high: number;
  degrees: boolean;
  epsg?: number;
  /** In metres about the middle, for cameras and picking. */
  local: Ground;
  rasters: LocalRaster[];
  solids: Solid[];
  /** Where viewsheds have samples: of the file, and rows from the north of the middle. */
  lattice: { columns: number; rows: number; transform: readonly number[]; local: readonly number[] };
  middle: [number, number];
  /** In the map's own coordinates, in a worker. */
  remote(): Promise<RemoteGround<Grid>>;
  /** The worker was ended: make the ground anew when it is needed. */
  forget(): void;
  dispose(): void;
  /** Where a sample of the file is in a picture of the lattice, whose rows run from the north. */
  place(column: number, row: number): number;
  toMap(east: number, north: number): [number, number];
  toLocal(x: number, y: number): [number, number];
  /** Names what was hit. */
  layerOf(hit: Hit): string;
}

/** What a file holds. */
export type Content = { raster: Raster } | { parts: FilePart[] } | { globe: Globe };

/** Hills and a ridge, for a first look. */
export function sample(side = 513): Raster {
  const samples = new Float32Array(side * side);
  for (let r = 0; r < side; r++)
    for (let c = 0; c < side; c++) {
      let height = 0;
      for (let o = 0, f = 1 / 190, a = 420; o < 8; o++, f *= 1.93, a *= 0.47) {
        const u = c * f * 6.2832 + 1.7 * o, v = r * f * 6.2832 + 2.3 * o;
        height += a * Math.sin(u + 0.7 * Math.sin(v * 1.1)) * Math.cos(v * 0.9 + 0.8 * Math.sin(u * 0.6));
      }
      samples[r * side + c] = 900 + height + 700 * Math.exp(-(((c - 0.55 * side) / (0.16 * side)) ** 2 + ((r - 0.5 * side) / (0.22 * side)) ** 2));
    }
  return { samples, columns: side, rows: side, transform: [0, 30, 0, 30 * (side - 1), 0, -30] };
}

/** Read a file by its content. */
export async function read(engine: Promise<Landfall>, file: ArrayBuffer): Promise<Content> {
  const magic = file.byteLength < 4 ? 0 : new DataView(file).getUint32(0);
  if (magic >>> 16 === 0x4949 || magic >>> 16 === 0x4d4d) return { raster: await readGeoTiff(file) }; // II, MM
  if (magic !== 0x894c460d) throw new Error('it is neither a GeoTIFF nor a .lf file; "landfall build" makes one of any terrain');
  const lf = await engine;
  const { kind, parts } = readLf(file);
  if (kind === 'model') throw new Error('it holds a model; models are opened by "Model of the objects"');
  const ground = lf.open(file); // checks all of it
  if (kind === 'globe') return { globe: ground as Globe };
  if (kind !== 'grid') {
    ground.dispose();
    const lost = parts.findIndex((part) => !part.mesh && !part.grid && !part.box);
    if (lost >= 0) throw new Error(`part ${lost}: it is a compressed raster; "landfall build --codec raw" writes one that can be drawn`);
    return { parts };
  }
  const grid = ground as Grid;
  const raster = { samples: Float32Array.from(grid.samples()), columns: grid.columns, rows: grid.rows, transform: grid.transform, degrees: grid.degrees };
  grid.dispose();
  return { raster };
}

/** How rows and columns of a file lie in a picture from the north-west. */
function placing(columns: number, rows: number, t: readonly number[]) {
  return (column: number, row: number) => (t[5] < 0 ? row : rows - 1 - row) * columns + (t[1] > 0 ? column : columns - 1 - column);
}

/** A raster about the middle, with its samples from the north-west. */
function localRaster(raster: GridOptions, scale: [number, number], middle: [number, number], up = 0): LocalRaster {
  const { columns, rows, samples, nodata = NaN } = raster;
  const t = raster.transform ?? [0, 1, 0, 0, 0, 1];
  if (t[2] !== 0 || t[4] !== 0) throw new Error('its rows are not along x: rotated rasters cannot be shown');
  const heights = new Float32Array(columns * rows);
  const place = placing(columns, rows, t);
  const step = columns > 1 ? place(1, 0) - place(0, 0) : 1;
  for (let r = 0, k = 0; r < rows; r++)
    for (let c = 0, to = place(0, r); c < columns; c++, k++, to += step) {
      const value = samples[k];
      heights[to] = value === nodata || !Number.isFinite(value) ? NaN : value + up;
    }
  const [west, north] = [Math.min(t[0], t[0] + t[1] * (columns - 1)), Math.max(t[3], t[3] + t[5] * (rows - 1))];
  return { columns, rows, heights, transform: [(west - middle[0]) * scale[0], Math.abs(t[1]) * scale[0], 0, (north - middle[1]) * scale[1], 0, -Math.abs(t[5]) * scale[1]] };
}

function rangeOf(heights: ArrayLike<number>): [number, number] {
  let low = Infinity, high = -Infinity;
  for (let k = 0; k < heights.length; k++) {
    if (heights[k] < low) low = heights[k];
    if (heights[k] > high) high = heights[k];
  }
  return [low, high];
}

const faces = [0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5];

/** The polygons of a part, in local coordinates. */
function solidOf(part: FilePart, middle: [number, number]): Solid {
  const { pose: p, mesh, box } = part;
  const own = mesh?.vertices ?? Float64Array.from({ length: 24 }, (_, k) => ((Math.floor(k / 3) >> (k % 3)) & 1 ? box!.high : box!.low)[k % 3]);
  const vertices = new Float64Array(own.length);
  for (let k = 0; k < own.length; k += 3)
    for (let axis = 0; axis < 3; axis++)
      vertices[k + axis] = p[3 * axis] * own[k] + p[3 * axis + 1] * own[k + 1] + p[3 * axis + 2] * own[k + 2] + p[9 + axis] - (axis < 2 ? middle[axis] : 0);
  return { vertices, triangles: mesh?.triangles ?? Uint32Array.from(faces) };
}

/** The corners of all parts of a file, in its own coordinates. */
function boundsOf(parts: readonly FilePart[]): { low: [number, number]; high: [number, number] } {
  const low: [number, number] = [Infinity, Infinity], high: [number, number] = [-Infinity, -Infinity];
  const include = (x: number, y: number) => {
    [low[0], low[1], high[0], high[1]] = [Math.min(low[0], x), Math.min(low[1], y), Math.max(high[0], x), Math.max(high[1], y)];
  };
  for (const part of parts) {
    if (part.grid) {
      const { columns, rows, transform: t = [0, 1, 0, 0, 0, 1] } = part.grid;
      for (const [c, r] of [[0, 0], [columns - 1, rows - 1]]) include(t[0] + c * t[1] + part.pose[9], t[3] + r * t[5] + part.pose[10]);
    } else {
      const { vertices } = solidOf(part, [0, 0]);
      for (let k = 0; k < vertices.length; k += 3) include(vertices[k], vertices[k + 1]);
    }
  }
  return { low, high };
}

/** The same raster with its rows from the north, in whose order all results are. */
function northFirst(grid: GridOptions): GridOptions {
  const { columns, rows, samples, transform: t = [0, 1, 0, 0, 0, 1] } = grid;
  if (t[5] <= 0) return grid;
  const turned = samples.slice();
  for (let r = 0; r < rows; r++) turned.set(samples.subarray(r * columns, (r + 1) * columns), (rows - 1 - r) * columns);
  return { ...grid, samples: turned, transform: [t[0] + t[2] * (rows - 1), t[1], -t[2], t[3] + t[5] * (rows - 1), t[4], -t[5]] };
}

const level = (pose: ArrayLike<number>) => [1, 0, 0, 0, 1, 0, 0, 0, 1].every((one, k) => pose[k] === one);

/** Keep one ground in the worker, made when it is first needed. */
function remotely<G extends Ground>(worker: () => Promise<RemoteLandfall>, make: (worker: RemoteLandfall) => Promise<RemoteGround<G>>) {
  let made: Promise<RemoteGround<Grid>> | null = null;
  return {
    remote: () => (made ??= worker().then(make) as unknown as Promise<RemoteGround<Grid>>),
    forget: () => void (made = null),
    free: () => void made?.then((ground) => ground.dispose()).catch(() => undefined),
  };
}

export function terrainOf(lf: Landfall, worker: () => Promise<RemoteLandfall>, content: { raster: Raster } | { parts: FilePart[] }, name: string): Terrain {
  return 'raster' in content ? rasterTerrain(lf, worker, content.raster, name) : solidTerrain(lf, worker, content.parts, name);
}

function rasterTerrain(lf: Landfall, worker: () => Promise<RemoteLandfall>, raster: Raster, name: string): Terrain {
  const { columns, rows } = raster;
  const t = raster.transform ?? [0, 1, 0, 0, 0, 1];
  const middle: [number, number] = [t[0] + (t[1] * (columns - 1)) / 2, t[3] + (t[5] * (rows - 1)) / 2];
  const scale: [number, number] = raster.degrees ? [111319.49 * Math.cos((middle[1] * Math.PI) / 180), 110946.3] : [1, 1];
  const picture = localRaster(raster, scale, middle);
  const [low, high] = rangeOf(picture.heights);
  if (!(low <= high)) throw new Error('no sample has a height');
  const local = lf.grid({ samples: picture.heights, columns, rows, transform: picture.transform, surface: raster.surface });
  const { remote, forget, free } = remotely(worker, (w) => w.grid(raster));
  return {
    name, low, high, degrees: raster.degrees ?? false, epsg: raster.epsg, local, rasters: [picture], solids: [], middle, remote, forget,
    lattice: { columns, rows, transform: t, local: picture.transform },
    dispose: () => (local.dispose(), free()),
    place: placing(columns, rows, t),
    toMap: (east, north) => [middle[0] + east / scale[0], middle[1] + north / scale[1]],
    toLocal: (x, y) => [(x - middle[0]) * scale[0], (y - middle[1]) * scale[1]],
    layerOf: (hit) => `raster, cell ${hit.element % (columns - 1)}, ${Math.floor(hit.element / (columns - 1))}`,
  };
}

function solidTerrain(lf: Landfall, worker: () => Promise<RemoteLandfall>, stored: FilePart[], name: string): Terrain {
  const parts = stored.map((part) => ({ ...part, grid: part.grid && northFirst(part.grid) }));
  const { low: west, high: east } = boundsOf(parts);
  const middle: [number, number] = [(west[0] + east[0]) / 2, (west[1] + east[1]) / 2];
  const rasters: LocalRaster[] = [], solids: Solid[] = [], kept: Ground[] = [];
  const built: Part[] = parts.map((part, k) => {
    if (!part.grid) {
      const solid = solidOf(part, middle);
      solids.push(solid);
      kept.push(lf.mesh(solid.vertices, solid.triangles));
      return { ground: kept.at(-1)!, layers: part.layers };
    }
    if (!level(part.pose)) throw new Error(`part ${k}: a raster that is turned cannot be shown`);
    const own = { ...part.grid, transform: part.grid.transform!.map((n, i) => n + (i === 0 ? part.pose[9] : i === 3 ? part.pose[10] : 0)) };
    const picture = localRaster(own, [1, 1], middle, part.pose[11]);
    rasters.push(picture);
    kept.push(lf.grid({ samples: picture.heights, columns: picture.columns, rows: picture.rows, transform: picture.transform, surface: part.grid.surface }));
    return { ground: kept.at(-1)!, layers: part.layers };
  });
  const local = lf.world(built);
  const { low, high } = local.box as { low: V3; high: V3 };
  const { columns, rows, transform } = local;
  const { remote, forget, free } = remotely(worker, async (w) =>
    w.world(await Promise.all(parts.map(async (part) => ({ pose: part.pose, layers: part.layers, box: part.box, ground: part.grid ? await w.grid(part.grid) : part.mesh ? await w.mesh(part.mesh.vertices, part.mesh.triangles) : undefined })))),
  );
  return {
    name, low: low[2], high: high[2], degrees: false, local, rasters, solids, middle, remote, forget,
    lattice: { columns, rows, transform: transform.map((n, k) => n + (k === 0 ? middle[0] : k === 3 ? middle[1] : 0)), local: transform },
    dispose: () => {
      local.dispose();
      for (const ground of kept) ground.dispose();
      free();
    },
    place: placing(columns, rows, transform),
    toMap: (x, y) => [middle[0] + x, middle[1] + y],
    toLocal: (x, y) => [x - middle[0], y - middle[1]],
    layerOf: (hit) => `part ${hit.part} (${parts[hit.part].grid ? 'raster' : parts[hit.part].box ? 'box' : 'polygons'}), element ${hit.element}, layers ${hit.layers.toString(2)}`,
  };
}
