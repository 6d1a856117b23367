/** Boxes that move over the terrain; the next contact of each is predicted and drawn ahead of time. */
import * as THREE from 'three';
import type { Terrain } from './ground.ts';

const AHEAD = 20; // seconds

interface Mover {
  at: [number, number, number];
  velocity: [number, number, number];
  half: number;
  contact: number;
  normal: [number, number, number];
  mesh: THREE.Mesh;
  ghost: THREE.Mesh;
}

export class Objects {
  readonly group = new THREE.Group();
  #movers: Mover[] = [];

  constructor(readonly terrain: Terrain, count = 24) {
    const { low, high } = terrain.local.box;
    const span = high[0] - low[0];
    const half = span / 160;
    const shape = new THREE.BoxGeometry(2 * half, 2 * half, 2 * half);
    const body = new THREE.MeshNormalMaterial();
    const shade = new THREE.MeshBasicMaterial({ color: 0xd02020, wireframe: true });
    for (let k = 0; k < count; k++) {
      const turn = (2 * Math.PI * k) / count;
      const [mesh, ghost] = [new THREE.Mesh(shape, body), new THREE.Mesh(shape, shade)];
      const at: [number, number, number] = [0.3 * span * Math.cos(turn), 0.3 * span * Math.sin(turn), high[2] + 2 * half];
      const velocity: [number, number, number] = [-Math.sin(3 * turn) * span * 0.02, Math.cos(3 * turn) * span * 0.02, -span * 0.01];
      this.#movers.push({ at, velocity, half, contact: 0, normal: [0, 0, 1], mesh, ghost });
      this.group.add(mesh, ghost);
    }
    for (const mover of this.#movers) this.#predict(mover);
  }

  /** Seconds to the first contact with the ground on the present course. */
  #predict(mover: Mover): void {
    const motion = mover.velocity.map((v) => AHEAD * v) as [number, number, number];
    const hit = this.terrain.local.sweepBox([1, 0, 0, 0, 1, 0, 0, 0, 1, ...mover.at], [mover.half, mover.half, mover.half], motion, 1e-3);
    mover.contact = hit ? hit.t * AHEAD : Infinity;
    mover.normal = hit ? hit.normal : [0, 0, 1];
  }

  step(seconds: number): void {
    const { low, high } = this.terrain.local.box;
    for (const mover of this.#movers) {
      let left = seconds;
      if (mover.contact <= left) {
        mover.at = mover.at.map((p, k) => p + mover.velocity[k] * mover.contact) as [number, number, number];
        left -= mover.contact;
        const into = mover.velocity.reduce((sum, v, k) => sum + v * mover.normal[k], 0);
        mover.velocity = mover.velocity.map((v, k) => v - 2 * into * mover.normal[k]) as [number, number, number];
        mover.at = mover.at.map((p, k) => p + 0.01 * mover.half * mover.normal[k]) as [number, number, number];
        this.#predict(mover);
        left = Math.min(left, mover.contact * 0.5);
      }
      mover.at = mover.at.map((p, k) => p + mover.velocity[k] * left) as [number, number, number];
      mover.contact -= left;
      let turned = false;
      for (const k of [0, 1, 2]) {
        const [from, to] = k === 2 ? [-Infinity, high[2] + 8 * mover.half] : [low[k] + 2 * mover.half, high[k] - 2 * mover.half];
        if ((mover.at[k] < from && mover.velocity[k] < 0) || (mover.at[k] > to && mover.velocity[k] > 0)) {
          mover.velocity[k] = -mover.velocity[k];
          turned = true;
        }
      }
      if (turned || mover.contact === Infinity) this.#predict(mover);
      const ahead = Math.min(mover.contact, AHEAD);
      mover.mesh.position.set(mover.at[0], mover.at[2], -mover.at[1]);
      mover.ghost.visible = mover.contact < AHEAD;
      mover.ghost.position.set(mover.at[0] + ahead * mover.velocity[0], mover.at[2] + ahead * mover.velocity[2], -(mover.at[1] + ahead * mover.velocity[1]));
    }
  }

  /** Least height of a box above the ground at its centre: for tests. */
  least(): number {
    return Math.min(...this.#movers.map((m) => m.at[2] - m.half - this.terrain.local.height(m.at[0], m.at[1])).filter((d) => !Number.isNaN(d)));
  }
}
