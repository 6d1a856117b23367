/** Results as files. */
import { writeArrayBuffer } from 'geotiff';
import { app, state } from './app.ts';
import { $, attempt, download, number } from './ui.ts';

/** The viewshed, a byte per sample, or the map of counts, 32 bits per sample. */
async function saveTif(): Promise<void> {
  const result = state.seen ?? state.counts;
  if (!result) return;
  const { window, seen } = result;
  const { lattice, degrees, epsg } = app.terrain;
  const t = lattice.transform;
  const keys = degrees ? { GTModelTypeGeoKey: 2, GeographicTypeGeoKey: epsg ?? 4326 } : { GTModelTypeGeoKey: 1, ...(epsg ? { ProjectedCSTypeGeoKey: epsg } : {}) };
  const file = await writeArrayBuffer(seen, {
    width: window.columns, height: window.rows, ...keys, GTRasterTypeGeoKey: 1, BitsPerSample: [8 * seen.BYTES_PER_ELEMENT], SampleFormat: [1],
    ModelPixelScale: [Math.abs(t[1]), Math.abs(t[5]), 0],
    ModelTiepoint: [0, 0, 0, t[0] + t[1] * (window.column - 0.5), t[3] + t[5] * (window.row - 0.5), 0],
  });
  download(state.seen ? 'viewshed.tif' : 'counts.tif', file as ArrayBuffer, 'image/tiff');
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
