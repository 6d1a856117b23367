/** Terrain of the web: raster tiles, quantized-mesh tiles, GeoTIFF. */
import { LandfallError } from './engine.ts';
import type { GridOptions } from './index.ts';
import { surfaces } from './types.ts';

/** Heights of an RGBA picture (four bytes per pixel, as canvases give) of a Terrain-RGB tile: -10000 + (R * 65536 + G * 256 + B) / 10. */
export function terrainRgbHeights(rgba: ArrayLike<number>): Float32Array {
  return decode(rgba, (r, g, b) => -10000 + (r * 65536 + g * 256 + b) * 0.1);
}

/** Heights of a Terrarium tile: R * 256 + G + B / 256 - 32768. */
export function terrariumHeights(rgba: ArrayLike<number>): Float32Array {
  return decode(rgba, (r, g, b) => r * 256 + g + b / 256 - 32768);
}

/** Transparent pixels have no height. */
function decode(rgba: ArrayLike<number>, height: (r: number, g: number, b: number) => number): Float32Array {
  if (rgba.length % 4 !== 0) throw new LandfallError(`${rgba.length} bytes: expected four per pixel`, 'bad argument');
  const heights = new Float32Array(rgba.length / 4);
  for (let k = 0; k < heights.length; k++)
    heights[k] = rgba[4 * k + 3] === 0 ? NaN : height(rgba[4 * k], rgba[4 * k + 1], rgba[4 * k + 2]);
  return heights;
}

/** A tile of Cesium's quantized-mesh format: u, v 0 .. 1 across the tile, heights in metres. */
export interface QuantizedMesh {
  centre: [number, number, number];
  lowest: number;
  highest: number;
  /** u, v, height of each vertex. */
  vertices: Float64Array;
  triangles: Uint32Array;
}

/** Read a quantized-mesh tile (not compressed). */
export function readQuantizedMesh(file: ArrayBuffer): QuantizedMesh {
  const view = new DataView(file);
  let at = 0;
  const need = (bytes: number, what: string) => {
    if (at + bytes > file.byteLength)
      throw new LandfallError(`quantized-mesh: ${what} at byte ${at}: the file ends at ${file.byteLength}`, 'bad format');
  };
  need(92, 'header');
  const double = (offset: number) => view.getFloat64(offset, true);
  const lowest = view.getFloat32(24, true);
  const highest = view.getFloat32(28, true);
  if (!(lowest <= highest)) throw new LandfallError(`quantized-mesh: heights from ${lowest} to ${highest}`, 'bad format');
  const count = view.getUint32(88, true);
  at = 92;
  need(6 * count, `${count} vertices`);
  const vertices = new Float64Array(3 * count);
  for (let axis = 0; axis < 3; axis++) {
    let sum = 0;
    for (let k = 0; k < count; k++, at += 2) {
      const coded = view.getUint16(at, true);
      sum += (coded >> 1) ^ -(coded & 1);
      vertices[3 * k + axis] = sum / 32767;
    }
  }
  for (let k = 0; k < count; k++) vertices[3 * k + 2] = lowest + vertices[3 * k + 2] * (highest - lowest);
  const wide = count > 65536;
  const size = wide ? 4 : 2;
  at = Math.ceil(at / size) * size;
  need(4, 'number of triangles');
  const triangleCount = view.getUint32(at, true);
  at += 4;
  need(3 * triangleCount * size, `${triangleCount} triangles`);
  const triangles = new Uint32Array(3 * triangleCount);
  let highestIndex = 0;
  for (let k = 0; k < triangles.length; k++, at += size) {
    const code = wide ? view.getUint32(at, true) : view.getUint16(at, true);
    triangles[k] = highestIndex - code;
    if (triangles[k] >= count) throw new LandfallError(`quantized-mesh: corner ${triangles[k]} of ${count} vertices`, 'bad format');
    if (code === 0) highestIndex++;
  }
  return { centre: [double(0), double(8), double(16)], lowest, highest, vertices, triangles };
}

