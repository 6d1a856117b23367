import type { Module } from './engine.ts';
/** The glue that Emscripten writes. */
declare const create: (options: { wasmBinary: Uint8Array; threads?: number; mainScriptUrlOrBlob?: string; locateFile?: (file: string) => string }) => Promise<Module>;
export default create;
