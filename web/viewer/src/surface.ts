/** The picture of the terrain: chunks with levels of detail, one material for all. */
import * as THREE from 'three';
import type { Terrain } from './ground.ts';

const CELLS = 64;
const LEVELS = 5;

const vertexShader = `
varying vec3 place; varying vec3 up; varying vec2 at;
void main() { place = position; up = normal; at = uv; gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }`;

const fragmentShader = `
uniform vec3 sun; uniform vec2 range; uniform sampler2D seen; uniform sampler2D lit; uniform float shadows; uniform float contours; uniform float interval; uniform vec3 fog; uniform float far;
varying vec3 place; varying vec3 up; varying vec2 at;
void main() {
  float h = clamp((place.y - range.x) / max(range.y - range.x, 1.0), 0.0, 1.0);
  vec3 n = normalize(up);
  vec3 colour = h < 0.35 ? mix(vec3(0.33, 0.47, 0.26), vec3(0.55, 0.58, 0.33), h / 0.35)
              : h < 0.7 ? mix(vec3(0.55, 0.58, 0.33), vec3(0.55, 0.46, 0.36), (h - 0.35) / 0.35)
              : mix(vec3(0.55, 0.46, 0.36), vec3(0.96, 0.97, 0.99), (h - 0.7) / 0.3);
  colour = mix(vec3(0.47, 0.43, 0.40), colour, smoothstep(0.55, 0.85, n.y));
  float direct = max(dot(n, normalize(sun)), 0.0);
  if (shadows > 0.5) direct *= texture2D(lit, at).r;
  colour *= 0.35 + 0.85 * direct;
  if (contours > 0.5) { float f = place.y / interval; float w = fwidth(f); float d = abs(fract(f - 0.5) - 0.5); colour = mix(colour, vec3(0.15, 0.1, 0.05), 0.7 * (1.0 - smoothstep(0.0, 1.4 * w, d))); }
  vec4 over = texture2D(seen, at);
  colour = mix(colour, over.rgb, over.a);
  float away = length(place - cameraPosition) / far;
  colour = mix(colour, fog, smoothstep(0.5, 1.0, away));
  gl_FragColor = vec4(colour, 1.0);
}`;

function pixels(columns: number, rows: number): THREE.DataTexture {
  const texture = new THREE.DataTexture(new Uint8Array(4 * columns * rows), columns, rows, THREE.RGBAFormat);
  texture.minFilter = texture.magFilter = THREE.NearestFilter;
  texture.needsUpdate = true;
  return texture;
}

interface Chunk {
  column: number;
  row: number;
  centre: THREE.Vector3;
  size: number;
  level: number;
  mesh: THREE.Mesh;
  made: (THREE.BufferGeometry | undefined)[];
}

export class Surface {
  readonly group = new THREE.Group();
  readonly material: THREE.ShaderMaterial;
  readonly seen: THREE.DataTexture;
  readonly lit: THREE.DataTexture;
  #chunks: Chunk[] = [];

