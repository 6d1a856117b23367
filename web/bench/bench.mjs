// ./run bench web: the package against the native library on one thread, against three.js with three-mesh-bvh, and against XDraw in
// JavaScript, on the same terrain, in turns; answers are compared before any figure is printed. NATIVE: the program web-native.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load } from 'landfall';
import * as THREE from 'three';
import { acceleratedRaycast, computeBoundsTree, estimateMemoryInBytes } from 'three-mesh-bvh';
import { paintBars } from './paint.mjs';
import { random, terrain } from './terrain.mjs';
import { xdraw } from './xdraw.mjs';

const TURNS = 5;
const bars = [];
const round = (x) => Number(x.toPrecision(4));
function bar(name, value, wanted, atMost = false) {
  bars.push(`bar ${name} ${round(value)} ${atMost ? '<=' : ''}${wanted} ${(atMost ? value <= wanted : value >= wanted) ? 'ok' : 'short'}`);
}
/** Processor time: one thread on a machine that others use too. */
const seconds = (run) => {
  const began = process.cpuUsage();
  const value = run();
  const { user, system } = process.cpuUsage(began);
  return [(user + system) / 1e6, value];
};
const same = (a, b) => Buffer.compare(Buffer.from(a.buffer, a.byteOffset, a.byteLength), b) === 0;

const folder = mkdtempSync(join(tmpdir(), 'landfall-bench-'));
const side = 1025;
const next = random(7);
const samples = terrain(side, next);
const span = 30 * (side - 1);
writeFileSync(join(folder, 'terrain.f32'), samples);
const options = (part = samples, n = side) => ({ samples: part, columns: n, rows: n, transform: [0, 30, 0, 30 * (n - 1), 0, -30] });

// Questions. NAN has many bits; misses are compared as such.
const place = (margin = 0) => margin + (span - 2 * margin) * next();
const heights = new Float64Array(3 * 1000000).map((_, k) => (k % 3 === 2 ? Infinity : place()));
const simd = await load({ form: 'simd' });
const scalar = await load({ form: 'scalar' });
const grids = { simd: simd.grid(options()), scalar: scalar.grid(options()) };
const rays = new Float64Array(8 * 100000);
for (let k = 0; k < rays.length; k += 8) {
  const [x, y, u, v] = [place(), place(), place(), place()];
  const from = grids.simd.height(x, y) + 10 + 1500 * next();
  rays.set([x, y, from, u - x, v - y, grids.simd.height(u, v) - from, 0, Infinity], k);
}
const sight = new Float64Array(6 * 100000);
for (let k = 0; k < sight.length; k += 3) {
  const [x, y] = [place(), place()];
  sight.set([x, y, grids.simd.height(x, y) + 2], k);
}
const ends = [sight.subarray(0, sight.length / 2), sight.subarray(sight.length / 2)];
const view = [Infinity, span * 0.43, span * 0.56, 10];
const viewshed = (grid, [range, x, y, height]) => grid.viewshed({ at: [x, y], height }, { range, curvature: 'light' }).seen;
const tasks = {
  heights: { ask: heights, run: (grid) => grid.heights(heights), count: heights.length / 3, wanted: 0.35 },
  rays: { ask: rays, run: (grid) => grid.rayDistances(rays), count: rays.length / 8, wanted: 0.35 },
  sight: { ask: sight, run: (grid) => grid.verdicts(...ends), count: sight.length / 6, wanted: 0.35 },
  viewshed: { ask: Float64Array.from(view), run: (grid) => viewshed(grid, view), count: side * side, wanted: 0.4 },
};

const native = (task) => {
  const [isa, took] = execFileSync(process.env.NATIVE, [folder, task], { env: { ...process.env, LANDFALL_ISA: 'avx2' } }).toString().split(' ');
  return { isa, took: Number(took), answer: readFileSync(join(folder, `${task}.native`)) };
};

