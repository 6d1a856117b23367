// Polygons, bridges, moving objects and the globe in a real browser.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { landfallServe, long, native, open, prepare, shared, shot, skip, skipNative } from './harness.mjs';

prepare(['make', 'park', '-o', 'park.ply'], ['build', 'park.ply', '-o', 'park.lf'], ['make', 'city', '-o', 'city.world.json'], ['build', 'city.world.json', '-o', 'city.lf'],
  ['make', 'sphere', '-o', 'ball.ply', '--size', '80'], ['build', 'ball.ply', '--as', 'model', '-o', 'ball.lf'], ['make', 'planet', '--size', '181', '-o', 'planet.tif'], ['make', 'mountains', '--size', '513', '-o', 'local.tif']);

const command = (...words) => execFileSync(native, words, { cwd: shared.files, encoding: 'utf8' });

test('polygons are drawn, asked and looked over', { skip: skipNative }, async (t) => {
  const page = await open(t, '?ground=files/park.lf');
  await page.mouse.click(420, 460);
  const answer = await page.locator('#answer').textContent();
  assert.match(answer, /Layer: part 0 \(polygons\), element \d+, layers \d+/);
  const [x, y, height] = [/x ([\d.]+)/, /y ([\d.]+)/, /Height: ([\d.]+)/].map((of) => Number(of.exec(answer)[1]));
  assert.ok(Math.abs(Number(command('height', 'park.lf', '--at', `${x},${y},${height + 0.05}`).trim().split(' ')[2]) - height) < 0.05);
  await page.locator('input[name=tool][value=observer]').check();
  await page.mouse.click(420, 460);
  await page.waitForFunction(() => window.viewer.state.seen, null, { timeout: 60000 });
  // Each sample by its own line of sight.
  const wrong = await page.evaluate(async () => {
    const { terrain, state } = window.viewer;
    const remote = await terrain.remote();
    const { window: w, seen } = state.seen;
    const t = terrain.lattice.transform;
    const a = await remote.ask('above', state.observers[0], 2);
    let wrong = 0, tested = 0;
    for (let k = 0; k < seen.length; k += 97) {
      if (seen[k] > 1) continue;
      const b = await remote.ask('above', [t[0] + t[1] * (w.column + (k % w.columns)), t[3] + t[5] * (w.row + Math.floor(k / w.columns))], 0);
      const { verdict } = await remote.ask('sight', a, b, { curvature: 'light' });
      wrong += (verdict === 'clear') !== (seen[k] === 1);
      tested++;
    }
    return tested > 50 ? wrong : -1;
  });
  assert.equal(wrong, 0);
  await shot(page, 'park');
});

