/** The viewer: terrain, cameras, and what the engine answers. */
import * as THREE from 'three';
import { writeArrayBuffer } from 'geotiff';
import { load, type Observer, type Profile, type Sight, type SightRules, type Viewshed } from 'landfall';
import { connect, type RemoteLandfall } from 'landfall/worker';
import { Body, type Mode } from './camera.ts';
import { drawHorizon, drawProfile, profileIndex } from './charts.ts';
import { FlatMap } from './flatmap.ts';
import { read, sample, terrainOf, type Terrain } from './ground.ts';
import { Objects } from './objects.ts';
import { sunAt } from './sun.ts';
import { Surface } from './surface.ts';

const $ = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;
const number = (id: string) => Number($<HTMLInputElement>(id).value);
const choice = (name: string) => (document.querySelector(`input[name="${name}"]:checked`) as HTMLInputElement).value;
const format = (value: number, digits = 1) => value.toLocaleString('en', { maximumFractionDigits: digits });

const engineFolder = new URL('engine/', document.baseURI);
const workerUrl = new URL('worker-main.js', engineFolder);
const canvas = $<HTMLCanvasElement>('view');
let renderer: THREE.WebGLRenderer | null = null;
let terrain: Terrain, surface: Surface | null = null, map: FlatMap | null = null, objects: Objects | null = null;
let body: Body;
let worker: RemoteLandfall;
const scene = new THREE.Scene();
const camera = new THREE.PerspectiveCamera(60, 1, 1, 1e7);
const marks = new THREE.Group();
scene.add(marks);

/** What is shown; its coordinates are those of the map. */
const state: { observers: [number, number][]; line: [number, number][]; seen: Viewshed | null; profile: Profile | null; sight: Sight | null; spot: [number, number] | null } = {
  observers: [], line: [], seen: null, profile: null, sight: null, spot: null,
};

function fail(error: unknown): void {
  const alert = $('alert');
  alert.textContent = error instanceof Error ? error.message : String(error);
  alert.hidden = false;
}

/** Run long work: after a moment a bar appears, with a button that ends the worker (and starts another). */
async function busy<R>(text: string, work: () => Promise<R>): Promise<R> {
  const timer = setTimeout(() => {
    $('busy-text').textContent = text;
    $('busy').hidden = false;
  }, 400);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
    $('busy').hidden = true;
  }
}

async function cancel(): Promise<void> {
  worker.close();
  worker = await connect({ url: workerUrl });
  terrain.remote = await worker.grid(terrain.raster);
}

const rules = (): SightRules => ({ curvature: $<HTMLSelectElement>('curvature').value as 'flat' });

// ---- The terrain --------------------------------------------------------------------------------

const lf = await load({ folder: engineFolder });

async function show(raster: Parameters<typeof terrainOf>[2], name: string): Promise<void> {
  const next = await terrainOf(lf, worker, raster, name);
  if (terrain) {
    terrain.local.dispose();
    void terrain.remote.dispose();
  }
  terrain = next;
  Object.assign(state, { observers: [], line: [], seen: null, profile: null, sight: null, spot: null });
  const { low, high } = terrain.local.box;
  const span = Math.max(high[0] - low[0], high[1] - low[1]);
  body = new Body(terrain.local, span, terrain.high);
  body.clearance = Math.max(2, span / 20000);
  camera.near = body.clearance / 4;
  camera.far = 6 * span;
  if (renderer) {
    if (surface) {
      scene.remove(surface.group);
      surface.dispose();
    }
    surface = new Surface(terrain);
    scene.add(surface.group);
    scene.background = surface.material.uniforms.fog.value;
    if (objects) toggleObjects();
  } else {
    map = new FlatMap($('map'), terrain);
  }
  if (raster.degrees) {
    $<HTMLInputElement>('longitude').value = terrain.middle[0].toFixed(3);
    $<HTMLInputElement>('latitude').value = terrain.middle[1].toFixed(3);
  }
  $<HTMLInputElement>('range').value = String(Math.round(span / 2));
  $('name').textContent = `${name}: ${terrain.columns} × ${terrain.rows}, ${format(terrain.low, 0)} to ${format(terrain.high, 0)} m`;
  $('alert').hidden = true;
  $('answer').textContent = '';
  for (const id of ['save-tif', 'save-csv', 'save-json']) $<HTMLButtonElement>(id).disabled = true;
  await light();
  changed();
}

