/** Grounds: what can be asked of terrain. */
import { Engine, LandfallError, Scope } from './engine.ts';
import type { Camera, CountMap, Counts, Hit, Horizon, Observer, Pose, Profile, Sight, SightRules, Values, Vec2, Vec3, Viewshed, ViewshedOptions, Window } from './types.ts';

const curvatures = { flat: 0, light: 0.85714, radio: 0.75 };
const verdicts = ['clear', 'blocked', 'unknown'] as const;
const cameraActs = ['stopped', 'slid', 'raised', 'ahead', 'held', 'recovering', 'coarse', 'unproven'];
const walkEnds = ['arrived', 'no ground', 'step up', 'step down'] as const;
const HIT = 14;

function rulesOf(rules: SightRules): number[] {
  const curvature = rules.curvature ?? 0;
  const voids = ['unknown', 'pass', 'stop'].indexOf(rules.voids ?? 'unknown');
  if (voids < 0) throw new LandfallError(`voids ${rules.voids}: expected unknown, pass or stop`, 'bad argument');
  const coefficient = typeof curvature === 'number' ? curvature : curvatures[curvature];
  if (coefficient === undefined) throw new LandfallError(`curvature ${curvature}: expected a number, flat, light or radio`, 'bad argument');
  return [coefficient, rules.radius ?? 6371008.8, voids, rules.frequency ?? 0];
}

function viewshedOf(options: ViewshedOptions): number[] {
  const range = options.range === undefined ? [0, Infinity] : typeof options.range === 'number' ? [0, options.range] : options.range;
  return [...rulesOf(options), options.target ?? 0, ...range, ...(options.azimuth ?? [0, 360]), ...(options.pitch ?? [-90, 90])];
}

function observerOf(observer: Observer): number[] {
  return [observer.at[0], observer.at[1], observer.height ?? 2, observer.datum ? 1 : 0];
}

function countsOf(stats: Float64Array): Counts {
  return { hidden: stats[0], visible: stats[1], unknown: stats[2], void: stats[3], beyond: stats[4] };
}

function hitOf(n: Float64Array, at = 0): Hit | null {
  if (n[at] === 0) return null;
  return {
    t: n[at + 2],
    point: [n[at + 3], n[at + 4], n[at + 5]],
    normal: [n[at + 6], n[at + 7], n[at + 8]],
    part: n[at + 9],
    element: n[at + 10],
    triangle: n[at + 11],
    user: n[at + 12],
    layers: n[at + 13],
  };
}

const registry = new FinalizationRegistry<{ engine: Engine; pointer: number }>(({ engine, pointer }) => engine.module._web_destroy(pointer));

/** Any ground. Free it with `dispose()`; what is forgotten is freed when it is collected. */
export class Ground {
  protected engine: Engine;
  #pointer: number;
  /** Where viewsheds, shade and sun hours have samples: those of a grid; of other grounds 257 or fewer along the longer side of their box; none of a globe. */
  readonly columns: number;
  readonly rows: number;
  /** From columns and rows of samples to x and y: x0, dx/dcolumn, dx/drow, y0, dy/dcolumn, dy/drow. */
  readonly transform: readonly number[];
  readonly degrees: boolean;

  /** Grounds are made by `Landfall`. */
  constructor(engine: Engine, pointer: number) {
    this.engine = engine;
    this.#pointer = pointer;
    registry.register(this, { engine, pointer }, this);
    const n = this.describe();
    this.columns = n[6];
    this.rows = n[7];
    this.transform = Array.from(n.subarray(8, 14));
    this.degrees = n[14] !== 0;
  }

