/** A camera that cannot pass through the ground: the engine moves a sphere. */
import type { Grid } from 'landfall';

export type Mode = 'fly' | 'walk' | 'orbit';
type V3 = [number, number, number];

const add = (a: V3, b: V3, k = 1): V3 => [a[0] + k * b[0], a[1] + k * b[1], a[2] + k * b[2]];
const dot = (a: V3, b: V3) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

/** Position in metres: east, north, up. */
export class Body {
  mode: Mode = 'fly';
  position: V3;
  /** Radians: 0 looks north, positive to the east; positive looks up. */
  heading = 0;
  pitch = -0.35;
  /** Metres between the camera and the ground. */
  clearance = 2;
  /** Metres per second. */
  speed: number;
  /** What orbit turns about. */
  centre: V3;
  distance: number;

  constructor(readonly ground: Grid, readonly span: number, readonly top: number) {
    this.position = [0, -0.35 * span, top + 0.1 * span];
    this.speed = span / 20;
    this.centre = [0, 0, ground.height(0, 0) || top];
    this.distance = 0.5 * span;
  }

  get direction(): V3 {
    const level = Math.cos(this.pitch);
    return [Math.sin(this.heading) * level, Math.cos(this.heading) * level, Math.sin(this.pitch)];
  }

  /** Move, sliding along what is in the way: the whole way is examined, at any speed. */
  move(motion: V3): void {
    let left = motion;
    for (let k = 0; k < 5 && Math.hypot(...left) > 1e-9; k++) {
      const hit = this.ground.sweepSphere(this.position, this.clearance, left, 1e-4);
      if (!hit) {
        this.position = add(this.position, left);
        left = [0, 0, 0];
        break;
      }
      this.position = add(this.position, left, hit.t);
      const into = dot(left, hit.normal);
      const rest = add(left, left, -hit.t);
      // At rest on the ground: what would press into it is taken away, and a little of the way off it.
      left = into < 0 ? add(rest, hit.normal, -(1 - hit.t) * into + 1e-3) : rest;
    }
    this.#lift();
  }

  /** Over the ground by the clearance, whatever happened (a new terrain, a jump). */
  #lift(): void {
    const below = this.ground.below([this.position[0], this.position[1], Infinity]);
    if (below && this.position[2] < below.point[2] + this.clearance) this.position = [this.position[0], this.position[1], below.point[2] + this.clearance];
  }

  /** keys: -1 .. 1 forward, right, up. */
  step(seconds: number, keys: V3, fast: boolean): void {
    const way = this.speed * (fast ? 8 : 1) * seconds;
    if (this.mode === 'orbit') {
      this.heading += keys[1] * seconds;
      this.pitch = Math.max(-1.5, Math.min(-0.02, this.pitch - keys[2] * seconds * 0.5));
      this.distance = Math.max(10, this.distance * Math.exp(-keys[0] * seconds));
      const wanted = add(this.centre, this.direction, -this.distance);
      this.move(add(wanted, this.position, -1));
      return;
    }
    const right: V3 = [Math.cos(this.heading), -Math.sin(this.heading), 0];
    if (this.mode === 'walk') {
      const forward: V3 = [Math.sin(this.heading), Math.cos(this.heading), 0];
      const motion = add(add([0, 0, 0], forward, keys[0] * Math.min(way, 5 * seconds * (fast ? 8 : 1))), right, keys[1] * 5 * seconds);
      const from = this.position;
      const walk = this.ground.walk([from[0], from[1], from[2]], [from[0] + motion[0], from[1] + motion[1], from[2]], { step: Math.max(0.5, this.clearance) });
      if (walk.path.length > 0) this.position = [walk.position[0], walk.position[1], walk.position[2] + this.clearance];
      return;
    }
    this.move(add(add(add([0, 0, 0], this.direction, keys[0] * way), right, keys[1] * way), [0, 0, 1], keys[2] * way));
  }
}