  constructor(readonly terrain: Terrain) {
    const { columns, rows, low, high } = terrain;
    this.seen = pixels(columns, rows);
    this.lit = pixels(columns, rows);
    const span = Math.max(columns * this.#step[0], rows * this.#step[1]);
    this.material = new THREE.ShaderMaterial({
      vertexShader,
      fragmentShader,
      side: THREE.DoubleSide,
      uniforms: {
        sun: { value: new THREE.Vector3(1, 1, 0) },
        range: { value: new THREE.Vector2(low, high) },
        seen: { value: this.seen },
        lit: { value: this.lit },
        shadows: { value: 0 },
        contours: { value: 0 },
        interval: { value: 10 ** Math.round(Math.log10(Math.max(high - low, 1) / 15)) },
        fog: { value: new THREE.Color(0.75, 0.82, 0.9) },
        far: { value: 3 * span },
      },
    });
    for (let row = 0; row < rows - 1; row += CELLS)
      for (let column = 0; column < columns - 1; column += CELLS) {
        const mesh = new THREE.Mesh(undefined, this.material);
        mesh.frustumCulled = true;
        const [c, r] = [Math.min(column + CELLS / 2, columns - 1), Math.min(row + CELLS / 2, rows - 1)];
        const height = terrain.heights[r * columns + c];
        const chunk = { column, row, centre: new THREE.Vector3(...this.place(c, r, Number.isNaN(height) ? low : height)), size: CELLS * Math.max(...this.#step), level: -1, mesh, made: [] };
        this.#chunks.push(chunk);
        this.group.add(mesh);
      }
  }

  get #step(): [number, number] {
    const t = this.terrain.local.transform;
    return [t[1], -t[5]];
  }

  /** A sample in scene coordinates. */
  place(column: number, row: number, height: number): [number, number, number] {
    const t = this.terrain.local.transform;
    return [t[0] + t[1] * column, height, -(t[3] + t[5] * row)];
  }

  /** Choose levels of detail for a camera; at most a few chunks are made anew at a time. */
  update(camera: THREE.Vector3, budget = 6): void {
    for (const chunk of this.#chunks) {
      const distance = Math.max(chunk.centre.distanceTo(camera) - chunk.size, 0);
      const level = Math.min(Math.floor(Math.log2(1 + distance / (2 * chunk.size))), LEVELS - 1);
      if (level === chunk.level) continue;
      if (!chunk.made[level]) {
        if (chunk.level >= 0 && budget-- <= 0) continue;
        chunk.made[level] = this.#geometry(chunk, 1 << level);
      }
      chunk.level = level;
      chunk.mesh.geometry = chunk.made[level]!;
    }
  }

  /** Triangles of the engine's own surface (cells cut from upper left to lower right), and a skirt that hides cracks between levels. */
  #geometry(chunk: Chunk, stride: number): THREE.BufferGeometry {
    const { columns, rows, heights, low } = this.terrain;
    const list = (from: number, count: number) => {
      const numbers = [];
      for (let k = from; k < Math.min(from + CELLS, count - 1); k += stride) numbers.push(k);
      return [...numbers, Math.min(from + CELLS, count - 1)];
    };
    const [cs, rs] = [list(chunk.column, columns), list(chunk.row, rows)];
    const [w, h] = [cs.length, rs.length];
    const [sx, sy] = this.#step;
    const at = (c: number, r: number) => heights[r * columns + c];
    const known = (c: number, r: number, other: number) => {
      const value = at(Math.max(0, Math.min(columns - 1, c)), Math.max(0, Math.min(rows - 1, r)));
      return Number.isNaN(value) ? other : value;
    };
    const edge: [number, number][] = [];
    for (let k = 0; k < w; k++) edge.push([k, 0], [k, h - 1]);
    for (let k = 0; k < h; k++) edge.push([0, k], [w - 1, k]);
    const count = w * h + edge.length;
    const [position, normal, uv] = [new Float32Array(3 * count), new Float32Array(3 * count), new Float32Array(2 * count)];
    const put = (k: number, c: number, r: number, drop: number) => {
      const height = at(c, r);
      const z = Number.isNaN(height) ? low : height;
      position.set(this.place(c, r, z - drop), 3 * k);
      const nx = (known(c - 1, r, z) - known(c + 1, r, z)) / (2 * sx);
      const nz = (known(c, r - 1, z) - known(c, r + 1, z)) / (2 * sy);
      const length = Math.hypot(nx, 1, nz);
      normal.set([nx / length, 1 / length, nz / length], 3 * k);
      uv.set([(c + 0.5) / columns, (r + 0.5) / rows], 2 * k);
    };
    rs.forEach((r, j) => cs.forEach((c, i) => put(j * w + i, c, r, 0)));
    edge.forEach(([i, j], k) => put(w * h + k, cs[i], rs[j], stride * Math.max(sx, sy)));
    const index: number[] = [];
    const triangle = (a: [number, number], b: [number, number], c: [number, number]) => {
      if ([a, b, c].every(([i, j]) => !Number.isNaN(at(cs[i], rs[j])))) index.push(...[a, b, c].map(([i, j]) => j * w + i));
    };
    for (let j = 0; j + 1 < h; j++)
      for (let i = 0; i + 1 < w; i++) {
        triangle([i, j], [i, j + 1], [i + 1, j + 1]);
        triangle([i, j], [i + 1, j + 1], [i + 1, j]);
      }
    const skirt = (of: (k: number) => number, length: number) => {
      for (let k = 0; k + 1 < length; k++) {
        const [a, b] = [of(k), of(k + 1)];
        const [i, j, i2, j2] = [...edge[a], ...edge[b]];
        if (Number.isNaN(at(cs[i], rs[j])) || Number.isNaN(at(cs[i2], rs[j2]))) continue;
        index.push(j * w + i, j2 * w + i2, w * h + a, j2 * w + i2, w * h + b, w * h + a);
      }
    };
    skirt((k) => 2 * k, w);
    skirt((k) => 2 * k + 1, w);
    skirt((k) => 2 * w + 2 * k, h);
    skirt((k) => 2 * w + 2 * k + 1, h);
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute('position', new THREE.BufferAttribute(position, 3));
    geometry.setAttribute('normal', new THREE.BufferAttribute(normal, 3));
    geometry.setAttribute('uv', new THREE.BufferAttribute(uv, 2));
    geometry.setIndex(index);
    return geometry;
  }

  dispose(): void {
    for (const chunk of this.#chunks) for (const made of chunk.made) made?.dispose();
    this.material.dispose();
    this.seen.dispose();
    this.lit.dispose();
  }
}
