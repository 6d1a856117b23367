// STL, OFF, glTF, GLB, DAE and 3DS through Assimp's C interface, in a process of its own (reader_main.c).
// Assimp keeps coordinates in single precision; the places of nodes are multiplied in double.
#include "polygon/readers.h"
#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/scene.h>
#include <string.h>

#define DEPTH 1000 // nodes within nodes

/// Rows of an affine transform: linear part and shift.
typedef struct transform {
    double rows[3][4];
} transform;

typedef struct reader {
    const struct aiScene *scene;
    const lf__assimp_format *format;
    lf__soup *soup;
    lf_error *error;
} reader;

/// What a node hands down to those below it.
typedef struct place {
    transform transform;
    int64_t called; ///< the nearest name
    bool wanted;
} place;

static transform compose(const transform *a, const struct aiMatrix4x4 *b) {
    const double m[4][4] = {{b->a1, b->a2, b->a3, b->a4},
                            {b->b1, b->b2, b->b3, b->b4},
                            {b->c1, b->c2, b->c3, b->c4},
                            {b->d1, b->d2, b->d3, b->d4}};
    transform product;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++) {
            double sum = j == 3 ? a->rows[i][3] : 0;
            for (int k = 0; k < 3; k++)
                sum += a->rows[i][k] * m[k][j];
            product.rows[i][j] = sum;
        }
    return product;
}

static double apply(const double row[4], const struct aiVector3D *p) {
    return row[0] * (double)p->x + row[1] * (double)p->y + row[2] * (double)p->z + row[3];
}

/// Assimp's own words for what has no name.
static bool is_made_up(const struct aiString *name) {
    static const char *const starts[] = {"<", "%%%", "3DSMesh_", AI_DEFAULT_MATERIAL_NAME};
    bool made_up = name->length == 0;
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        made_up |= strncmp(name->data, starts[i], strlen(starts[i])) == 0;
    return made_up;
}

/// Note a name; -1 when there is none.
static lf_status add_name(reader *job, const struct aiString *name, int64_t *number) {
    *number = -1;
    if (is_made_up(name))
        return LF_OK;
    lf_status status = lf__soup_name(job->soup, name->data, name->length, number);
    return status == LF_OK ? LF_OK : lf__fail_plain(job->error, status);
}

/// Names of a mesh and of its material, under the node's.
static lf_status name_mesh(reader *job, const struct aiMesh *mesh, place *here) {
    struct aiString material = {0};
    int64_t mesh_name = -1, material_name = -1;
    if (mesh->mMaterialIndex < job->scene->mNumMaterials)
        aiGetMaterialString(job->scene->mMaterials[mesh->mMaterialIndex], AI_MATKEY_NAME, &material);
    lf_status status = job->format->numbered ? LF_OK : add_name(job, &mesh->mName, &mesh_name);
    if (status == LF_OK)
        status = add_name(job, &material, &material_name);
    if (status != LF_OK)
        return status;
    if (here->called < 0)
        here->called = mesh_name >= 0 ? mesh_name : material_name;
    here->wanted |= lf__soup_wants(job->soup, mesh_name) || lf__soup_wants(job->soup, material_name);
    return LF_OK;
}

/// The largest rounding that single precision has caused: of the stored coordinate, as it is scaled by the place,
/// and of the place itself.
static double precision_of(const struct aiMesh *mesh, const transform *to, double largest_world) {
    double largest = 0, precision = lf__half_step_single(largest_world);
    for (unsigned i = 0; i < mesh->mNumVertices; i++) {
        const struct aiVector3D *p = &mesh->mVertices[i];
        largest = fmax(largest, fmax(fabs((double)p->x), fmax(fabs((double)p->y), fabs((double)p->z))));
    }
    for (int i = 0; i < 3; i++) {
        double scale = fabs(to->rows[i][0]) + fabs(to->rows[i][1]) + fabs(to->rows[i][2]);
        precision = fmax(precision, scale * lf__half_step_single(largest));
        precision = fmax(precision, lf__half_step_single(fabs(to->rows[i][3])));
    }
    return precision;
}

static const char *label(const struct aiMesh *mesh) {
    return mesh->mName.length > 0 ? mesh->mName.data : "(without a name)";
}

static lf_status add_vertices(reader *job, const struct aiMesh *mesh, const transform *to) {
    double largest = 0;
    for (unsigned i = 0; i < mesh->mNumVertices; i++) {
        const struct aiVector3D *p = &mesh->mVertices[i];
        lf_vec3 vertex = {apply(to->rows[0], p), apply(to->rows[1], p), apply(to->rows[2], p)};
        if (!lf_vec3_finite(vertex))
            return lf__fail(job->error, LF_BAD_FORMAT, i, "vertex %u of mesh %.40s is not finite", i,
                            label(mesh));
        largest = fmax(largest, fmax(fabs(vertex.x), fmax(fabs(vertex.y), fabs(vertex.z))));
        lf_status status = lf__soup_vertex(job->soup, vertex);
        if (status != LF_OK)
            return lf__fail_plain(job->error, status);
    }
    job->soup->precision = fmax(job->soup->precision, precision_of(mesh, to, largest));
    return LF_OK;
}

