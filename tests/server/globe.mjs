// globe.mjs TERRAIN-URL FOLDER-WITH-NODE-MODULES PICTURE: CesiumJS in headless Chromium loads a globe from the server and takes
// a picture. Prints what was loaded as JSON. Needs the npm packages cesium and playwright-core, and Debian's chromium.
import { createServer } from "node:http";
import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, normalize } from "node:path";

const [terrain, modules, picture] = process.argv.slice(2);
const require = createRequire(join(modules, "x.js"));
const { chromium } = require("playwright-core");
const root = join(modules, "node_modules/cesium/Build/Cesium");
const page = `<!doctype html><html><head><script>window.CESIUM_BASE_URL = "/";</script><script src="/Cesium.js"></script>
<style>html, body, #globe, .cesium-widget, canvas { margin: 0; width: 100%; height: 100%; }</style></head><body><div id="globe"></div></body></html>`;
const types = { ".js": "text/javascript", ".json": "application/json", ".css": "text/css", ".wasm": "application/wasm" };

const web = createServer(async (request, reply) => {
    const path = normalize(decodeURIComponent(request.url.split("?")[0]));
    try {
        const ending = path.slice(path.lastIndexOf("."));
        const data = path === "/" ? page : await readFile(join(root, path));
        reply.writeHead(200, { "Content-Type": path === "/" ? "text/html" : types[ending] ?? "application/octet-stream" });
        reply.end(data);
    } catch {
        reply.writeHead(404).end();
    }
});
await new Promise((ready) => web.listen(0, "127.0.0.1", ready));

const browser = await chromium.launchPersistentContext(mkdtempSync(join(tmpdir(), "chromium-")), {
    executablePath: "/usr/bin/chromium", headless: true, viewport: { width: 800, height: 600 },
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
           "--disable-component-update", "--disable-sync", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"] });
const tab = await browser.newPage();
const problems = [];
tab.on("pageerror", (error) => problems.push(String(error)));
await tab.goto(`http://127.0.0.1:${web.address().port}/`);
const found = await tab.evaluate(async (url) => {
    const provider = await Cesium.CesiumTerrainProvider.fromUrl(url, { requestVertexNormals: true });
    const viewer = new Cesium.CesiumWidget("globe", { terrainProvider: provider, baseLayer: false, skyBox: false, useDefaultRenderLoop: false,
                                                      contextOptions: { webgl: { preserveDrawingBuffer: true } } });
    viewer.scene.globe.enableLighting = true;
    viewer.scene.globe.baseColor = Cesium.Color.fromCssColorString("#8a9a6b");
    const ramp = document.createElement("canvas");
    ramp.width = 100, ramp.height = 1;
    const pen = ramp.getContext("2d"), colours = pen.createLinearGradient(0, 0, 100, 0);
    ["#2d6a3e", "#9aa65b", "#8b6b4a", "#f4f4f4"].forEach((colour, i) => colours.addColorStop(i / 3, colour));
    pen.fillStyle = colours;
    pen.fillRect(0, 0, 100, 1);
    viewer.scene.globe.material = new Cesium.Material({ fabric: { type: "ElevationRamp",
                                                                  uniforms: { image: ramp, minimumHeight: 0, maximumHeight: 3500 } } });
    viewer.clock.currentTime = Cesium.JulianDate.fromIso8601("2026-06-21T08:00:00Z");
    viewer.camera.setView({ destination: Cesium.Cartesian3.fromDegrees(7.2, 45.9, 14000),
                            orientation: { heading: 0, pitch: Cesium.Math.toRadians(-25), roll: 0 } });
    viewer.resize();
    const end = Date.now() + 90000;
    let loaded = false;
    while (!loaded && Date.now() < end) {
        await new Promise((next) => setTimeout(next, 250));
        viewer.render();
        loaded = viewer.scene.globe.tilesLoaded;
    }
    const places = [[7.2, 46.25], [7.1, 46.2], [100, 20]].map(([lon, lat]) => Cesium.Cartographic.fromDegrees(lon, lat));
    await Cesium.sampleTerrainMostDetailed(provider, places);
    viewer.render();
    return { loaded, normals: provider.hasVertexNormals, heights: places.map((place) => place.height), image: viewer.scene.canvas.toDataURL() };
}, terrain);
await writeFile(picture, Buffer.from(found.image.split(",")[1], "base64"));
delete found.image;
await browser.close();
web.close();
console.log(JSON.stringify({ ...found, problems }));