test('it flies and walks under a bridge, and over it', { skip: skipNative }, async (t) => {
  const page = await open(t, '?ground=files/city.lf');
  // The bridge of the city as the native command knows it.
  const deck = Number(command('height', 'city.lf', '--at', '805,960,500').trim().split(' ')[2]);
  const floor = Number(command('height', 'city.lf', '--at', '805,960,60').trim().split(' ')[2]);
  assert.ok(deck > floor + 50);
  const under = await page.evaluate(() => {
    const { body, terrain } = viewer;
    const [x, y] = terrain.toLocal(805, 900);
    body.position = [x, y, 70];
    [body.heading, body.pitch, body.speed] = [0, 0, 60];
    return [terrain.local.height(...terrain.toLocal(805, 960)), terrain.local.height(...terrain.toLocal(805, 960), 70)];
  });
  assert.ok(Math.abs(under[0] - deck) < 1e-3 && Math.abs(under[1] - floor) < 1e-3, 'the same bridge');
  await page.locator('#view').focus();
  await page.keyboard.down('w');
  await page.waitForFunction(() => viewer.terrain.toMap(...viewer.body.position)[1] > 955, null, { timeout: 60000 });
  await page.keyboard.up('w');
  const passed = await page.evaluate(() => ({ at: viewer.terrain.toMap(...viewer.body.position), z: viewer.body.position[2] }));
  assert.ok(passed.z < deck - 40 && passed.z > floor, `${passed.z} m: it was not lifted on the bridge`);
  // Up from below: the bridge is in the way, and nothing is passed through.
  await page.evaluate(() => {
    const { body, terrain } = viewer;
    body.position = [...terrain.toLocal(805, 960), 70];
    [body.heading, body.pitch, body.speed] = [0, 0.6, 40];
  });
  await shot(page, 'bridge');
  await page.keyboard.down('e');
  for (let k = 0; k < 12; k++) {
    await page.waitForTimeout(300);
    const [z, clearance, above] = await page.evaluate(() => [viewer.body.position[2], viewer.body.clearance, viewer.terrain.local.below([...viewer.body.position], { up: true })?.point[2] ?? null]);
    if (above !== null) assert.ok(z <= above - 0.99 * clearance, `${z} m below ${above}`);
  }
  await page.keyboard.up('e');
  const stopped = await page.evaluate(() => viewer.body.position);
  const where = await page.evaluate(() => viewer.terrain.toMap(...viewer.body.position));
  if (Math.abs(where[1] - 960) < 2) assert.ok(stopped[2] < deck, `${stopped[2]}: it went through the deck`);
  // On foot: over the bridge, then below it.
  const walk = (z) => page.evaluate((z) => {
    const { body, terrain } = viewer;
    body.mode = 'walk';
    const from = z > 100 ? [720, 960] : [805, 940];
    body.position = [...terrain.toLocal(...from), z];
    body.walk([0, 0, 0]);
    const seen = [];
    for (let k = 0; k < 200; k++) {
      body.walk(z > 100 ? [1, 0, 0] : [0, 0.2, 0]);
      const feet = terrain.local.below([...body.position]).point[2];
      seen.push([...terrain.toMap(...body.position), body.position[2] - feet, feet]);
    }
    body.mode = 'fly';
    return { seen, eye: body.eye };
  }, z);
  const over = await walk(200);
  assert.ok(over.seen.at(-1)[0] > 880, 'it crossed the bridge');
  assert.ok(over.seen.every(([, , above, feet]) => Math.abs(above - over.eye) < 1e-6 && feet > deck - 20), 'on the deck all the way');
  const below = await walk(60);
  assert.ok(below.seen.at(-1)[1] > 975 && below.seen.every(([, , above, feet]) => above > 0.5 && feet < deck - 40), 'under it all the way');
});

test('boxes and models move, and their contacts are predicted', { skip: skipNative }, async (t) => {
  const page = await open(t);
  await page.locator('#model').setInputFiles(`${shared.files}/ball.lf`);
  await page.waitForFunction(() => window.viewer.objects, null, { timeout: 60000 });
  await page.waitForFunction(() => window.viewer.objects.predicted().length > 3, null, { timeout: 60000 });
  // A box that is moved to where its contact is predicted touches the ground there, by heights of points under it.
  const gaps = await page.evaluate(() => {
    const { terrain, objects } = viewer;
    const half = objects.half;
    return objects.predicted().filter((m) => !m.model).map(({ at, velocity, wait }) => {
      const [x, y, z] = at.map((p, k) => p + wait * velocity[k]);
      let least = Infinity;
      for (let i = -20; i <= 20; i++) for (let j = -20; j <= 20; j++) least = Math.min(least, z - half - terrain.local.height(x + (half * i) / 20, y + (half * j) / 20));
      return least;
    });
  });
  assert.ok(gaps.length > 0);
  for (const gap of gaps) assert.ok(gap > -0.01 && gap < 5, `${gap} m at a predicted contact`);
  await shot(page, 'objects');
  for (let k = 0; k < (long ? 30 : 3); k++) {
    await page.evaluate(() => {
      for (let k = 0; k < 60; k++) viewer.objects.step(1 / 12);
    });
    const least = await page.evaluate(() => viewer.objects.least());
    assert.ok(least > 0, `a thing is ${least} m above ground`);
  }
  const { ground } = await page.evaluate(() => viewer.objects.counts);
  assert.ok(ground > 3, `${ground} contacts with the ground`);
});