/** A part of a .lf file, for drawing. */
export interface FilePart {
  /** A rotation, row by row, and a translation. */
  pose: Float64Array;
  /** Bits; 0: those of its polygons. */
  layers: number;
  mesh?: { vertices: Float64Array; triangles: Uint32Array };
  grid?: GridOptions;
  box?: { low: [number, number, number]; high: [number, number, number] };
}

const fileKinds = ['', 'grid', 'mesh', 'group', 'model', 'globe'] as const;

/** The polygons, samples and boxes that a .lf file holds (docs/formats/lf.md); of compressed rasters and of globes there are no parts. */
export function readLf(file: ArrayBuffer): { kind: 'grid' | 'mesh' | 'group' | 'model' | 'globe'; parts: FilePart[] } {
  const view = new DataView(file);
  const bad = (why: string) => new LandfallError(`.lf file: ${why}`, 'bad format');
  if (file.byteLength < 128 || view.getUint32(0, true) !== 0x0d464c89) throw bad('it does not begin as one');
  const kind = fileKinds[view.getUint32(12, true)];
  if (!kind) throw bad(`kind ${view.getUint32(12, true)}: expected 1 to 5`);
  const [sections, count] = [view.getUint32(40, true), view.getUint32(44, true)];
  if (128 + 64 * sections > file.byteLength) throw bad(`${sections} sections: the file ends at ${file.byteLength}`);
  const found = new Map<string, DataView>();
  for (let k = 0; k < sections; k++) {
    const at = 128 + 64 * k;
    const name = new TextDecoder('latin1').decode(new Uint8Array(file, at, 8)).replace(/\0+$/, '');
    const [offset, bytes] = [Number(view.getBigUint64(at + 16, true)), Number(view.getBigUint64(at + 24, true))];
    if (offset + bytes > file.byteLength) throw bad(`section ${name}: the file ends at ${file.byteLength}`);
    found.set(`${view.getUint32(at + 12, true)} ${name}`, new DataView(file, offset, bytes));
  }
  const doubles = (of: DataView, at: number, length: number) => Float64Array.from({ length }, (_, k) => of.getFloat64(at + 8 * k, true));
  const [poses, table] = [found.get('0 poses'), found.get('0 parts')];
  const parts: FilePart[] = [];
  for (let k = 0; k < (kind === 'globe' ? 0 : count); k++) {
    const pose = poses ? doubles(poses, 96 * k, 12) : Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0);
    const of = table ? table.getUint32(72 * k, true) : 0;
    const layers = table ? table.getUint32(72 * k + 4, true) : 0;
    if (of === 1) {
      const n = Array.from(doubles(table!, 72 * k + 24, 6)) as [number, number, number, number, number, number];
      parts.push({ pose, layers, box: { low: [n[0], n[1], n[2]], high: [n[3], n[4], n[5]] } });
      continue;
    }
    const part = of === 2 ? Number(table!.getBigUint64(72 * k + 16, true)) : k;
    const section = (name: string) => found.get(`${part} ${name}`);
    const mesh = section('vertices') && section('corners') ? polygonsOf(section('vertices')!, section('corners')!, section('starts')) : undefined;
    parts.push({ pose, layers, mesh, grid: section('grid') && section('samples') ? samplesOf(section('grid')!, section('samples')!, section('holes')) : undefined });
  }
  return { kind, parts };
}