/** The least times of a task: native, WebAssembly with vectors and without, in turns. */
function race(name, { ask, run }) {
  writeFileSync(join(folder, `${name}.f64`), ask);
  const least = { native: Infinity, simd: Infinity, scalar: Infinity };
  let isa;
  for (let k = 0; k < TURNS; k++) {
    const theirs = native(name);
    isa = theirs.isa;
    least.native = Math.min(least.native, theirs.took);
    for (const form of ['simd', 'scalar']) {
      for (let again = 0; again < (form === 'simd' ? 3 : 1); again++) {
        const [took, answer] = seconds(() => run(grids[form]));
        least[form] = Math.min(least[form], took);
        if (!same(answer, theirs.answer)) throw new Error(`${name}: ${form} and native differ`);
      }
    }
  }
  if (isa !== 'avx2') throw new Error(`native by ${isa}: this machine has no AVX2`);
  return least;
}

console.log(`terrain of ${side} x ${side} samples; processor time of one thread; native by AVX2; answers are the same bits\n`);
console.log('question   native, ns each   wasm, times as fast   without vectors');
for (const [name, task] of Object.entries(tasks)) {
  const { native: theirs, simd: ours, scalar: slow } = race(name, task);
  console.log(`${name.padEnd(10)} ${((1e9 * theirs) / task.count).toFixed(1).padStart(15)} ${(theirs / ours).toFixed(3).padStart(21)} ${(theirs / slow).toFixed(3).padStart(17)}`);
  bar(`web-${name}`, theirs / ours, task.wanted);
}

// ---- While dragging -----------------------------------------------------------------------------

{
  const n = 513;
  const part = new Float32Array(n * n);
  for (let r = 0; r < n; r++) part.set(samples.subarray(r * side, r * side + n), r * n);
  writeFileSync(join(folder, 'terrain.f32'), part);
  const half = 30 * (n - 1) / 2;
  const small = simd.grid(options(part, n));
  let [theirs, ours] = [0, 0];
  for (let k = 0; k < 9; k++) { // places of a drag; the sum of the least times of each
    const at = [10000, half * (0.8 + 0.05 * k), half * (1.1 - 0.03 * k), 2];
    writeFileSync(join(folder, 'drag.f64'), Float64Array.from(at));
    let least = [Infinity, Infinity];
    for (let turn = 0; turn < 3; turn++) {
      const one = native('drag');
      least[0] = Math.min(least[0], one.took);
      for (let again = 0; again < 3; again++) {
        const [took, answer] = seconds(() => viewshed(small, at));
        least[1] = Math.min(least[1], took);
        if (!same(answer, one.answer)) throw new Error('drag: WebAssembly and native differ');
      }
    }
    theirs += least[0] / 9;
    ours += least[1] / 9;
  }
  console.log(`\nviewshed while dragging, ${n} x ${n}, 10 km: ${(1e3 * ours).toFixed(2)} ms, ${(60 * ours).toFixed(2)} frames at 60 Hz; native ${(1e3 * theirs).toFixed(2)} ms`);
  bar('web-drag-frames', 60 * ours, 1.5, true);
  bar('web-drag-native', ours / theirs, 3, true);
  small.dispose();
}

// ---- XDraw --------------------------------------------------------------------------------------

{
  const at = [Math.round(view[1] / 30), Math.round((span - view[2]) / 30)];
  const observer = { at: [30 * at[0], span - 30 * at[1]], height: 10 };
  let least = [Infinity, Infinity], exact, rough;
  for (let k = 0; k < TURNS; k++) {
    const [a, seen] = seconds(() => grids.simd.viewshed(observer).seen);
    const [b, guess] = seconds(() => xdraw(samples, side, ...at, 10));
    least = [Math.min(least[0], a), Math.min(least[1], b)];
    [exact, rough] = [seen, guess];
  }
  const wrong = exact.reduce((sum, value, k) => sum + (value !== rough[k]), 0);
  const visible = exact.reduce((sum, value) => sum + (value === 1), 0);
  console.log(`\nviewshed of ${side} x ${side}: ${(1e3 * least[0]).toFixed(1)} ms, exact; XDraw in JavaScript ${(1e3 * least[1]).toFixed(1)} ms, ${wrong} wrong cells (${visible} are visible)`);
  bars.push(`bar web-xdraw-times ${round(least[1] / least[0])} 0 ok`);
}

