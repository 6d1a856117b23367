/** What is asked of the terrain: viewsheds, lines, horizons, the sun, a place. */
import type { Horizon, Observer, Viewshed } from 'landfall';
import { app, changed, rules, state, type Place } from './app.ts';
import { drawPanorama, drawProfile, panoramaAzimuth, profileIndex } from './charts.ts';
import { sunAt } from './sun.ts';
import { $, answer, attempt, busy, checked, fail, format, number } from './ui.ts';

/** Set pixels of a picture of the lattice from a result, whose rows are in the order of the file. */
function pixels(data: Uint8Array | Uint8ClampedArray, window: Viewshed['window'], colour: (k: number) => readonly number[] | null): void {
  for (let r = 0, k = 0; r < window.rows; r++)
    for (let c = 0; c < window.columns; c++, k++) {
      const value = colour(k);
      if (value) data.set(value, 4 * app.terrain.place(window.column + c, window.row + r));
    }
}

// ---- Viewsheds ----------------------------------------------------------------------------------

let running = false, again = false;
const VOID = 4294967295;

/** Compute the viewshed of the observers; while one is computed, only the last request waits. */
export async function look(): Promise<void> {
  again = running;
  if (running || state.observers.length === 0) return;
  running = true;
  try {
    do {
      again = false;
      const { terrain } = app;
      const options = { ...rules(), target: number('target'), range: number('range') };
      const observers: Observer[] = state.observers.map((at) => ({ at, height: number('height') }));
      const ground = await terrain.remote();
      if (observers.length === 1) {
        const seen = await busy('Viewshed', () => ground.ask('viewshed', observers[0], options));
        if (app.terrain !== terrain) return;
        [state.seen, state.counts] = [seen, null];
        paint(seen.window, (k) => (seen.seen[k] === 1 ? [40, 200, 60, 130] : seen.seen[k] === 2 ? [240, 170, 0, 120] : null));
        answer(`Visible: ${format(seen.counts.visible, 0)} of ${format(seen.seen.length - seen.counts.beyond - seen.counts.void, 0)} samples`);
      } else {
        const count = await busy(`${observers.length} viewsheds`, () => ground.ask('viewshedCount', observers, options));
        if (app.terrain !== terrain) return;
        [state.seen, state.counts] = [null, count];
        paint(count.window, (k) => (count.seen[k] === 0 || count.seen[k] === VOID ? null : [255, 230 - (180 * count.seen[k]) / observers.length, 30, 150]));
        answer(`Seen by at least one of ${observers.length} observers: ${format(count.seen.reduce((n, v) => n + (v > 0 && v !== VOID ? 1 : 0), 0), 0)} samples`);
      }
      for (const id of ['save-tif', 'save-json']) $<HTMLButtonElement>(id).disabled = false;
      app.viewsheds++;
    } while (again);
  } catch (error) {
    fail(error);
  } finally {
    running = false;
    changed();
  }
}

function paint(window: Viewshed['window'], colour: (k: number) => readonly number[] | null): void {
  const { columns, rows } = app.terrain.lattice;
  const data = app.surface ? (app.surface.seen.image.data as unknown as Uint8Array) : new Uint8ClampedArray(4 * columns * rows);
  data.fill(0);
  pixels(data, window, colour);
  if (app.surface) app.surface.seen.needsUpdate = true;
  if (app.map) app.map.overlay = data as Uint8ClampedArray;
}

// ---- Lines --------------------------------------------------------------------------------------

let chart: 'profile' | 'panorama' = 'profile';
let panorama: { from: Place; horizon: Horizon[] } | null = null;

export async function ask(): Promise<void> {
  if (state.line.length < 2) return;
  try {
    const ground = await app.terrain.remote();
    const [a, b] = await Promise.all(state.line.map((at, k) => ground.ask('above', at, number(k === 0 ? 'height' : 'target'))));
    if (!a || !b) throw new Error('The line: an end is where there is no ground');
    const options = { ...rules(), frequency: number('frequency') };
    // Over a raster at every break of its surface, over anything else at equal steps.
    const steps = app.terrain.solids.length > 0 ? 512 : 0;
    [state.sight, state.profile] = await Promise.all([ground.ask('sight', a, b, options), ground.ask('profile', a, b, { ...options, steps })]);
    const s = state.sight;
    answer(`Line of sight: ${s.verdict}\nLength: ${format(s.length)} m\nLeast clearance: ${format(s.clearance)} m\nFresnel zone: ${format(100 * s.fresnel, 0)} % free${s.verdict === 'blocked' ? `\nBlocked at ${format(s.t * s.length)} m; raise the far end by ${format(s.raise)} m` : ''}`);
    $('dock').hidden = false;
    chart = 'profile';
    redraw();
    $<HTMLButtonElement>('save-csv').disabled = false;
  } catch (error) {
    fail(error);
  }
  changed();
}

/** The chart in the colours of the theme. */
export function redraw(): void {
  if ($('dock').hidden) return;
  if (chart === 'profile' && state.profile && state.sight) drawProfile($('chart'), state.profile, state.sight, number('frequency'));
  if (chart === 'panorama' && panorama) drawPanorama($('chart'), panorama.horizon, day());
}