/** Polygons, each cut into a fan from its first corner. */
function polygonsOf(vertices: DataView, corners: DataView, starts?: DataView): NonNullable<FilePart['mesh']> {
  const corner = (k: number) => Number(corners.getBigInt64(8 * k, true));
  const count = starts ? starts.byteLength / 8 - 1 : corners.byteLength / 24;
  const start = (k: number) => (starts ? Number(starts.getBigInt64(8 * k, true)) : 3 * k);
  const triangles: number[] = [];
  for (let p = 0; p < count; p++) for (let k = start(p) + 1; k + 1 < start(p + 1); k++) triangles.push(corner(start(p)), corner(k), corner(k + 1));
  return { vertices: Float64Array.from({ length: vertices.byteLength / 8 }, (_, k) => vertices.getFloat64(8 * k, true)), triangles: Uint32Array.from(triangles) };
}

/** Raw samples of a grid, without those beyond its border. */
function samplesOf(grid: DataView, samples: DataView, holes?: DataView): GridOptions {
  const [columns, rows] = [Number(grid.getBigInt64(0, true)), Number(grid.getBigInt64(8, true))];
  const [surface, ring, type] = [grid.getUint32(16, true), grid.getUint32(20, true), grid.getUint32(32, true)];
  const [scale, offset] = [grid.getFloat64(40, true), grid.getFloat64(48, true)];
  const size = [4, 8, 2, 2][type];
  const read = [(at: number) => samples.getFloat32(at, true), (at: number) => samples.getFloat64(at, true), (at: number) => samples.getInt16(at, true), (at: number) => samples.getUint16(at, true)][type];
  const wide = columns + 2 * ring;
  const values = new Float64Array(columns * rows);
  const row = 8 * Math.ceil(wide / 64); // bytes of a row of bits
  for (let r = 0; r < rows; r++)
    for (let c = 0; c < columns; c++) {
      const [i, j] = [c + ring, r + ring];
      const missing = holes && (holes.getUint8(j * row + (i >> 3)) >> (i & 7)) & 1;
      values[r * columns + c] = missing ? NaN : read(size * (j * wide + i)) * scale + offset;
    }
  const n = Array.from({ length: 6 }, (_, k) => grid.getFloat64(56 + 8 * k, true));
  return { samples: values, columns, rows, transform: [n[0], n[2], n[4], n[1], n[3], n[5]], surface: surfaces[surface] };
}

/** What a GeoTIFF says about its coordinates. */
export interface Raster extends GridOptions {
  /** EPSG code of the coordinate reference system, if the file has one. */
  epsg?: number;
}

/** Read the first band of a GeoTIFF. Needs the npm package geotiff. */
export async function readGeoTiff(file: ArrayBuffer): Promise<Raster> {
  const { fromArrayBuffer } = await import('geotiff');
  let image;
  try {
    image = await (await fromArrayBuffer(file)).getImage();
  } catch (error) {
    throw new LandfallError(`GeoTIFF: ${(error as Error).message}`, 'bad format');
  }
  const columns = image.getWidth();
  const rows = image.getHeight();
  const bands = (await image.readRasters({ samples: [0] })) as unknown as ArrayLike<number>[];
  const band = bands[0];
  const samples =
    band instanceof Float32Array || band instanceof Float64Array || band instanceof Int16Array || band instanceof Uint16Array
      ? band
      : Float64Array.from(band);
  const keys = image.getGeoKeys() ?? {};
  const degrees = keys.GTModelTypeGeoKey === 2;
  const nodata = image.getGDALNoData() ?? NaN;
  let transform: number[] | undefined;
  try {
    const [x, y] = image.getOrigin();
    const [dx, dy] = image.getResolution();
    // Pixels are areas unless the file says that they are points: samples are their centres.
    const half = keys.GTRasterTypeGeoKey === 2 ? 0 : 0.5;
    transform = [x + half * dx, dx, 0, y + half * dy, 0, dy];
  } catch {
    transform = [0.5, 1, 0, rows - 0.5, 0, -1]; // no geotransform: a metre per pixel, rows downwards
  }
  const epsg = Number(keys.ProjectedCSTypeGeoKey ?? keys.GeographicTypeGeoKey) || undefined;
  return { samples, columns, rows, transform, nodata, degrees, epsg };
}
