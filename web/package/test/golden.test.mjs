// The golden answers that every platform has to give, by WebAssembly.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

for (const form of ['', '-simd']) test(`golden answers${form}`, async () => {
  const folder = new URL('../../../build/web/', import.meta.url);
  const { default: create } = await import(new URL(`golden${form}.mjs`, folder));
  const lines = [];
  const module = await create({ wasmBinary: await readFile(new URL(`golden${form}.wasm`, folder)), print: (line) => lines.push(line), printErr: (line) => lines.push(line) });
  const status = module.callMain(['/answers.txt', '/tmp']);
  console.log(lines.join('\n'));
  assert.equal(status, 0, lines.join('\n'));
  assert.match(lines.at(-1), form ? /avx2$/ : /scalar$/);
});
