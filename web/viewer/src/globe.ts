/** The globe: tiles streamed from a server (or of a .lf file), drawn and flown over. */
import * as THREE from 'three';
import { readQuantizedMesh, tileOf, type DrawnTile, type Globe, type Landfall, type Tile, type TileKey } from 'landfall';
import { add, type V3 } from './camera.ts';
import { contourInterval, groundColour } from './shading.ts';

const vertexShader = `
attribute float height; varying float h; varying vec3 n; varying vec2 at;
void main() { h = height; n = normal; at = uv; gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }`;

const fragmentShader = `
uniform vec3 sun; uniform vec3 up; uniform float quarters; uniform float contours; uniform float interval;
varying float h; varying vec3 n; varying vec2 at;
${groundColour}
void main() {
  // A finer tile is over this quarter.
  float bit = (at.x < 0.5 ? 0.0 : 1.0) + (at.y < 0.5 ? 0.0 : 2.0);
  if (mod(floor(quarters / exp2(bit)), 2.0) < 0.5) discard;
  vec3 normal = normalize(n);
  vec3 colour = h <= 0.0 ? mix(vec3(0.16, 0.36, 0.56), vec3(0.05, 0.13, 0.30), clamp(-h / 5000.0, 0.0, 1.0)) : colourOf(clamp(h / 6000.0, 0.0, 1.0), max(dot(normal, up), 0.0));
  colour *= 0.4 + 0.75 * max(dot(normal, sun), 0.0);
  if (contours > 0.5 && h > 0.0) colour = mix(colour, vec3(0.15, 0.1, 0.05), lineOf(h, interval));
  gl_FragColor = vec4(colour, 1.0);
}`;

interface Layer {
  tiles: string[];
  version?: string;
  available: { startX: number; startY: number; endX: number; endY: number }[][];
}

const A = 6378137, F = 1 / 298.257223563, E2 = F * (2 - F);
const AT_ONCE = 8;
const nameOf = (key: TileKey) => `${key.level}/${key.column}/${key.row}`;

/** A level tile at height 0: sea, where the server has no heights but finer tiles, or nothing at all at level 0. */
function sea(key: TileKey, children: number, side = 17): Tile {
  const last = side - 1, vertices = new Float64Array(3 * side * side), triangles: number[] = [];
  for (let k = 0; k < side * side; k++) vertices.set([(k % side) / last, Math.floor(k / side) / last, 0], 3 * k);
  for (let r = 0; r < last; r++) for (let c = 0, a = r * side; c < last; c++, a++) triangles.push(a, a + 1, a + side, a + 1, a + side + 1, a + side);
  return tileOf(key, { centre: [0, 0, 0], lowest: 0, highest: 0, vertices, triangles: Uint32Array.from(triangles) }, children);
}

/** Tiles of a server: which there are, and their contents. */
class Source {
  constructor(readonly folder: URL, readonly layer: Layer) {}

  static async open(address: string): Promise<Source> {
    const folder = new URL(`${address.replace(/\/*$/, '')}/`, document.baseURI);
    const reply = await fetch(new URL('layer.json', folder));
    if (!reply.ok) throw new Error(`${address}/layer.json: HTTP status ${reply.status}: a globe is streamed from landfall serve`);
    const layer = (await reply.json()) as Layer;
    if (!Array.isArray(layer.tiles) || !Array.isArray(layer.available)) throw new Error(`${address}/layer.json: it has no tiles`);
    return new Source(folder, layer);
  }

  has({ level, column, row }: TileKey): boolean {
    return (this.layer.available[level] ?? []).some((r) => column >= r.startX && column <= r.endX && row >= r.startY && row <= r.endY);
  }

  async tile(key: TileKey): Promise<Tile> {
    let children = 0;
    for (let k = 0; k < 4; k++) if (this.has({ level: key.level + 1, column: 2 * key.column + (k & 1), row: 2 * key.row + (k >> 1) })) children |= 1 << k;
    if (!this.has(key)) return key.level === 0 || children ? sea(key, children) : { ...key, vertices: new Float64Array(0), triangles: new Uint32Array(0), children: 0 };
    const path = this.layer.tiles[0].replace('{z}', String(key.level)).replace('{x}', String(key.column)).replace('{y}', String(key.row)).replace('{version}', this.layer.version ?? '');
    const reply = await fetch(new URL(path, this.folder));
    if (reply.status === 404) return sea(key, children);
    if (!reply.ok) throw new Error(`${path}: HTTP status ${reply.status}`);
    return tileOf(key, readQuantizedMesh(await reply.arrayBuffer()), children);
  }
}