/** What the pointer is at on the chart is shown on the map. */
$('chart').addEventListener('pointermove', (event) => {
  const { profile, line } = state;
  if (chart === 'profile' && profile && line.length === 2) {
    const k = profileIndex($('chart'), profile, event.offsetX);
    const t = profile.t[k];
    state.spot = [line[0][0] + t * (line[1][0] - line[0][0]), line[0][1] + t * (line[1][1] - line[0][1])];
    $('status').dataset.spot = `${format(profile.distance[k], 0)} m along the line: ground ${format(profile.ground[k])} m, line ${format(profile.line[k])} m`;
  } else if (chart === 'panorama' && panorama) {
    const azimuth = Math.round(panoramaAzimuth($('chart'), event.offsetX));
    const { elevation, distance, point } = panorama.horizon[azimuth];
    state.spot = elevation > -90 ? [point[0], point[1]] : null;
    $('status').dataset.spot = elevation > -90 ? `${azimuth}°: skyline at ${format(elevation)}°, ${format(distance, 0)} m away` : `${azimuth}°: no ground`;
  }
  changed();
});
$('chart').addEventListener('click', (event) => {
  if (chart === 'panorama') app.body.heading = (panoramaAzimuth($('chart'), event.offsetX) * Math.PI) / 180;
});
$('chart').addEventListener('pointerleave', () => {
  state.spot = null;
  delete $('status').dataset.spot;
  changed();
});

// ---- Horizon and sun ----------------------------------------------------------------------------

function here(): Place {
  return state.observers[0] ?? app.terrain.toMap(app.body.position[0], app.body.position[1]);
}

async function eyes(what: string): Promise<[number, number, number]> {
  const from = await (await app.terrain.remote()).ask('above', here(), number('height'));
  if (!from) throw new Error(`${what}: there is no ground here`);
  return from;
}

export async function horizon(): Promise<void> {
  const from = await eyes('The panorama');
  const azimuths = Float64Array.from({ length: 361 }, (_, k) => k);
  const found = await busy('Panorama', async () => (await app.terrain.remote()).ask('horizon', from, azimuths, rules()));
  panorama = { from: [from[0], from[1]], horizon: found };
  $('dock').hidden = false;
  chart = 'panorama';
  redraw();
  const most = found.reduce((best, h) => (h.elevation > best.elevation ? h : best));
  answer(`Horizon: at most ${format(most.elevation)}° at ${found.indexOf(most)}°, ${format(most.distance, 0)} m away`);
}

export const sun = (hour = number('hour')) => sunAt(new Date(Date.parse($<HTMLInputElement>('date').value || '2026-06-21') + hour * 3600000), number('latitude'), number('longitude'));
const day = () => Array.from({ length: 96 }, (_, k) => sun(k / 4 + 1 / 8));

export async function light(): Promise<void> {
  const { surface, terrain } = app;
  const { azimuth, altitude } = sun();
  const [a, h] = [(azimuth * Math.PI) / 180, (altitude * Math.PI) / 180];
  if (surface) {
    const u = surface.material.uniforms;
    const shadows = checked('shadows');
    // Without cast shadows the light stays above the horizon: a terrain at night shows nothing.
    const up = shadows ? h : Math.max(h, 0.5);
    u.sun.value.set(Math.sin(a) * Math.cos(up), Math.sin(up), -Math.cos(a) * Math.cos(up));
    u.shadows.value = shadows ? 1 : 0;
    if (shadows) {
      const lit = await busy('Shadows', async () => (await terrain.remote()).ask('shade', { azimuth, altitude }, rules()));
      const { columns, rows } = terrain.lattice;
      pixels(surface.lit.image.data as unknown as Uint8Array, { column: 0, row: 0, columns, rows }, (k) => [lit[k] === 1 ? 255 : 0]);
      surface.lit.needsUpdate = true;
    }
  }
  changed();
}

export async function sunHours(): Promise<void> {
  const from = await eyes('Sun hours');
  const suns = day();
  const skyline = await (await app.terrain.remote()).ask('horizon', from, suns.map((s) => s.azimuth), rules());
  const hours = suns.reduce((sum, s, k) => sum + (s.altitude > 0 && s.altitude > skyline[k].elevation ? 0.25 : 0), 0);
  const open = suns.filter((s) => s.altitude > 0).length / 4;
  answer(`Sun on ${$<HTMLInputElement>('date').value}: ${format(hours, 2)} of ${format(open, 2)} hours`);
}

// ---- A place ------------------------------------------------------------------------------------

const degrees = (radians: number) => (radians * 180) / Math.PI;

/** Of the ground that a click hit, in local coordinates. */
export function answerAt(at: [number, number, number] | null): void {
  // The surface that was clicked, not one above it.
  const hit = at && (app.terrain.local.below([at[0], at[1], at[2] + 1e-6]) ?? app.terrain.local.below([at[0], at[1], at[2] + 0.01]));
  if (!at || !hit) return answer('No ground here');
  const [x, y] = app.terrain.toMap(at[0], at[1]);
  const digits = app.terrain.degrees ? 6 : 2;
  answer(`x ${format(x, digits)}\ny ${format(y, digits)}\nHeight: ${format(hit.point[2], 2)} m\nSlope: ${format(degrees(Math.acos(Math.min(1, hit.normal[2]))))}°\nNormal: ${hit.normal.map((n) => n.toFixed(3)).join(', ')}\nLayer: ${app.terrain.layerOf(hit)}`);
}

export const run = (work: () => Promise<void>) => () => attempt(work);
