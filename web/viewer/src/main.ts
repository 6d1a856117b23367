/** The viewer: terrain, cameras, and what the engine answers. */
import * as THREE from 'three';
import { readLf } from 'landfall';
import { cameraOf, restoreState, saveState } from './address.ts';
import { app, cancel, changed, clearState, engine, state, workerOf } from './app.ts';
import { Body, type Mode, type V3 } from './camera.ts';
import { FlatMap } from './flatmap.ts';
import { GlobeView } from './globe.ts';
import { read, sample, terrainOf, type Content } from './ground.ts';
import { Objects, type Model } from './objects.ts';
import { answerAt, ask, horizon, light, look, redraw, run, sun, sunHours } from './questions.ts';
import { saveButtons } from './save.ts';
import { Surface } from './surface.ts';
import { $, answer, attempt, checked, choice, fail, format, number } from './ui.ts';

const canvas = $<HTMLCanvasElement>('view');
const { camera, scene } = app;

// ---- What is shown ------------------------------------------------------------------------------

async function show(content: Content, name: string): Promise<void> {
  app.lf = await engine;
  if ('globe' in content) return showGlobe(new GlobeView(content.globe, '', null, [10, 20, 1.5e7], fail), name);
  const terrain = terrainOf(app.lf, workerOf, content, name);
  leaveGlobe();
  app.terrain?.dispose();
  app.terrain = terrain;
  clearState();
  const { low, high } = terrain.local.box;
  const span = Math.max(high[0] - low[0], high[1] - low[1]);
  const body = (app.body = new Body(terrain.local, span, terrain.high));
  body.clearance = span < 800 ? Math.max(0.3, span / 400) : Math.max(2, span / 20000);
  camera.near = body.clearance / 4;
  camera.far = 6 * span;
  body.mode = choice('camera') as Mode;
  if (app.renderer) {
    if (app.surface) scene.remove(app.surface.group);
    app.surface?.dispose();
    app.surface = new Surface(terrain);
    app.surface.material.uniforms.contours.value = checked('contours') ? 1 : 0;
    scene.add(app.surface.group);
    scene.background = app.surface.material.uniforms.fog.value;
    toggleObjects();
  } else {
    app.map = new FlatMap($('map'), terrain);
  }
  if (terrain.degrees) {
    $<HTMLInputElement>('longitude').value = terrain.middle[0].toFixed(3);
    $<HTMLInputElement>('latitude').value = terrain.middle[1].toFixed(3);
  }
  $<HTMLInputElement>('range').value = String(Math.round(span / 2));
  const made = terrain.solids.length === 0 ? `${terrain.lattice.columns} × ${terrain.lattice.rows}` : `${format(terrain.solids.reduce((sum, s) => sum + s.triangles.length / 3, 0), 0)} triangles`;
  $('name').textContent = `${name}: ${made}, ${format(terrain.low, 0)} to ${format(terrain.high, 0)} m`;
  $('alert').hidden = true;
  answer('');
  for (const id of ['save-tif', 'save-csv', 'save-json']) $<HTMLButtonElement>(id).disabled = true;
  await light();
  changed();
}

function showGlobe(view: GlobeView, name: string): void {
  if (!app.renderer) {
    view.dispose();
    throw new Error(`${name}: a globe needs WebGL`);
  }
  leaveGlobe();
  app.globe = view;
  view.contours = checked('contours');
  if (app.surface) app.surface.group.visible = false;
  if (app.objects) app.objects.group.visible = false;
  scene.add(view.group);
  $<HTMLInputElement>('globe').checked = true;
  $('name').textContent = name;
  $('alert').hidden = true;
  changed();
}

function leaveGlobe(): void {
  $<HTMLInputElement>('globe').checked = false;
  if (!app.globe) return;
  scene.remove(app.globe.group);
  app.globe.dispose();
  app.globe = null;
  if (app.surface) app.surface.group.visible = true;
  if (app.objects) app.objects.group.visible = true;
  if (!app.terrain) return;
  const span = app.body.span;
  camera.near = app.body.clearance / 4;
  camera.far = 6 * span;
  scene.background = app.surface!.material.uniforms.fog.value;
  $('name').textContent = app.terrain.name;
  changed();
}

async function streamGlobe(address: string, place: V3 | null): Promise<void> {
  try {
    app.lf = await engine;
    showGlobe(await GlobeView.stream(app.lf, address, place, fail), `Globe: ${address}`);
  } catch (error) {
    $<HTMLInputElement>('globe').checked = app.globe !== null;
    throw error;
  }
}