export class GlobeView {
  readonly group = new THREE.Group();
  /** Earth-centred, metres. */
  position: V3;
  view = { heading: 0, pitch: -1.2 };
  /** Metres between the camera and the ground. */
  clearance = 10;
  contours = false;
  /** Tiles that came, and least height above ground since the last reset: for tests. */
  readonly flight = { tiles: 0, least: Infinity, frames: 0 };
  #meshes = new Map<string, { mesh: THREE.Mesh; used: number }>();
  #asked = new Set<string>();
  #frame = 0;
  #sun = new THREE.Vector3(1, 0, 0);

  constructor(readonly globe: Globe, readonly address: string, private source: Source | null, place: V3, readonly fail: (error: unknown) => void) {
    this.position = globe.toCentred(place);
    this.view.pitch = place[2] > 2e6 ? -1.5 : -0.8;
  }

  /** Stream a globe from a folder of quantized-mesh tiles. */
  static async stream(lf: Landfall, address: string, place: V3 | null, fail: (error: unknown) => void): Promise<GlobeView> {
    const source = await Source.open(address);
    const roots = await Promise.all([0, 1].map((column) => source.tile({ level: 0, column, row: 0 })));
    const globe = lf.globe({ roots, levels: Math.min(26, source.layer.available.length) });
    // Over the middle of the finest tiles, from where they fill the picture.
    const level = source.layer.available.length - 1;
    const finest = source.layer.available[level]?.[0];
    const size = 180 / 2 ** level;
    const width = finest ? (finest.endX - finest.startX + 1) * size : 360;
    const start: V3 = finest && level > 0 ? [-180 + ((finest.startX + finest.endX + 1) / 2) * size, -90 + ((finest.startY + finest.endY + 1) / 2) * size - 0.3 * Math.min(width, 10), Math.min(1.3e7, 60000 * width)] : [10, 20, 1.3e7];
    return new GlobeView(globe, address, source, place ?? start, fail);
  }

  /** Longitude, latitude, height. */
  get place(): V3 {
    return this.globe.toGeodetic(this.position);
  }

