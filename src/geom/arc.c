/// Integrals along a geodesic, by Gauss-Legendre quadrature.
#include "geom/geodesic.h"

/// Nodes and weights of the 6 and 16 point rules on [-1, 1], the positive halves.
static const double short_rule[3][2] = {{0.23861918608319690863, 0.46791393457269104738},
                                        {0.66120938646626451366, 0.36076157304813860756},
                                        {0.93246951420315202781, 0.17132449237917034504}};
static const double long_rule[8][2] = {
    {0.09501250983763744018, 0.18945061045506849628}, {0.28160355077925891323, 0.18260341504492358886},
    {0.45801677765722738634, 0.16915651939500253818}, {0.61787624440264374844, 0.14959598881657673208},
    {0.75540440835500303389, 0.12462897125553387205}, {0.86563120238783174388, 0.09515851168249278480},
    {0.94457502307323257607, 0.06225352393864789286}, {0.98940093499164993259, 0.02715245941175409485},
};

lf__sincos lf__direction(double y, double x) {
    double length = hypot(y, x);
    if (!(length > 0))
        return (lf__sincos){0, 1};
    return (lf__sincos){y / length, x / length};
}

lf__sincos lf__reduced_latitude(double f, double lat_deg) {
    lf__sincos lat = lf__sincos_deg(lat_deg);
    lf__sincos reduced = lf__direction((1 - f) * lat.sin, lat.cos);
    reduced.cos = fmax(reduced.cos, 1e-150);
    return reduced;
}

lf__great_arc lf__great_arc_of(double f, lf__sincos alpha0) {
    double stretch2 = f * (2 - f) / ((1 - f) * (1 - f)); // e'^2
    lf__great_arc arc = {f, alpha0, stretch2 * alpha0.cos * alpha0.cos, 0};
    // w has its nearest branch point at i asinh(1 / k). On a panel of 5/4 of that, sixteen nodes leave less
    // than 1e-17.
    double nearest = arc.k2 > 0 ? asinh(1 / sqrt(arc.k2)) : 4;
    arc.panel = fmax(1.25 * fmin(nearest, 4), LF__PI / 256);
    return arc;
}

double lf__arc_stretch(const lf__great_arc *arc, double sin_sigma) {
    return sqrt(1 + arc->k2 * sin_sigma * sin_sigma);
}

/// Add one node's share.
static void add_node(const lf__great_arc *arc, double sigma, double weight, lf__arc_integrals *sum) {
    double sine = sin(sigma), kk = arc->k2 * sine * sine;
    double w = sqrt(1 + kk);
    sum->length += weight * kk / (1 + w);
    sum->longitude += weight * (2 - arc->f) / (1 + (1 - arc->f) * w);
    sum->reduced += weight * kk / w;
}

lf__arc_integrals lf__arc_integrate(const lf__great_arc *arc, double sigma, double sigma12) {
    lf__arc_integrals sum = {0, 0, 0};
    double wanted = ceil(fabs(sigma12) / arc->panel);
    int panels = wanted >= 1 && wanted <= 512 ? (int)wanted : 1;
    double half = 0.5 * sigma12 / panels;
    bool is_short = fabs(sigma12) < 0.08 * arc->panel;
    const double(*rule)[2] = is_short ? short_rule : long_rule;
    for (int i = 0; i < panels; i++) {
        double middle = sigma + (2 * i + 1) * half;
        for (int j = 0; j < (is_short ? 3 : 8); j++) {
            double step = half * rule[j][0], weight = half * rule[j][1];
            add_node(arc, middle - step, weight, &sum);
            add_node(arc, middle + step, weight, &sum);
        }
    }
    return sum;
}
