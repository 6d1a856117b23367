/** The state of the page in its address. */
import { app, state, type Place } from './app.ts';
import type { Mode } from './camera.ts';
import { ask, look } from './questions.ts';
import { $ } from './ui.ts';

const inputs = ['height', 'target', 'range', 'curvature', 'frequency', 'date', 'hour'];

/** Camera: position (of a globe longitude, latitude, height), heading, pitch, mode. */
export function saveState(): void {
  if (!app.terrain && !app.globe) return;
  const query = new URLSearchParams(location.search);
  const { position, heading, pitch, mode } = app.globe ? { ...app.globe.view, position: app.globe.place, mode: 'fly' } : app.body;
  query.set('camera', [...position.map((p) => p.toFixed(app.globe ? 6 : 1)), heading.toFixed(3), pitch.toFixed(3), mode].join(','));
  for (const [name, spots] of [['observers', state.observers], ['line', state.line]] as const) {
    if (spots.length > 0) query.set(name, spots.map((s) => s.join(',')).join(';'));
    else query.delete(name);
  }
  for (const id of inputs) query.set(id, $<HTMLInputElement>(id).value);
  if (app.globe?.address) query.set('globe', app.globe.address);
  else query.delete('globe');
  history.replaceState(null, '', `?${query}`);
}

/** The camera of the address: five numbers and a mode. */
export function cameraOf(query: URLSearchParams): { numbers: number[]; mode: string } | null {
  const words = (query.get('camera') ?? '').split(',');
  const numbers = words.slice(0, 5).map(Number);
  return words.length === 6 && numbers.every(Number.isFinite) ? { numbers, mode: words[5] } : null;
}

export function restoreState(): void {
  const query = new URLSearchParams(location.search);
  const spots = (name: string) => (query.get(name) ?? '').split(';').map((s) => s.split(',').map(Number) as Place).filter((s) => s.length === 2 && s.every(Number.isFinite));
  for (const id of inputs) if (query.has(id)) $<HTMLInputElement>(id).value = query.get(id)!;
  const camera = cameraOf(query);
  if (camera) {
    const { body } = app;
    body.position = camera.numbers.slice(0, 3) as [number, number, number];
    [body.heading, body.pitch] = camera.numbers.slice(3);
    const radio = document.querySelector(`input[name="camera"][value="${CSS.escape(camera.mode)}"]`) as HTMLInputElement | null;
    if (radio) {
      radio.checked = true;
      body.mode = camera.mode as Mode;
    }
    body.move([0, 0, 0]);
  }
  state.observers = spots('observers');
  state.line = spots('line').slice(0, 2);
  void look();
  void ask();
}
