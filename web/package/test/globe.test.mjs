// Globes, cameras, scenes and the parts of .lf files; and the size of the module.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { brotliCompressSync } from 'node:zlib';
import { LandfallError, load, readLf } from '../dist/index.js';

const lf = await load();
const [A, F] = [6378137, 1 / 298.257223563];

/** A tile with a hill in its middle, 17 x 17 vertices. */
function tile(level, column, row, children, height = () => 0) {
  const side = 17, width = 180 / 2 ** level, vertices = [], triangles = [];
  for (let r = 0; r < side; r++)
    for (let c = 0; c < side; c++) vertices.push(-180 + width * (column + c / 16), -90 + width * (row + r / 16), height(c, r));
  for (let r = 0; r < 16; r++) for (let c = 0, a = r * side; c < 16; c++, a++) triangles.push(a, a + 1, a + side, a + 1, a + side + 1, a + side);
  return { level, column, row, children, vertices: Float64Array.from(vertices), triangles: Uint32Array.from(triangles) };
}

const centred = ([lon, lat, h]) => {
  const [o, a] = [(lon * Math.PI) / 180, (lat * Math.PI) / 180];
  const e2 = F * (2 - F), n = A / Math.sqrt(1 - e2 * Math.sin(a) ** 2);
  return [(n + h) * Math.cos(a) * Math.cos(o), (n + h) * Math.cos(a) * Math.sin(o), (n * (1 - e2) + h) * Math.sin(a)];
};

test('a globe asks for tiles and takes them as they come', () => {
  const globe = lf.globe({ roots: [tile(0, 0, 0, 0), tile(0, 1, 0, 15)], levels: 4 });
  const place = [45, 45, 2000];
  assert.ok(globe.toCentred(place).every((p, k) => Math.abs(p - centred(place)[k]) < 1e-6));
  const position = globe.toCentred(place);
  const first = globe.update({ position });
  assert.ok(first.wanted.some((key) => key.level === 1 && key.column === 2 && key.row === 1), 'the tile under the viewer');
  for (const key of first.wanted) globe.deliver(tile(key.level, key.column, key.row, 0, (c, r) => (c === 8 && r === 8 ? 5000 : 0)));
  const second = globe.update({ position });
  assert.equal(second.fetched, first.wanted.length);
  // Its middle, 45, 45, is the hill; earth-centred flat triangles sag between vertices, not at them.
  const at = globe.at(45, 45);
  assert.ok(Math.abs(at.height - 5000) < 1e-6, String(at.height));
  assert.deepEqual([at.reason, at.tile, at.coarser], ['answered', { level: 1, column: 2, row: 1 }, false]);
  // What is drawn: the finer tiles, and what is left of the root.
  const drawn = globe.drawn();
  const fine = drawn.find((one) => one.level === 1 && one.column === 2 && one.row === 1);
  assert.equal(fine.quarters, 15);
  assert.equal(fine.triangles().length, 3 * 512);
  const vertices = fine.vertices(), top = centred([45, 45, 5000]);
  assert.ok(Array.from({ length: 289 }, (_, k) => Math.hypot(...[0, 1, 2].map((axis) => vertices[3 * k + axis] + fine.origin[axis] - top[axis]))).some((d) => d < 1e-3), 'the summit is drawn');
  // A camera below the summit is raised, and one that flies into it stays above.
  let camera = { position: globe.toCentred([45, 44, 9000]), velocity: globe.toCentred([45, 45, 4000]).map((p, k) => p - globe.toCentred([45, 44, 9000])[k]), clearance: 50, raiseLimit: Infinity, lookAhead: 0 };
  for (let k = 0; k < 20; k++) {
    camera = { ...globe.stepCamera(camera, 0.1), clearance: 50 };
    const [lon, lat, height] = globe.toGeodetic(camera.position);
    assert.ok(height - globe.at(lon, lat).height >= 50 - 0.01, `${height} m over ${globe.at(lon, lat).height}`);
  }
  globe.dispose();
  assert.throws(() => lf.globe({ roots: [] }), LandfallError);
});

