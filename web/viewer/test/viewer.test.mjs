// The viewer in a real browser. LANDFALL_LONG=1: longer flights. LANDFALL: the native command, whose viewshed must be the same.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fromArrayBuffer } from 'geotiff';
import { start } from './browser.mjs';
import { drag, long, native, open, prepare, saved, shared, shot, skip, skipNative } from './harness.mjs';

prepare(['make', 'mountains', '-o', 'mountains.tif', '--size', '257'], ['build', 'mountains.tif', '-o', 'mountains.lf'], ['make', 'city', '-o', 'city.world.json', '--size', '120'], ['build', 'city.world.json', '-o', 'city.lf']);

/** The first band of a GeoTIFF. */
async function band(path) {
  const image = await (await fromArrayBuffer(Uint8Array.from(readFileSync(path)).buffer)).getImage();
  return { image, values: (await image.readRasters())[0] };
}

test('it never flies into a mountain', { skip }, async (t) => {
  const page = await open(t);
  await page.evaluate(() => {
    const { body, flight, terrain } = window.viewer;
    body.position = [-4000, 0, 2600];
    body.heading = Math.PI / 2;
    body.pitch = -0.25;
    body.speed = 3000;
    flight.frames = 0;
    flight.least = Infinity;
    // Another height of the same samples, computed here from the triangles: the least distance of the camera in any frame.
    const t = terrain.local.transform;
    const { columns, rows, heights } = terrain.rasters[0];
    window.least = Infinity;
    const look = () => {
      const [u, v] = [(body.position[0] - t[0]) / t[1], (body.position[1] - t[3]) / t[5]];
      const [c, r] = [Math.floor(u), Math.floor(v)];
      if (c >= 0 && r >= 0 && c < columns - 1 && r < rows - 1) {
        const [x, y] = [u - c, v - r];
        const at = (i, j) => heights[(r + j) * columns + c + i];
        const ground = x >= y ? at(0, 0) + x * (at(1, 0) - at(0, 0)) + y * (at(1, 1) - at(1, 0)) : at(0, 0) + y * (at(0, 1) - at(0, 0)) + x * (at(1, 1) - at(0, 1));
        window.least = Math.min(window.least, body.position[2] - ground);
      }
      requestAnimationFrame(look);
    };
    look();
  });
  await page.locator('#view').focus();
  await page.keyboard.down('Shift');
  await page.keyboard.down('w');
  for (let k = 0; k < (long ? 30 : 4); k++) {
    await page.waitForTimeout(1000);
    await page.waitForFunction((k) => window.viewer.flight.frames > 6 * (k + 1), k, { timeout: 60000 }); // a slow machine draws few
    await page.evaluate((k) => {
      const { body } = window.viewer;
      body.heading += 1.1;
      body.pitch = -0.5;
      if (k % 3 === 2) body.position = [Math.cos(k) * 3000, Math.sin(k) * 3000, 3000];
    }, k);
  }
  // However few frames that were: down to the ground.
  await page.evaluate(() => {
    const { body } = window.viewer;
    body.position = [0, 0, 3000];
    body.pitch = -1.2;
  });
  await page.waitForFunction(() => window.least < 100, null, { timeout: 60000 });
  await page.keyboard.up('w');
  await page.keyboard.up('Shift');
  await shot(page, 'flight');
  const { flight, least, clearance } = await page.evaluate(() => ({ flight: window.viewer.flight, least: window.least, clearance: window.viewer.body.clearance }));
  assert.ok(flight.frames > 5, `${flight.frames} frames`);
  for (const found of [flight.least, least]) assert.ok(found >= clearance * 0.99, `${found} m above ground, clearance ${clearance}`);
});

