// XDraw (Franklin and Ray, 1994): rings around the observer; of each sample the horizon is interpolated between the two samples of the ring
// before it that are next to its line. One step per sample; samples are wrong where the interpolated horizon is.

/** 1 visible, 0 hidden, of samples in rows; the observer is at a sample, so many metres above it. */
export function xdraw(heights, side, column, row, above, spacing = 30) {
  const horizon = new Float64Array(side * side); // greatest slope on the way to a sample, its own included
  const seen = new Uint8Array(side * side);
  const eye = heights[row * side + column] + above;
  seen[row * side + column] = 1;
  const visit = (dx, dy, ring) => {
    const [c, r] = [column + dx, row + dy];
    if (c < 0 || r < 0 || c >= side || r >= side) return;
    const k = r * side + c;
    const slope = (heights[k] - eye) / (spacing * Math.sqrt(dx * dx + dy * dy));
    let before = -Infinity;
    if (ring > 1) {
      const scale = (ring - 1) / ring;
      const [x, y] = [dx * scale, dy * scale];
      if (Math.abs(dx) === ring) {
        const [low, along] = [Math.floor(y), y - Math.floor(y)];
        const at = (row + low) * side + column + Math.sign(dx) * (ring - 1);
        before = along === 0 ? horizon[at] : (1 - along) * horizon[at] + along * horizon[at + side];
      } else {
        const [low, along] = [Math.floor(x), x - Math.floor(x)];
        const at = (row + Math.sign(dy) * (ring - 1)) * side + column + low;
        before = along === 0 ? horizon[at] : (1 - along) * horizon[at] + along * horizon[at + 1];
      }
    }
    seen[k] = slope >= before ? 1 : 0;
    horizon[k] = Math.max(slope, before);
  };
  const rings = Math.max(column, row, side - 1 - column, side - 1 - row);
  for (let ring = 1; ring <= rings; ring++)
    for (let k = -ring; k <= ring; k++) {
      visit(k, -ring, ring);
      visit(k, ring, ring);
      if (Math.abs(k) < ring) {
        visit(-ring, k, ring);
        visit(ring, k, ring);
      }
    }
  return seen;
}
