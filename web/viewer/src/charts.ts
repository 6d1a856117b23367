/** Charts in the dock: a line over the ground, a horizon. */
import type { Horizon, Profile, Sight } from 'landfall';

function start(canvas: HTMLCanvasElement) {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = canvas.clientWidth * ratio;
  canvas.height = canvas.clientHeight * ratio;
  const draw = canvas.getContext('2d')!;
  draw.scale(ratio, ratio);
  const style = getComputedStyle(document.documentElement);
  draw.font = '12px system-ui, "DejaVu Sans", sans-serif';
  return { draw, width: canvas.clientWidth, height: canvas.clientHeight, colour: (name: string) => style.getPropertyValue(name).trim() };
}

/** Round steps of an axis. */
function ticks(low: number, high: number, count: number): number[] {
  const raw = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((k) => k * power).find((s) => s >= raw)!;
  const numbers = [];
  for (let k = Math.ceil(low / step); k * step <= high; k++) numbers.push(k === 0 ? 0 : k * step);
  return numbers;
}

/** Left, right, top, bottom. */
const MARGINS = [64, 14, 14, 34] as const;

function frame(canvas: HTMLCanvasElement, xs: [number, number], ys: [number, number], labels: [string, string]) {
  const { draw, width, height, colour } = start(canvas);
  const [left, right, top, bottom] = MARGINS;
  const x = (v: number) => left + ((v - xs[0]) / (xs[1] - xs[0])) * (width - left - right);
  const y = (v: number) => height - bottom - ((v - ys[0]) / (ys[1] - ys[0])) * (height - top - bottom);
  draw.strokeStyle = colour('--line');
  draw.fillStyle = colour('--text');
  draw.globalAlpha = 0.35;
  for (const v of ticks(...ys, 4)) draw.strokeRect(left, y(v), width - left - right, 0);
  draw.globalAlpha = 1;
  draw.textAlign = 'right';
  for (const v of ticks(...ys, 4)) draw.fillText(v.toLocaleString('en'), left - 6, y(v) + 4);
  draw.textAlign = 'center';
  for (const v of ticks(...xs, Math.max(2, width / 110))) draw.fillText(v.toLocaleString('en'), x(v), height - bottom + 16);
  draw.fillText(labels[0], (left + width - right) / 2, height - 4);
  draw.textAlign = 'left';
  draw.fillText(labels[1], 6, 12);
  return { draw, x, y, colour, floor: height - bottom };
}

export function drawProfile(canvas: HTMLCanvasElement, profile: Profile, sight: Sight, frequency: number): void {
  const last = profile.distance[profile.distance.length - 1];
  const known = Array.from(profile.ground).filter((g) => !Number.isNaN(g));
  const all = [...known, ...profile.line];
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const margin = 0.08 * (high - low) + 1;
  const { draw, x, y, colour, floor } = frame(canvas, [0, last], [low - margin, high + margin], ['metres along the line', 'height, m']);
  draw.fillStyle = '#8a7a5c';
  draw.beginPath();
  let open = false;
  profile.ground.forEach((g, k) => {
    const px = x(profile.distance[k]);
    if (Number.isNaN(g)) {
      if (open) draw.lineTo(x(profile.distance[k - 1]), floor);
      open = false;
      return;
    }
    if (!open) draw.moveTo(px, floor);
    draw.lineTo(px, y(g));
    open = true;
  });
  if (open) draw.lineTo(x(last), floor);
  draw.fill();
  // The first Fresnel zone around the line.
  const radius = (d: number) => Math.sqrt(((299.792458 / frequency) * d * (last - d)) / last);
  draw.fillStyle = colour('--accent');
  draw.globalAlpha = 0.25;
  draw.beginPath();
  profile.distance.forEach((d, k) => draw.lineTo(x(d), y(profile.line[k] + radius(d))));
  for (let k = profile.distance.length - 1; k >= 0; k--) draw.lineTo(x(profile.distance[k]), y(profile.line[k] - radius(profile.distance[k])));
  draw.fill();
  draw.globalAlpha = 1;
  draw.lineWidth = 2;
  draw.strokeStyle = sight.verdict === 'clear' ? colour('--accent') : colour('--error');
  draw.beginPath();
  profile.distance.forEach((d, k) => draw.lineTo(x(d), y(profile.line[k])));
  draw.stroke();
  if (sight.verdict === 'blocked') {
    draw.fillStyle = colour('--error');
    draw.beginPath();
    draw.arc(x(sight.t * last), y(sight.point[2]), 5, 0, 7);
    draw.fill();
  }
}

/** The point of a profile that is nearest to a place of its chart. */
export function profileIndex(canvas: HTMLCanvasElement, profile: Profile, x: number): number {
  const last = profile.distance[profile.distance.length - 1];
  const at = (last * (x - MARGINS[0])) / (canvas.clientWidth - MARGINS[0] - MARGINS[1]);
  return profile.distance.reduce((best, d, k) => (Math.abs(d - at) < Math.abs(profile.distance[best] - at) ? k : best), 0);
}


/** The skyline all around: nearer ground darker; and the way of the sun over a day. */
export function drawPanorama(canvas: HTMLCanvasElement, horizon: readonly Horizon[], suns: readonly { azimuth: number; altitude: number }[]): void {
  const angles = horizon.map((h) => h.elevation).filter((e) => e > -90);
  const [low, high] = [Math.min(0, ...angles), Math.max(1, ...angles)];
  const { draw, x, y, colour, floor } = frame(canvas, [0, 360], [low - 1, 1.15 * high + 1], ['azimuth, degrees (0 north, 90 east)', 'elevation, degrees']);
  const step = 360 / (horizon.length - 1);
  const farthest = Math.max(...horizon.map((h) => h.distance), 1);
  horizon.slice(0, -1).forEach((h, k) => {
    const next = horizon[k + 1];
    if (h.elevation <= -90 || next.elevation <= -90) return;
    const light = Math.round(90 + 90 * Math.sqrt(h.distance / farthest));
    draw.fillStyle = `rgb(${light - 20}, ${light}, ${light + 24})`;
    draw.beginPath();
    draw.moveTo(x(k * step), floor);
    draw.lineTo(x(k * step), y(h.elevation));
    draw.lineTo(x((k + 1) * step) + 0.5, y(next.elevation));
    draw.lineTo(x((k + 1) * step) + 0.5, floor);
    draw.fill();
  });
  draw.fillStyle = colour('--sun');
  for (const sun of suns) if (sun.altitude > low - 1 && sun.altitude < 1.15 * high + 1) draw.fillRect(x(sun.azimuth) - 2, y(sun.altitude) - 2, 4, 4);
}

/** The azimuth at a place of a panorama. */
export function panoramaAzimuth(canvas: HTMLCanvasElement, x: number): number {
  return Math.max(0, Math.min(360, (360 * (x - MARGINS[0])) / (canvas.clientWidth - MARGINS[0] - MARGINS[1])));
}
