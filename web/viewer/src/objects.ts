/** Boxes and models that move over the terrain; the engine predicts the next contacts of each, which are drawn ahead of time. */
import * as THREE from 'three';
import type { Landfall, Scene } from 'landfall';
import { add, type V3 } from './camera.ts';
import type { Terrain } from './ground.ts';

const AHEAD = 15; // seconds
const PIECE = 0.25;
const COUNT = 24;

export interface Model {
  vertices: Float64Array;
  triangles: Uint32Array;
}

interface Mover {
  thing: number;
  model: boolean;
  at: V3;
  velocity: V3;
  /** Of the scene's clock: when it meets the ground, Infinity: not within AHEAD of the last look. */
  contact: number;
  looked: number;
  mesh: THREE.Mesh;
  ghost: THREE.Mesh;
}

/** A drone: a body and four rotors, turned about the vertical. */
export function drone(): Model {
  const vertices: number[] = [], triangles: number[] = [];
  const lathe = (x: number, y: number, profile: [number, number][], sides: number) => {
    const first = vertices.length / 3;
    for (const [radius, z] of profile) for (let k = 0; k < sides; k++) vertices.push(x + radius * Math.cos((2 * Math.PI * k) / sides), y + radius * Math.sin((2 * Math.PI * k) / sides), z);
    for (let j = 0; j + 1 < profile.length; j++)
      for (let k = 0; k < sides; k++) {
        const a = first + j * sides + k, b = first + j * sides + ((k + 1) % sides);
        triangles.push(a, b, a + sides, b, b + sides, a + sides);
      }
  };
  lathe(0, 0, [[0.02, -0.35], [0.45, -0.1], [0.45, 0.1], [0.02, 0.35]], 12);
  for (const [x, y] of [[0.7, 0.7], [-0.7, 0.7], [-0.7, -0.7], [0.7, -0.7]]) lathe(x, y, [[0.3, 0.1], [0.3, 0.2], [0.22, 0.2], [0.22, 0.1]], 10);
  return { vertices: Float64Array.from(vertices), triangles: Uint32Array.from(triangles) };
}

/** A model in the middle of a cube of so many metres. */
function fit(model: Model, size: number): Model {
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  model.vertices.forEach((v, k) => {
    low[k % 3] = Math.min(low[k % 3], v);
    high[k % 3] = Math.max(high[k % 3], v);
  });
  const scale = size / Math.max(...high.map((h, k) => h - low[k]), 1e-9);
  return { vertices: model.vertices.map((v, k) => (v - (low[k % 3] + high[k % 3]) / 2) * scale), triangles: model.triangles };
}

function shapeOf(model: Model): THREE.BufferGeometry {
  const geometry = new THREE.BufferGeometry();
  const position = new Float32Array(3 * model.triangles.length);
  model.triangles.forEach((corner, k) => position.set([model.vertices[3 * corner], model.vertices[3 * corner + 2], -model.vertices[3 * corner + 1]], 3 * k));
  geometry.setAttribute('position', new THREE.BufferAttribute(position, 3));
  geometry.computeVertexNormals();
  return geometry;
}

const poseAt = (at: V3) => [1, 0, 0, 0, 1, 0, 0, 0, 1, ...at];

export class Objects {
  readonly group = new THREE.Group();
  readonly scene: Scene;
  /** What has happened: for tests. */
  readonly counts = { ground: 0, between: 0, predicted: 0 };
  #movers: Mover[] = [];
  #time = 0;
  #half: number;
  /** Half the sides of the model's box. */
  #reach: V3;
  /** Holds one model, to ask when it meets the ground. */
  #probe: Scene;
  /** When pairs will touch, by the two numbers. */
  #pairs = new Map<string, { a: number; b: number; when: number }>();
  #lines = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: 0xd02020 }));

