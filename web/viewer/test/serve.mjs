// Serve folders on a free loopback port: for the tests.
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { extname, join, normalize } from 'node:path';

const types = { '.html': 'text/html', '.js': 'text/javascript', '.mjs': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm' };

/** folders: prefix of the path -> folder. */
export function serve(folders) {
  const server = createServer(async (request, reply) => {
    const path = normalize(decodeURIComponent(new URL(request.url, 'http://x').pathname));
    const prefix = Object.keys(folders).find((one) => path.startsWith(one));
    try {
      const data = await readFile(join(folders[prefix], path === prefix ? 'index.html' : path.slice(prefix.length)));
      reply.writeHead(200, { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp', 'Content-Type': types[extname(path) || '.html'] ?? 'application/octet-stream' });
      reply.end(data);
    } catch {
      reply.writeHead(404);
      reply.end();
    }
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve({ server, url: `http://127.0.0.1:${server.address().port}` })));
}
