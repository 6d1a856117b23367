/** Where the sun is: degrees clockwise from north and above level, to about 0.05 degrees (the formulas of the Astronomical Almanac). */
export function sunAt(time: Date, latitude: number, longitude: number): { azimuth: number; altitude: number } {
  const rad = Math.PI / 180;
  const n = time.getTime() / 86400000 + 2440587.5 - 2451545;
  const mean = (280.46 + 0.9856474 * n) % 360;
  const anomaly = (357.528 + 0.9856003 * n) * rad;
  const ecliptic = (mean + 1.915 * Math.sin(anomaly) + 0.02 * Math.sin(2 * anomaly)) * rad;
  const tilt = (23.439 - 4e-7 * n) * rad;
  const ascension = Math.atan2(Math.cos(tilt) * Math.sin(ecliptic), Math.cos(ecliptic));
  const declination = Math.asin(Math.sin(tilt) * Math.sin(ecliptic));
  const sidereal = (280.46061837 + 360.98564736629 * n + longitude) * rad;
  const hour = sidereal - ascension;
  const phi = latitude * rad;
  const altitude = Math.asin(Math.sin(phi) * Math.sin(declination) + Math.cos(phi) * Math.cos(declination) * Math.cos(hour));
  const azimuth = Math.atan2(-Math.sin(hour), Math.tan(declination) * Math.cos(phi) - Math.sin(phi) * Math.cos(hour));
  return { azimuth: ((azimuth / rad) % 360 + 360) % 360, altitude: altitude / rad };
}