async function open(file: File): Promise<void> {
  try {
    await show(await read(lf, await file.arrayBuffer(), file.name), file.name);
  } catch (error) {
    fail(error instanceof Error && !error.message.startsWith(file.name) ? new Error(`${file.name}: ${error.message}`) : error);
  }
}

// ---- Viewsheds ----------------------------------------------------------------------------------

let running = false, again = false;

/** Compute the viewshed of the observers; while one is computed, only the last request waits. */
async function look(): Promise<void> {
  again = running;
  if (running || state.observers.length === 0) return;
  running = true;
  try {
    do {
      again = false;
      const options = { ...rules(), target: number('target'), range: number('range') };
      const observers: Observer[] = state.observers.map((at) => ({ at, height: number('height') }));
      if (observers.length === 1) {
        const seen = await busy('Viewshed', () => terrain.remote.ask('viewshed', observers[0], options));
        state.seen = seen;
        paint(seen.window, (k) => (seen.seen[k] === 1 ? [40, 200, 60, 130] : seen.seen[k] === 2 ? [240, 170, 0, 120] : null));
        $('answer').textContent = `Visible: ${format(seen.counts.visible, 0)} of ${format(seen.seen.length - seen.counts.beyond - seen.counts.void, 0)} samples`;
      } else {
        const count = await busy(`${observers.length} viewsheds`, () => terrain.remote.ask('viewshedCount', observers, options));
        state.seen = null;
        paint(count.window, (k) => (count.seen[k] === 0 || count.seen[k] === 4294967295 ? null : [255, 230 - (180 * count.seen[k]) / observers.length, 30, 150]));
        $('answer').textContent = `Seen by at least one of ${observers.length} observers: ${format(count.seen.reduce((n, v) => n + (v > 0 && v !== 4294967295 ? 1 : 0), 0), 0)} samples`;
      }
      $<HTMLButtonElement>('save-tif').disabled = state.seen === null;
      $<HTMLButtonElement>('save-json').disabled = false;
      viewsheds++;
    } while (again);
  } catch (error) {
    fail(error);
  } finally {
    running = false;
    changed();
  }
}
let viewsheds = 0;

/** Colour samples of a window; rows of the picture run from the north, as those of the terrain. */
function paint(window: Viewshed['window'], colour: (k: number) => number[] | null): void {
  const data = surface ? (surface.seen.image.data as unknown as Uint8Array) : new Uint8ClampedArray(4 * terrain.heights.length);
  data.fill(0);
  for (let r = 0, k = 0; r < window.rows; r++)
    for (let c = 0; c < window.columns; c++, k++) {
      const value = colour(k);
      if (!value) continue;
      data.set(value, 4 * terrain.place(window.column + c, window.row + r));
    }
  if (surface) surface.seen.needsUpdate = true;
  if (map) map.overlay = data as Uint8ClampedArray;
}

// ---- Lines, horizon, sun ------------------------------------------------------------------------

