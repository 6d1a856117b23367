/// Leaves: eight triangles around an origin of their own, in 16 bits.
#include "bvh/bvh_build.h"

void lf__tree_fill_leaf(const lf_tree *tree, const lf__leaf_entry *entries, int count, lf__tree_leaf *leaf) {
    lf_box box = lf_box_empty();
    for (int i = 0; i < count; i++)
        box = lf_box_union(box, lf__entry_box(tree, &entries[i]));
    lf_vec3 origin = lf_box_centre(box);
    double reach = fmax(box.high.x - origin.x, fmax(box.high.y - origin.y, box.high.z - origin.z));
    *leaf = (lf__tree_leaf){.origin = {origin.x, origin.y, origin.z},
                            .scale = reach > 1e-290 ? LF__TREE_UNITS / (reach * (1 + 0x1p-40)) : 0,
                            .lanes = (1u << count) - 1};
    for (int i = 0; i < count; i++) {
        leaf->item[i] = entries[i].item;
        for (int c = 0; c < 3; c++) {
            leaf->vertex[i][c] = entries[i].vertex[c];
            lf_vec3 v = lf_vec3_scale(lf_vec3_sub(tree->vertices[leaf->vertex[i][c]], origin), leaf->scale);
            leaf->corner[c][0][i] = (int16_t)rint(v.x);
            leaf->corner[c][1][i] = (int16_t)rint(v.y);
            leaf->corner[c][2][i] = (int16_t)rint(v.z);
        }
    }
}
