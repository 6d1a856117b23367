/** Write a raster as a GeoTIFF: one band of whole numbers, one strip, not compressed. */

export interface Placing {
  columns: number;
  rows: number;
  /** Of sample centres: x0, dx/dcolumn, dx/drow, y0, dy/dcolumn, dy/drow. */
  transform: readonly number[];
  degrees: boolean;
  epsg?: number;
}

const [SHORT, LONG, DOUBLE] = [3, 4, 12];
const sizes: Record<number, number> = { [SHORT]: 2, [LONG]: 4, [DOUBLE]: 8 };

export function tiff(samples: Uint8Array | Uint32Array, { columns, rows, transform: t, degrees, epsg }: Placing): ArrayBuffer {
  // From corners of pixels: half a pixel before the centre of the first.
  const [x, y] = [t[0] - (t[1] + t[2]) / 2, t[3] - (t[4] + t[5]) / 2];
  const crs = degrees ? [2048, 0, 1, epsg ?? 4326] : epsg ? [3072, 0, 1, epsg] : [];
  const keys = [1, 1, 0, 2 + crs.length / 4, 1024, 0, 1, degrees ? 2 : 1, 1025, 0, 1, 1, ...crs];
  const tags: [number, number, number[]][] = [
    [256, LONG, [columns]], [257, LONG, [rows]], [258, SHORT, [8 * samples.BYTES_PER_ELEMENT]], [259, SHORT, [1]], [262, SHORT, [1]],
    [273, LONG, [0]], [277, SHORT, [1]], [278, LONG, [rows]], [279, LONG, [samples.byteLength]], [339, SHORT, [1]],
    t[5] < 0 && t[2] === 0 && t[4] === 0 ? [33550, DOUBLE, [t[1], -t[5], 0]] : [34264, DOUBLE, [t[1], t[2], 0, x, t[4], t[5], 0, y, 0, 0, 0, 0, 0, 0, 0, 1]],
    ...(t[5] < 0 && t[2] === 0 && t[4] === 0 ? [[33922, DOUBLE, [0, 0, 0, x, y, 0]] as [number, number, number[]]] : []),
    [34735, SHORT, keys],
  ];
  const head = 8 + 2 + 12 * tags.length + 4;
  const more = tags.reduce((sum, [, type, values]) => sum + (sizes[type] * values.length > 4 ? 8 * Math.ceil((sizes[type] * values.length) / 8) : 0), 0);
  const first = 8 * Math.ceil((head + more) / 8);
  tags.find(([tag]) => tag === 273)![2][0] = first;
  const file = new ArrayBuffer(first + samples.byteLength);
  const view = new DataView(file);
  const put = (at: number, type: number, values: number[]) =>
    values.forEach((value, k) => (type === SHORT ? view.setUint16(at + 2 * k, value, true) : type === LONG ? view.setUint32(at + 4 * k, value, true) : view.setFloat64(at + 8 * k, value, true)));
  put(0, SHORT, [0x4949, 42]);
  put(4, LONG, [8]);
  put(8, SHORT, [tags.length]);
  let next = head;
  tags.forEach(([tag, type, values], k) => {
    const at = 10 + 12 * k, bytes = sizes[type] * values.length;
    put(at, SHORT, [tag, type]);
    put(at + 4, LONG, [values.length]);
    if (bytes <= 4) put(at + 8, type, values);
    else {
      put(at + 8, LONG, [next]);
      put(next, type, values);
      next += 8 * Math.ceil(bytes / 8);
    }
  });
  new Uint8Array(file, first).set(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength));
  return file;
}