async function ask(): Promise<void> {
  if (state.line.length < 2) return;
  try {
    const [a, b] = await Promise.all(state.line.map((at, k) => terrain.remote.ask('above', at, number(k === 0 ? 'height' : 'target'))));
    if (!a || !b) throw new Error('The line: an end is where there is no ground');
    const options = { ...rules(), frequency: number('frequency') };
    [state.sight, state.profile] = await Promise.all([terrain.remote.ask('sight', a, b, options), terrain.remote.ask('profile', a, b, options)]);
    const s = state.sight;
    $('answer').textContent = `Line of sight: ${s.verdict}\nLength: ${format(s.length)} m\nLeast clearance: ${format(s.clearance)} m\nFresnel zone: ${format(100 * s.fresnel, 0)} % free${s.verdict === 'blocked' ? `\nBlocked at ${format(s.t * s.length)} m; raise the far end by ${format(s.raise)} m` : ''}`;
    $('dock').hidden = false;
    chart = 'profile';
    drawProfile($('chart'), state.profile, s, options.frequency);
    $<HTMLButtonElement>('save-csv').disabled = false;
  } catch (error) {
    fail(error);
  }
  changed();
}

/** The place of the line that the pointer is at on the chart. */
$('chart').addEventListener('pointermove', (event) => {
  const { profile, line } = state;
  if (!profile || line.length < 2 || chart !== 'profile') return;
  const k = profileIndex($('chart'), profile, event.offsetX);
  const t = profile.t[k];
  state.spot = [line[0][0] + t * (line[1][0] - line[0][0]), line[0][1] + t * (line[1][1] - line[0][1])];
  $('status').dataset.spot = `${format(profile.distance[k], 0)} m along the line: ground ${format(profile.ground[k])} m, line ${format(profile.line[k])} m`;
  changed();
});
$('chart').addEventListener('pointerleave', () => {
  state.spot = null;
  delete $('status').dataset.spot;
  changed();
});
let chart: 'profile' | 'horizon' = 'profile';

function here(): [number, number] {
  return state.observers[0] ?? terrain.toMap(body.position[0], body.position[1]);
}

async function horizon(): Promise<void> {
  try {
    const from = await terrain.remote.ask('above', here(), number('height'));
    if (!from) throw new Error('The horizon: there is no ground here');
    const azimuths = Float64Array.from({ length: 361 }, (_, k) => k);
    const found = await terrain.remote.ask('horizon', from, azimuths, rules());
    $('dock').hidden = false;
    chart = 'horizon';
    drawHorizon($('chart'), found);
    const most = found.reduce((best, h) => (h.elevation > best.elevation ? h : best));
    $('answer').textContent = `Horizon: at most ${format(most.elevation)}° at ${found.indexOf(most)}°, ${format(most.distance, 0)} m away`;
  } catch (error) {
    fail(error);
  }
}

const sun = (hour = number('hour')) => sunAt(new Date(Date.parse($<HTMLInputElement>('date').value || '2026-06-21') + hour * 3600000), number('latitude'), number('longitude'));

async function light(): Promise<void> {
  const { azimuth, altitude } = sun();
  const [a, h] = [(azimuth * Math.PI) / 180, (altitude * Math.PI) / 180];
  if (surface) {
    const u = surface.material.uniforms;
    const shadows = $<HTMLInputElement>('shadows').checked;
    // Without cast shadows the light stays above the horizon: a terrain at night shows nothing.
    const up = shadows ? h : Math.max(h, 0.5);
    u.sun.value.set(Math.sin(a) * Math.cos(up), Math.sin(up), -Math.cos(a) * Math.cos(up));
    u.shadows.value = shadows ? 1 : 0;
    if (shadows) {
      const lit = await busy('Shadows', () => terrain.remote.ask('shade', { azimuth, altitude }, rules()));
      const data = surface.lit.image.data as unknown as Uint8Array;
      lit.forEach((value, k) => (data[4 * terrain.place(k % terrain.columns, Math.floor(k / terrain.columns))] = value === 1 ? 255 : 0));
      surface.lit.needsUpdate = true;
    }
  }
  changed();
}