  /** The engine's own number of this ground. */
  get pointer(): number {
    if (this.#pointer === 0) throw new LandfallError('the ground: it was disposed of', 'bad argument');
    return this.#pointer;
  }

  dispose(): void {
    if (this.#pointer === 0) return;
    registry.unregister(this);
    this.engine.module._web_destroy(this.#pointer);
    this.#pointer = 0;
  }

  protected ask<R>(run: (scope: Scope, pointer: number) => R): R {
    const pointer = this.pointer;
    return this.engine.scoped((scope) => run(scope, pointer));
  }

  protected describe(): Float64Array {
    return this.ask((scope, pointer) => {
      const out = scope.space(17 * 8);
      this.engine.module._web_describe(pointer, out);
      return scope.take(Float64Array, out, 17);
    });
  }

  /** The box of everything: low and high corner. */
  get box(): { low: [number, number, number]; high: [number, number, number] } {
    const n = this.describe();
    return { low: [n[0], n[1], n[2]], high: [n[3], n[4], n[5]] };
  }

  /** Height of the topmost ground, or of the ground at or below z; NaN where there is none. */
  height(x: number, y: number, z = Infinity): number {
    return this.heights([x, y, z])[0];
  }

  /** Many heights: three numbers per point (z: from where to look down; Infinity for the topmost ground). */
  heights(points: ArrayLike<number>, options: { up?: boolean } = {}): Float64Array {
    const count = points.length / 3;
    if (!Number.isInteger(count)) throw new LandfallError(`${points.length} numbers: expected three per point`, 'bad argument');
    const given = points instanceof Float64Array ? points : Float64Array.from(points);
    const heights = new Float64Array(count);
    return this.ask((scope, pointer) => {
      // In parts that stay in the processor's cache while they are copied and answered; threads share larger ones.
      const part = Math.min(count, this.engine.threads > 1 ? 1 << 20 : 1 << 13);
      const [from, to] = [scope.space(24 * part), scope.space(8 * part)];
      for (let first = 0; first < count; first += part) {
        const some = Math.min(part, count - first);
        this.engine.view(Float64Array, from, 3 * some).set(given.subarray(3 * first, 3 * (first + some)));
        this.engine.check(this.engine.module._web_heights(pointer, from, some, options.up ? 1 : 0, to), 'heights');
        heights.set(this.engine.view(Float64Array, to, some), first);
      }
      return heights;
    });
  }

  /** The ground below a point (above it with `up`), with its normal; null where there is none. */
  below(point: Vec3, options: { up?: boolean } = {}): Hit | null {
    return this.ask((scope, pointer) => {
      const out = scope.space(8 * HIT);
      this.engine.check(this.engine.module._web_height_hit(pointer, scope.put(Float64Array.from(point)), options.up ? 1 : 0, out), 'below');
      return hitOf(scope.take(Float64Array, out, HIT));
    });
  }

  /** The first thing that a ray meets; null if there is none. */
  ray(origin: Vec3, direction: Vec3, range: readonly [number, number] = [0, Infinity]): Hit | null {
    return this.rays([...origin, ...direction, ...range])[0];
  }

  /** Many rays: eight numbers each (origin, direction, least t, greatest t). */
  rays(rays: ArrayLike<number>): (Hit | null)[] {
    const count = rays.length / 8;
    if (!Number.isInteger(count)) throw new LandfallError(`${rays.length} numbers: expected eight per ray`, 'bad argument');
    return this.ask((scope, pointer) => {
      const out = scope.space(8 * HIT * count);
      this.engine.check(this.engine.module._web_rays(pointer, scope.put(Float64Array.from(rays)), count, out), 'rays');
      const numbers = this.engine.view(Float64Array, out, HIT * count);
      return Array.from({ length: count }, (_, k) => hitOf(numbers, HIT * k));
    });
  }

  /** Only the t of many rays, NaN for a miss: the fastest form. */
  rayDistances(rays: Float64Array): Float64Array {
    const count = rays.length / 8;
    if (!Number.isInteger(count)) throw new LandfallError(`${rays.length} numbers: expected eight per ray`, 'bad argument');
    return this.ask((scope, pointer) => {
      const out = scope.space(8 * count);
      this.engine.check(this.engine.module._web_rays_t(pointer, scope.put(rays), count, out), 'rays');
      return scope.take(Float64Array, out, count);
    });
  }

  /** First contact of a sphere that moves in a straight line; null if there is none. */
  sweepSphere(centre: Vec3, radius: number, motion: Vec3, tolerance = 1e-6): Hit | null {
    return this.#sweep([1, 0, 0, 0, 1, 0, 0, 0, 1, ...centre, 0, 0, 0, radius, ...motion, tolerance]);
  }

  /** First contact of a box (half its sides) that moves without turning. */
  sweepBox(pose: Pose, half: Vec3, motion: Vec3, tolerance = 1e-6): Hit | null {
    return this.#sweep([...Array.from(pose), ...half, 0, ...motion, tolerance]);
  }

  #sweep(numbers: number[]): Hit | null {
    return this.ask((scope, pointer) => {
      const out = scope.space(8 * HIT);
      this.engine.check(this.engine.module._web_sweep(pointer, scope.put(numbers), out), 'sweep');
      return hitOf(scope.take(Float64Array, out, HIT));
    });
  }

  /** Walk straight from one place to another over steps of at most `step` metres. */
  walk(from: Vec3, to: Vec3, walker: { step: number; drop?: number; crack?: number }) {
    return this.ask((scope, pointer) => {
      const input = scope.put([...from, ...to, walker.step, walker.drop ?? walker.step, walker.crack ?? 0]);
      const out = scope.space(8 * 8);
      const few = 1024;
      let points = scope.space(24 * few);
      const call = (space: number, capacity: number) =>
        this.engine.check(this.engine.module._web_walk(pointer, input, out, space, capacity), 'walk');
      call(points, few);
      let n = scope.take(Float64Array, out, 8);
      if (n[7] > few) {
        points = scope.space(24 * n[7]);
        call(points, n[7]);
        n = scope.take(Float64Array, out, 8);
      }
      return {
        end: walkEnds[n[0]],
        reason: this.engine.reason(n[1]),
        t: n[2],
        position: [n[3], n[4], n[5]] as [number, number, number],
        step: n[6],
        path: scope.take(Float64Array, points, 3 * n[7]),
      };
    });
  }

  /** The point so many metres above the topmost ground; null where there is none. */
  above(at: Vec2, height: number): [number, number, number] | null {
    return this.ask((scope, pointer) => {
      const out = scope.space(24);
      const reason = this.engine.check(this.engine.module._web_observer(pointer, at[0], at[1], height, out), 'above');
      return reason === 0 ? (Array.from(this.engine.view(Float64Array, out, 3)) as [number, number, number]) : null;
    });
  }

  /** The line of sight from a to b, with clearance. */
  sight(a: Vec3, b: Vec3, rules: SightRules = {}): Sight {
    return this.ask((scope, pointer) => {
      const out = scope.space(12 * 8);
      this.engine.check(this.engine.module._web_sight(pointer, scope.put(rulesOf(rules)), scope.put([...a, ...b]), out), 'sight');
      const n = scope.take(Float64Array, out, 12);
      return {
        verdict: verdicts[n[0]],
        t: n[1],
        point: [n[2], n[3], n[4]],
        length: n[5],
        clearance: n[6],
        clearanceT: n[7],
        raise: n[8],
        raiseT: n[9],
        fresnel: n[10],
        fresnelT: n[11],
      };
    });
  }

  /** Verdicts of many lines (0 clear, 1 blocked, 2 unknown): three numbers per end; a single first end is shared by all. */
  verdicts(a: ArrayLike<number>, b: ArrayLike<number>, rules: SightRules = {}): Uint8Array {
    const count = b.length / 3;
    const same = a.length === 3;
    if (!Number.isInteger(count) || !(same || a.length === b.length))
      throw new LandfallError(`${a.length} and ${b.length} numbers: expected three per end, as many on both sides or one first end`, 'bad argument');
    return this.ask((scope, pointer) => {
      const out = scope.space(count);
      const code = this.engine.module._web_verdicts(
        pointer,
        scope.put(rulesOf(rules)),
        scope.put(Float64Array.from(a)),
        same ? 1 : 0,
        scope.put(Float64Array.from(b)),
        count,
        out,
      );
      this.engine.check(code, 'verdicts');
      return scope.take(Uint8Array, out, count);
    });
  }

  /** The ground under a line: at every break of a grid's surface, or at equal steps. */
  profile(a: Vec3, b: Vec3, options: SightRules & { steps?: number } = {}): Profile {
    return this.ask((scope, pointer) => {
      const rules = scope.put(rulesOf(options));
      const ends = scope.put([...a, ...b]);
      const call = (points: number, capacity: number) =>
        this.engine.check(this.engine.module._web_profile(pointer, rules, ends, options.steps ?? 0, points, capacity), 'profile');
      const count = call(scope.space(32), 1);
      const points = scope.space(32 * count);
      call(points, count);
      const n = this.engine.view(Float64Array, points, 4 * count);
      const column = (offset: number) => Float64Array.from({ length: count }, (_, k) => n[4 * k + offset]);
      return { t: column(0), distance: column(1), ground: column(2), line: column(3) };
    });
  }

  get window(): Window {
    return { column: 0, row: 0, columns: this.columns, rows: this.rows };
  }

  #windowOf(scope: Scope, pointer: number, def: number, options: ViewshedOptions, at: Vec2): Window {
    if (options.window) return options.window;
    const out = scope.space(32);
    this.engine.module._web_viewshed_window(pointer, def, at[0], at[1], out);
    const n = scope.take(Float64Array, out, 4);
    return { column: n[0], row: n[1], columns: n[2], rows: n[3] };
  }

  #progress<R>(options: { progress?: ViewshedOptions['progress'] }, run: () => R): R {
    this.engine.module.progress = options.progress;
    try {
      return run();
    } finally {
      this.engine.module.progress = undefined;
    }
  }

