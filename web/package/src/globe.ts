/** A planet of tiles that are delivered as they come. */
import { LandfallError, type Engine } from './engine.ts';
import { Ground } from './ground.ts';
import type { QuantizedMesh } from './readers.ts';
import type { Vec3 } from './types.ts';

/** Level 0 is the coarsest; columns from -180 degrees eastwards, rows from -90 northwards. */
export interface TileKey {
  level: number;
  column: number;
  row: number;
}

/** A tile of triangles; without any there is no such tile. */
export interface Tile extends TileKey {
  /** Longitude, latitude, height of each vertex. */
  vertices: Float64Array;
  /** Counter-clockwise seen from above. */
  triangles: Uint32Array;
  /** Which of the four finer tiles there are: 1 south-west, 2 south-east, 4 north-west, 8 north-east. */
  children: number;
}

export interface GlobeOptions {
  /** All tiles of level 0. */
  roots: readonly Tile[];
  /** Tiles at level 0 along the equator and along a meridian; 2 and 1 by default. */
  rootColumns?: number;
  rootRows?: number;
  /** Finest level + 1. */
  levels?: number;
  /** Bytes of tiles in memory; 64 MiB by default. */
  budget?: number;
}

/** What a viewer needs. Positions are earth-centred, in metres. */
export interface Viewer {
  position: Vec3;
  velocity?: Vec3;
  /** Direction of view; without it all around. */
  forward?: Vec3;
  /** Radians: the cone that is viewed; 2 by default. */
  field?: number;
  /** A tile is refined where its resolution exceeds the distance times this; 1/256 by default. */
  detail?: number;
  /** Tiles that one update takes in; 64 by default. */
  most?: number;
}

/** A tile to draw: its points less `origin`, earth-centred. */
export interface DrawnTile extends TileKey {
  origin: [number, number, number];
  resolution: number;
  /** Which quarters of it are to be drawn, bits as those of children: finer tiles are over the others. */
  quarters: number;
  /** x, y, z of each vertex, less the origin. */
  vertices(): Float64Array;
  triangles(): Uint32Array;
}

const DRAWN = 20;
const WANTED = 256;
const area = (key: TileKey, columns: number, rows: number) => {
  const [width, height] = [360 / columns / 2 ** key.level, 180 / rows / 2 ** key.level];
  return { west: -180 + key.column * width, south: -90 + key.row * height, width, height };
};

/** The vertices of a quantized-mesh tile (two tiles at level 0) in longitude and latitude. */
export function tileOf(key: TileKey, mesh: QuantizedMesh, children: number): Tile {
  const { west, south, width, height } = area(key, 2, 1);
  const vertices = mesh.vertices.slice();
  for (let k = 0; k < vertices.length; k += 3) {
    vertices[k] = west + width * vertices[k];
    vertices[k + 1] = south + height * vertices[k + 1];
  }
  return { ...key, vertices, triangles: mesh.triangles, children };
}

/** A globe. Its coordinates are earth-centred; `toCentred` and `toGeodetic` convert. */
export class Globe extends Ground {
  static start(engine: Engine, options: GlobeOptions): Globe {
    const pointer = engine.module._web_globe();
    if (pointer === 0) throw engine.error('globe');
    try {
      for (const tile of options.roots) Globe.#deliver(engine, pointer, tile);
      const { rootColumns = 2, rootRows = 1, levels = 26, budget = 64 * 2 ** 20 } = options;
      engine.check(engine.module._web_globe_start(pointer, rootColumns, rootRows, levels, budget), 'globe');
    } catch (error) {
      engine.module._web_destroy(pointer);
      throw error;
    }
    return new Globe(engine, pointer);
  }

