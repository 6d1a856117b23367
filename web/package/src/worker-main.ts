/** The worker: answers requests with an engine of its own. */
import { Grid, Ground, LandfallError, load } from './index.ts';
import type { Make, Reply, Request } from './protocol.ts';

interface Port {
  postMessage(message: Reply, transfer?: ArrayBuffer[]): void;
  listen(receive: (request: Request) => void): void;
}

async function portOf(): Promise<Port> {
  if (typeof (globalThis as { WorkerGlobalScope?: unknown }).WorkerGlobalScope !== 'undefined') {
    const scope = self as unknown as { postMessage(message: unknown, transfer: ArrayBuffer[]): void; onmessage: (e: MessageEvent) => void };
    return {
      postMessage: (message, transfer = []) => scope.postMessage(message, transfer),
      listen: (receive) => (scope.onmessage = (event) => receive(event.data)),
    };
  }
  const { parentPort } = await import('node:worker_threads');
  return {
    postMessage: (message, transfer = []) => parentPort!.postMessage(message, transfer),
    listen: (receive) => parentPort!.on('message', receive),
  };
}

function errorOf(error: unknown): { message: string; status: string } {
  const status = error instanceof LandfallError ? error.status : 'failure';
  return { message: error instanceof Error ? error.message : String(error), status };
}

/** The memory of a result is handed over, not copied. */
function buffersOf(value: unknown, found: ArrayBuffer[] = []): ArrayBuffer[] {
  if (ArrayBuffer.isView(value)) found.push(value.buffer as ArrayBuffer);
  else if (value && typeof value === 'object') for (const one of Object.values(value)) if (ArrayBuffer.isView(one)) found.push(one.buffer as ArrayBuffer);
  return found;
}

function describe(number: number, ground: Ground) {
  const { box, columns, rows, transform, degrees } = ground;
  return { remote: number, box, columns, rows, transform: [...transform], degrees, voids: ground instanceof Grid ? ground.voids : 0 };
}

const port = await portOf();
const grounds = new Map<number, Ground>();
let next = 1;

try {
  const lf = await load();
  const groundOf = (number: number) => {
    const ground = grounds.get(number);
    if (!ground) throw new LandfallError(`ground ${number}: it was disposed of`, 'bad argument');
    return ground;
  };
  const make = (request: Make): Ground => {
    switch (request.make) {
      case 'grid':
        return lf.grid(request.options);
      case 'mesh':
        return lf.mesh(request.vertices, request.triangles);
      case 'open':
        return lf.open(request.file);
      case 'world':
        return lf.world(request.parts.map((part) => ({ ...part, ground: part.ground && groundOf(part.ground.remote) })));
    }
  };
  const answer = (request: Request): unknown => {
    if ('make' in request) {
      const ground = make(request);
      grounds.set(next, ground);
      return describe(next++, ground);
    }
    if ('dispose' in request) {
      grounds.get(request.dispose)?.dispose();
      grounds.delete(request.dispose);
      return null;
    }
    const ground = groundOf(request.of) as unknown as Record<string, unknown>;
    const call = request.ask === 'constructor' ? undefined : ground[request.ask];
    if (typeof call !== 'function')
      throw new LandfallError(`${request.ask}: no such call`, 'bad argument');
    return (call as (...values: unknown[]) => unknown).apply(ground, request.values);
  };
  port.listen((request) => {
    try {
      const value = answer(request);
      port.postMessage({ id: request.id, value }, buffersOf(value));
    } catch (error) {
      port.postMessage({ id: request.id, error: errorOf(error) });
    }
  });
  port.postMessage({ ready: true, form: lf.form, threads: lf.threads });
} catch (error) {
  port.postMessage({ ready: true, error: errorOf(error) });
}