async function sunHours(): Promise<void> {
  try {
    const at = here();
    const from = await terrain.remote.ask('above', at, number('height'));
    if (!from) throw new Error('Sun hours: there is no ground here');
    const suns = Array.from({ length: 96 }, (_, k) => sun(k / 4 + 1 / 8));
    const skyline = await terrain.remote.ask('horizon', from, suns.map((s) => s.azimuth), rules());
    const hours = suns.reduce((sum, s, k) => sum + (s.altitude > 0 && s.altitude > skyline[k].elevation ? 0.25 : 0), 0);
    const open = suns.filter((s) => s.altitude > 0).length / 4;
    $('answer').textContent = `Sun on ${$<HTMLInputElement>('date').value}: ${format(hours, 2)} of ${format(open, 2)} hours`;
  } catch (error) {
    fail(error);
  }
}

// ---- Pointer and keys ---------------------------------------------------------------------------

/** The ground under a place of the screen: east, north, up. */
function pick(event: { clientX: number; clientY: number }): [number, number, number] | null {
  const box = (renderer ? canvas : $('map')).getBoundingClientRect();
  if (map) {
    const [east, north] = map.at(event.clientX - box.left, event.clientY - box.top);
    const up = terrain.local.height(east, north);
    return Number.isNaN(up) ? null : [east, north, up];
  }
  const at = new THREE.Vector3(((event.clientX - box.left) / box.width) * 2 - 1, 1 - ((event.clientY - box.top) / box.height) * 2, 0.5).unproject(camera).sub(camera.position);
  const hit = terrain.local.ray(body.position, [at.x, -at.z, at.y]);
  return hit ? hit.point : null;
}

let drag: { tool: string; x: number; y: number; moved: boolean } | null = null;
const keys = new Set<string>();

function place(event: PointerEvent, tool: string, first: boolean): void {
  const at = pick(event);
  if (!at) return;
  const spot = terrain.toMap(at[0], at[1]);
  if (tool === 'observer') {
    state.observers = [spot];
    void look();
  } else if (tool === 'count') {
    if (first) state.observers.push(spot);
    else state.observers[state.observers.length - 1] = spot;
    void look();
  } else if (tool === 'profile') {
    if (first) state.line = [spot, spot];
    else state.line = [state.line[0], spot];
    void ask();
  }
  changed();
}

function answerAt(event: PointerEvent): void {
  const at = pick(event);
  const hit = at && terrain.local.below([at[0], at[1], Infinity]);
  if (!at || !hit) {
    $('answer').textContent = 'No ground here';
    return;
  }
  const [x, y] = terrain.toMap(at[0], at[1]);
  const slope = (Math.acos(Math.min(1, hit.normal[2])) * 180) / Math.PI;
  const digits = terrain.raster.degrees ? 6 : 2;
  $('answer').textContent = `x ${format(x, digits)}\ny ${format(y, digits)}\nHeight: ${format(hit.point[2], 2)} m\nSlope: ${format(slope)}°\nNormal: ${hit.normal.map((n) => n.toFixed(3)).join(', ')}`;
}

for (const element of [canvas, $('map')]) {
  element.addEventListener('pointerdown', (event) => {
    element.setPointerCapture(event.pointerId);
    element.focus();
    drag = { tool: choice('tool'), x: event.clientX, y: event.clientY, moved: false };
    if (drag.tool !== 'look') place(event, drag.tool, true);
  });
  element.addEventListener('pointermove', (event) => {
    if (!drag) return;
    const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
    drag.moved ||= Math.hypot(dx, dy) > 4;
    if (drag.tool !== 'look') place(event, drag.tool, false);
    else if (drag.moved) {
      body.heading += dx * (body.mode === 'orbit' ? 0.006 : -0.004);
      body.pitch = Math.max(-1.5, Math.min(1.5, body.pitch - dy * 0.004 * (body.mode === 'orbit' ? 1 : -1)));
      [drag.x, drag.y] = [event.clientX, event.clientY];
    }
  });
  element.addEventListener('pointerup', (event) => {
    if (drag && drag.tool === 'look' && !drag.moved) answerAt(event);
    drag = null;
    saveState();
  });
}
canvas.addEventListener('wheel', (event) => {
  event.preventDefault();
  const way = Math.sign(event.deltaY);
  if (body.mode === 'orbit') body.distance *= 1 + 0.1 * way;
  else body.move(body.direction.map((d) => -d * way * body.speed * 0.3) as [number, number, number]);
}, { passive: false });
window.addEventListener('keydown', (event) => {
  if (!(event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement)) keys.add(event.code);
});
window.addEventListener('keyup', (event) => {
  keys.delete(event.code);
  saveState();
});
window.addEventListener('blur', () => keys.clear());
// Held buttons are keys: for touch.
for (const button of document.querySelectorAll<HTMLButtonElement>('#pad button')) {
  const code = button.dataset.key!;
  button.addEventListener('pointerdown', (event) => {
    event.preventDefault();
    button.setPointerCapture(event.pointerId);
    keys.add(code);
  });
  for (const end of ['pointerup', 'pointercancel', 'lostpointercapture']) button.addEventListener(end, () => keys.delete(code));
}

