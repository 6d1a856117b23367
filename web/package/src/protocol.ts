/** Messages between a page and its worker. */
import type { Form } from './engine.ts';
import type { GridOptions } from './index.ts';
import type { Part } from './ground.ts';

export type Remote = { remote: number };

export type Make =
  | { id: number; make: 'grid'; options: GridOptions }
  | { id: number; make: 'mesh'; vertices: Float64Array; triangles: Uint32Array }
  | { id: number; make: 'open'; file: ArrayBuffer }
  | { id: number; make: 'world'; parts: (Omit<Part, 'ground'> & { ground?: Remote })[] };

export type Request =
  | Make
  | { id: number; ask: string; of: number; values: unknown[] }
  | { id: number; dispose: number };

export type Answer = { id: number; value?: unknown; error?: { message: string; status: string } };
export type Reply = Answer | { ready: true; form?: Form; threads?: number; error?: { message: string; status: string } };
