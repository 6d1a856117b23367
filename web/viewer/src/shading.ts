/** Colours of ground, shared by terrain and globe. */

/** colourOf(height above the lowest as a share, normal, up). */
export const groundColour = `
vec3 colourOf(float h, float level) {
  vec3 colour = h < 0.35 ? mix(vec3(0.33, 0.47, 0.26), vec3(0.55, 0.58, 0.33), h / 0.35)
              : h < 0.7 ? mix(vec3(0.55, 0.58, 0.33), vec3(0.55, 0.46, 0.36), (h - 0.35) / 0.35)
              : mix(vec3(0.55, 0.46, 0.36), vec3(0.96, 0.97, 0.99), (h - 0.7) / 0.3);
  return mix(vec3(0.47, 0.43, 0.40), colour, smoothstep(0.55, 0.85, level));
}
float lineOf(float height, float interval) {
  float f = height / interval;
  return 0.7 * (1.0 - smoothstep(0.0, 1.4 * fwidth(f), abs(fract(f - 0.5) - 0.5)));
}`;

/** A round distance between contours: about 15 of them. */
export const contourInterval = (range: number) => 10 ** Math.round(Math.log10(Math.max(range, 1) / 15));
