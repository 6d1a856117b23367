/** The picture of the terrain: rasters in chunks with levels of detail, polygons as they are, one material for all. */
import * as THREE from 'three';
import type { LocalRaster, Solid, Terrain } from './ground.ts';
import { contourInterval, groundColour } from './shading.ts';

const CELLS = 64;
const LEVELS = 5;

const vertexShader = `
varying vec3 place; varying vec3 up;
void main() { place = position; up = normal; gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }`;

const fragmentShader = `
uniform vec3 sun; uniform vec2 range; uniform vec4 lattice; uniform sampler2D seen; uniform sampler2D lit; uniform float shadows; uniform float contours; uniform float interval; uniform vec3 fog; uniform float far; uniform float built;
varying vec3 place; varying vec3 up;
${groundColour}
void main() {
  vec3 n = normalize(gl_FrontFacing || built < 0.5 ? up : -up);
  vec3 colour = built > 0.5 ? mix(vec3(0.62, 0.58, 0.54), vec3(0.72, 0.66, 0.60), n.y) : colourOf(clamp((place.y - range.x) / max(range.y - range.x, 1.0), 0.0, 1.0), n.y);
  vec2 at = (place.xz - lattice.xy) * lattice.zw;
  float direct = max(dot(n, normalize(sun)), 0.0);
  if (shadows > 0.5) direct *= texture2D(lit, at).r;
  colour *= 0.35 + 0.85 * direct;
  if (contours > 0.5 && built < 0.5) colour = mix(colour, vec3(0.15, 0.1, 0.05), lineOf(place.y, interval));
  vec4 over = texture2D(seen, at);
  colour = mix(colour, over.rgb, n.y > 0.1 ? over.a : 0.0);
  colour = mix(colour, fog, smoothstep(0.5, 1.0, length(place - cameraPosition) / far));
  gl_FragColor = vec4(colour, 1.0);
}`;

function pixels(columns: number, rows: number): THREE.DataTexture {
  const texture = new THREE.DataTexture(new Uint8Array(4 * columns * rows), columns, rows, THREE.RGBAFormat);
  texture.minFilter = texture.magFilter = THREE.NearestFilter;
  texture.needsUpdate = true;
  return texture;
}

interface Chunk {
  raster: LocalRaster;
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
  /** Of polygons: the colour of what is built, where there is a raster too. */
  #solid: THREE.ShaderMaterial;
  #chunks: Chunk[] = [];

  constructor(readonly terrain: Terrain) {
    const { low, high, lattice, local } = terrain;
    const [x, sx, , y, , sy] = lattice.local;
    const box = local.box;
    const uniforms = {
      sun: { value: new THREE.Vector3(1, 1, 0) },
      range: { value: new THREE.Vector2(low, high) },
      lattice: { value: new THREE.Vector4(x - sx / 2, -(y - sy / 2), 1 / (lattice.columns * sx), -1 / (lattice.rows * sy)) },
      seen: { value: pixels(1, 1) },
      lit: { value: pixels(1, 1) },
      shadows: { value: 0 },
      contours: { value: 0 },
      interval: { value: contourInterval(high - low) },
      fog: { value: new THREE.Color(0.75, 0.82, 0.9) },
      far: { value: 3 * Math.max(box.high[0] - box.low[0], box.high[1] - box.low[1]) },
      built: { value: 0 },
    };
    this.material = new THREE.ShaderMaterial({ vertexShader, fragmentShader, side: THREE.DoubleSide, uniforms });
    this.#solid = new THREE.ShaderMaterial({ vertexShader, fragmentShader, side: THREE.DoubleSide, uniforms: { ...uniforms, built: { value: terrain.rasters.length > 0 ? 1 : 0 } } });
    for (const raster of terrain.rasters) this.#cut(raster);
    for (const solid of terrain.solids) this.group.add(new THREE.Mesh(this.#polygons(solid), this.#solid));
  }

  /** What is painted over the ground. */
  get seen(): THREE.DataTexture {
    return this.#texture('seen');
  }

  /** Where the sun shines: red. */
  get lit(): THREE.DataTexture {
    return this.#texture('lit');
  }

  /** A texture of the lattice, made when it is first needed. */
  #texture(name: 'seen' | 'lit'): THREE.DataTexture {
    const { columns, rows } = this.terrain.lattice;
    const uniform = this.material.uniforms[name];
    if (uniform.value.image.width !== columns || uniform.value.image.height !== rows) {
      uniform.value.dispose();
      uniform.value = pixels(columns, rows);
    }
    return uniform.value;
  }

  #cut(raster: LocalRaster): void {
    const { columns, rows, heights, transform: t } = raster;
    for (let row = 0; row < rows - 1; row += CELLS)
      for (let column = 0; column < columns - 1; column += CELLS) {
        const mesh = new THREE.Mesh(undefined, this.material);
        const [c, r] = [Math.min(column + CELLS / 2, columns - 1), Math.min(row + CELLS / 2, rows - 1)];
        const height = heights[r * columns + c];
        const centre = new THREE.Vector3(t[0] + t[1] * c, Number.isNaN(height) ? this.terrain.low : height, -(t[3] + t[5] * r));
        this.#chunks.push({ raster, column, row, centre, size: CELLS * Math.max(t[1], -t[5]), level: -1, mesh, made: [] });
        this.group.add(mesh);
      }
  }

