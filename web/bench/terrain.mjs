// Generated mountains: the same on every machine.

/** Numbers of [0, 1) from a seed (xorshift). */
export function random(seed) {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 4294967296;
  };
}

/** Diamond and square: side is a power of two and one; 30 m between samples. */
export function terrain(side, next) {
  const heights = new Float32Array(side * side);
  let rough = 1800;
  for (let step = side - 1; step > 1; step /= 2, rough *= 0.52) {
    const half = step / 2;
    const shift = () => rough * (next() - 0.5);
    for (let r = half; r < side; r += step)
      for (let c = half; c < side; c += step)
        heights[r * side + c] = (heights[(r - half) * side + c - half] + heights[(r - half) * side + c + half] + heights[(r + half) * side + c - half] + heights[(r + half) * side + c + half]) / 4 + shift();
    for (let r = 0; r < side; r += half)
      for (let c = (r / half) % 2 === 0 ? half : 0; c < side; c += step) {
        let [sum, count] = [0, 0];
        for (const [i, j] of [[r - half, c], [r + half, c], [r, c - half], [r, c + half]])
          if (i >= 0 && j >= 0 && i < side && j < side) [sum, count] = [sum + heights[i * side + j], count + 1];
        heights[r * side + c] = sum / count + shift();
      }
  }
  return heights.map((h) => 1000 + h);
}