async function open(file: File): Promise<void> {
  try {
    await show(await read(engine, await file.arrayBuffer()), file.name);
  } catch (error) {
    throw new Error(`${file.name}: ${error instanceof Error ? error.message : error}`);
  }
}

const MODEL_MOST = 1000; // each contact is exact, which takes time
let model: Model | undefined;

async function openModel(file: File): Promise<void> {
  try {
    const { kind, parts } = readLf(await file.arrayBuffer());
    if (!parts[0]?.mesh) throw new Error(`it holds a ${kind}; "landfall build --as model" makes a model`);
    const count = parts[0].mesh.triangles.length / 3;
    if (count > MODEL_MOST) throw new Error(`${count} triangles: at most ${MODEL_MOST} are moved`);
    model = parts[0].mesh;
  } catch (error) {
    throw new Error(`${file.name}: ${error instanceof Error ? error.message : error}`);
  }
  $<HTMLInputElement>('objects').checked = true;
  toggleObjects();
}

function toggleObjects(): void {
  if (app.objects) scene.remove(app.objects.group);
  app.objects?.dispose();
  app.objects = checked('objects') && app.terrain && app.renderer ? new Objects(app.lf, app.terrain, model) : null;
  if (app.objects) scene.add(app.objects.group);
}

// ---- Pointer and keys ---------------------------------------------------------------------------

/** The direction from the camera through a place of the screen, in the scene. */
function towards(event: { clientX: number; clientY: number }): THREE.Vector3 {
  const box = canvas.getBoundingClientRect();
  return new THREE.Vector3(((event.clientX - box.left) / box.width) * 2 - 1, 1 - ((event.clientY - box.top) / box.height) * 2, 0.5).unproject(camera).sub(camera.position);
}

/** The ground under a place of the screen: east, north, up; of a globe earth-centred. */
function pick(event: { clientX: number; clientY: number }): V3 | null {
  if (app.map) {
    const box = $('map').getBoundingClientRect();
    const [east, north] = app.map.at(event.clientX - box.left, event.clientY - box.top);
    const up = app.terrain.local.height(east, north);
    return Number.isNaN(up) ? null : [east, north, up];
  }
  const at = towards(event);
  if (app.globe) return app.globe.pick([at.x, at.y, at.z]);
  return app.terrain.local.ray(app.body.position, [at.x, -at.z, at.y])?.point ?? null;
}

let drag: { tool: string; x: number; y: number; moved: boolean; from: V3 | null } | null = null;
const keys = new Set<string>();

function place(event: PointerEvent, tool: string, first: boolean): void {
  const at = pick(event);
  if (!at) return;
  if (app.globe) {
    if (first) drag!.from = at;
    else if (tool === 'profile' && drag!.from) answer(app.globe.sight(drag!.from, at, number('height'), number('target')));
    else answer('On the globe: look and ask, or draw a line');
    return;
  }
  const spot = app.terrain.toMap(at[0], at[1]);
  if (tool === 'observer') {
    state.observers = [spot];
    void look();
  } else if (tool === 'count') {
    if (first) state.observers.push(spot);
    else state.observers[state.observers.length - 1] = spot;
    void look();
  } else if (tool === 'profile') {
    state.line = first ? [spot, spot] : [state.line[0], spot];
    void ask();
  }
  changed();
}

/** Turn the view by pixels of a drag. */
function turn(dx: number, dy: number): void {
  const of = app.globe?.view ?? app.body;
  const orbit = !app.globe && app.body.mode === 'orbit';
  of.heading += dx * (orbit ? 0.006 : -0.004);
  of.pitch = Math.max(-1.5, Math.min(1.5, of.pitch - dy * 0.004 * (orbit ? 1 : -1)));
}