  constructor(lf: Landfall, readonly terrain: Terrain, model: Model = drone()) {
    const { low, high } = terrain.local.box;
    const span = Math.min(high[0] - low[0], high[1] - low[1]);
    this.#half = span / 140;
    this.scene = lf.scene(terrain.local, { ahead: AHEAD });
    const fitted = fit(model, 3 * this.#half);
    this.#reach = [0, 1, 2].map((axis) => fitted.vertices.reduce((most, v, k) => (k % 3 === axis ? Math.max(most, Math.abs(v)) : most), 0)) as V3;
    this.#probe = lf.scene(terrain.local, { ahead: 0 });
    this.#probe.add({ model: fitted });
    const shapes = [new THREE.BoxGeometry(2 * this.#half, 2 * this.#half, 2 * this.#half), shapeOf(fitted)];
    const body = new THREE.MeshNormalMaterial({ side: THREE.DoubleSide });
    const shade = new THREE.MeshBasicMaterial({ color: 0xd02020, wireframe: true });
    for (let k = 0; k < COUNT; k++) {
      const turn = (2 * Math.PI * k) / COUNT;
      const at: V3 = [0.3 * span * Math.cos(turn), 0.3 * span * Math.sin(turn), high[2] + 4 * this.#half];
      const velocity: V3 = [-Math.sin(3 * turn) * span * 0.02, Math.cos(3 * turn) * span * 0.02, -span * 0.008];
      const thing = this.scene.add({ ...(k % 2 === 0 ? { box: [this.#half, this.#half, this.#half] as V3 } : { model: fitted }), pose: poseAt(at), velocity });
      const [mesh, ghost] = [new THREE.Mesh(shapes[k % 2], body), new THREE.Mesh(shapes[k % 2], shade)];
      this.#movers.push({ thing, model: k % 2 === 1, at, velocity, contact: Infinity, looked: 0, mesh, ghost });
      this.group.add(mesh, ghost);
    }
    this.#lines.frustumCulled = false;
    this.group.add(this.#lines);
    for (const mover of this.#movers) this.#look(mover);
  }

  /** When does a thing meet the ground? The sweep of its box is the answer for a box; a model is looked at from there on, in short pieces. */
  #look(mover: Mover): void {
    const half = mover.model ? this.#reach : ([this.#half, this.#half, this.#half] as V3);
    const sweep = (from: number) => {
      const hit = this.terrain.local.sweepBox(poseAt(add(mover.at, mover.velocity, from)), half, mover.velocity.map((v) => (AHEAD - from) * v) as V3, 1e-3);
      return hit ? from + hit.t * (AHEAD - from) : Infinity;
    };
    let wait = sweep(0);
    for (let from = wait; mover.model && from < AHEAD; ) {
      this.#probe.set(0, { pose: poseAt(add(mover.at, mover.velocity, from)), velocity: mover.velocity });
      wait = from + this.#probe.groundTime(0, PIECE);
      if (wait < Infinity) break;
      from = sweep(from + PIECE);
    }
    mover.contact = this.#time + wait;
    mover.looked = this.#time;
  }

  #turn(mover: Mover, at: V3, velocity: V3): void {
    [mover.at, mover.velocity] = [at, velocity];
    this.scene.set(mover.thing, { pose: poseAt(at), velocity });
    this.#look(mover);
  }

  /** Bounce off the ground that is met first below, off a plane that leans as it does. */
  #bounce(mover: Mover): void {
    const normal = this.terrain.local.below([mover.at[0], mover.at[1], Infinity])?.normal ?? [0, 0, 1];
    const into = mover.velocity.reduce((sum, v, k) => sum + v * normal[k], 0);
    let velocity = into < 0 ? add(mover.velocity, normal as V3, -2 * into) : mover.velocity;
    this.#turn(mover, mover.at, velocity);
    // Where another slope is met as soon as it turns (a corner), it goes straight up.
    if (mover.contact - this.#time < 0.05) {
      velocity = [0, 0, Math.hypot(...mover.velocity)];
      this.#turn(mover, add(mover.at, [0, 0, 0.05 * this.#half]), velocity);
    }
    this.counts.ground++;
  }

  step(seconds: number): void {
    // The contacts of this step, one after the other: nothing is ever moved into the ground.
    let left = seconds;
    for (let k = 0; k < 64 && left > 1e-9; k++) {
      const next = Math.min(left, ...this.#movers.map((mover) => mover.contact - this.#time));
      if (next > 1e-9) this.#advance(next);
      left -= Math.max(next, 0);
      for (const mover of this.#movers) if (mover.contact - this.#time <= 1e-9) this.#bounce(mover);
    }
    const { low, high } = this.terrain.local.box;
    for (const mover of this.#movers) {
      const velocity = mover.velocity.map((v, k) => {
        const [from, to] = k === 2 ? [-Infinity, high[2] + 12 * this.#half] : [low[k] + 3 * this.#half, high[k] - 3 * this.#half];
        return (mover.at[k] < from && v < 0) || (mover.at[k] > to && v > 0) ? -v : v;
      }) as V3;
      if (velocity.some((v, k) => v !== mover.velocity[k])) this.#turn(mover, mover.at, velocity);
      else if (mover.contact === Infinity && this.#time - mover.looked > AHEAD / 4) this.#look(mover);
    }
    this.#draw();
  }

  /** Let the scene move everything, and take in what it says of pairs. */
  #advance(seconds: number): void {
    const events = this.scene.step(seconds);
    this.#time += seconds;
    for (const mover of this.#movers) mover.at = add(mover.at, mover.velocity, seconds);
    for (const { kind, a, b, wait } of events) {
      const key = `${a} ${b}`;
      if (kind === 'predicted') this.#pairs.set(key, { a, b, when: this.#time + wait });
      else this.#pairs.delete(key);
      if (kind === 'predicted') this.counts.predicted++;
      if (kind !== 'begin') continue;
      this.counts.between++;
      const [one, other] = [this.#movers[a], this.#movers[b]];
      [one.velocity, other.velocity] = [other.velocity, one.velocity];
      this.#turn(one, one.at, one.velocity);
      this.#turn(other, other.at, other.velocity);
    }
  }

  #draw(): void {
    const points: number[] = [];
    const scenePlace = (p: V3): V3 => [p[0], p[2], -p[1]];
    const soonest = this.#movers.map((mover) => mover.contact - this.#time);
    for (const [key, { a, b, when }] of this.#pairs) {
      const wait = when - this.#time;
      if (wait < 0) this.#pairs.delete(key);
      else for (const k of [a, b]) soonest[k] = Math.min(soonest[k], wait);
    }
    this.#movers.forEach((mover, k) => {
      mover.mesh.position.set(...scenePlace(mover.at));
      mover.ghost.visible = soonest[k] < AHEAD;
      if (!mover.ghost.visible) return;
      const ahead = add(mover.at, mover.velocity, soonest[k]);
      mover.ghost.position.set(...scenePlace(ahead));
      points.push(...scenePlace(mover.at), ...scenePlace(ahead));
    });
    this.#lines.geometry.dispose();
    this.#lines.geometry = new THREE.BufferGeometry().setAttribute('position', new THREE.Float32BufferAttribute(points, 3));
  }

  /** Contacts that are drawn, seconds ahead: for tests. */
  predicted(): { model: boolean; at: V3; velocity: V3; wait: number }[] {
    return this.#movers.filter((m) => m.contact < Infinity).map((m) => ({ model: m.model, at: m.at, velocity: m.velocity, wait: m.contact - this.#time }));
  }

  /** Half the side of a box. */
  get half(): number {
    return this.#half;
  }

  /** Least height of a thing above the ground at its centre: for tests. */
  least(): number {
    return Math.min(...this.#movers.map((m) => m.at[2] - this.terrain.local.height(m.at[0], m.at[1])).filter((d) => !Number.isNaN(d)));
  }

  dispose(): void {
    this.scene.dispose();
    this.#probe.dispose();
    for (const { mesh } of this.#movers) mesh.geometry.dispose();
    this.#lines.geometry.dispose();
  }
}
