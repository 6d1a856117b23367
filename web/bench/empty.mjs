// An empty page of three.js; and, after its picture, the time to read the file of the address.
import * as THREE from 'three';
import { fromArrayBuffer } from 'geotiff';

const renderer = new THREE.WebGLRenderer({ canvas: document.getElementById('view'), antialias: true });
renderer.render(new THREE.Scene(), new THREE.PerspectiveCamera());
requestAnimationFrame(async () => {
  const painted = performance.now();
  const began = performance.now();
  const reply = await fetch(new URLSearchParams(location.search).get('ground'));
  const image = await (await fromArrayBuffer(await reply.arrayBuffer())).getImage();
  await image.readRasters();
  window.decoded = performance.now() - began;
  window.painted = painted;
});
