// How long the viewer takes to its first picture of a terrain, beside an empty page of three.js, in Chromium with software WebGL.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { writeArrayBuffer } from 'geotiff';
import { start } from '../viewer/test/browser.mjs';
import { serve } from '../viewer/test/serve.mjs';

const here = new URL('.', import.meta.url).pathname;
const TURNS = 5;

/** [text, name, value, wanted]... */
export async function paintBars(folder, samples, side) {
  const file = await writeArrayBuffer(samples, { width: side, height: side, GTModelTypeGeoKey: 1, GTRasterTypeGeoKey: 1, ModelPixelScale: [30, 30, 0], ModelTiepoint: [0, 0, 0, 0, 30 * side, 0] });
  writeFileSync(join(folder, 'terrain.tif'), Buffer.from(file));
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
