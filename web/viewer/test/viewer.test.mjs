// The viewer in a real browser. LANDFALL_LONG=1: longer flights. LANDFALL: the native command, whose viewshed must be the same.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fromArrayBuffer } from 'geotiff';
import { executablePath, start } from './browser.mjs';
import { serve } from './serve.mjs';

const here = new URL('.', import.meta.url).pathname;
const shots = process.env.LANDFALL_SHOTS;
const native = process.env.LANDFALL;
const long = process.env.LANDFALL_LONG === '1';
const skip = existsSync(executablePath) ? false : `skipped: ${executablePath} is missing`;
let browser, url, server, files;

before(async () => {
  if (skip) return;
  files = mkdtempSync(join(tmpdir(), 'landfall-viewer-'));
  if (native) {
    execFileSync(native, ['make', 'mountains', '-o', join(files, 'mountains.tif'), '--size', '257', '-q']);
    execFileSync(native, ['build', join(files, 'mountains.tif'), '-o', join(files, 'mountains.lf'), '-q']);
  }
  ({ server, url } = await serve({ '/files/': files, '/golden/': join(here, '../../../build/web'), '/': join(here, '../dist') }));
  browser = await start();
});
after(async () => {
  await browser?.close();
  server?.close();
});

/** Open the viewer; errors on the console fail the test. */
async function open(t, query = '', options = {}, from = browser) {
  const page = await from.newPage({ viewport: { width: 1100, height: 700 }, ...options });
  const errors = [];
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  page.on('pageerror', (error) => errors.push(error.message));
  t.after(async () => {
    await page.close();
    assert.deepEqual(errors, []);
  });
  await page.goto(`${url}/${query}`);
  await page.waitForFunction(() => window.viewer?.flight.frames > 3, null, { timeout: 90000 });
  return page;
}

async function shot(page, name) {
  if (!shots) return;
  mkdirSync(shots, { recursive: true });
  await page.screenshot({ path: join(shots, `${name}.png`) });
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
    window.least = Infinity;
    const look = () => {
      const [u, v] = [(body.position[0] - t[0]) / t[1], (body.position[1] - t[3]) / t[5]];
      const [c, r] = [Math.floor(u), Math.floor(v)];
      if (c >= 0 && r >= 0 && c < terrain.columns - 1 && r < terrain.rows - 1) {
        const [x, y] = [u - c, v - r];
        const at = (i, j) => terrain.heights[(r + j) * terrain.columns + c + i];
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
    await page.evaluate((k) => {
      const { body } = window.viewer;
      body.heading += 1.1;
      body.pitch = -0.5;
      if (k % 3 === 2) body.position = [Math.cos(k) * 3000, Math.sin(k) * 3000, 3000];
    }, k);
  }
  await page.waitForFunction(() => window.viewer.flight.frames > 20, null, { timeout: 120000 }); // a slow machine draws few
  await page.keyboard.up('w');
  await page.keyboard.up('Shift');
  await shot(page, 'flight');
  const { flight, least, clearance } = await page.evaluate(() => ({ flight: window.viewer.flight, least: window.least, clearance: window.viewer.body.clearance }));
  assert.ok(flight.frames > 5, `${flight.frames} frames`);
  for (const found of [flight.least, least]) assert.ok(found >= clearance * 0.99, `${found} m above ground, clearance ${clearance}`);
  assert.ok(least < 100, `${least}: the flight never came near the ground`);
});