test('the globe is streamed from landfall serve, and never flown into', { skip: skipNative }, async (t) => {
  // Mountains of 513 x 513 samples in Switzerland, and a planet around them.
  writeFileSync(join(shared.files, 'alps.vrt'), `<VRTDataset rasterXSize="513" rasterYSize="513"><SRS>EPSG:4326</SRS><GeoTransform>7, 0.0004, 0, 46.4, 0, -0.00028</GeoTransform>
    <VRTRasterBand dataType="Float32" band="1"><SimpleSource><SourceFilename relativeToVRT="1">local.tif</SourceFilename></SimpleSource></VRTRasterBand></VRTDataset>`);
  const server = await landfallServe(t, 'alps.vrt', 'planet.tif', '--quiet');
  const page = await open(t, '', {}, shared.browser, server);
  assert.equal(new URL(page.url()).searchParams.get('globe'), 'terrain'); // the page at /
  await page.waitForFunction(() => window.viewer.globe?.flight.tiles > 12, null, { timeout: 90000 });
  await page.waitForTimeout(2000);
  await shot(page, 'globe');
  // Into the mountains at full speed.
  await page.evaluate(() => {
    const { globe } = viewer.globe;
    viewer.globe.position = globe.toCentred([7.1, 46.27, 5000]);
    Object.assign(viewer.globe.view, { heading: 0.9, pitch: -0.3 });
    viewer.globe.flight.least = Infinity;
  });
  // Finer tiles arrive under the camera.
  await page.waitForFunction(() => viewer.globe.globe.at(...viewer.globe.place.slice(0, 2)).tile.level >= 9, null, { timeout: 90000 });
  await shot(page, 'globe-mountains');
  await page.evaluate(() => {
    const [longitude, latitude] = viewer.globe.place;
    viewer.globe.position = viewer.globe.globe.toCentred([longitude, latitude, viewer.globe.globe.at(longitude, latitude).height + 300]);
  });
  await page.locator('#view').focus();
  await page.keyboard.down('Shift');
  await page.keyboard.down('w');
  for (let k = 0; k < (long ? 30 : 5); k++) {
    await page.waitForTimeout(1000);
    await page.evaluate((k) => Object.assign(viewer.globe.view, { heading: 0.9 + 2.1 * k, pitch: -0.7 }), k);
  }
  await page.keyboard.up('w');
  await page.keyboard.up('Shift');
  const { least, clearance, place, height } = await page.evaluate(() => {
    const { flight, clearance, place, globe } = viewer.globe;
    return { least: flight.least, clearance, place, height: globe.at(place[0], place[1]).height };
  });
  assert.ok(least >= 0.99 * clearance, `${least} m above ground, clearance ${clearance}`);
  assert.ok(least < 300, `${least}: the flight never came near the ground`);
  await page.waitForTimeout(1500);
  await shot(page, 'globe-low');
  // The server's own height of the place: tiles have 1/32767 of their range, and triangles between samples.
  const { results } = await (await fetch(`${server}/v1/height?at=${place[0]},${place[1]}`)).json();
  assert.ok(Math.abs(results[0].height - height) < 30, `${results[0].height} m by the server, ${height} m by tiles`);
  await page.mouse.click(400, 500);
  assert.match(await page.locator('#answer').textContent(), /Longitude -?[\d.]+\nLatitude -?[\d.]+\nHeight: -?[\d.]+ m\nSlope: [\d.]+°\nNormal: .*\nLayer: tile \d+\/\d+\/\d+, \d+ m between samples/);
  // The address leads back to the same place.
  const query = new URL(page.url()).searchParams;
  assert.equal(query.get('globe'), 'terrain');
  assert.ok(Math.abs(Number(query.get('camera').split(',')[0]) - place[0]) < 0.5);
  await page.locator('#globe').uncheck();
  await page.waitForFunction(() => !window.viewer.globe && /Generated hills/.test(document.getElementById('name').textContent));
});
