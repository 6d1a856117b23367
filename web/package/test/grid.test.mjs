// Answers against brute force in JavaScript, and errors.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LandfallError, load } from '../dist/index.js';

const lf = await load();

/** Repeatable random numbers (xorshift32). */
function random(seed) {
  let s = seed;
  return () => {
    s ^= s << 13;
    s ^= s >>> 17;
    s ^= s << 5;
    return (s >>> 0) / 4294967296;
  };
}

function hills(columns, rows, seed = 7) {
  const next = random(seed);
  const waves = Array.from({ length: 6 }, () => [next() * 0.4, next() * 0.4, next() * 6, next() * 20]);
  const samples = new Float32Array(columns * rows);
  for (let r = 0; r < rows; r++)
    for (let c = 0; c < columns; c++) for (const [a, b, p, h] of waves) samples[r * columns + c] += h * Math.sin(a * c + b * r + p);
  return samples;
}

/** The falling surface: each cell cut from its upper left to its lower right sample, rows downwards. */
function heightOf(samples, columns, u, v) {
  const c = Math.min(Math.floor(u), columns - 2);
  const r = Math.min(Math.floor(v), samples.length / columns - 2);
  const [x, y] = [u - c, v - r];
  const at = (i, j) => samples[(r + j) * columns + c + i];
  return x >= y
    ? at(0, 0) + x * (at(1, 0) - at(0, 0)) + y * (at(1, 1) - at(1, 0))
    : at(0, 0) + y * (at(0, 1) - at(0, 0)) + x * (at(1, 1) - at(0, 1));
}

test('the version is that of the package', async () => {
  const { default: info } = await import('../package.json', { with: { type: 'json' } });
  assert.equal(lf.version, info.version);
});

test('heights are those of the triangles, in either order of rows', () => {
  const [columns, rows] = [33, 21];
  const samples = hills(columns, rows);
  const down = lf.grid({ samples, columns, rows, transform: [100, 2, 0, 500, 0, -2] });
  const next = random(3);
  for (let k = 0; k < 2000; k++) {
    const [u, v] = [next() * (columns - 1), next() * (rows - 1)];
    const found = down.height(100 + 2 * u, 500 - 2 * v);
    assert.ok(Math.abs(found - heightOf(samples, columns, u, v)) < 1e-9, `${u} ${v}: ${found}`);
  }
  assert.ok(Number.isNaN(down.height(0, 0)));
  assert.deepEqual(Array.from(down.samples()), Array.from(samples, Number));
  const flipped = new Float32Array(samples.length);
  for (let r = 0; r < rows; r++) flipped.set(samples.subarray(r * columns, (r + 1) * columns), (rows - 1 - r) * columns);
  const up = lf.grid({ samples: flipped, columns, rows, transform: [100, 2, 0, 500 - 2 * (rows - 1), 0, 2] });
  assert.equal(up.height(123.25, 471.5), down.height(123.25, 471.5));
  assert.deepEqual(down.transform, [100, 2, 0, 500, 0, -2]);
  for (const one of [down, up]) one.dispose();
});

test('a viewshed is one line of sight per sample', () => {
  const [columns, rows] = [41, 37];
  const samples = hills(columns, rows, 11);
  samples[5 * columns + 7] = NaN;
  const grid = lf.grid({ samples, columns, rows, transform: [0, 10, 0, 360, 0, -10] });
  for (const options of [{}, { curvature: 'light', target: 1 }, { range: 150 }]) {
    const seen = grid.viewshed({ at: [203, 177], height: 3 }, options);
    const eye = grid.above([203, 177], 3);
    const { window } = seen;
    let visible = 0;
    for (let r = 0; r < window.rows; r++)
      for (let c = 0; c < window.columns; c++) {
        const at = [10 * (window.column + c), 360 - 10 * (window.row + r)];
        const value = seen.seen[r * window.columns + c];
        const target = grid.above(at, options.target ?? 0);
        const beyond = Math.hypot(at[0] - 203, at[1] - 177) > (options.range ?? Infinity);
        const verdict = () => ({ clear: 1, blocked: 0, unknown: 2 })[grid.sight(eye, target, options).verdict];
        assert.equal(value, target === null ? 3 : beyond ? 4 : verdict(), `${at}`);
        visible += value === 1;
      }
    assert.equal(seen.counts.visible, visible);
    assert.ok(visible > 20 && visible < columns * rows);
  }
  const count = grid.viewshedCount([{ at: [203, 177] }, { at: [50, 50] }]);
  const [a, b] = [[203, 177], [50, 50]].map((at) => grid.viewshed({ at }).seen);
  assert.deepEqual(Array.from(count.seen), Array.from(a, (v, k) => (v === 3 ? 4294967295 : (v === 1) + (b[k] === 1))));
  grid.dispose();
});