test('a viewshed by dragging is that of the native command', { skip: skipNative }, async (t) => {
  for (const [file, source] of [['mountains.tif', 'mountains.tif'], ['mountains.lf', 'mountains.tif'], ['city.lf', 'city.world.json']]) {
    const page = await open(t, `?ground=files/${file}`);
    await page.locator('input[name=tool][value=observer]').check();
    await drag(page, [400, 400], [520, 430]);
    await page.waitForFunction(() => window.viewer.state.seen && window.viewer.viewsheds > 0, null, { timeout: 60000 });
    await page.waitForTimeout(1000);
    const { at, seen, window: w, range } = await page.evaluate(() => ({ at: viewer.state.observers[0], seen: Array.from(viewer.state.seen.seen), window: viewer.state.seen.window, range: Number(document.getElementById('range').value) }));
    await shot(page, file === 'city.lf' ? 'viewshed-city' : 'viewshed');
    const result = join(shared.files, 'native.tif');
    execFileSync(native, ['viewshed', source, '--at', at.join(','), '--eye', '2', '--range', String(range), '--cc', '0.85714', '-o', result, '-q'], { cwd: shared.files, stdio: 'pipe' });
    const { image, values } = await band(result);
    const codes = [0, 1, 2, 255, 255]; // of hidden, visible, unknown, void, beyond in a file
    let [compared, visible] = [0, 0];
    for (let r = 0; r < w.rows; r++)
      for (let c = 0; c < w.columns; c++) {
        const ours = seen[r * w.columns + c];
        assert.equal(values[(w.row + r) * image.getWidth() + w.column + c], codes[ours], `${file}: column ${w.column + c}, row ${w.row + r}`);
        compared++;
        visible += ours === 1;
      }
    assert.ok(compared > 10000 && visible > 10 && visible < compared);
    execFileSync('rm', [result]);
  }
});

test('several observers are counted, and results are saved', { skip }, async (t) => {
  const page = await open(t);
  await page.locator('input[name=tool][value=observer]').check();
  await page.mouse.click(400, 400);
  await page.waitForFunction(() => window.viewer.state.seen);
  const viewshed = await saved(page, '#save-tif');
  assert.equal(viewshed.name, 'viewshed.tif');
  const { image, values } = await band(viewshed.path);
  const { seen, w, transform } = await page.evaluate(() => ({ seen: Array.from(viewer.state.seen.seen), w: viewer.state.seen.window, transform: viewer.terrain.lattice.transform }));
  assert.deepEqual(Array.from(values), seen);
  assert.deepEqual(image.getOrigin().slice(0, 2), [transform[0] + transform[1] * (w.column - 0.5), transform[3] + transform[5] * (w.row - 0.5)]);
  await page.locator('input[name=tool][value=count]').check();
  await page.mouse.click(560, 430);
  await page.waitForFunction(() => window.viewer.state.counts && window.viewer.state.observers.length === 2);
  // The counts are the sum of the viewsheds, each asked for by itself.
  const wrong = await page.evaluate(async () => {
    const { terrain, state } = window.viewer;
    const remote = await terrain.remote();
    const number = (id) => Number(document.getElementById(id).value);
    const sum = new Uint32Array(terrain.lattice.columns * terrain.lattice.rows);
    for (const at of state.observers) {
      const { window: w, seen } = await remote.ask('viewshed', { at, height: number('height') }, { curvature: 'light', target: 0, range: number('range') });
      seen.forEach((value, k) => (sum[(w.row + Math.floor(k / w.columns)) * terrain.lattice.columns + w.column + (k % w.columns)] += value === 1));
    }
    return state.counts.seen.reduce((n, value, k) => n + (value !== sum[k]), 0) + (sum.includes(2) ? 0 : 1e9);
  });
  assert.equal(wrong, 0);
  await shot(page, 'counts');
  const counts = await saved(page, '#save-tif');
  assert.equal(counts.name, 'counts.tif');
  assert.deepEqual(Array.from((await band(counts.path)).values), await page.evaluate(() => Array.from(viewer.state.counts.seen)));
  const { path } = await saved(page, '#save-json');
  const { features } = JSON.parse(readFileSync(path, 'utf8'));
  assert.deepEqual(features.map((f) => f.geometry.coordinates), await page.evaluate(() => viewer.state.observers));
  const png = readFileSync((await saved(page, '#save-png')).path);
  assert.equal(png.readUInt32BE(0), 0x89504e47);
  assert.equal(png.readUInt32BE(16), await page.evaluate(() => document.getElementById('view').width));
});

