/** What the parts of the viewer share. */
import * as THREE from 'three';
import { load, type Landfall, type Profile, type Sight, type SightRules, type Viewshed } from 'landfall';
import { connect, type RemoteLandfall } from 'landfall/worker';
import type { Body } from './camera.ts';
import type { FlatMap } from './flatmap.ts';
import type { GlobeView } from './globe.ts';
import type { Terrain } from './ground.ts';
import type { Objects } from './objects.ts';
import type { Surface } from './surface.ts';
import { $ } from './ui.ts';

export type Place = [number, number];

const engineFolder = new URL('engine/', document.baseURI);
export const engine: Promise<Landfall> = load({ folder: engineFolder });

export const app = {
  lf: null as unknown as Landfall,
  terrain: null as unknown as Terrain,
  body: null as unknown as Body,
  renderer: null as THREE.WebGLRenderer | null,
  surface: null as Surface | null,
  map: null as FlatMap | null,
  globe: null as GlobeView | null,
  objects: null as Objects | null,
  scene: new THREE.Scene(),
  camera: new THREE.PerspectiveCamera(60, 1, 1, 1e7),
  marks: new THREE.Group(),
  /** Viewsheds that were computed: for tests. */
  viewsheds: 0,
  dirty: true,
};
app.scene.add(app.marks);

/** What is shown; its coordinates are those of the map. */
export const state = {
  observers: [] as Place[],
  line: [] as Place[],
  seen: null as Viewshed | null,
  /** How many observers see each sample. */
  counts: null as { window: Viewshed['window']; seen: Uint32Array } | null,
  profile: null as Profile | null,
  sight: null as Sight | null,
  spot: null as Place | null,
};

export function clearState(): void {
  Object.assign(state, { observers: [], line: [], seen: null, counts: null, profile: null, sight: null, spot: null });
}

let worker: Promise<RemoteLandfall> | null = null;

/** The engine in a worker: started when it is first needed. */
export function workerOf(): Promise<RemoteLandfall> {
  return (worker ??= connect({ url: new URL('worker-main.js', engineFolder) }));
}

/** End what the worker does; another one takes its place. */
export async function cancel(): Promise<void> {
  const old = await workerOf();
  worker = null;
  app.terrain.forget();
  old.close();
}

export const rules = (): SightRules => ({ curvature: $<HTMLSelectElement>('curvature').value as 'flat' });

const ball = new THREE.SphereGeometry(1, 16, 12);
const paints = [0xffd400, 0xc01010, 0x1060ff].map((color) => new THREE.MeshBasicMaterial({ color }));

/** Something is to be drawn anew. */
export function changed(): void {
  app.dirty = true;
  app.marks.clear();
  if (!app.terrain || app.globe) return;
  [state.observers, state.line, state.spot ? [state.spot] : []].forEach((spots, k) => {
    for (const spot of spots) {
      const [east, north] = app.terrain.toLocal(...spot);
      const mark = new THREE.Mesh(ball, paints[k]);
      mark.position.set(east, (app.terrain.local.height(east, north) || 0) + Number($<HTMLInputElement>('height').value), -north);
      app.marks.add(mark);
    }
  });
}
