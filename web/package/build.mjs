// Build the package into dist: WebAssembly, JavaScript, types.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import { build } from 'esbuild';

process.chdir(new URL('.', import.meta.url).pathname);
mkdirSync('dist', { recursive: true });
execFileSync('../wasm/build', ['../../build/web'], { stdio: 'inherit' });
execFileSync('../wasm/golden', ['../../build/web'], { stdio: 'inherit' });
cpSync('../../build/web/landfall.wasm', 'dist/landfall.wasm');
cpSync('../../build/web/landfall.mjs', 'src/landfall.mjs');
cpSync('../../LICENSE', 'LICENSE');
await build({
  entryPoints: ['src/index.ts', 'src/worker.ts', 'src/worker-main.ts'],
  bundle: true,
  splitting: true,
  format: 'esm',
  target: 'es2022',
  outdir: 'dist',
  external: ['node:*', 'geotiff'],
  minify: false,
});
execFileSync('npx', ['tsc', '-p', '.'], { stdio: 'inherit' });