test('rays meet what heights find, and many rays give what one gives', () => {
  const [columns, rows] = [65, 65];
  const grid = lf.grid({ samples: hills(columns, rows, 5), columns, rows });
  const next = random(9);
  const rays = new Float64Array(8 * 500);
  for (let k = 0; k < 500; k++)
    rays.set([next() * 64, next() * 64, 200, next() - 0.5, next() - 0.5, -4, 0, Infinity], 8 * k);
  const hits = grid.rays(rays);
  const distances = grid.rayDistances(rays);
  hits.forEach((hit, k) => {
    assert.equal(hit ? hit.t : NaN, distances[k]);
    if (hit) assert.ok(Math.abs(grid.height(hit.point[0], hit.point[1]) - hit.point[2]) < 1e-9);
  });
  assert.ok(hits.filter(Boolean).length > 200);
  assert.equal(grid.ray([0, 0, 1000], [0, 0, 1]), null);
});

test('a profile, a horizon and shade agree with lines of sight', () => {
  const [columns, rows] = [65, 65];
  const grid = lf.grid({ samples: hills(columns, rows, 13), columns, rows, transform: [0, 30, 0, 0, 0, 30] });
  const a = grid.above([100, 200], 10);
  const b = grid.above([1700, 1500], 10);
  const sight = grid.sight(a, b, { frequency: 1000 });
  const profile = grid.profile(a, b);
  const least = Math.min(...Array.from(profile.ground, (g, k) => (k === 0 || k === profile.t.length - 1 ? Infinity : profile.line[k] - g)));
  assert.ok(Math.abs(least - sight.clearance) < 1e-6);
  assert.equal(sight.verdict, least < 0 ? 'blocked' : 'clear');
  const [h] = grid.horizon(a, [90]);
  const sun = (altitude) => grid.shade({ azimuth: 90, altitude });
  assert.ok(h.distance > 0);
  assert.equal(sun(-5).reduce((n, v) => n + (v === 1), 0), 0, 'no sun from below level');
  assert.ok(sun(80).filter((v) => v === 1).length > sun(3).filter((v) => v === 1).length);
  const hours = grid.sunHours([{ azimuth: 90, altitude: 3, hours: 2 }, { azimuth: 180, altitude: 80, hours: 1 }]);
  const [low, high] = [sun(3), grid.shade({ azimuth: 180, altitude: 80 })];
  hours.forEach((value, k) => assert.equal(value, 2 * (low[k] === 1) + (high[k] === 1)));
});

test('meshes, worlds, sweeps and walks', () => {
  const floor = lf.mesh([0, 0, 0, 100, 0, 0, 100, 100, 0, 0, 100, 0], [0, 1, 2, 0, 2, 3]);
  const world = lf.world([
    { ground: floor },
    { box: { low: [-5, -5, 0], high: [5, 5, 20] }, pose: [1, 0, 0, 0, 1, 0, 0, 0, 1, 50, 50, 0], user: 42 },
  ]);
  assert.equal(world.height(50, 50), 20);
  assert.equal(world.below([50, 50, 30]).user, 42);
  assert.equal(world.sight([10, 50, 2], [90, 50, 2]).verdict, 'blocked');
  const hit = world.sweepSphere([10, 50, 5], 2, [80, 0, 0]);
  assert.ok(Math.abs(10 + 80 * hit.t - 43) < 1e-4 && hit.t <= 33 / 80);
  assert.equal(world.walk([50, 50, 20], [90, 50, 0], { step: 0.3 }).end, 'step down');
  world.move(1, [1, 0, 0, 0, 1, 0, 0, 0, 1, 50, 90, 0]);
  assert.equal(world.walk([10, 50, 0], [90, 50, 0], { step: 0.3 }).end, 'arrived');
  assert.equal(world.sight([10, 50, 2], [90, 50, 2]).verdict, 'clear');
});