  /** East, north, up at the camera. */
  #axes(): [V3, V3, V3] {
    const [longitude, latitude] = this.place.map((d) => (d * Math.PI) / 180);
    const [so, co, sa, ca] = [Math.sin(longitude), Math.cos(longitude), Math.sin(latitude), Math.cos(latitude)];
    return [[-so, co, 0], [-sa * co, -sa * so, ca], [ca * co, ca * so, sa]];
  }

  #turned(right: number, forward: number, up: number): V3 {
    const [e, n, u] = this.#axes();
    const [s, c] = [Math.sin(this.view.heading), Math.cos(this.view.heading)];
    return add(add(add([0, 0, 0], e, right * c + forward * s), n, forward * c - right * s), u, up);
  }

  get direction(): V3 {
    return this.#turned(0, Math.cos(this.view.pitch), Math.sin(this.view.pitch));
  }

  /** keys: -1 .. 1 forward, right, up. The engine keeps the clearance on the whole way, and raises the camera where finer tiles arrive above it. */
  go(seconds: number, keys: V3, fast: boolean): void {
    const [longitude, latitude, height] = this.place;
    const ground = this.globe.at(longitude, latitude).height || 0;
    const speed = Math.max(60, 0.8 * (height - ground)) * (fast ? 8 : 1);
    const velocity = keys.some((k) => k !== 0) ? add(add([0, 0, 0], this.direction, keys[0] * speed), this.#turned(keys[1] * speed, 0, keys[2] * speed)) : ([0, 0, 0] as V3);
    const moved = this.globe.stepCamera({ position: this.position, velocity, clearance: this.clearance, raiseLimit: Infinity, lookAhead: 0 }, Math.max(seconds, 1e-3));
    // Not away into space.
    const [lon, lat, up] = this.globe.toGeodetic(moved.position);
    this.position = up > 4e7 ? this.globe.toCentred([lon, lat, 4e7]) : (moved.position as V3);
    this.#load(velocity);
    const now = this.place;
    const below = this.globe.at(now[0], now[1]).height;
    this.flight.frames++;
    if (!Number.isNaN(below)) this.flight.least = Math.min(this.flight.least, now[2] - below);
  }

  /** Metres above the ground. */
  get above(): number {
    const [longitude, latitude, height] = this.place;
    return height - (this.globe.at(longitude, latitude).height || 0);
  }

  #load(velocity: V3): void {
    const { wanted } = this.globe.update({ position: this.position, velocity, forward: this.direction, field: 1.6, most: 16 });
    for (const key of wanted) {
      const name = nameOf(key);
      if (this.#asked.size >= AT_ONCE || this.#asked.has(name) || !this.source) continue;
      this.#asked.add(name);
      this.source
        .tile(key)
        .then((tile) => {
          this.globe.deliver(tile);
          this.flight.tiles++;
        })
        .catch((error) => {
          // What cannot be read is not asked for again.
          this.globe.deliver({ ...key, vertices: new Float64Array(0), triangles: new Uint32Array(0), children: 0 });
          this.fail(error);
        })
        .finally(() => this.#asked.delete(name));
    }
  }

  /** Place the camera and the tiles for a picture: the camera is the origin. */
  draw(camera: THREE.PerspectiveCamera): void {
    const d = this.direction, above = Math.max(this.above, this.clearance);
    const height = this.place[2];
    camera.position.set(0, 0, 0);
    camera.up.set(...this.#axes()[2]);
    camera.lookAt(d[0], d[1], d[2]);
    camera.near = Math.max(1, 0.2 * above);
    camera.far = Math.sqrt(Math.max(height, 0) * (2 * A + Math.max(height, 0))) + 4e5 + 2 * Math.max(0, height);
    camera.updateProjectionMatrix();
    // Light from the side, above the place that is looked at.
    this.#sun.set(...this.#turned(-0.6, 0.3, 0.75)).normalize();
    this.#frame++;
    this.group.clear();
    for (const tile of this.globe.drawn()) {
      const name = nameOf(tile);
      let made = this.#meshes.get(name);
      if (!made) this.#meshes.set(name, (made = { mesh: this.#mesh(tile), used: 0 }));
      made.used = this.#frame;
      made.mesh.position.set(tile.origin[0] - this.position[0], tile.origin[1] - this.position[1], tile.origin[2] - this.position[2]);
      const u = (made.mesh.material as THREE.ShaderMaterial).uniforms;
      u.quarters.value = tile.quarters;
      u.contours.value = this.contours ? 1 : 0;
      u.sun.value = this.#sun;
      this.group.add(made.mesh);
    }
    for (const [name, { mesh, used }] of this.#meshes)
      if (this.#frame - used > 300) {
        mesh.geometry.dispose();
        (mesh.material as THREE.Material).dispose();
        this.#meshes.delete(name);
      }
  }

  /** Triangles of a tile, with a skirt around it that hides steps to its neighbours. */
  #mesh(tile: DrawnTile): THREE.Mesh {
    const own = tile.vertices(), triangles = tile.triangles(), count = own.length / 3;
    const size = 180 / 2 ** tile.level, west = -180 + tile.column * size, south = -90 + tile.row * size;
    const edges = new Map<number, [number, number]>();
    for (let k = 0; k < triangles.length; k++) {
      const a = triangles[k], b = triangles[k % 3 === 2 ? k - 2 : k + 1], key = Math.min(a, b) * count + Math.max(a, b);
      if (!edges.delete(key)) edges.set(key, [a, b]);
    }
    const rim = [...edges.values()], total = count + 2 * rim.length;
    const position = new Float32Array(3 * total), height = new Float32Array(total), uv = new Float32Array(2 * total);
    const up = new THREE.Vector3(...tile.origin).normalize();
    for (let k = 0; k < count; k++) {
      const x = own[3 * k] + tile.origin[0], y = own[3 * k + 1] + tile.origin[1], z = own[3 * k + 2] + tile.origin[2];
      const p = Math.hypot(x, y), t = Math.atan2(z, p * (1 - F));
      const latitude = Math.atan2(z + (E2 / (1 - F)) * A * Math.sin(t) ** 3, p - E2 * A * Math.cos(t) ** 3);
      const s = Math.sin(latitude), n = A / Math.sqrt(1 - E2 * s * s);
      height[k] = p * Math.cos(latitude) + z * s - (A * A) / n; // along the plumb line
      uv[2 * k] = ((Math.atan2(y, x) * 180) / Math.PI - west) / size;
      if (uv[2 * k] < -0.5) uv[2 * k] += 360 / size; // at 180 degrees
      if (uv[2 * k] > 1.5) uv[2 * k] -= 360 / size;
      uv[2 * k + 1] = ((latitude * 180) / Math.PI - south) / size;
    }
    position.set(own);
    const index = new Uint32Array(triangles.length + 6 * rim.length);
    index.set(triangles);
    const drop = 2 * tile.resolution + 10;
    rim.forEach(([a, b], k) => {
      const low = count + 2 * k;
      [a, b].forEach((of, side) => {
        position.set([own[3 * of] - drop * up.x, own[3 * of + 1] - drop * up.y, own[3 * of + 2] - drop * up.z], 3 * (low + side));
        height[low + side] = height[of];
        uv.copyWithin(2 * (low + side), 2 * of, 2 * of + 2);
      });
      index.set([a, low, b, b, low, low + 1], triangles.length + 6 * k);
    });
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute('position', new THREE.BufferAttribute(position, 3));
    geometry.setAttribute('height', new THREE.BufferAttribute(height, 1));
    geometry.setAttribute('uv', new THREE.BufferAttribute(uv, 2));
    // Normals of the surface alone; the skirt has those of its upper edge.
    geometry.setIndex(new THREE.BufferAttribute(triangles.slice(), 1));
    geometry.computeVertexNormals();
    const normal = geometry.getAttribute('normal').array as Float32Array;
    rim.forEach(([a, b], k) => [a, b].forEach((of, side) => normal.copyWithin(3 * (count + 2 * k + side), 3 * of, 3 * of + 3)));
    geometry.setIndex(new THREE.BufferAttribute(index, 1));
    const uniforms = { sun: { value: this.#sun }, up: { value: up }, quarters: { value: 15 }, contours: { value: 0 }, interval: { value: contourInterval(3000) } };
    const mesh = new THREE.Mesh(geometry, new THREE.ShaderMaterial({ vertexShader, fragmentShader, side: THREE.DoubleSide, uniforms }));
    mesh.frustumCulled = false;
    return mesh;
  }

  /** The ground in a direction from the camera, earth-centred. */
  pick(direction: V3): V3 | null {
    return this.globe.ray(this.position, direction)?.point ?? null;
  }

  /** Words about a place that was clicked. */
  describe(at: V3): string {
    const [longitude, latitude] = this.globe.toGeodetic(at);
    const { height, normal, tile, resolution, coarser } = this.globe.at(longitude, latitude);
    const up = at.map((c) => c / Math.hypot(...at));
    const slope = (Math.acos(Math.min(1, normal.reduce((sum, n, k) => sum + n * up[k], 0))) * 180) / Math.PI;
    return `Longitude ${longitude.toFixed(6)}\nLatitude ${latitude.toFixed(6)}\nHeight: ${height.toFixed(1)} m\nSlope: ${slope.toFixed(1)}°\nNormal: ${normal.map((n) => n.toFixed(3)).join(', ')}\nLayer: tile ${nameOf(tile)}, ${resolution.toFixed(0)} m between samples${coarser ? ', finer ones to come' : ''}`;
  }

  /** The line of sight between two places, so high above the ground. */
  sight(a: V3, b: V3, from: number, to: number): string {
    const raised = (p: V3, by: number): V3 => p.map((c) => c * (1 + by / Math.hypot(...p))) as V3;
    const { verdict, t, length } = this.globe.sight(raised(a, from), raised(b, to));
    return `Line of sight: ${verdict}\nLength: ${(length / 1000).toFixed(2)} km${verdict === 'blocked' ? `\nBlocked at ${((t * length) / 1000).toFixed(2)} km` : ''}`;
  }

  dispose(): void {
    for (const { mesh } of this.#meshes.values()) {
      mesh.geometry.dispose();
      (mesh.material as THREE.Material).dispose();
    }
    this.globe.dispose();
  }
}
