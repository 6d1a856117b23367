// Build the package into dist: WebAssembly, JavaScript, types.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { build } from 'esbuild';

process.chdir(new URL('.', import.meta.url).pathname);
rmSync('dist', { recursive: true, force: true }); // chunks of an earlier build
mkdirSync('dist', { recursive: true });
execFileSync('../wasm/build', ['../../build/web'], { stdio: 'inherit' });
execFileSync('../wasm/golden', ['../../build/web'], { stdio: 'inherit' });
for (const form of ['landfall', 'landfall-simd', 'landfall-threads']) {
  cpSync(`../../build/web/${form}.wasm`, `dist/${form}.wasm`);
  cpSync(`../../build/web/${form}.mjs`, `src/${form}.mjs`);
}
// Each thread loads these two by their names.
for (const file of ['landfall-threads.mjs', 'landfall-threads.worker.js']) cpSync(`../../build/web/${file}`, `dist/${file}`);
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