test('bad input is an error that names the value', () => {
  const samples = hills(4, 4);
  const bad = (run, pattern) => assert.throws(run, (error) => error instanceof LandfallError && pattern.test(error.message));
  bad(() => lf.grid({ samples, columns: 4, rows: 5 }), /16 samples.*4 x 5/);
  bad(() => lf.grid({ samples: [1, 2, 3, 4], columns: 2, rows: 2 }), /Float32Array/);
  bad(() => lf.grid({ samples, columns: 4, rows: 4, transform: [0, 1, 0, 0, 2, 0] }), /./);
  bad(() => lf.grid({ samples, columns: 4, rows: 4, surface: 'smooth' }), /smooth/);
  bad(() => lf.mesh([0, 0, 0], [0, 1, 2]), /./);
  bad(() => lf.mesh([0, 0], [0, 0, 0]), /2 coordinates/);
  bad(() => lf.open(new Uint8Array(100)), /\.lf file/);
  bad(() => lf.world([{}]), /part 0/);
  const grid = lf.grid({ samples, columns: 4, rows: 4 });
  bad(() => grid.viewshed({ at: [100, 100] }), /./);
  bad(() => grid.viewshed({ at: [NaN, 1] }), /./);
  bad(() => grid.viewshed({ at: [1, 1] }, { range: -1 }), /./);
  bad(() => grid.viewshed({ at: [1, 1] }, { window: { column: 2, row: 0, columns: 3, rows: 1 } }), /window 2,0,3,1/);
  bad(() => grid.sight([0, 0, 1], [1, 1, 1], { curvature: 'round' }), /round/);
  bad(() => grid.ray([0, 0, 1], [0, 0, 0]), /ray 0/);
  bad(() => grid.heights([1, 2]), /2 numbers/);
  grid.dispose();
  grid.dispose();
  bad(() => grid.height(1, 1), /disposed/);
});

test('progress can cancel', () => {
  const [columns, rows] = [600, 600];
  const grid = lf.grid({ samples: hills(columns, rows, 3), columns, rows });
  const observers = Array.from({ length: 50 }, (_, k) => ({ at: [10 * k + 5, 300] }));
  let calls = 0;
  assert.throws(
    () => grid.viewshedCount(observers, { progress: () => ++calls < 3 }),
    (error) => error.status === 'cancelled' || /cancel/.test(error.message),
  );
  assert.ok(calls >= 3);
  grid.dispose();
});

test('memory is freed', () => {
  const samples = hills(200, 200);
  for (let k = 0; k < 2000; k++) {
    const grid = lf.grid({ samples, columns: 200, rows: 200 });
    grid.viewshed({ at: [5, 5] }, { range: 10 });
    grid.dispose();
  }
  assert.ok(lf.engine.module.HEAPU8.length < 64 * 1024 * 1024, `${lf.engine.module.HEAPU8.length} bytes`);
});

test('with vectors and without: the same bits', async () => {
  const plain = await load({ form: 'scalar' });
  assert.deepEqual([plain.form, lf.form, lf.threads], ['scalar', 'simd', 1]);
  const bits = (a) => Buffer.from(a.buffer, a.byteOffset, a.byteLength).toString('hex');
  const next = random(99);
  for (const type of [Float32Array, Int16Array, Float64Array])
    for (const surface of ['falling', 'rising', 'alternating', 'bilinear'])
      for (const voids of [false, true]) {
        const [columns, rows] = [150, 131];
        const samples = type.from(hills(columns, rows, 5 + Math.floor(1000 * next())), (h, k) => (voids && k % 997 < 3 ? -9999 : 4 * h));
        const options = { samples, columns, rows, surface, nodata: -9999, transform: [100, 20, 0, 20 * rows, 0, -20] };
        const [a, b] = [lf.grid(options), plain.grid(options)];
        const spot = () => [90 + 20 * columns * next(), -10 + 20 * rows * next(), 200 * next() - 20];
        const points = Float64Array.from(Array.from({ length: 500 }, spot).flat());
        const ends = Float64Array.from(Array.from({ length: 500 }, spot).flat());
        const rays = Float64Array.from(Array.from({ length: 500 }, () => [...spot(), next() - 0.5, next() - 0.5, 0.2 * next() - 0.15, 0, 1e5]).flat());
        const observer = { at: [100 + 20 * 60.3, 20 * 70.6], height: 5 };
        const same = (ask) => assert.equal(bits(ask(a)), bits(ask(b)), `${type.name}, ${surface}, voids ${voids}: ${ask}`);
        same((g) => g.heights(points));
        same((g) => g.rayDistances(rays));
        same((g) => g.verdicts(points, ends));
        same((g) => g.verdicts(points, ends, { curvature: 'radio' }));
        same((g) => g.viewshed(observer, { curvature: 'light' }).seen);
        same((g) => g.viewshed(observer, { target: 3, range: 900 }).seen);
        same((g) => g.viewshedValues(observer, 'ground').values);
        a.dispose();
        b.dispose();
      }
});

test('a form or a number of threads that does not exist is named', async () => {
  await assert.rejects(load({ form: 'gpu' }), { message: 'form gpu: expected scalar, simd, threads' });
  await assert.rejects(load({ threads: 0 }), { message: '0 threads: expected 1 to 16' });
});
