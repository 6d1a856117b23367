/** A camera that cannot pass through the ground: the engine moves it. */
import type { Ground } from 'landfall';

export type Mode = 'fly' | 'walk' | 'orbit';
export type V3 = [number, number, number];

export const add = (a: V3, b: V3, k = 1): V3 => [a[0] + k * b[0], a[1] + k * b[1], a[2] + k * b[2]];

/** Position in metres: east, north, up. */
export class Body {
  mode: Mode = 'fly';
  position: V3;
  /** Radians: 0 looks north, positive to the east; positive looks up. */
  heading = 0;
  pitch = -0.35;
  /** Metres between the camera and the ground. */
  clearance = 2;
  /** Of a walker: metres of its eyes above the ground, and of steps that it takes. */
  eye = 1.7;
  step = 0.5;
  /** Metres per second. */
  speed: number;
  /** What orbit turns about. */
  centre: V3;
  distance: number;

  constructor(readonly ground: Ground, readonly span: number, readonly top: number) {
    this.position = [0, -0.35 * span, top + 0.1 * span];
    this.speed = span / 20;
    this.centre = [0, 0, ground.height(0, 0) || top];
    this.distance = 0.5 * span;
  }

  get direction(): V3 {
    const level = Math.cos(this.pitch);
    return [Math.sin(this.heading) * level, Math.cos(this.heading) * level, Math.sin(this.pitch)];
  }

  /** Move, sliding along what is in the way, over hills and under bridges: the whole way is examined, at any speed. */
  move(motion: V3): void {
    const moved = this.ground.stepCamera({ position: this.position, velocity: motion, clearance: this.clearance, raiseLimit: Infinity, lookAhead: 0 }, 1);
    this.position = moved.position as V3;
    this.#lift();
  }

  /** Out of the ground, wherever it came from (a new terrain, a jump): below everything there is, it goes on top. */
  #lift(): void {
    const [x, y, z] = this.position;
    const below = this.ground.below([x, y, z]) ?? this.ground.below([x, y, Infinity]);
    if (below && z < below.point[2] + this.clearance) this.position = [x, y, below.point[2] + this.clearance];
  }

  /** Walk: on the ground that permitted steps lead to, so under a bridge or over it. Where the way is refused, it ends. */
  walk(motion: V3): void {
    const [x, y, z] = this.position;
    const feet = this.ground.below([x, y, z])?.point[2] ?? z;
    const walk = this.ground.walk([x, y, feet], [x + motion[0], y + motion[1], feet], { step: this.step, drop: 2 * this.step });
    if (walk.path.length === 0) return;
    // Under a low ceiling it stoops.
    const ceiling = this.ground.below([walk.position[0], walk.position[1], walk.position[2] + 0.01], { up: true });
    const free = ceiling ? ceiling.point[2] - walk.position[2] : Infinity;
    this.position = [walk.position[0], walk.position[1], walk.position[2] + Math.min(this.eye, 0.8 * free)];
  }

  /** keys: -1 .. 1 forward, right, up. */
  go(seconds: number, keys: V3, fast: boolean): void {
    const way = this.speed * (fast ? 8 : 1) * seconds;
    if (this.mode === 'orbit') {
      this.heading += keys[1] * seconds;
      this.pitch = Math.max(-1.5, Math.min(-0.02, this.pitch - keys[2] * seconds * 0.5));
      this.distance = Math.max(10, this.distance * Math.exp(-keys[0] * seconds));
      this.move(add(add(this.centre, this.direction, -this.distance), this.position, -1));
      return;
    }
    const right: V3 = [Math.cos(this.heading), -Math.sin(this.heading), 0];
    if (this.mode === 'walk') {
      const pace = Math.min(way, 5 * seconds * (fast ? 8 : 1));
      const forward: V3 = [Math.sin(this.heading), Math.cos(this.heading), 0];
      this.walk(add(add([0, 0, 0], forward, keys[0] * pace), right, keys[1] * pace));
      return;
    }
    this.move(add(add(add([0, 0, 0], this.direction, keys[0] * way), right, keys[1] * way), [0, 0, 1], keys[2] * way));
  }
}