  /** Choose levels of detail for a camera: coarse ones first, so that the first picture comes soon; then at most a few chunks are made anew at a time. */
  update(camera: THREE.Vector3, budget = 6): void {
    for (const chunk of this.#chunks) {
      const distance = Math.max(chunk.centre.distanceTo(camera) - chunk.size, 0);
      const level = Math.min(Math.floor(Math.log2(1 + distance / (2 * chunk.size))) + (chunk.level < 0 ? 2 : 0), LEVELS - 1);
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
    const { columns, rows, heights, transform: t } = chunk.raster;
    const { low } = this.terrain;
    const list = (from: number, count: number) => {
      const numbers = [];
      for (let k = from; k < Math.min(from + CELLS, count - 1); k += stride) numbers.push(k);
      return [...numbers, Math.min(from + CELLS, count - 1)];
    };
    const cs = list(chunk.column, columns), rs = list(chunk.row, rows);
    const w = cs.length, h = rs.length;
    const edge = 2 * (w + h); // vertices of the skirt: north, south, west, east
    const position = new Float32Array(3 * (w * h + edge)), normal = new Float32Array(3 * (w * h + edge));
    const near = (c: number, r: number, other: number) => {
      const value = heights[Math.max(0, Math.min(rows - 1, r)) * columns + Math.max(0, Math.min(columns - 1, c))];
      return value === value ? value : other;
    };
    for (let j = 0, k = 0; j < h; j++)
      for (let i = 0; i < w; i++, k += 3) {
        const c = cs[i], r = rs[j], height = heights[r * columns + c];
        const z = height === height ? height : low;
        position[k] = t[0] + t[1] * c;
        position[k + 1] = z;
        position[k + 2] = -(t[3] + t[5] * r);
        const nx = (near(c - 1, r, z) - near(c + 1, r, z)) / (2 * t[1]), nz = (near(c, r - 1, z) - near(c, r + 1, z)) / (-2 * t[5]);
        const length = Math.sqrt(nx * nx + 1 + nz * nz);
        normal[k] = nx / length;
        normal[k + 1] = 1 / length;
        normal[k + 2] = nz / length;
      }
    const drop = stride * Math.max(t[1], -t[5]);
    const index = new Uint16Array(6 * ((w - 1) * (h - 1) + 2 * (w + h - 2)));
    let used = 0;
    const known = (k: number) => {
      const value = heights[rs[Math.floor(k / w)] * columns + cs[k % w]];
      return value === value;
    };
    const add = (a: number, b: number, c: number) => {
      index[used] = a;
      index[used + 1] = b;
      index[used + 2] = c;
      used += 3;
    };
    for (let j = 0; j + 1 < h; j++)
      for (let i = 0; i + 1 < w; i++) {
        const a = j * w + i, whole = known(a) && known(a + w + 1);
        if (whole && known(a + w)) add(a, a + w, a + w + 1);
        if (whole && known(a + 1)) add(a, a + w + 1, a + 1);
      }
    let below = w * h;
    for (const [first, step, count] of [[0, 1, w], [(h - 1) * w, 1, w], [0, w, h], [w - 1, w, h]]) {
      for (let k = 0; k < count; k++, below++) {
        const of = first + k * step;
        position.copyWithin(3 * below, 3 * of, 3 * of + 3);
        position[3 * below + 1] -= drop;
        normal.copyWithin(3 * below, 3 * of, 3 * of + 3);
        if (k > 0 && known(of) && known(of - step)) {
          add(of - step, of, below - 1);
          add(of, below, below - 1);
        }
      }
    }
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute('position', new THREE.BufferAttribute(position, 3));
    geometry.setAttribute('normal', new THREE.BufferAttribute(normal, 3));
    geometry.setIndex(new THREE.BufferAttribute(index.subarray(0, used), 1));
    return geometry;
  }

  /** Polygons with flat faces. */
  #polygons({ vertices, triangles }: Solid): THREE.BufferGeometry {
    const position = new Float32Array(3 * triangles.length);
    triangles.forEach((corner, k) => {
      position[3 * k] = vertices[3 * corner];
      position[3 * k + 1] = vertices[3 * corner + 2];
      position[3 * k + 2] = -vertices[3 * corner + 1];
    });
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute('position', new THREE.BufferAttribute(position, 3));
    geometry.computeVertexNormals();
    return geometry;
  }

  dispose(): void {
    for (const chunk of this.#chunks) for (const made of chunk.made) made?.dispose();
    for (const mesh of this.group.children) (mesh as THREE.Mesh).geometry.dispose();
    this.material.dispose();
    this.#solid.dispose();
    for (const name of ['seen', 'lit']) this.material.uniforms[name].value.dispose();
  }
}
