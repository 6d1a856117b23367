/** What goes into questions and what comes out. */

export type Vec3 = readonly [number, number, number] | Float64Array;
export type Vec2 = readonly [number, number] | Float64Array;
export type Samples = Float32Array | Float64Array | Int16Array | Uint16Array;

/** Surfaces between samples, see the C library's documentation. */
export const surfaces = ['falling', 'rising', 'alternating', 'bilinear', 'posts'] as const;
export type Surface = (typeof surfaces)[number];

/** The first thing that a ray, a height or a moving object meets. */
export interface Hit {
  /** Along the ray; of a height the distance; of a sweep 0 to 1. */
  t: number;
  point: [number, number, number];
  normal: [number, number, number];
  /** Which part of a world. */
  part: number;
  /** Polygon, or cell (row * columns + column, rows counted upwards). */
  element: number;
  triangle: number;
  user: number;
  layers: number;
}

/** Rules of lines of sight. */
export interface SightRules {
  /** Coefficient of earth curvature with refraction: 0 (flat, the default), 0.85714 (light), 0.75 (radio); or one of these names. */
  curvature?: number | 'flat' | 'light' | 'radio';
  /** Metres; 6371008.8 by default. */
  radius?: number;
  /** What a void does to a line: makes it unknown (default), lets it pass, or blocks it. */
  voids?: 'unknown' | 'pass' | 'stop';
  /** MHz: the first Fresnel zone of that wave is examined as well. */
  frequency?: number;
}

export interface Sight {
  verdict: 'clear' | 'blocked' | 'unknown';
  /** Where it is decided, 0 at a and 1 at b. */
  t: number;
  point: [number, number, number];
  /** Metres on the map. */
  length: number;
  /** Least height of the line above the ground; negative below it. */
  clearance: number;
  clearanceT: number;
  /** How much higher b would have to be to be seen; negative: how much lower it could be. */
  raise: number;
  raiseT: number;
  /** Least clearance as a share of the first Fresnel zone's radius, if a frequency was given. */
  fresnel: number;
  fresnelT: number;
}

export interface Profile {
  t: Float64Array;
  distance: Float64Array;
  ground: Float64Array;
  line: Float64Array;
}

/** A rectangle of samples, rows counted as in the samples that the grid was made of. */
export interface Window {
  column: number;
  row: number;
  columns: number;
  rows: number;
}

export interface Observer {
  at: Vec2;
  /** Metres above the ground; 2 by default. */
  height?: number;
  /** The height is above datum. */
  datum?: boolean;
}

/** Options of viewsheds. */
export interface ViewshedOptions extends SightRules {
  /** Height of targets above the ground; 0 by default. */
  target?: number;
  /** Metres: the farthest, or the nearest and the farthest. */
  range?: number | readonly [number, number];
  /** Degrees clockwise from north (+y), from and to. */
  azimuth?: readonly [number, number];
  /** Degrees above level, from and to. */
  pitch?: readonly [number, number];
  /** Default: what the range reaches. */
  window?: Window;
  /** Called from time to time; return false to cancel. */
  progress?: (stage: string, done: number, total: number) => boolean | void;
}

export interface Counts {
  hidden: number;
  visible: number;
  unknown: number;
  void: number;
  beyond: number;
}

/** `seen` has a byte per sample of the window: 0 hidden, 1 visible, 2 unknown, 3 void, 4 beyond the limits. */
export interface Viewshed {
  window: Window;
  seen: Uint8Array;
  counts: Counts;
}

export interface Values {
  window: Window;
  values: Float32Array;
  counts: Counts;
}

export interface CountMap {
  window: Window;
  /** 4294967295 for voids. */
  seen: Uint32Array;
  counts: Counts;
}

export interface Horizon {
  elevation: number;
  distance: number;
  point: [number, number, number];
}

/** A rotation, row by row, and a translation: 12 numbers. */
export type Pose = ArrayLike<number>;

/** A camera: positions and velocities as those of the ground, over a globe earth-centred. */
export interface Camera {
  position: Vec3;
  velocity: Vec3;
  /** Over a globe: radians per second about its centre. */
  turn?: Vec3;
  /** Metres between the camera and the ground; 2 by default. */
  clearance?: number;
  /** Metres per second by which it may be raised; 200 by default. */
  raiseLimit?: number;
  /** Seconds ahead from which on it is raised for what is in the way; 2 by default. */
  lookAhead?: number;
}