test('a viewshed by dragging is that of the native command', { skip: skip || (native ? false : 'skipped: LANDFALL is not set') }, async (t) => {
  for (const file of ['mountains.tif', 'mountains.lf']) {
    const page = await open(t, `?ground=files/${file}`);
    await page.locator('input[name=tool][value=observer]').check();
    await page.mouse.move(400, 400);
    await page.mouse.down();
    await page.mouse.move(520, 430, { steps: 4 });
    await page.mouse.up();
    await page.waitForFunction(() => window.viewer.state.seen && window.viewer.viewsheds > 0);
    await page.waitForTimeout(500);
    const { at, seen, window: w, range } = await page.evaluate(() => ({ at: viewer.state.observers[0], seen: Array.from(viewer.state.seen.seen), window: viewer.state.seen.window, range: Number(document.getElementById('range').value) }));
    await shot(page, 'viewshed');
    const result = join(files, 'native.tif');
    execFileSync(native, ['viewshed', join(files, 'mountains.tif'), '--at', at.join(','), '--eye', '2', '--range', String(range), '--cc', '0.85714', '-o', result, '-q'], { stdio: 'pipe' });
    const image = await (await fromArrayBuffer(Uint8Array.from(readFileSync(result)).buffer)).getImage();
    const [band] = await image.readRasters();
    const codes = [0, 1, 2, 255, 255]; // of hidden, visible, unknown, void, beyond in a file
    let [compared, visible] = [0, 0];
    for (let r = 0; r < w.rows; r++)
      for (let c = 0; c < w.columns; c++) {
        const ours = seen[r * w.columns + c];
        const theirs = band[(w.row + r) * image.getWidth() + w.column + c];
        assert.equal(theirs, codes[ours], `column ${w.column + c}, row ${w.row + r}`);
        compared++;
        visible += ours === 1;
      }
    assert.ok(compared > 10000 && visible > 10 && visible < compared);
    execFileSync('rm', [result]);
  }
});

test('golden answers and threads in the browser', { skip }, async (t) => {
  const page = await open(t);
  assert.deepEqual(await page.evaluate(() => [crossOriginIsolated, window.viewer.worker.form]), [true, 'threads']);
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

test('a line has a profile, a click an answer, a horizon a chart', { skip }, async (t) => {
  const page = await open(t);
  await page.mouse.click(450, 450);
  assert.match(await page.locator('#answer').textContent(), /Height: [\d,.]+ m/);
  await page.locator('input[name=tool][value=profile]').check();
  await page.mouse.move(300, 420);
  await page.mouse.down();
  await page.mouse.move(600, 500, { steps: 3 });
  await page.mouse.up();
  await page.waitForFunction(() => /Line of sight: (clear|blocked)/.test(document.getElementById('answer').textContent));
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
  const download = page.waitForEvent('download');
  await page.locator('#save-csv').click();
  const path = await (await download).path();
  assert.match(readFileSync(path, 'utf8'), /^distance,ground,line\n0,[\d.]+,[\d.]+\n/);
  await page.locator('#horizon').click();
  await page.waitForFunction(() => /Horizon: at most/.test(document.getElementById('answer').textContent));
  await page.locator('#sunhours').click();
  await page.waitForFunction(() => /Sun on 2026-06-21: [\d.]+ of 1\d/.test(document.getElementById('answer').textContent));
  await page.locator('#shadows').check();
  await page.locator('#objects').check();
  await page.waitForTimeout(1500);
  const least = await page.evaluate(() => window.viewer.objects.least());
  assert.ok(least > -0.1, `a box is ${least} m above ground`);
  await shot(page, 'shadows');
  const address = new URL(page.url());
  assert.ok(address.searchParams.get('line') && address.searchParams.get('camera'));
});

test('a file that cannot be read is named, and the terrain stays', { skip }, async (t) => {
  const page = await open(t);
  const bad = join(files, 'bad.lf');
  writeFileSync(bad, Buffer.alloc(1000, 1));
  await page.locator('#file').setInputFiles(bad);
  await page.waitForFunction(() => !document.getElementById('alert').hidden);
  assert.match(await page.locator('#alert').textContent(), /^bad\.lf: /);
  writeFileSync(bad.replace('.lf', '.tif'), Buffer.from('II*\0garbage'));
  await page.locator('#file').setInputFiles(bad.replace('.lf', '.tif'));
  await page.waitForFunction(() => /bad\.tif/.test(document.getElementById('alert').textContent));
  assert.match(await page.locator('#name').textContent(), /Generated hills/);
});

test('a phone', { skip }, async (t) => {
  const page = await open(t, '', { viewport: { width: 390, height: 800 } });
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= 390), 'it does not scroll sideways');
  assert.ok((await page.locator('#view').boundingBox()).height > 300);
  await shot(page, 'phone');
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
