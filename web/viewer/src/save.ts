/** Results as files. */
import { app, state } from './app.ts';
import { tiff } from './tiff.ts';
import { $, attempt, download, number } from './ui.ts';

/** The viewshed, a byte per sample, or the map of counts, 32 bits per sample. */
function saveTif(): void {
  const result = state.seen ?? state.counts;
  if (!result) return;
  const { window: w, seen } = result;
  const { lattice, degrees, epsg } = app.terrain;
  const transform = lattice.transform.slice();
  transform[0] += transform[1] * w.column + transform[2] * w.row;
  transform[3] += transform[4] * w.column + transform[5] * w.row;
  download(state.seen ? 'viewshed.tif' : 'counts.tif', tiff(seen, { columns: w.columns, rows: w.rows, transform, degrees, epsg }), 'image/tiff');
}

function saveCsv(): void {
  const p = state.profile!;
  download('line.csv', 'distance,ground,line\n' + Array.from(p.t, (_, k) => `${p.distance[k]},${p.ground[k]},${p.line[k]}\n`).join(''), 'text/csv');
}

function saveGeoJson(): void {
  const features = state.observers.map((at) => ({ type: 'Feature', properties: { height: number('height') }, geometry: { type: 'Point', coordinates: at } }));
  download('observers.geojson', JSON.stringify({ type: 'FeatureCollection', features }), 'application/geo+json');
}

/** draw: bring the picture up to date. */
export function saveButtons(draw: () => void): void {
  $('save-tif').addEventListener('click', () => attempt(saveTif));
  $('save-csv').addEventListener('click', () => attempt(saveCsv));
  $('save-json').addEventListener('click', () => attempt(saveGeoJson));
  $('save-png').addEventListener('click', () => {
    draw();
    $<HTMLCanvasElement>(app.renderer ? 'view' : 'map').toBlob((blob) => blob && download('landfall.png', blob, 'image/png'));
  });
}
