/** Boxes and models that move over a ground, and when they will touch. */
import { LandfallError, Scope, type Engine } from './engine.ts';
import { identity, type Ground } from './ground.ts';
import type { Pose, Vec3 } from './types.ts';

/** A thing of a scene: a box, or a model of triangles. */
export interface Thing {
  /** Half its sides. */
  box?: Vec3;
  model?: { vertices: ArrayLike<number>; triangles: ArrayLike<number> };
  /** 12 numbers; default: at the origin. */
  pose?: Pose;
  /** Metres per second. */
  velocity?: Vec3;
  /** Radians per second about an axis through its origin. */
  spin?: Vec3;
}

export interface Motion {
  pose: Float64Array;
  velocity: [number, number, number];
  spin: [number, number, number];
}

/** Two things touch, no longer do so, will touch, or will not after all. */
export interface SceneEvent {
  kind: 'begin' | 'stay' | 'end' | 'predicted' | 'cleared';
  a: number;
  b: number;
  /** Seconds from the end of the step: negative for what has happened. */
  wait: number;
}

const kinds = ['begin', 'stay', 'end', 'predicted', 'cleared'] as const;
const registry = new FinalizationRegistry<{ engine: Engine; pointer: number }>(({ engine, pointer }) => engine.module._web_scene_destroy(pointer));

/** A scene over a ground. Things are numbered from 0. Free it with `dispose()`. */
export class Scene {
  #pointer: number;

  /** Scenes are made by `Landfall`; a scene holds on to its ground. */
  constructor(readonly engine: Engine, readonly ground: Ground, ahead: number) {
    this.#pointer = engine.module._web_scene_create(ground.pointer, ahead);
    if (this.#pointer === 0) throw engine.error('scene');
    registry.register(this, { engine, pointer: this.#pointer }, this);
  }

  dispose(): void {
    if (this.#pointer === 0) return;
    registry.unregister(this);
    this.engine.module._web_scene_destroy(this.#pointer);
    this.#pointer = 0;
  }

  #ask<R>(run: (scope: Scope, pointer: number) => R): R {
    if (this.#pointer === 0) throw new LandfallError('the scene: it was disposed of', 'bad argument');
    return this.engine.scoped((scope) => run(scope, this.#pointer));
  }

  #numbers(motion: { pose?: Pose; velocity?: Vec3; spin?: Vec3 }): number[] {
    const pose = Array.from(motion.pose ?? identity);
    if (pose.length !== 12) throw new LandfallError(`pose of ${pose.length} numbers: expected 12`, 'bad argument');
    return [...pose, ...(motion.velocity ?? [0, 0, 0]), ...(motion.spin ?? [0, 0, 0])];
  }

  /** Add a thing. Returns its number. */
  add(thing: Thing): number {
    if (!thing.box === !thing.model) throw new LandfallError('thing: expected a box or a model', 'bad argument');
    const { vertices = [], triangles = [] } = thing.model ?? {};
    if (thing.model && (vertices.length % 3 !== 0 || triangles.length % 3 !== 0 || triangles.length === 0))
      throw new LandfallError(`model of ${vertices.length} coordinates and ${triangles.length} corners: expected multiples of three`, 'bad argument');
    return this.#ask((scope, pointer) => {
      const numbers = scope.put([...this.#numbers(thing), ...(thing.box ?? [1, 1, 1])]);
      const code = this.engine.module._web_scene_add(pointer, numbers, scope.put(Float64Array.from(vertices)), vertices.length / 3, scope.put(Uint32Array.from(triangles)), triangles.length / 3);
      return this.engine.check(code, 'thing');
    });
  }

  /** Where a thing is, and how it moves. */
  get(thing: number): Motion {
    return this.#ask((scope, pointer) => {
      const out = scope.space(8 * 18);
      this.engine.check(this.engine.module._web_scene_get(pointer, thing, out), 'scene');
      const n = scope.take(Float64Array, out, 18);
      return { pose: n.slice(0, 12), velocity: [n[12], n[13], n[14]], spin: [n[15], n[16], n[17]] };
    });
  }

  /** Put a thing somewhere, with a new motion. */
  set(thing: number, motion: { pose: Pose; velocity?: Vec3; spin?: Vec3 }): void {
    this.#ask((scope, pointer) => this.engine.check(this.engine.module._web_scene_set(pointer, thing, scope.put(this.#numbers(motion))), 'scene'));
  }

  /** Seconds until a thing meets the ground on its present course; Infinity: not within `ahead`. Never late. */
  groundTime(thing: number, ahead: number): number {
    return this.#ask((scope, pointer) => {
      const out = scope.space(8);
      this.engine.check(this.engine.module._web_scene_ground_time(pointer, thing, ahead, out), 'scene');
      return this.engine.view(Float64Array, out, 1)[0];
    });
  }

  /** Move everything by its velocity for so many seconds. Returns what happened between things, and what is predicted. */
  step(seconds: number): SceneEvent[] {
    return this.#ask((scope, pointer) => {
      const capacity = 4096;
      const out = scope.space(32 * capacity);
      const count = Math.min(capacity, this.engine.check(this.engine.module._web_scene_step(pointer, seconds, out, capacity), 'step'));
      const n = this.engine.view(Float64Array, out, 4 * count);
      return Array.from({ length: count }, (_, k) => ({ kind: kinds[n[4 * k]], a: n[4 * k + 1], b: n[4 * k + 2], wait: n[4 * k + 3] }));
    });
  }
}
