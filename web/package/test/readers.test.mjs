// Terrain of the web, and the worker.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readQuantizedMesh, terrainRgbHeights, terrariumHeights, readGeoTiff, LandfallError, load } from '../dist/index.js';
import { connect } from '../dist/worker.js';
import { writeArrayBuffer } from 'geotiff';

test('Terrain-RGB and Terrarium', () => {
  assert.deepEqual(Array.from(terrainRgbHeights([1, 134, 160, 255, 0, 0, 0, 0])), [0, NaN]);
  assert.deepEqual(Array.from(terrariumHeights([128, 0, 128, 255])), [0.5]);
  assert.throws(() => terrariumHeights([1, 2, 3]), LandfallError);
});

/** A quantized-mesh tile of these vertices (0 .. 32767) and triangles, written from the format's description. */
function tile(vertices, triangles, low, high) {
  const bytes = new ArrayBuffer(92 + 6 * vertices.length + 4 + 2 * triangles.length + 16);
  const view = new DataView(bytes);
  view.setFloat32(24, low, true);
  view.setFloat32(28, high, true);
  view.setUint32(88, vertices.length, true);
  let at = 92;
  for (let axis = 0; axis < 3; axis++) {
    let last = 0;
    for (const v of vertices) {
      const d = v[axis] - last;
      last = v[axis];
      view.setUint16(at, (d << 1) ^ (d >> 31), true);
      at += 2;
    }
  }
  view.setUint32(at, triangles.length / 3, true);
  at += 4;
  let highest = 0;
  for (const t of triangles) {
    view.setUint16(at, highest - t, true);
    at += 2;
    if (t === highest) highest++;
  }
  return bytes;
}

test('quantized-mesh tiles', () => {
  const bytes = tile([[0, 0, 0], [32767, 0, 32767], [0, 32767, 16384], [32767, 32767, 0]], [0, 1, 2, 2, 1, 3], 100, 200);
  const mesh = readQuantizedMesh(bytes);
  assert.deepEqual(Array.from(mesh.triangles), [0, 1, 2, 2, 1, 3]);
  assert.deepEqual(Array.from(mesh.vertices.subarray(0, 6)), [0, 0, 100, 1, 0, 200]);
  for (const length of [10, 91, 100, 115, 120, 125])
    assert.throws(() => readQuantizedMesh(bytes.slice(0, length)), LandfallError, `${length} bytes`);
});

test('GeoTIFF', async () => {
  const values = Float32Array.from({ length: 12 }, (_, k) => k);
  const file = await writeArrayBuffer(values, { width: 4, height: 3, ModelPixelScale: [30, 30, 0], ModelTiepoint: [0, 0, 0, 500000, 4000000, 0], GTModelTypeGeoKey: 1, ProjectedCSTypeGeoKey: 32633, GTRasterTypeGeoKey: 1 });
  const raster = await readGeoTiff(file);
  assert.equal(raster.epsg, 32633);
  assert.deepEqual([raster.columns, raster.rows], [4, 3]);
  assert.deepEqual(raster.transform, [500015, 30, 0, 3999985, 0, -30]);
  const lf = await load();
  const grid = lf.grid(raster);
  assert.equal(grid.height(500015, 3999985), 0);
  assert.equal(grid.height(500015 + 90, 3999985 - 60), 11);
  await assert.rejects(readGeoTiff(new ArrayBuffer(30)), LandfallError);
});

test('the worker answers as the engine itself', async () => {
  const [lf, remote] = await Promise.all([load(), connect()]);
  const samples = Float32Array.from({ length: 2500 }, (_, k) => 10 * Math.sin(k / 7) + 5 * Math.cos(k / 50));
  const options = { samples, columns: 50, rows: 50, transform: [0, 10, 0, 490, 0, -10] };
  const [here, there] = [lf.grid(options), await remote.grid(options)];
  assert.deepEqual(there.box, here.box);
  assert.deepEqual(await there.ask('viewshed', { at: [200, 200] }, { range: 300 }), here.viewshed({ at: [200, 200] }, { range: 300 }));
  assert.equal(await there.ask('height', 33, 44), here.height(33, 44));
  await assert.rejects(there.ask('viewshed', { at: [1e9, 0] }), LandfallError);
  await assert.rejects(there.ask('nonsense'), LandfallError);
  const world = await remote.world([{ ground: there }, { box: { low: [0, 0, 0], high: [9, 9, 99] } }]);
  assert.equal(await world.ask('height', 5, 5), 99);
  await world.dispose();
  await there.dispose();
  await assert.rejects(there.ask('height', 1, 1), /disposed/);
  const waiting = remote.grid(options);
  remote.close();
  await assert.rejects(waiting, /closed/);
});
