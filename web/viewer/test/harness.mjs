// What the tests of the viewer share: files, a server of files, a browser, pages whose messages are errors.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before } from 'node:test';
import { executablePath, start } from './browser.mjs';
import { serve } from './serve.mjs';

const here = new URL('.', import.meta.url).pathname;
const shots = process.env.LANDFALL_SHOTS;
export const native = process.env.LANDFALL;
export const long = process.env.LANDFALL_LONG === '1';
export const skip = existsSync(executablePath) ? false : `skipped: ${executablePath} is missing`;
/** Without the native command there are no files to open. */
export const skipNative = skip || (native ? false : 'skipped: LANDFALL is not set');
export const shared = { browser: null, url: '', files: '' };
let server;

/** Start before the tests of a file, with what the native command makes: words of each call. */
export function prepare(...commands) {
  before(async () => {
    if (skip) return;
    shared.files = mkdtempSync(join(tmpdir(), 'landfall-viewer-'));
    if (native) for (const words of commands) execFileSync(native, [...words, '-q'], { cwd: shared.files, stdio: 'pipe' });
    ({ server, url: shared.url } = await serve({ '/files/': shared.files, '/golden/': join(here, '../../../build/web'), '/': join(here, '../dist') }));
    shared.browser = await start();
  });
  after(async () => {
    await shared.browser?.close();
    server?.close();
    if (shared.files) rmSync(shared.files, { recursive: true });
  });
}

/** Open the viewer; errors on the console fail the test. */
export async function open(t, query = '', options = {}, from = shared.browser, url = shared.url) {
  const page = await from.newPage({ viewport: { width: 1100, height: 700 }, ...options });
  const errors = [];
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  page.on('pageerror', (error) => errors.push(error.message));
  t.after(async () => {
    await page.close();
    assert.deepEqual(errors, []);
  });
  await page.goto(`${url}/${query}`, { waitUntil: 'commit', timeout: 90000 });
  await page.waitForFunction(() => window.viewer?.flight.frames > 3, null, { timeout: 90000 });
  return page;
}

export async function shot(page, name) {
  if (!shots) return;
  mkdirSync(shots, { recursive: true });
  await page.screenshot({ path: join(shots, `${name}.png`) });
}

/** Press on the picture, move, let go. */
export async function drag(page, ...places) {
  await page.mouse.move(...places[0]);
  await page.mouse.down();
  for (const place of places.slice(1)) await page.mouse.move(...place, { steps: 4 });
  await page.mouse.up();
}

/** Click on a button and read the file that it saves. */
export async function saved(page, id) {
  const download = page.waitForEvent('download');
  await page.locator(id).click();
  const file = await download;
  return { name: file.suggestedFilename(), path: await file.path() };
}

/** Start landfall serve on a free port of this machine; ends with the test. */
export async function landfallServe(t, ...words) {
  const program = spawn(join(dirname(native), 'landfall-serve'), ['--listen', '127.0.0.1:0', '--viewer', join(here, '../dist'), ...words], { cwd: shared.files, stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => program.kill());
  return new Promise((resolve, reject) => {
    program.once('error', reject);
    program.once('exit', (code) => reject(new Error(`landfall-serve ended with ${code}`)));
    program.stdout.on('data', (data) => {
      const found = /listening on (\S+)/.exec(data);
      if (found) resolve(found[1]);
    });
  });
}