  static #deliver(engine: Engine, pointer: number, tile: Tile): void {
    if (tile.vertices.length % 3 !== 0 || tile.triangles.length % 3 !== 0)
      throw new LandfallError(`tile ${tile.level}/${tile.column}/${tile.row}: ${tile.vertices.length} coordinates and ${tile.triangles.length} corners: expected multiples of three`, 'bad argument');
    engine.scoped((scope) => {
      const key = scope.put([tile.level, tile.column, tile.row, tile.children]);
      const code = engine.module._web_globe_tile(pointer, key, scope.put(tile.vertices), tile.vertices.length / 3, scope.put(tile.triangles), tile.triangles.length / 3);
      engine.check(code, 'tile');
    });
  }

  /** Deliver a tile that an update asked for. */
  deliver(tile: Tile): void {
    Globe.#deliver(this.engine, this.pointer, tile);
  }

  /** Load what a viewer needs. `wanted`: tiles that are to be delivered, the most urgent first. */
  update(viewer: Viewer): { wanted: TileKey[]; fetched: number; evicted: number; waiting: number } {
    return this.ask((scope, pointer) => {
      const { position, velocity = [0, 0, 0], forward = [0, 0, 0], field = 2, detail = 1 / 256, most = 64 } = viewer;
      const [wanted, change] = [scope.space(24 * WANTED), scope.space(32)];
      const count = this.engine.check(this.engine.module._web_globe_update(pointer, scope.put([...position, ...velocity, ...forward, 2, detail, most, field]), wanted, change), 'update');
      const [n, did] = [this.engine.view(Float64Array, wanted, 3 * count), this.engine.view(Float64Array, change, 4)];
      return {
        wanted: Array.from({ length: count }, (_, k) => ({ level: n[3 * k], column: n[3 * k + 1], row: n[3 * k + 2] })),
        fetched: did[0], evicted: did[1], waiting: did[2],
      };
    });
  }

  /** The tiles that show the globe as the last update left it. Their arrays can be read until the next one. */
  drawn(): DrawnTile[] {
    return this.ask((scope, pointer) => {
      let capacity = 512;
      let out = scope.space(8 * DRAWN * capacity);
      let count = this.engine.check(this.engine.module._web_globe_drawn(pointer, out, capacity), 'drawn tiles');
      if (count > capacity) {
        capacity = count;
        out = scope.space(8 * DRAWN * capacity);
        count = this.engine.check(this.engine.module._web_globe_drawn(pointer, out, capacity), 'drawn tiles');
      }
      const n = scope.take(Float64Array, out, DRAWN * count);
      return Array.from({ length: count }, (_, k) => this.#drawnTile(n.subarray(DRAWN * k, DRAWN * (k + 1))));
    });
  }

  #drawnTile(n: Float64Array): DrawnTile {
    const key = { level: n[0], column: n[1], row: n[2], quarters: n[3], resolution: n[4] };
    const copy = <T extends Float64Array | Uint32Array>(type: { new (b: ArrayBufferLike, o: number, l: number): T }, at: number, length: number) =>
      new type(this.engine.module.HEAPU8.buffer, at, length).slice() as T;
    if (n[11] > 0)
      return { ...key, origin: [n[5], n[6], n[7]], vertices: () => copy(Float64Array, n[8], 3 * n[10]), triangles: () => copy(Uint32Array, n[9], 3 * n[11]) };
    const [columns, rows] = [n[13], n[14]];
    const at = (c: number, r: number): [number, number] => [n[15] + c * n[17], Math.max(-90, Math.min(90, n[16] + r * n[18]))];
    const heights = () => this.engine.view(Float32Array, n[12], columns * rows);
    const origin = this.toCentred([...at((columns - 1) / 2, (rows - 1) / 2), 0]);
    return {
      ...key, origin,
      vertices: () => Float64Array.from(heights().slice()).reduce((all, height, k) => {
        const p = this.toCentred([...at(k % columns, Math.floor(k / columns)), height]);
        for (let axis = 0; axis < 3; axis++) all[3 * k + axis] = p[axis] - origin[axis];
        return all;
      }, new Float64Array(3 * columns * rows)),
      triangles: () => {
        const [list, known] = [[] as number[], heights()];
        for (let r = 0; r + 1 < rows; r++)
          for (let c = 0; c + 1 < columns; c++) {
            const a = r * columns + c;
            for (const three of [[a, a + 1, a + columns], [a + 1, a + columns + 1, a + columns]])
              if (three.every((k) => !Number.isNaN(known[k]))) list.push(...three);
          }
        return Uint32Array.from(list);
      },
    };
  }

  /** The ground at a place, on the finest tile that is loaded there. `coarser`: finer ones are not loaded yet. */
  at(longitude: number, latitude: number): { reason: string; height: number; tile: TileKey; resolution: number; coarser: boolean; normal: [number, number, number] } {
    return this.ask((scope, pointer) => {
      const out = scope.space(80);
      this.engine.check(this.engine.module._web_globe_at(pointer, longitude, latitude, out), `${longitude},${latitude}`);
      const n = this.engine.view(Float64Array, out, 10);
      return { reason: this.engine.reason(n[0]), height: n[1], tile: { level: n[2], column: n[3], row: n[4] }, resolution: n[5], coarser: n[6] !== 0, normal: [n[7], n[8], n[9]] };
    });
  }

  #convert(point: Vec3, back: number): [number, number, number] {
    return this.ask((scope, pointer) => {
      const at = scope.put(Float64Array.from(point));
      this.engine.module._web_centred(pointer, at, back);
      return Array.from(this.engine.view(Float64Array, at, 3)) as [number, number, number];
    });
  }

  /** From longitude, latitude and height. */
  toCentred(geodetic: Vec3): [number, number, number] {
    return this.#convert(geodetic, 0);
  }

  /** To longitude, latitude and height. */
  toGeodetic(centred: Vec3): [number, number, number] {
    return this.#convert(centred, 1);
  }
}
