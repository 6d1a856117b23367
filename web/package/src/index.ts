/**
 * landfall in JavaScript: exact queries on terrain.
 *
 * ```js
 * import { load } from 'landfall';
 * const lf = await load();
 * const grid = lf.grid({ samples, columns, rows, transform: [x0, dx, 0, y0, 0, -dy] });
 * grid.height(x, y);
 * grid.viewshed({ at: [x, y], height: 2 }, { range: 10000, curvature: 'light' });
 * ```
 */
import { bestForm, Engine, forms, instantiate, LandfallError, type Form } from './engine.ts';
import { Globe, type GlobeOptions } from './globe.ts';
import { Grid, Ground, identity, World, type Part } from './ground.ts';
import { Scene } from './scene.ts';
import { surfaces, type Samples, type Surface } from './types.ts';

export { LandfallError, type Form } from './engine.ts';
export * from './globe.ts';
export * from './ground.ts';
export * from './scene.ts';
export * from './types.ts';
export * from './readers.ts';

/** A raster as the engine takes it. */
export interface GridOptions {
  /** Row by row. Copied once into the module's memory. */
  samples: Samples;
  columns: number;
  rows: number;
  /** From columns and rows of samples (their centres) to x and y: x0, dx/dcolumn, dx/drow, y0, dy/dcolumn, dy/drow. Default: 0, 1, 0, 0, 0, 1. */
  transform?: readonly number[];
  /** The sample that means "no height"; NaN always does. */
  nodata?: number;
  surface?: Surface;
  /** x and y are longitude and latitude. */
  degrees?: boolean;
}

/** The engine, loaded. */
export class Landfall {
  readonly engine: Engine;
  constructor(engine: Engine) {
    this.engine = engine;
  }

  get version(): string {
    return this.engine.version;
  }

  /** Which form of the module was loaded. */
  get form(): Form {
    return this.engine.form;
  }

  /** How many threads long calls use. */
  get threads(): number {
    return this.engine.threads;
  }

  /** A raster as ground. */
  grid(options: GridOptions): Grid {
    const { samples, columns, rows } = options;
    const types = [Float32Array, Float64Array, Int16Array, Uint16Array];
    const type = types.findIndex((one) => samples instanceof one);
    if (type < 0) throw new LandfallError('samples: expected a Float32Array, Float64Array, Int16Array or Uint16Array', 'bad argument');
    if (!Number.isInteger(columns) || !Number.isInteger(rows) || columns < 2 || rows < 2)
      throw new LandfallError(`${columns} x ${rows} samples: expected whole numbers of at least 2`, 'bad argument');
    if (samples.length !== columns * rows)
      throw new LandfallError(`${samples.length} samples: expected ${columns} x ${rows} = ${columns * rows}`, 'bad argument');
    const transform = options.transform ?? [0, 1, 0, 0, 0, 1];
    if (transform.length !== 6 || !transform.every(Number.isFinite))
      throw new LandfallError(`transform ${Array.from(transform).join(',')}: expected six finite numbers`, 'bad argument');
    const surface = surfaces.indexOf(options.surface ?? 'falling');
    if (surface < 0) throw new LandfallError(`surface ${options.surface}: expected ${surfaces.join(', ')}`, 'bad argument');
    const { engine } = this;
    const data = engine.allocate(samples.byteLength);
    engine.module.HEAPU8.set(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength), data);
    const pointer = engine.scoped((scope) =>
      engine.module._web_grid(data, type, columns, rows, scope.put(transform), options.nodata ?? NaN, surface, options.degrees ? 1 : 0),
    );
    if (pointer === 0) throw engine.error('grid');
    return new Grid(engine, pointer);
  }

  /** Triangles as ground: three numbers per vertex, three vertices per triangle. */
  mesh(vertices: ArrayLike<number>, triangles: ArrayLike<number>): Ground {
    const { engine } = this;
    if (vertices.length % 3 !== 0 || triangles.length % 3 !== 0)
      throw new LandfallError(`${vertices.length} coordinates and ${triangles.length} corners: expected multiples of three`, 'bad argument');
    const pointer = engine.scoped((scope) =>
      engine.module._web_mesh(
        scope.put(vertices instanceof Float64Array ? vertices : Float64Array.from(vertices)),
        vertices.length / 3,
        scope.put(triangles instanceof Uint32Array ? triangles : Uint32Array.from(triangles)),
        triangles.length / 3,
      ),
    );
    if (pointer === 0) throw engine.error('mesh');
    return new Ground(engine, pointer);
  }

  /** The ground of a .lf file: a Grid, a Globe, or any other ground. */
  open(file: ArrayBuffer | Uint8Array): Ground | Grid | Globe {
    const { engine } = this;
    const pointer = engine.file(file instanceof Uint8Array ? file : new Uint8Array(file), (_, path) => engine.module._web_open(path));
    if (pointer === 0) throw engine.error('.lf file');
    const kind = engine.scoped((scope) => {
      const numbers = scope.space(17 * 8);
      engine.module._web_describe(pointer, numbers);
      return engine.view(Float64Array, numbers, 17)[16];
    });
    return new [Ground, Grid, Globe][kind](engine, pointer);
  }

  /** A planet of tiles that are delivered as they come. */
  globe(options: GlobeOptions): Globe {
    return Globe.start(this.engine, options);
  }

  /** Boxes and models that move over a ground; contacts between them are predicted so many seconds ahead. */
  scene(ground: Ground, options: { ahead?: number } = {}): Scene {
    return new Scene(this.engine, ground, options.ahead ?? 10);
  }

  /** Grounds and boxes as one ground. */
  world(parts: readonly Part[]): World {
    const { engine } = this;
    const numbers = parts.flatMap((part, k) => {
      if (!part.ground === !part.box) throw new LandfallError(`part ${k}: expected a ground or a box`, 'bad argument');
      const pose = Array.from(part.pose ?? identity);
      if (pose.length !== 12) throw new LandfallError(`part ${k}: pose of ${pose.length} numbers: expected 12`, 'bad argument');
      const box = part.box ? [...part.box.low, ...part.box.high] : [0, 0, 0, 0, 0, 0];
      return [part.ground?.pointer ?? 0, ...pose, ...box, part.layers ?? 0, part.user ?? 0];
    });
    const pointer = engine.scoped((scope) => engine.module._web_group(scope.put(numbers), parts.length));
    if (pointer === 0) throw engine.error('world');
    return new World(engine, pointer, parts);
  }
}

export interface LoadOptions {
  /** The folder of the module's files (an address that ends with /); default: that of this file. */
  folder?: URL | string;
  /** Default: the fastest that this place can run. 'threads' only in a worker of an isolated page. */
  form?: Form;
  /** How many; default: as many as the machine has, at most 8. */
  threads?: number;
}

/** Load the engine. */
export async function load(options: LoadOptions = {}): Promise<Landfall> {
  const form = options.form ?? bestForm();
  if (!forms.includes(form)) throw new LandfallError(`form ${form}: expected ${forms.join(', ')}`, 'bad argument');
  const threads = options.threads ?? Math.min(8, globalThis.navigator?.hardwareConcurrency ?? 1);
  if (!Number.isInteger(threads) || threads < 1 || threads > 16) throw new LandfallError(`${threads} threads: expected 1 to 16`, 'bad argument');
  return new Landfall(await instantiate(new URL(options.folder ?? '.', import.meta.url), form, threads));
}