test('golden answers and threads in the browser', { skip }, async (t) => {
  const page = await open(t);
  assert.deepEqual(await page.evaluate(async () => [crossOriginIsolated, (await window.viewer.worker).form]), [true, 'threads']);
  for (const form of ['golden', 'golden-simd']) {
    const [status, lines] = await page.evaluate(async (form) => {
      const { default: create } = await import(`/golden/${form}.mjs`);
      const lines = [];
      const wasmBinary = new Uint8Array(await (await fetch(`/golden/${form}.wasm`)).arrayBuffer());
      const module = await create({ wasmBinary, print: (line) => lines.push(line), printErr: (line) => lines.push(line) });
      return [module.callMain(['/answers.txt', '/tmp']), lines];
    }, form);
    assert.equal(status, 0, lines.join('\n'));
    assert.match(lines.at(-1), /0 wrong/);
  }
});

test('a click has an answer, a line a profile, and the address both', { skip }, async (t) => {
  const page = await open(t);
  await page.mouse.click(450, 450);
  assert.match(await page.locator('#answer').textContent(), /x [\d,.]+\ny [\d,.]+\nHeight: [\d,.]+ m\nSlope: [\d.]+°\nNormal: [-\d., ]+\nLayer: raster, cell \d+, \d+/);
  await page.locator('input[name=tool][value=profile]').check();
  await drag(page, [300, 420], [600, 500]);
  await page.waitForFunction(() => /Line of sight: (clear|blocked)/.test(document.getElementById('answer').textContent));
  assert.match(await page.locator('#answer').textContent(), /Least clearance: -?[\d.,]+ m\nFresnel zone: -?[\d,]+ % free/);
  assert.ok(await page.locator('#dock').isVisible());
  await shot(page, 'profile');
  // The chart is linked to the map.
  const chart = await page.locator('#chart').boundingBox();
  await page.mouse.move(chart.x + chart.width / 2, chart.y + chart.height / 2);
  await page.waitForFunction(() => /along the line: ground/.test(document.getElementById('status').textContent));
  assert.ok(await page.evaluate(() => {
    const { spot, line } = window.viewer.state;
    return spot && Math.min(line[0][0], line[1][0]) <= spot[0] && spot[0] <= Math.max(line[0][0], line[1][0]);
  }));
  const { path } = await saved(page, '#save-csv');
  assert.match(readFileSync(path, 'utf8'), /^distance,ground,line\n0,[\d.]+,[\d.]+\n/);
  // The same again from the address.
  await page.locator('#view').focus();
  await page.keyboard.press('e');
  const before = await page.evaluate(() => ({ line: viewer.state.line, position: viewer.body.position, verdict: viewer.state.sight.verdict }));
  const again = await open(t, new URL(page.url()).search);
  await again.waitForFunction(() => window.viewer.state.sight);
  const after = await again.evaluate(() => ({ line: viewer.state.line, position: viewer.body.position, verdict: viewer.state.sight.verdict }));
  assert.deepEqual([after.line, after.verdict], [before.line, before.verdict]);
  after.position.forEach((p, k) => assert.ok(Math.abs(p - before.position[k]) < 0.1));
});

test('panorama, sun hours and shadows', { skip }, async (t) => {
  const page = await open(t);
  await page.locator('#curvature').selectOption('flat');
  await page.locator('#height').fill('0');
  // At a sample, so that the engine's map of sun hours has the same place.
  await page.evaluate(() => {
    viewer.state.observers = [[200 * 30, (512 - 300) * 30]];
    return viewer.look();
  });
  await page.locator('#horizon').click();
  await page.waitForFunction(() => /Horizon: at most/.test(document.getElementById('answer').textContent));
  const chart = await page.locator('#chart').boundingBox();
  await page.mouse.move(chart.x + chart.width / 2, chart.y + chart.height / 2);
  await page.waitForFunction(() => /°: skyline at -?[\d.]+°, [\d,]+ m away/.test(document.getElementById('status').textContent) && window.viewer.state.spot);
  await page.mouse.click(chart.x + 64 + (chart.width - 64 - 14) / 2, chart.y + chart.height / 2); // between the margins
  assert.ok(Math.abs((await page.evaluate(() => viewer.body.heading)) - Math.PI) < 0.02, 'the camera looks where the panorama was clicked');
  await shot(page, 'panorama');
  await page.locator('#sunhours').click();
  await page.waitForFunction(() => /Sun on 2026-06-21: [\d.]+ of 1\d/.test(document.getElementById('answer').textContent));
  const told = Number(/: ([\d.]+) of/.exec(await page.locator('#answer').textContent())[1]);
  const mapped = await page.evaluate(async () => {
    const remote = await viewer.terrain.remote();
    const suns = Array.from({ length: 96 }, (_, k) => ({ ...viewer.sun(k / 4 + 1 / 8), hours: 0.25 })).filter((s) => s.altitude > 0);
    return (await remote.ask('sunHours', suns, { curvature: 'flat' }))[300 * 513 + 200];
  });
  assert.equal(told, mapped);
  await page.locator('#hour').fill('5');
  await page.locator('#shadows').check();
  // The texture is the engine's shade, sample by sample.
  const shade = async () => page.evaluate(async () => {
    const { azimuth, altitude } = viewer.sun(5);
    const lit = await (await viewer.terrain.remote()).ask('shade', { azimuth, altitude }, { curvature: 'flat' });
    const data = viewer.surface.lit.image.data;
    return { wrong: lit.reduce((n, value, k) => n + ((data[4 * k] === 255) !== (value === 1)), 0), dark: lit.filter((v) => v === 0).length };
  });
  await page.waitForTimeout(1500);
  const { wrong, dark } = await shade();
  assert.equal(wrong, 0);
  assert.ok(dark > 1000);
  await shot(page, 'shadows');
});