test('a scene predicts contacts', () => {
  const ground = lf.grid({ samples: new Float32Array(25), columns: 5, rows: 5, transform: [0, 10, 0, 40, 0, -10] });
  const scene = lf.scene(ground, { ahead: 10 });
  const at = (x, y, z) => [1, 0, 0, 0, 1, 0, 0, 0, 1, x, y, z];
  const box = scene.add({ box: [1, 1, 1], pose: at(10, 20, 11), velocity: [1, 0, -0.2] });
  const model = scene.add({ model: { vertices: [-1, -1, 0, 1, -1, 0, 0, 1, 0, 0, 0, 2], triangles: [0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3] }, pose: at(20, 20, 10), velocity: [-1, 0, 0] });
  assert.equal(scene.groundTime(box, 20), Infinity);
  assert.equal(scene.groundTime(model, 20), Infinity);
  // They come towards each other at 2 m/s from 8 m apart or less: the box sinks by less than its side.
  const [event] = scene.step(0.5);
  assert.deepEqual([event.kind, event.a, event.b], ['predicted', box, model]);
  assert.ok(event.wait > 0 && event.wait < 5);
  let begun = false;
  for (let k = 0; k < 60 && !begun; k++) begun = scene.step(0.1).some((e) => e.kind === 'begin');
  assert.ok(begun);
  scene.set(box, { pose: at(10, 20, 3), velocity: [0, 0, -2] });
  assert.deepEqual(Array.from(scene.get(box).pose.slice(9)), [10, 20, 3]);
  assert.ok(Math.abs(scene.groundTime(box, 20) - 1) < 1e-4);
  assert.throws(() => scene.get(7), /thing 7: the scene has 2/);
  assert.throws(() => scene.add({}), /expected a box or a model/);
  scene.dispose();
  assert.throws(() => scene.step(1), /disposed/);
  ground.dispose();
});

test('viewsheds of grounds without samples', () => {
  const mesh = lf.mesh([0, 0, 0, 40, 0, 0, 40, 20, 0, 0, 20, 0, 20, 0, 9, 20, 20, 9], [0, 1, 2, 0, 2, 3, 0, 4, 5, 0, 5, 3]);
  assert.deepEqual([mesh.columns, mesh.rows], [257, 129]);
  const { seen, window } = mesh.viewshed({ at: [30, 10], height: 2 });
  assert.deepEqual([window.columns, window.rows], [257, 129]);
  const a = mesh.above([30, 10], 2);
  for (let k = 0; k < seen.length; k += 101) {
    if (seen[k] > 1) continue;
    const b = mesh.above([mesh.transform[0] + mesh.transform[1] * (k % 257), mesh.transform[3] + mesh.transform[5] * Math.floor(k / 257)], 0);
    assert.equal(mesh.sight(a, b).verdict === 'clear', seen[k] === 1, `sample ${k}`);
  }
  // A world whose first part is a grid has the samples of the grid.
  const grid = lf.grid({ samples: new Float32Array(25), columns: 5, rows: 5, transform: [0, 10, 0, 40, 0, -10] });
  const world = lf.world([{ ground: grid }, { box: { low: [18, 0, 0], high: [22, 40, 30] } }]);
  assert.deepEqual([world.columns, world.rows, world.transform], [5, 5, grid.transform]);
  const hidden = world.viewshed({ at: [0, 20], height: 2 });
  assert.deepEqual(Array.from(hidden.seen.slice(10, 15)), [1, 1, 0, 0, 0]); // the roof is hidden by its edge
  assert.equal(world.shade({ azimuth: 270, altitude: 10 })[13], 0);
});

test('a file that is no .lf file is refused', () => {
  assert.throws(() => readLf(new ArrayBuffer(200)), /does not begin as one/);
  const cut = new ArrayBuffer(128);
  new DataView(cut).setUint32(0, 0x894c460d);
  new DataView(cut).setUint32(12, 2, true);
  new DataView(cut).setUint32(40, 9, true);
  assert.throws(() => readLf(cut), /9 sections: the file ends at 128/);
});

test('compressed by brotli the module has at most 450 kB', () => {
  for (const form of ['landfall', 'landfall-simd', 'landfall-threads']) {
    const bytes = brotliCompressSync(readFileSync(new URL(`../dist/${form}.wasm`, import.meta.url))).length;
    assert.ok(bytes <= 450000, `${form}: ${bytes} bytes`);
  }
});