// ---- three.js -----------------------------------------------------------------------------------

{
  const position = new Float32Array(3 * side * side);
  for (let k = 0; k < side * side; k++) position.set([30 * (k % side), span - 30 * Math.floor(k / side), samples[k]], 3 * k);
  const index = new Uint32Array(6 * (side - 1) * (side - 1));
  for (let r = 0, at = 0; r + 1 < side; r++)
    for (let c = 0; c + 1 < side; c++, at += 6) {
      const k = r * side + c; // the diagonal of the engine's default surface
      index.set([k, k + side, k + side + 1, k, k + side + 1, k + 1], at);
    }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute('position', new THREE.BufferAttribute(position, 3));
  geometry.setIndex(new THREE.BufferAttribute(index, 1));
  geometry.computeBoundsTree = computeBoundsTree;
  const [built] = seconds(() => geometry.computeBoundsTree());
  const mesh = new THREE.Mesh(geometry, new THREE.MeshBasicMaterial({ side: THREE.DoubleSide }));
  mesh.raycast = acceleratedRaycast;
  const caster = new THREE.Raycaster();
  caster.firstHitOnly = true;
  const some = 20000;
  const [origin, direction] = [new THREE.Vector3(), new THREE.Vector3()];
  const found = new Float64Array(some);
  const cast = () => {
    for (let k = 0; k < some; k++) {
      const at = 8 * k;
      origin.set(rays[at], rays[at + 1], rays[at + 2]);
      direction.set(rays[at + 3], rays[at + 4], rays[at + 5]);
      const length = direction.length();
      caster.set(origin, direction.divideScalar(length));
      const [hit] = caster.intersectObject(mesh, false);
      found[k] = hit ? hit.distance / length : NaN;
    }
  };
  let least = [Infinity, Infinity], exact;
  for (let k = 0; k < 3; k++) {
    least[0] = Math.min(least[0], seconds(cast)[0]);
    const [took, t] = seconds(() => grids.simd.rayDistances(rays.subarray(0, 8 * some)));
    least[1] = Math.min(least[1], took);
    exact = t;
  }
  let wrong = 0;
  for (let k = 0; k < some; k++) if (Number.isNaN(found[k]) !== Number.isNaN(exact[k]) || Math.abs(found[k] - exact[k]) > 1e-4) wrong++;
  const bytes = position.byteLength + index.byteLength + estimateMemoryInBytes(geometry.boundsTree);
  // What the engine allocates for the same ground: all of its memory, samples included, as seen by its heap.
  const before = simd.engine.module._web_memory();
  const another = simd.grid(options());
  const ours = simd.engine.module._web_memory() - before;
  another.dispose();
  console.log(`\nrays: ${(some / least[1]).toFixed(0)} each second; three.js with three-mesh-bvh ${(some / least[0]).toFixed(0)} (tree built in ${built.toFixed(1)} s), ${wrong} of ${some} answers off by more than 1e-4 of the way`);
  console.log(`memory: ${(ours / 1e6).toFixed(1)} MB, of which ${(samples.byteLength / 1e6).toFixed(1)} are the samples; three.js ${(bytes / 1e6).toFixed(1)} MB`);
  bar('web-three-rays', least[0] / least[1], 5);
  bar('web-three-memory', bytes / ours, 20);
  bars.push(`bar web-three-memory-beyond-samples ${round(bytes / (ours - samples.byteLength))} 20 ${bytes / (ours - samples.byteLength) >= 20 ? 'ok' : 'short'}`);
}

if (process.env.CHROMIUM !== 'none') for (const [text, name, value, wanted] of await paintBars(folder, samples, side)) {
  console.log(text);
  bar(name, value, wanted, true);
}
console.log(`\n${bars.join('\n')}`);
rmSync(folder, { recursive: true });