// ---- Controls -----------------------------------------------------------------------------------

function toggleObjects(): void {
  if (objects) scene.remove(objects.group);
  objects = $<HTMLInputElement>('objects').checked && terrain ? new Objects(terrain) : null;
  if (objects) scene.add(objects.group);
}

function download(name: string, data: BlobPart, type: string): void {
  const link = Object.assign(document.createElement('a'), { href: URL.createObjectURL(new Blob([data], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

async function saveTif(): Promise<void> {
  if (!state.seen) return;
  const { window, seen } = state.seen;
  const t = terrain.raster.transform ?? [0, 1, 0, 0, 0, 1];
  const keysOf = terrain.raster.degrees ? { GTModelTypeGeoKey: 2, GeographicTypeGeoKey: terrain.raster.epsg ?? 4326 } : { GTModelTypeGeoKey: 1, ...(terrain.raster.epsg ? { ProjectedCSTypeGeoKey: terrain.raster.epsg } : {}) };
  const file = await writeArrayBuffer(seen, {
    width: window.columns, height: window.rows, ...keysOf, GTRasterTypeGeoKey: 1,
    ModelPixelScale: [Math.abs(t[1]), Math.abs(t[5]), 0],
    ModelTiepoint: [0, 0, 0, t[0] + t[1] * (window.column - 0.5), t[3] + t[5] * (window.row - 0.5), 0],
  });
  download('viewshed.tif', file as ArrayBuffer, 'image/tiff');
}

$('file').addEventListener('change', (event) => {
  const [file] = (event.target as HTMLInputElement).files ?? [];
  if (file) void open(file);
});
document.addEventListener('dragover', (event) => event.preventDefault());
document.addEventListener('drop', (event) => {
  event.preventDefault();
  const file = event.dataTransfer?.files[0];
  if (file) void open(file);
});
for (const input of document.querySelectorAll('input[name="camera"]'))
  input.addEventListener('change', () => {
    body.mode = choice('camera') as Mode;
    if (body.mode === 'orbit') body.pitch = Math.min(body.pitch, -0.3);
    saveState();
  });
for (const id of ['height', 'target', 'range', 'curvature', 'frequency'])
  $(id).addEventListener('change', () => {
    if (!(number('range') > 0)) return fail(new Error(`Range ${$<HTMLInputElement>('range').value}: expected more than 0 metres`));
    $('alert').hidden = true;
    void look();
    void ask();
    saveState();
  });
for (const id of ['shadows', 'date', 'hour', 'latitude', 'longitude']) $(id).addEventListener('input', () => void light());
$('objects').addEventListener('change', toggleObjects);
$('contours').addEventListener('change', () => {
  if (surface) surface.material.uniforms.contours.value = $<HTMLInputElement>('contours').checked ? 1 : 0;
});
$('cancel').addEventListener('click', () => void cancel().catch(fail));
$('horizon').addEventListener('click', () => void horizon());
$('sunhours').addEventListener('click', () => void sunHours());
$('dock-close').addEventListener('click', () => ($('dock').hidden = true));
$('save-tif').addEventListener('click', () => void saveTif());
$('save-png').addEventListener('click', () => {
  draw();
  (renderer ? canvas : $<HTMLCanvasElement>('map')).toBlob((blob) => blob && download('landfall.png', blob, 'image/png'));
});
$('save-csv').addEventListener('click', () => {
  const p = state.profile!;
  download('line.csv', 'distance,ground,line\n' + Array.from(p.t, (_, k) => `${p.distance[k]},${p.ground[k]},${p.line[k]}\n`).join(''), 'text/csv');
});
$('save-json').addEventListener('click', () => {
  const features = state.observers.map((at) => ({ type: 'Feature', properties: { height: number('height') }, geometry: { type: 'Point', coordinates: at } }));
  download('observers.geojson', JSON.stringify({ type: 'FeatureCollection', features }), 'application/geo+json');
});
const dark = window.matchMedia('(prefers-color-scheme: dark)').matches;
document.documentElement.dataset.theme = localStorage.getItem('theme') ?? (dark ? 'dark' : 'light');
$('theme').addEventListener('click', () => {
  document.documentElement.dataset.theme = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
  localStorage.setItem('theme', document.documentElement.dataset.theme);
  if (state.profile && state.sight && chart === 'profile' && !$('dock').hidden) drawProfile($('chart'), state.profile, state.sight, number('frequency'));
});

// ---- Frames -------------------------------------------------------------------------------------

let dirty = true;
function changed(): void {
  dirty = true;
  const ball = new THREE.SphereGeometry(1, 16, 12);
  marks.clear();
  for (const [spots, colour] of [[state.observers, 0xffd400], [state.line, 0xc01010], [state.spot ? [state.spot] : [], 0x1060ff]] as const)
    for (const spot of spots) {
      const [east, north] = terrain.toLocal(...spot);
      const mark = new THREE.Mesh(ball, new THREE.MeshBasicMaterial({ color: colour }));
      mark.position.set(east, (terrain.local.height(east, north) || 0) + number('height'), -north);
      mark.userData.mark = true;
      marks.add(mark);
    }
}

function draw(): void {
  if (map) return map.draw([...state.observers, ...(state.spot ? [state.spot] : [])].map((s) => terrain.toLocal(...s)), state.line.map((s) => terrain.toLocal(...s)));
  if (!renderer || !surface) return;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  const size = renderer.getSize(new THREE.Vector2());
  if (size.x !== width || size.y !== height) {
    renderer.setSize(width, height, false);
    camera.aspect = width / Math.max(height, 1);
  }
  const [east, north, up] = body.position;
  const d = body.direction;
  camera.position.set(east, up, -north);
  camera.up.set(0, 1, 0);
  camera.lookAt(east + d[0], up + d[2], -(north + d[1]));
  camera.updateProjectionMatrix();
  surface.update(camera.position);
  for (const mark of marks.children) mark.scale.setScalar(Math.max(1, mark.position.distanceTo(camera.position) / 90));
  renderer.render(scene, camera);
}

let last = performance.now();
/** Least height above the ground in any frame since the last reset, less the clearance: for tests. */
const flight = { frames: 0, least: Infinity };
function frame(now: number): void {
  const seconds = Math.min((now - last) / 1000, 0.1);
  last = now;
  const key = (plus: string[], minus: string[]) => Number(plus.some((k) => keys.has(k))) - Number(minus.some((k) => keys.has(k)));
  const move: [number, number, number] = [key(['KeyW', 'ArrowUp'], ['KeyS', 'ArrowDown']), key(['KeyD', 'ArrowRight'], ['KeyA', 'ArrowLeft']), key(['KeyE', 'PageUp'], ['KeyQ', 'PageDown'])];
  if (move.some((k) => k !== 0) || body.mode === 'orbit') body.step(seconds, move, keys.has('ShiftLeft') || keys.has('ShiftRight'));
  objects?.step(seconds);
  const ground = terrain.local.height(body.position[0], body.position[1]);
  flight.frames++;
  if (!Number.isNaN(ground)) flight.least = Math.min(flight.least, body.position[2] - ground);
  if (!map || dirty) draw();
  dirty = false;
  (window as { painted?: number }).painted ??= performance.now();
  const [x, y] = terrain.toMap(body.position[0], body.position[1]);
  $('status').textContent = $('status').dataset.spot ?? (map ? '' : `${format(x, terrain.raster.degrees ? 4 : 0)}, ${format(y, terrain.raster.degrees ? 4 : 0)}; ${format(body.position[2], 0)} m${Number.isNaN(ground) ? '' : `, ${format(body.position[2] - ground)} m above ground`}`);
  requestAnimationFrame(frame);
}
window.addEventListener('resize', () => (dirty = true));

// ---- State in the address -----------------------------------------------------------------------

function saveState(): void {
  if (!terrain) return;
  const query = new URLSearchParams(location.search);
  query.set('camera', [...body.position.map((p) => p.toFixed(1)), body.heading.toFixed(3), body.pitch.toFixed(3), body.mode].join(','));
  for (const [name, spots] of [['observers', state.observers], ['line', state.line]] as const) {
    if (spots.length > 0) query.set(name, spots.map((s) => s.join(',')).join(';'));
    else query.delete(name);
  }
  for (const id of ['height', 'target', 'range', 'curvature', 'frequency']) query.set(id, $<HTMLInputElement>(id).value);
  history.replaceState(null, '', `?${query}`);
}

function restoreState(): void {
  const query = new URLSearchParams(location.search);
  const spots = (name: string) => (query.get(name) ?? '').split(';').map((s) => s.split(',').map(Number) as [number, number]).filter((s) => s.length === 2 && s.every(Number.isFinite));
  for (const id of ['height', 'target', 'range', 'curvature', 'frequency']) if (query.has(id)) $<HTMLInputElement>(id).value = query.get(id)!;
  const numbers = (query.get('camera') ?? '').split(',');
  if (numbers.length === 6 && numbers.slice(0, 5).every((n) => Number.isFinite(Number(n)))) {
    body.position = numbers.slice(0, 3).map(Number) as [number, number, number];
    [body.heading, body.pitch] = numbers.slice(3, 5).map(Number);
    const radio = document.querySelector(`input[name="camera"][value="${CSS.escape(numbers[5])}"]`) as HTMLInputElement | null;
    if (radio) {
      radio.checked = true;
      body.mode = numbers[5] as Mode;
    }
    body.move([0, 0, 0]);
  }
  state.observers = spots('observers');
  state.line = spots('line').slice(0, 2);
  void look();
  void ask();
}

// ---- Start --------------------------------------------------------------------------------------

try {
  worker = await connect({ url: workerUrl });
  try {
    if (!document.createElement('canvas').getContext('webgl2')) throw new Error('no WebGL'); // before three.js complains on the console
    renderer = new THREE.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
  } catch {
    canvas.hidden = true;
    $('map').hidden = false;
  }
  const address = new URLSearchParams(location.search).get('ground');
  if (address) {
    const reply = await fetch(address);
    if (!reply.ok) throw new Error(`${address}: HTTP status ${reply.status}`);
    await show(await read(lf, await reply.arrayBuffer(), address), address.split('/').pop()!);
  } else {
    await show(sample(), 'Generated hills');
  }
  if (!renderer) fail(new Error('This browser has no WebGL: a map from above is shown instead. All questions work as usual.'));
  restoreState();
  requestAnimationFrame(frame);
} catch (error) {
  fail(error);
}

Object.assign(window, { viewer: { get worker() { return worker; }, get terrain() { return terrain; }, get body() { return body; }, get objects() { return objects; }, state, flight, get viewsheds() { return viewsheds; }, look, ask, show, changed } });
