#include <landfall/geom.h>
#include <math.h>

lf_vec3 lf_vec3_unit(lf_vec3 a) {
    double largest = fmax(fabs(a.x), fmax(fabs(a.y), fabs(a.z)));
    if (!(largest > 0) || !isfinite(largest))
        return a;
    int exponent;
    frexp(largest, &exponent); // a power of two scales without rounding
    lf_vec3 scaled = {ldexp(a.x, -exponent), ldexp(a.y, -exponent), ldexp(a.z, -exponent)};
    double length = lf_vec3_length(scaled);
    return (lf_vec3){scaled.x / length, scaled.y / length, scaled.z / length};
}