for (const element of [canvas, $('map')]) {
  element.addEventListener('pointerdown', (event) => {
    element.setPointerCapture(event.pointerId);
    element.focus();
    drag = { tool: choice('tool'), x: event.clientX, y: event.clientY, moved: false, from: null };
    if (drag.tool !== 'look') place(event, drag.tool, true);
  });
  element.addEventListener('pointermove', (event) => {
    if (!drag) return;
    const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
    drag.moved ||= Math.hypot(dx, dy) > 4;
    if (drag.tool !== 'look') place(event, drag.tool, false);
    else if (drag.moved) {
      turn(dx, dy);
      [drag.x, drag.y] = [event.clientX, event.clientY];
    }
  });
  element.addEventListener('pointerup', (event) => {
    if (drag && drag.tool === 'look' && !drag.moved) {
      const at = pick(event);
      if (app.globe) answer(at ? app.globe.describe(at) : 'No ground here');
      else answerAt(at);
    }
    drag = null;
    saveState();
  });
}
canvas.addEventListener('wheel', (event) => {
  event.preventDefault();
  const way = Math.sign(event.deltaY), { body, globe } = app;
  if (globe) globe.go(0.3, [-way, 0, 0], false);
  else if (body.mode === 'orbit') body.distance *= 1 + 0.1 * way;
  else body.move(body.direction.map((d) => -d * way * body.speed * 0.3) as V3);
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

function onFile(id: string, work: (file: File) => Promise<void>): void {
  $(id).addEventListener('change', (event) => {
    const input = event.target as HTMLInputElement;
    const [file] = input.files ?? [];
    if (file) attempt(() => work(file));
    input.value = ''; // the same file may be opened again
  });
}
onFile('file', open);
onFile('model', openModel);
document.addEventListener('dragover', (event) => event.preventDefault());
document.addEventListener('drop', (event) => {
  event.preventDefault();
  const file = event.dataTransfer?.files[0];
  if (file) attempt(() => open(file));
});
for (const input of document.querySelectorAll('input[name="camera"]'))
  input.addEventListener('change', () => {
    app.body.mode = choice('camera') as Mode;
    if (app.body.mode === 'orbit') app.body.pitch = Math.min(app.body.pitch, -0.3);
    if (app.body.mode === 'walk') app.body.walk([0, 0, 0]);
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
for (const id of ['shadows', 'date', 'hour', 'latitude', 'longitude'])
  $(id).addEventListener('input', () => {
    attempt(light);
    redraw();
  });
$('objects').addEventListener('change', toggleObjects);
$('globe').addEventListener('change', () => {
  if (checked('globe')) attempt(() => streamGlobe('terrain', null));
  else leaveGlobe();
  saveState();
});
$('contours').addEventListener('change', () => {
  if (app.surface) app.surface.material.uniforms.contours.value = checked('contours') ? 1 : 0;
  if (app.globe) app.globe.contours = checked('contours');
});
$('cancel').addEventListener('click', run(cancel));
$('horizon').addEventListener('click', run(horizon));
$('sunhours').addEventListener('click', run(sunHours));
$('dock-close').addEventListener('click', () => ($('dock').hidden = true));
saveButtons(draw);
const dark = window.matchMedia('(prefers-color-scheme: dark)').matches;
document.documentElement.dataset.theme = localStorage.getItem('theme') ?? (dark ? 'dark' : 'light');
$('theme').addEventListener('click', () => {
  document.documentElement.dataset.theme = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
  localStorage.setItem('theme', document.documentElement.dataset.theme);
  redraw();
});

// ---- Frames -------------------------------------------------------------------------------------

const night = new THREE.Color(0.02, 0.03, 0.06), daylight = new THREE.Color(0.62, 0.76, 0.9);

function draw(): void {
  const { map, terrain, renderer, surface, globe, body } = app;
  if (map) return map.draw([...state.observers, ...(state.spot ? [state.spot] : [])].map((s) => terrain.toLocal(...s)), state.line.map((s) => terrain.toLocal(...s)));
  if (!renderer || (!surface && !globe)) return;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  const size = renderer.getSize(new THREE.Vector2());
  if (size.x !== width || size.y !== height) {
    renderer.setSize(width, height, false);
    camera.aspect = width / Math.max(height, 1);
  }
  if (globe) {
    globe.draw(camera);
    scene.background = night.clone().lerp(daylight, Math.exp(-Math.max(globe.place[2], 0) / 30000));
  } else {
    const [east, north, up] = body.position;
    const d = body.direction;
    camera.position.set(east, up, -north);
    camera.up.set(0, 1, 0);
    camera.lookAt(east + d[0], up + d[2], -(north + d[1]));
    camera.updateProjectionMatrix();
    surface!.update(camera.position);
    for (const mark of app.marks.children) mark.scale.setScalar(Math.max(body.clearance / 2, mark.position.distanceTo(camera.position) / 90));
  }
  renderer.render(scene, camera);
}

let last = performance.now();
/** Least height above the ground at or below the camera in any frame since the last reset: for tests. */
const flight = { frames: 0, least: Infinity };

function frame(now: number): void {
  const seconds = Math.min((now - last) / 1000, 0.1);
  last = now;
  const key = (plus: string[], minus: string[]) => Number(plus.some((k) => keys.has(k))) - Number(minus.some((k) => keys.has(k)));
  const move: V3 = [key(['KeyW', 'ArrowUp'], ['KeyS', 'ArrowDown']), key(['KeyD', 'ArrowRight'], ['KeyA', 'ArrowLeft']), key(['KeyE', 'PageUp'], ['KeyQ', 'PageDown'])];
  const fast = keys.has('ShiftLeft') || keys.has('ShiftRight');
  flight.frames++;
  if (app.globe) {
    app.globe.go(seconds, move, fast);
    const [longitude, latitude, height] = app.globe.place;
    $('status').textContent = `${longitude.toFixed(4)}, ${latitude.toFixed(4)}; ${format(height, 0)} m, ${format(app.globe.above)} m above ground`;
  } else {
    const { body, terrain } = app;
    if (move.some((k) => k !== 0) || body.mode === 'orbit') body.go(seconds, move, fast);
    app.objects?.step(seconds);
    const [east, north, up] = body.position;
    const ground = terrain.local.height(east, north, up);
    const top = Number.isNaN(ground) ? terrain.local.height(east, north) : ground;
    if (!Number.isNaN(top)) flight.least = Math.min(flight.least, up - top);
    const [x, y] = terrain.toMap(east, north);
    const digits = terrain.degrees ? 4 : 0;
    $('status').textContent = $('status').dataset.spot ?? (app.map ? '' : `${format(x, digits)}, ${format(y, digits)}; ${format(up, 0)} m${Number.isNaN(top) ? '' : `, ${format(up - top)} m above ground`}`);
  }
  if (!app.map || app.dirty) draw();
  app.dirty = false;
  (window as { painted?: number }).painted ??= performance.now();
  requestAnimationFrame(frame);
}
window.addEventListener('resize', () => {
  app.dirty = true;
  redraw();
});

// ---- Start --------------------------------------------------------------------------------------

async function fetched(address: string): Promise<ArrayBuffer> {
  const reply = await fetch(address);
  if (!reply.ok) throw new Error(`${address}: HTTP status ${reply.status}`);
  return reply.arrayBuffer();
}

/** The ground of the address; files are fetched while the engine is compiled. */
async function start(query: URLSearchParams): Promise<void> {
  const address = query.get('ground');
  if (address) void import('geotiff'); // meanwhile
  const content = address ? fetched(address).then((file) => read(engine, file)) : Promise.resolve({ raster: sample() });
  try {
    const attributes = { antialias: true, preserveDrawingBuffer: true };
    const context = canvas.getContext('webgl2', attributes) as unknown as WebGLRenderingContext | null; // three.js would complain on the console
    if (!context) throw new Error('no WebGL');
    app.renderer = new THREE.WebGLRenderer({ canvas, context, ...attributes });
  } catch {
    canvas.hidden = true;
    $('map').hidden = false;
  }
  try {
    await show(await content, address?.split('/').pop() ?? 'Generated hills');
  } catch (error) {
    // What is wrong is told over a terrain that works.
    if (!address) throw error;
    await show({ raster: sample() }, 'Generated hills');
    fail(error instanceof Error && !error.message.startsWith(address) ? new Error(`${address}: ${error.message}`) : error);
  }
  if (!app.renderer) fail(new Error('This browser has no WebGL: a map from above is shown instead. All questions work as usual.'));
  const globe = query.get('globe');
  const camera = cameraOf(query);
  if (globe) {
    await streamGlobe(globe, camera ? (camera.numbers.slice(0, 3) as V3) : null).catch(fail);
    if (camera && app.globe) [app.globe.view.heading, app.globe.view.pitch] = camera.numbers.slice(3);
  } else restoreState();
  requestAnimationFrame(frame);
}

start(new URLSearchParams(location.search)).catch(fail);

const views = { get worker() { return workerOf(); }, get terrain() { return app.terrain; }, get body() { return app.body; }, get objects() { return app.objects; }, get globe() { return app.globe; }, get surface() { return app.surface; }, get viewsheds() { return app.viewsheds; } };
Object.defineProperties(window, { viewer: { value: Object.defineProperties({ state, flight, look, ask, show, changed, sun }, Object.getOwnPropertyDescriptors(views)) } });
