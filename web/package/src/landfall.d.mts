import type { Module } from './engine.ts';
/** The glue that Emscripten writes. */
declare const create: (options: { wasmBinary: Uint8Array }) => Promise<Module>;
export default create;
