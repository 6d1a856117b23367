/** The WebAssembly module: loading it, memory, errors. */

/** What Emscripten's module offers. */
export interface Module {
  HEAPU8: Uint8Array;
  FS: { writeFile(path: string, data: Uint8Array): void; unlink(path: string): void };
  UTF8ToString(pointer: number): string;
  progress?: (stage: string, done: number, total: number) => boolean | void;
  _malloc(bytes: number): number;
  _free(pointer: number): void;
  [call: `_web_${string}`]: (...numbers: number[]) => number;
}

/** An error of the engine: `status` is the name of the C library's status, such as "bad argument". */
export class LandfallError extends Error {
  readonly status: string;
  constructor(message: string, status: string) {
    super(message);
    this.name = 'LandfallError';
    this.status = status;
  }
}

type TypedArray = Float32Array | Float64Array | Int16Array | Uint16Array | Uint32Array | Uint8Array;
type ArrayType<T extends TypedArray> = {
  new (buffer: ArrayBufferLike, offset: number, length: number): T;
  new (length: number): T;
  readonly BYTES_PER_ELEMENT: number;
};

/** Calls of the module, with arguments in its memory. */
export class Engine {
  readonly module: Module;
  #files = 0;

  constructor(module: Module, readonly form: Form, readonly threads: number) {
    this.module = module;
  }

  get version(): string {
    return this.module.UTF8ToString(this.module._web_version());
  }

  /** The error that the last call left. */
  error(what: string): LandfallError {
    const status = this.module.UTF8ToString(this.module._web_status_name(this.module._web_status()));
    return new LandfallError(`${what}: ${this.module.UTF8ToString(this.module._web_message())}`, status);
  }

  check(code: number, what: string): number {
    if (code < 0) throw this.error(what);
    return code;
  }

  reason(number: number): string {
    return this.module.UTF8ToString(this.module._web_reason_name(number));
  }

  allocate(bytes: number): number {
    const pointer = this.module._malloc(Math.max(bytes, 8));
    if (pointer === 0) throw new LandfallError(`${bytes} bytes: out of memory`, 'no memory');
    return pointer;
  }

  view<T extends TypedArray>(type: ArrayType<T>, pointer: number, length: number): T {
    return new type(this.module.HEAPU8.buffer, pointer, length);
  }

  /** Run a function with blocks of memory that are freed afterwards. */
  scoped<R>(run: (scope: Scope) => R): R {
    const scope = new Scope(this);
    try {
      return run(scope);
    } finally {
      scope.free();
    }
  }

  /** Run a function with bytes as a file. */
  file<R>(bytes: Uint8Array, run: (path: Scope, pointer: number) => R): R {
    const path = `/${this.#files++}.lf`;
    this.module.FS.writeFile(path, bytes);
    try {
      return this.scoped((scope) => run(scope, scope.put(new TextEncoder().encode(path + '\0'))));
    } finally {
      this.module.FS.unlink(path);
    }
  }
}

/** Blocks of memory for one call. */
export class Scope {
  #blocks: number[] = [];
  constructor(readonly engine: Engine) {}

  space(bytes: number): number {
    const pointer = this.engine.allocate(bytes);
    this.#blocks.push(pointer);
    return pointer;
  }

  /** Copy numbers into the module's memory. */
  put(numbers: ArrayLike<number> & { BYTES_PER_ELEMENT?: number; buffer?: ArrayBufferLike; byteOffset?: number; byteLength?: number }): number {
    if (numbers.buffer && numbers.byteLength !== undefined) {
      const pointer = this.space(numbers.byteLength);
      this.engine.module.HEAPU8.set(new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength), pointer);
      return pointer;
    }
    const pointer = this.space(8 * numbers.length);
    this.engine.view(Float64Array, pointer, numbers.length).set(numbers);
    return pointer;
  }

  /** Copy a result out of the module's memory. */
  take<T extends TypedArray>(type: ArrayType<T>, pointer: number, length: number): T {
    const copy = new type(length);
    copy.set(this.engine.view(type, pointer, length));
    return copy;
  }

  free(): void {
    for (const block of this.#blocks) this.engine.module._free(block);
    this.#blocks = [];
  }
}

async function bytesOf(address: URL): Promise<Uint8Array> {
  if (address.protocol === 'file:') {
    const { readFile } = await import('node:fs/promises');
    return readFile(address);
  }
  const reply = await fetch(address);
  if (!reply.ok) throw new LandfallError(`${address.href}: HTTP status ${reply.status}`, 'input or output failed');
  return new Uint8Array(await reply.arrayBuffer());
}

/** Forms of the module: without vectors; with vectors of 128 bits; and with threads. */
export const forms = ['scalar', 'simd', 'threads'] as const;
export type Form = (typeof forms)[number];

/** The smallest module that uses vectors: a function that returns i32x4.splat(0). */
const vectors = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 8, 1, 6, 0, 65, 0, 253, 17, 11);

/** The best form that this place can run. Threads need a page that is isolated from other origins, and a worker: a page itself must not wait. */
export function bestForm(): Form {
  if (!WebAssembly.validate(vectors)) return 'scalar';
  const scope = globalThis as { crossOriginIsolated?: boolean; WorkerGlobalScope?: unknown };
  return scope.crossOriginIsolated && scope.WorkerGlobalScope ? 'threads' : 'simd';
}

const modules = {
  scalar: { name: 'landfall', glue: () => import('./landfall.mjs') },
  simd: { name: 'landfall-simd', glue: () => import('./landfall-simd.mjs') },
  threads: { name: 'landfall-threads', glue: () => import('./landfall-threads.mjs') },
};

/** Compile a form of the module that is in a folder. */
export async function instantiate(folder: URL, form: Form, threads: number): Promise<Engine> {
  const { name, glue } = modules[form];
  const [{ default: create }, wasmBinary] = await Promise.all([glue(), bytesOf(new URL(`${name}.wasm`, folder))]);
  const options = form === 'threads' ? { threads: threads - 1, mainScriptUrlOrBlob: new URL(`${name}.mjs`, folder).href, locateFile: (file: string) => new URL(file, folder).href } : {};
  const module = await create({ wasmBinary, ...options });
  return new Engine(module, form, module._web_threads(threads));
}