test('a file that cannot be read is named, and the terrain stays', { skip }, async (t) => {
  const page = await open(t);
  const bad = join(shared.files, 'bad.lf');
  writeFileSync(bad, Buffer.alloc(1000, 1));
  await page.locator('#file').setInputFiles(bad);
  await page.waitForFunction(() => !document.getElementById('alert').hidden);
  assert.match(await page.locator('#alert').textContent(), /^bad\.lf: /);
  writeFileSync(bad.replace('.lf', '.tif'), Buffer.from('II*\0garbage'));
  await page.locator('#file').setInputFiles(bad.replace('.lf', '.tif'));
  await page.waitForFunction(() => /bad\.tif/.test(document.getElementById('alert').textContent));
  // The same by dropping it.
  await page.evaluate(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([new Uint8Array(100)], 'dropped.lf'));
    document.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }));
  });
  await page.waitForFunction(() => /^dropped\.lf: it is neither/.test(document.getElementById('alert').textContent));
  assert.match(await page.locator('#name').textContent(), /Generated hills/);
  await shot(page, 'bad-file');
});

test('a phone', { skip }, async (t) => {
  const page = await open(t, '', { viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true });
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= 390), 'it does not scroll sideways');
  assert.ok((await page.locator('#view').boundingBox()).height > 300);
  await shot(page, 'phone');
  // A held button moves the camera.
  const from = await page.evaluate(() => viewer.body.position);
  const pad = await page.locator('#pad button').first().boundingBox();
  await page.mouse.move(pad.x + 10, pad.y + 10);
  await page.mouse.down();
  await page.waitForFunction((y) => window.viewer.body.position[1] > y + 10, from[1]);
  await page.mouse.up();
  // Contrast of WCAG AA in both themes, and a focus that shows.
  for (let theme = 0; theme < 2; theme++) {
    const ratios = await page.evaluate(() => {
      const style = getComputedStyle(document.documentElement);
      const light = (name) => {
        const hex = style.getPropertyValue(name).trim().slice(1);
        const [r, g, b] = [0, 2, 4].map((k) => parseInt(hex.slice(k, k + 2), 16) / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const ratio = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
      return { text: Math.min(...['--text', '--error', '--accent'].flatMap((a) => ['--panel', '--back'].map((b) => ratio(a, b)))), line: Math.min(ratio('--line', '--panel'), ratio('--line', '--back')) };
    });
    assert.ok(ratios.text >= 4.5 && ratios.line >= 3, JSON.stringify(ratios));
    await page.locator('#theme').click();
  }
  await page.locator('#horizon').focus();
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'sunhours');
  assert.notEqual(await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle), 'none');
});

test('without WebGL there is a map', { skip }, async (t) => {
  const plain = await start(['--disable-3d-apis']);
  t.after(() => plain.close());
  const page = await open(t, '', { colorScheme: 'dark' }, plain);
  assert.match(await page.locator('#alert').textContent(), /no WebGL/);
  await page.locator('input[name=tool][value=observer]').check();
  await page.mouse.click(400, 300);
  await page.waitForFunction(() => /Visible: /.test(document.getElementById('answer').textContent));
  await shot(page, 'map');
});