static lf_status add_polygon(reader *job, const struct aiMesh *mesh, unsigned number, int64_t base,
                             const place *here) {
    const struct aiFace *face = &mesh->mFaces[number];
    for (unsigned i = 0; i < face->mNumIndices; i++) {
        if (face->mIndices[i] >= mesh->mNumVertices)
            return lf__fail(job->error, LF_BAD_FORMAT, number,
                            "polygon %u of mesh %.40s: there is no vertex %u (the mesh has %u)", number,
                            label(mesh), face->mIndices[i], mesh->mNumVertices);
        lf_status status = lf__soup_corner(job->soup, base + face->mIndices[i]);
        if (status != LF_OK)
            return lf__fail_plain(job->error, status);
    }
    uint64_t user = here->called >= 0 ? (uint64_t)here->called : LF__NO_NAME;
    lf_status status = lf__soup_close(job->soup, user, here->wanted || !job->soup->only);
    return status == LF_OK ? LF_OK : lf__fail_plain(job->error, status);
}

static lf_status add_mesh(reader *job, const struct aiMesh *mesh, place here) {
    int64_t base = job->soup->vertices.count;
    lf_status status = name_mesh(job, mesh, &here);
    if (status == LF_OK && (here.wanted || !job->soup->only))
        status = add_vertices(job, mesh, &here.transform);
    else if (status == LF_OK)
        return LF_OK;
    for (unsigned i = 0; i < mesh->mNumFaces && status == LF_OK; i++)
        status = add_polygon(job, mesh, i, base, &here);
    return status;
}

static lf_status add_node(reader *job, const struct aiNode *node, const place *above, int depth) {
    if (depth > DEPTH)
        return lf__fail(job->error, LF_BAD_FORMAT, -1, "more than %d nodes within one another", DEPTH);
    place here = *above;
    int64_t name;
    lf_status status = add_name(job, &node->mName, &name);
    if (status != LF_OK)
        return status;
    here.transform = compose(&above->transform, &node->mTransformation);
    here.called = name >= 0 ? name : above->called;
    here.wanted |= lf__soup_wants(job->soup, name);
    for (unsigned i = 0; i < node->mNumMeshes && status == LF_OK; i++)
        if (node->mMeshes[i] < job->scene->mNumMeshes)
            status = add_mesh(job, job->scene->mMeshes[node->mMeshes[i]], here);
    if (status == LF_OK)
        status = lf__soup_report(job->soup, job->soup->vertices.count, 0, job->error);
    for (unsigned i = 0; i < node->mNumChildren && status == LF_OK; i++)
        status = add_node(job, node->mChildren[i], &here, depth + 1);
    return status;
}

/// Assimp looks at the content when an ending does not settle it; that must not bring in another importer.
static lf_status check_importer(const struct aiScene *scene, const lf__assimp_format *format,
                                lf_error *error) {
    for (unsigned i = 0; scene->mMetaData && i < scene->mMetaData->mNumProperties; i++) {
        const struct aiMetadataEntry *value = &scene->mMetaData->mValues[i];
        if (strcmp(scene->mMetaData->mKeys[i].data, "SourceAsset_Format") != 0 || value->mType != AI_AISTRING)
            continue;
        const char *importer = ((const struct aiString *)value->mData)->data;
        if (strncmp(importer, format->importer, strlen(format->importer)) == 0)
            return LF_OK;
        return lf__fail(error, LF_BAD_FORMAT, -1, "the ending says %s, the content is for the %.60s",
                        format->name, importer);
    }
    return lf__fail(error, LF_BAD_FORMAT, -1, "not recognised as %s", format->name);
}

/// Formats that know which way is up arrive with y up; ground has z up.
static transform upright(bool y_up) {
    const transform same = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
    const transform turned = {{{1, 0, 0, 0}, {0, 0, -1, 0}, {0, 1, 0, 0}}};
    return y_up ? turned : same;
}

static lf_status import(const char *path, const struct aiScene **scene, lf_error *error) {
    struct aiPropertyStore *settings = aiCreatePropertyStore();
    if (!settings)
        return lf__fail_plain(error, LF_NO_MEMORY);
    aiSetImportPropertyInteger(settings, AI_CONFIG_IMPORT_NO_SKELETON_MESHES, 1);
    aiSetImportPropertyInteger(settings, AI_CONFIG_IMPORT_COLLADA_USE_COLLADA_NAMES, 1);
    *scene = aiImportFileExWithProperties(path, 0, NULL, settings);
    aiReleasePropertyStore(settings);
    return *scene ? LF_OK : lf__fail(error, LF_BAD_FORMAT, -1, "%.180s", aiGetErrorString());
}

lf_status lf__assimp_read(const char *path, const lf__assimp_format *format, lf__soup *soup,
                          lf_error *error) {
    reader job = {.format = format, .soup = soup, .error = error};
    lf_status status = import(path, &job.scene, error);
    if (status != LF_OK)
        return status;
    place root = {.transform = upright(format->y_up), .called = -1};
    status = check_importer(job.scene, format, error);
    if (status == LF_OK && (!job.scene->mRootNode || job.scene->mFlags & AI_SCENE_FLAGS_INCOMPLETE))
        status = lf__fail(error, LF_BAD_FORMAT, -1, "the scene is incomplete");
    if (status == LF_OK)
        status = add_node(&job, job.scene->mRootNode, &root, 0);
    aiReleaseImport(job.scene);
    soup->single = sizeof(ai_real) == sizeof(float);
    return status == LF_OK ? lf__soup_weld(soup, error) : status;
}
