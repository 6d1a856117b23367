// The examples of docs/web-api.md: each line EXPRESSION; // => VALUE must hold.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import * as landfall from '../dist/index.js';

test('the examples of the documentation', async () => {
  const text = readFileSync(new URL('../../../docs/web-api.md', import.meta.url), 'utf8');
  const examples = [...text.matchAll(/```js\n([\s\S]*?)```/g)].map(([, code]) => code).join('');
  let checked = 0;
  const check = (found, expected, line) => {
    assert.deepEqual(found, expected, line);
    checked++;
  };
  const code = examples.replace(/^(.*); \/\/ => (.*)$/gm, (line, expression, value) => `check(${expression}, ${value}, ${JSON.stringify(line)});`);
  await new Function('load', 'check', `return (async () => { ${code} })()`)(landfall.load, check);
  assert.ok(checked > 15, `${checked} answers`);
});