  #put(scope: Scope, w: Window): number {
    const numbers = [w.column, w.row, w.columns, w.rows];
    if (!numbers.every(Number.isInteger) || w.columns < 1 || w.rows < 1 || w.column < 0 || w.row < 0 || w.column + w.columns > this.columns || w.row + w.rows > this.rows)
      throw new LandfallError(`window ${numbers.join(',')}: it is empty or not within the ${this.columns} x ${this.rows} samples`, 'bad argument');
    return scope.put(numbers);
  }

  /** A viewshed by bytes (mode -1) or numbers, and its counts. */
  #look<T extends Uint8Array | Float32Array>(type: { new (length: number): T; readonly BYTES_PER_ELEMENT: number }, observer: Observer, mode: number, options: ViewshedOptions) {
    return this.ask((scope, pointer) => {
      const def = scope.put(viewshedOf(options));
      const window = this.#windowOf(scope, pointer, def, options, observer.at);
      const place = this.#put(scope, window);
      const count = window.columns * window.rows;
      const out = scope.space(type.BYTES_PER_ELEMENT * count);
      const stats = scope.space(48);
      const code = this.#progress(options, () =>
        this.engine.module._web_viewshed(pointer, def, scope.put(observerOf(observer)), mode, place, out, stats),
      );
      this.engine.check(code, 'viewshed');
      return { window, result: scope.take(type as never, out, count) as T, counts: countsOf(scope.take(Float64Array, stats, 6)) };
    });
  }

  /** Which samples an observer sees: exact for every one. */
  viewshed(observer: Observer, options: ViewshedOptions = {}): Viewshed {
    const { window, result, counts } = this.#look(Uint8Array, observer, -1, options);
    return { window, seen: result, counts };
  }

  /** A number for each sample: least visible height above ground or datum, angle, or distance of visible targets; NaN where there is none. */
  viewshedValues(observer: Observer, mode: 'ground' | 'dem' | 'angle' | 'distance', options: ViewshedOptions = {}): Values {
    const number = ['ground', 'dem', 'angle', 'distance'].indexOf(mode);
    if (number < 0) throw new LandfallError(`mode ${mode}: expected ground, dem, angle or distance`, 'bad argument');
    const { window, result, counts } = this.#look(Float32Array, observer, number, options);
    return { window, values: result, counts };
  }

  /** How many of the observers see each sample. */
  viewshedCount(observers: readonly Observer[], options: ViewshedOptions = {}): CountMap {
    const window = options.window ?? this.window;
    return this.ask((scope, pointer) => {
      const count = window.columns * window.rows;
      const place = this.#put(scope, window);
      const out = scope.space(4 * count);
      const stats = scope.space(48);
      const code = this.#progress(options, () =>
        this.engine.module._web_viewshed_count(
          pointer,
          scope.put(viewshedOf(options)),
          scope.put(observers.flatMap(observerOf)),
          observers.length,
          place,
          out,
          stats,
        ),
      );
      this.engine.check(code, 'viewshed');
      return { window, seen: scope.take(Uint32Array, out, count), counts: countsOf(scope.take(Float64Array, stats, 6)) };
    });
  }

  /** The skyline around a point, one entry per azimuth (degrees clockwise from +y). */
  horizon(from: Vec3, azimuths: ArrayLike<number>, options: SightRules & { range?: number } = {}): Horizon[] {
    return this.ask((scope, pointer) => {
      const out = scope.space(40 * azimuths.length);
      const code = this.engine.module._web_horizon(
        pointer,
        scope.put(rulesOf(options)),
        scope.put(Float64Array.from(from)),
        options.range ?? Infinity,
        scope.put(Float64Array.from(azimuths)),
        azimuths.length,
        out,
      );
      this.engine.check(code, 'horizon');
      const n = this.engine.view(Float64Array, out, 5 * azimuths.length);
      return Array.from({ length: azimuths.length }, (_, k) => ({
        elevation: n[5 * k],
        distance: n[5 * k + 1],
        point: [n[5 * k + 2], n[5 * k + 3], n[5 * k + 4]] as [number, number, number],
      }));
    });
  }

  /** Which samples a sun lights: 0 shade, 1 lit, 2 unknown, 3 void. */
  shade(sun: { azimuth: number; altitude: number }, options: SightRules & { window?: Window } = {}): Uint8Array {
    const window = options.window ?? this.window;
    return this.ask((scope, pointer) => {
      const count = window.columns * window.rows;
      const place = this.#put(scope, window);
      const out = scope.space(count);
      this.engine.check(this.engine.module._web_shade(pointer, scope.put(rulesOf(options)), sun.azimuth, sun.altitude, place, out), 'shade');
      return scope.take(Uint8Array, out, count);
    });
  }

  /** Hours of sun of each sample: the sum over suns, each with the hours that it stands for. */
  sunHours(suns: readonly { azimuth: number; altitude: number; hours: number }[], options: ViewshedOptions = {}): Float32Array {
    const window = options.window ?? this.window;
    return this.ask((scope, pointer) => {
      const count = window.columns * window.rows;
      const place = this.#put(scope, window);
      const out = scope.space(4 * count);
      const code = this.#progress(options, () =>
        this.engine.module._web_sun_hours(
          pointer,
          scope.put(rulesOf(options)),
          scope.put(suns.flatMap((s) => [s.azimuth, s.altitude, s.hours])),
          suns.length,
          place,
          out,
        ),
      );
      this.engine.check(code, 'sun hours');
      return scope.take(Float32Array, out, count);
    });
  }

  /** Move a camera for so many seconds: it keeps its clearance from everything on the whole way, and slides along what is in the way. */
  stepCamera(camera: Camera, seconds: number): Camera & { did: string[]; share: number; raised: number } {
    return this.ask((scope, pointer) => {
      const { clearance = 2, raiseLimit = 200, lookAhead = 2 } = camera;
      const numbers = scope.put([...camera.position, ...camera.velocity, ...(camera.turn ?? [0, 0, 0]), clearance, raiseLimit, lookAhead]);
      const out = scope.space(24);
      this.engine.check(this.engine.module._web_camera_step(pointer, numbers, seconds, out), 'camera');
      const [n, done] = [this.engine.view(Float64Array, numbers, 9), this.engine.view(Float64Array, out, 3)];
      const three = (k: number): [number, number, number] => [n[k], n[k + 1], n[k + 2]];
      return { ...camera, position: three(0), velocity: three(3), turn: three(6), did: cameraActs.filter((_, k) => (done[0] >> k) & 1), share: done[1], raised: done[2] };
    });
  }
}

