// Build the viewer into dist: static files, no network at run time.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { build } from 'esbuild';

process.chdir(new URL('.', import.meta.url).pathname);
rmSync('dist', { recursive: true, force: true });
mkdirSync('dist', { recursive: true });
execFileSync('npx', ['tsc', '-p', '.'], { stdio: 'inherit' });
await build({
  entryPoints: { viewer: 'src/main.ts' },
  bundle: true,
  splitting: true,
  format: 'esm',
  target: 'es2022',
  outdir: 'dist',
  external: ['node:*'],
  minify: true,
});
for (const file of ['index.html', 'viewer.css']) cpSync(`src/${file}`, `dist/${file}`);
cpSync('../package/dist', 'dist/engine', { recursive: true, filter: (path) => !path.endsWith('.d.ts') });
