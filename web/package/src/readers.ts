/** Terrain of the web: raster tiles, quantized-mesh tiles, GeoTIFF. */
import { LandfallError } from './engine.ts';
import type { GridOptions } from './index.ts';

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