/** A raster as ground. */
export class Grid extends Ground {
  readonly voids: number;

  constructor(engine: Engine, pointer: number) {
    super(engine, pointer);
    this.voids = this.describe()[15];
  }

  /** All heights, row by row; NaN for voids. */
  samples(): Float64Array {
    const count = this.columns * this.rows;
    return this.ask((scope, pointer) => {
      const out = scope.space(8 * count);
      this.engine.check(this.engine.module._web_samples(pointer, out), 'samples');
      return scope.take(Float64Array, out, count);
    });
  }
}

/** One part of a world: a ground, or a box. */
export interface Part {
  ground?: Ground;
  box?: { low: Vec3; high: Vec3 };
  /** 12 numbers; default: in its own coordinates. */
  pose?: Pose;
  layers?: number;
  user?: number;
}

export const identity: Pose = [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0];

/** Several grounds and boxes as one ground. */
export class World extends Ground {
  /** The parts' grounds must live as long as the world: it holds on to them. */
  readonly parts: readonly Part[];

  constructor(engine: Engine, pointer: number, parts: readonly Part[]) {
    super(engine, pointer);
    this.parts = parts;
  }

  /** Move a part. */
  move(part: number, pose: Pose): void {
    this.ask((scope, pointer) =>
      this.engine.check(this.engine.module._web_move(pointer, part, scope.put(Array.from(pose))), `part ${part}`),
    );
  }
}
