// How long the viewer takes to its first picture of a terrain, beside an empty page of three.js, in Chromium with software WebGL.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { start } from '../viewer/test/browser.mjs';
import { serve } from '../viewer/test/serve.mjs';

const here = new URL('.', import.meta.url).pathname;
const TURNS = 5;

/** A GeoTIFF of floats, one strip, 30 m between samples. */
export function tiff(samples, side) {
  const tags = [[256, 4, [side]], [257, 4, [side]], [258, 3, [32]], [259, 3, [1]], [262, 3, [1]], [273, 4, [0]], [277, 3, [1]], [278, 4, [side]], [279, 4, [samples.byteLength]], [339, 3, [3]], [33550, 12, [30, 30, 0]], [33922, 12, [0, 0, 0, 0, 30 * side, 0]]];
  const head = Buffer.alloc(8 + 2 + 12 * tags.length + 4);
  const doubles = Buffer.concat(tags.filter(([, type]) => type === 12).map(([, , values]) => Buffer.from(Float64Array.from(values).buffer)));
  head.write('II*\0', 'latin1');
  head.writeUInt32LE(8, 4);
  head.writeUInt16LE(tags.length, 8);
  let more = head.length;
  tags.forEach(([tag, type, values], k) => {
    const at = 10 + 12 * k;
    head.writeUInt16LE(tag, at);
    head.writeUInt16LE(type, at + 2);
    head.writeUInt32LE(values.length, at + 4);
    if (type === 12) {
      head.writeUInt32LE(more, at + 8);
      more += 8 * values.length;
    } else head[type === 3 ? 'writeUInt16LE' : 'writeUInt32LE'](tag === 273 ? head.length + doubles.length : values[0], at + 8);
  });
  return Buffer.concat([head, doubles, Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength)]);
}

/** [text, name, value, wanted]... */
export async function paintBars(folder, samples, side) {
  writeFileSync(join(folder, 'terrain.tif'), tiff(samples, side));
  const empty = join(folder, 'empty');
  mkdirSync(empty);
  writeFileSync(join(empty, 'index.html'), '<!doctype html><link rel="icon" href="data:,"><canvas id="view" width="1100" height="700"></canvas><script type="module" src="empty.js"></script>');
  await build({ entryPoints: { empty: join(here, 'empty.mjs') }, bundle: true, format: 'esm', minify: true, outdir: empty, external: ['node:*'] });
  const { server, url } = await serve({ '/files/': folder, '/empty/': empty, '/': join(here, '../viewer/dist') });
  const browser = await start();
  const least = { viewer: Infinity, empty: Infinity, decode: Infinity };
  try {
    for (let k = 0; k < TURNS; k++)
      for (const [name, address] of [['empty', '/empty/?ground=/files/terrain.tif'], ['viewer', '/?ground=files/terrain.tif']]) {
        const page = await browser.newPage({ viewport: { width: 1100, height: 700 } });
        await page.goto(url + address);
        await page.waitForFunction(() => window.painted, null, { timeout: 120000 });
        const found = await page.evaluate(() => ({ painted: window.painted, decode: window.decoded }));
        least[name] = Math.min(least[name], found.painted);
        if (found.decode) least.decode = Math.min(least.decode, found.decode);
        await page.close();
      }
  } finally {
    await browser.close();
    server.close();
  }
  const allowed = 2 * least.empty + least.decode;
  return [[`\nfirst picture of ${side} x ${side} samples: ${least.viewer.toFixed(0)} ms; an empty page of three.js ${least.empty.toFixed(0)} ms, reading the file ${least.decode.toFixed(0)} ms`, 'web-first-paint', least.viewer / allowed, 1]];
}
