/**
 * The engine in a worker: the same calls as promises, so that a page stays responsive.
 *
 * ```js
 * import { connect } from 'landfall/worker';
 * const lf = await connect();
 * const grid = await lf.grid({ samples, columns, rows });
 * const seen = await grid.ask('viewshed', { at: [x, y] }, { range: 5000 });
 * ```
 */
import { LandfallError, type Form } from './engine.ts';
import type { Grid, Ground, Part, World } from './ground.ts';
import type { GridOptions } from './index.ts';
import type { Answer, Remote, Reply, Request } from './protocol.ts';

export { LandfallError } from './engine.ts';

type Calls<G> = { [K in keyof G as G[K] extends (...values: never[]) => unknown ? K : never]: G[K] };
type Asked<G, K extends keyof Calls<G>> = Calls<G>[K] extends (...values: infer A) => infer R ? { values: A; result: R } : never;
type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never;

interface Channel {
  post(request: Request, transfer: ArrayBuffer[]): void;
  listen(receive: (reply: Reply) => void, fail: (error: Error) => void): void;
  close(): void;
}

async function start(url: URL): Promise<Channel> {
  if (typeof Worker !== 'undefined') {
    const worker = new Worker(url, { type: 'module' });
    return {
      post: (request, transfer) => worker.postMessage(request, transfer),
      listen: (receive, fail) => {
        worker.onmessage = (event) => receive(event.data);
        worker.onerror = (event) => fail(new Error(event.message || `${url.href}: the worker cannot be started`));
      },
      close: () => worker.terminate(),
    };
  }
  const { Worker: NodeWorker } = await import('node:worker_threads');
  const worker = new NodeWorker(url);
  return {
    post: (request, transfer) => worker.postMessage(request, transfer),
    listen: (receive, fail) => {
      worker.on('message', receive);
      worker.on('error', fail);
    },
    close: () => void worker.terminate(),
  };
}

/** A ground in the worker. */
export class RemoteGround<G extends Ground = Ground> {
  readonly box: { low: [number, number, number]; high: [number, number, number] };
  declare readonly columns: number;
  declare readonly rows: number;
  declare readonly transform: readonly number[];
  declare readonly degrees: boolean;
  declare readonly voids: number;
  #owner: RemoteLandfall;
  #remote: number;

  constructor(owner: RemoteLandfall, described: Remote & { box: RemoteGround['box'] }) {
    this.#owner = owner;
    this.#remote = described.remote;
    this.box = described.box;
    const { remote: _, box: __, ...rest } = described;
    Object.assign(this, rest);
  }

  get remote(): number {
    return this.#remote;
  }

  /** Any call of the ground, by name. */
  ask<K extends keyof Calls<G> & string>(call: K, ...values: Asked<G, K>['values']): Promise<Asked<G, K>['result']> {
    return this.#owner.send({ ask: call, of: this.#remote, values: values as unknown[] }) as Promise<Asked<G, K>['result']>;
  }

  async dispose(): Promise<void> {
    await this.#owner.send({ dispose: this.#remote });
  }
}

/** The engine in a worker. */
export class RemoteLandfall {
  /** Which form of the module the worker loaded, and how many threads it uses. */
  form?: Form;
  threads = 1;
  #channel: Channel;
  #next = 1;
  #open = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  #closed?: Error;

  private constructor(channel: Channel) {
    this.#channel = channel;
  }

  static async start(url: URL): Promise<RemoteLandfall> {
    const channel = await start(url);
    const lf = new RemoteLandfall(channel);
    await new Promise<void>((resolve, reject) =>
      channel.listen(
        (reply) => {
          if ('id' in reply) lf.#settle(reply);
          else if (reply.error) reject(new LandfallError(reply.error.message, reply.error.status));
          else {
            lf.form = reply.form;
            lf.threads = reply.threads ?? 1;
            resolve();
          }
        },
        (error) => {
          lf.#fail(error);
          reject(error);
        },
      ),
    );
    return lf;
  }

  #settle(reply: Answer): void {
    const waiting = this.#open.get(reply.id);
    this.#open.delete(reply.id);
    if (reply.error) waiting?.reject(new LandfallError(reply.error.message, reply.error.status));
    else waiting?.resolve(reply.value);
  }

  #fail(error: Error): void {
    this.#closed = error;
    for (const { reject } of this.#open.values()) reject(error);
    this.#open.clear();
  }

  /** Send a request; buffers in `transfer` are handed over. */
  send(request: WithoutId<Request>, transfer: ArrayBuffer[] = []): Promise<unknown> {
    if (this.#closed) return Promise.reject(this.#closed);
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#open.set(id, { resolve, reject });
      this.#channel.post({ ...request, id } as Request, transfer);
    });
  }

  async grid(options: GridOptions): Promise<RemoteGround<Grid>> {
    return new RemoteGround<Grid>(this, (await this.send({ make: 'grid', options })) as never);
  }

  async mesh(vertices: Float64Array, triangles: Uint32Array): Promise<RemoteGround> {
    return new RemoteGround(this, (await this.send({ make: 'mesh', vertices, triangles })) as never);
  }

  async open(file: ArrayBuffer): Promise<RemoteGround<Grid>> {
    return new RemoteGround<Grid>(this, (await this.send({ make: 'open', file })) as never);
  }

  async world(parts: readonly (Omit<Part, 'ground'> & { ground?: RemoteGround })[]): Promise<RemoteGround<World>> {
    const sent = parts.map((part) => ({ ...part, ground: part.ground && { remote: part.ground.remote } }));
    return new RemoteGround<World>(this, (await this.send({ make: 'world', parts: sent })) as never);
  }

  /** End the worker. Calls that wait are rejected. */
  close(): void {
    this.#fail(new LandfallError('the worker was closed', 'cancelled'));
    this.#channel.close();
  }
}

/** Start a worker. url: where landfall's worker-main.js is; default: beside this module. */
export function connect(options: { url?: URL } = {}): Promise<RemoteLandfall> {
  return RemoteLandfall.start(options.url ?? new URL('./worker-main.js', import.meta.url));
}
