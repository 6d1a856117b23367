/// landfall-polygon-reader FORMAT SIZE FILE [NAME...]: reads a polygon file by Assimp and writes its polygons
/// to standard output, for the library (reader_run.c). A crash of Assimp on a damaged file ends only this
/// process.
///
/// Assimp keeps coordinates in single precision; the transforms of nodes are multiplied in double.
#define _XOPEN_SOURCE 700
#include "polygon/polygon.h"
#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/scene.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

// ---------------------------------------------------------------------------------------------------
// Reading by Assimp
// ---------------------------------------------------------------------------------------------------

#define MOST_DEPTH 1000 // nodes within nodes

/// Rows of an affine transform: linear part and shift.
typedef struct transform {
    double rows[3][4];
} transform;

typedef struct assimp_job {
    const struct aiScene *scene;
    const lf__assimp_format *format;
    lf__soup *soup;
    lf_error *error;
} assimp_job;

/// What a node passes on to its children.
typedef struct node_place {
    transform transform;
    int64_t name; ///< the nearest name
    bool requested;
} node_place;

static transform compose_node(const transform *a, const struct aiMatrix4x4 *b) {
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

static double apply_row(const double row[4], const struct aiVector3D *p) {
    return row[0] * (double)p->x + row[1] * (double)p->y + row[2] * (double)p->z + row[3];
}

/// Names that Assimp invents for what has none.
static bool is_made_up(const struct aiString *name) {
    static const char *const starts[] = {"<", "%%%", "3DSMesh_", AI_DEFAULT_MATERIAL_NAME};
    bool made_up = name->length == 0;
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        made_up |= strncmp(name->data, starts[i], strlen(starts[i])) == 0;
    return made_up;
}

/// Add a name; -1 for an empty or invented one.
static lf_status add_name(assimp_job *job, const struct aiString *name, int64_t *number) {
    *number = -1;
    if (is_made_up(name))
        return LF_OK;
    lf_status status = lf__soup_name(job->soup, name->data, name->length, number);
    return status == LF_OK ? LF_OK : lf__fail_plain(job->error, status);
}

/// Names of a mesh and of its material, under the node's.
static lf_status name_mesh(assimp_job *job, const struct aiMesh *mesh, node_place *here) {
    struct aiString material = {0};
    int64_t mesh_name = -1, material_name = -1;
    if (mesh->mMaterialIndex < job->scene->mNumMaterials)
        aiGetMaterialString(job->scene->mMaterials[mesh->mMaterialIndex], AI_MATKEY_NAME, &material);
    lf_status status = job->format->numbered ? LF_OK : add_name(job, &mesh->mName, &mesh_name);
    if (status == LF_OK)
        status = add_name(job, &material, &material_name);
    if (status != LF_OK)
        return status;
    if (here->name < 0)
        here->name = mesh_name >= 0 ? mesh_name : material_name;
    here->requested |=
        lf__soup_requested(job->soup, mesh_name) || lf__soup_requested(job->soup, material_name);
    return LF_OK;
}

/// The largest rounding that single precision has caused: of the stored coordinate, scaled by the transform,
/// and of the transform itself.
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

static const char *mesh_label(const struct aiMesh *mesh) {
    return mesh->mName.length > 0 ? mesh->mName.data : "(without a name)";
}

static lf_status add_vertices(assimp_job *job, const struct aiMesh *mesh, const transform *to) {
    double largest = 0;
    for (unsigned i = 0; i < mesh->mNumVertices; i++) {
        const struct aiVector3D *p = &mesh->mVertices[i];
        lf_vec3 vertex = {apply_row(to->rows[0], p), apply_row(to->rows[1], p), apply_row(to->rows[2], p)};
        if (!lf_vec3_finite(vertex))
            return lf__fail(job->error, LF_BAD_FORMAT, i, "vertex %u of mesh %.40s is not finite", i,
                            mesh_label(mesh));
        largest = fmax(largest, fmax(fabs(vertex.x), fmax(fabs(vertex.y), fabs(vertex.z))));
        lf_status status = lf__soup_vertex(job->soup, vertex);
        if (status != LF_OK)
            return lf__fail_plain(job->error, status);
    }
    job->soup->precision = fmax(job->soup->precision, precision_of(mesh, to, largest));
    return LF_OK;
}

static lf_status add_polygon(assimp_job *job, const struct aiMesh *mesh, unsigned number, int64_t base,
                             const node_place *here) {
    const struct aiFace *face = &mesh->mFaces[number];
    for (unsigned i = 0; i < face->mNumIndices; i++) {
        if (face->mIndices[i] >= mesh->mNumVertices)
            return lf__fail(job->error, LF_BAD_FORMAT, number,
                            "polygon %u of mesh %.40s: no vertex %u (the mesh has %u)", number,
                            mesh_label(mesh), face->mIndices[i], mesh->mNumVertices);
        lf_status status = lf__soup_corner(job->soup, base + face->mIndices[i]);
        if (status != LF_OK)
            return lf__fail_plain(job->error, status);
    }
    uint64_t user = here->name >= 0 ? (uint64_t)here->name : LF__NO_NAME;
    lf_status status = lf__soup_close(job->soup, user, here->requested || !job->soup->only);
    return status == LF_OK ? LF_OK : lf__fail_plain(job->error, status);
}

static lf_status add_mesh(assimp_job *job, const struct aiMesh *mesh, node_place here) {
    int64_t base = job->soup->vertices.count;
    lf_status status = name_mesh(job, mesh, &here);
    if (status == LF_OK && (here.requested || !job->soup->only))
        status = add_vertices(job, mesh, &here.transform);
    else if (status == LF_OK)
        return LF_OK;
    for (unsigned i = 0; i < mesh->mNumFaces && status == LF_OK; i++)
        status = add_polygon(job, mesh, i, base, &here);
    return status;
}

static lf_status add_node(assimp_job *job, const struct aiNode *node, const node_place *above, int depth) {
    if (depth > MOST_DEPTH)
        return lf__fail(job->error, LF_BAD_FORMAT, -1, "more than %d nodes within one another", MOST_DEPTH);
    node_place here = *above;
    int64_t name;
    lf_status status = add_name(job, &node->mName, &name);
    if (status != LF_OK)
        return status;
    here.transform = compose_node(&above->transform, &node->mTransformation);
    here.name = name >= 0 ? name : above->name;
    here.requested |= lf__soup_requested(job->soup, name);
    for (unsigned i = 0; i < node->mNumMeshes && status == LF_OK; i++)
        if (node->mMeshes[i] < job->scene->mNumMeshes)
            status = add_mesh(job, job->scene->mMeshes[node->mMeshes[i]], here);
    if (status == LF_OK)
        status = lf__soup_report(job->soup, job->soup->vertices.count, 0, job->error);
    for (unsigned i = 0; i < node->mNumChildren && status == LF_OK; i++)
        status = add_node(job, node->mChildren[i], &here, depth + 1);
    return status;
}

/// Assimp examines the content when the ending is not enough; it must not choose another importer.
static lf_status check_importer(const struct aiScene *scene, const lf__assimp_format *format,
                                lf_error *error) {
    for (unsigned i = 0; scene->mMetaData && i < scene->mMetaData->mNumProperties; i++) {
        const struct aiMetadataEntry *value = &scene->mMetaData->mValues[i];
        if (strcmp(scene->mMetaData->mKeys[i].data, "SourceAsset_Format") != 0 || value->mType != AI_AISTRING)
            continue;
        const char *importer = ((const struct aiString *)value->mData)->data;
        if (strncmp(importer, format->importer, strlen(format->importer)) == 0)
            return LF_OK;
        return lf__fail(error, LF_BAD_FORMAT, -1, "the ending is that of %s, the content is for the %.60s",
                        format->name, importer);
    }
    return lf__fail(error, LF_BAD_FORMAT, -1, "not recognised as %s", format->name);
}

/// Formats that define an up axis arrive with y up; ground has z up.
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

static lf_status read_by_assimp(const char *path, const lf__assimp_format *format, lf__soup *soup,
                                lf_error *error) {
    assimp_job job = {.format = format, .soup = soup, .error = error};
    lf_status status = import(path, &job.scene, error);
    if (status != LF_OK)
        return status;
    node_place root = {.transform = upright(format->y_up), .name = -1};
    status = check_importer(job.scene, format, error);
    if (status == LF_OK && (!job.scene->mRootNode || job.scene->mFlags & AI_SCENE_FLAGS_INCOMPLETE))
        status = lf__fail(error, LF_BAD_FORMAT, -1, "the scene is incomplete");
    if (status == LF_OK)
        status = add_node(&job, job.scene->mRootNode, &root, 0);
    aiReleaseImport(job.scene);
    soup->single = sizeof(ai_real) == sizeof(float);
    return status == LF_OK ? lf__soup_weld(soup, error) : status;
}

// ---------------------------------------------------------------------------------------------------
// The program
// ---------------------------------------------------------------------------------------------------

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

#if SANITIZED
/// A crash of Assimp is a signal here too, and its leaks end with the process.
const char *__asan_default_options(void);
const char *__asan_default_options(void) {
    return "handle_segv=0:handle_abort=0:handle_sigbus=0:handle_sigfpe=0:abort_on_error=1:detect_leaks=0";
}
#endif

/// Lower a limit; it is never raised.
static void set_limit(int resource, uint64_t most) {
    struct rlimit now;
    if (getrlimit(resource, &now) != 0)
        return;
    rlim_t allowed = (rlim_t)most;
    if (now.rlim_max != RLIM_INFINITY && allowed > now.rlim_max)
        allowed = now.rlim_max;
    if (now.rlim_cur == RLIM_INFINITY || allowed < now.rlim_cur)
        now.rlim_cur = allowed;
    (void)setrlimit(resource, &now); // a limit that cannot be set is no reason to refuse the file
}

static bool write_all(const void *data, size_t size) {
    const char *at = data;
    while (size > 0) {
        ssize_t written = write(STDOUT_FILENO, at, size);
        if (written <= 0)
            return false;
        at += written;
        size -= (size_t)written;
    }
    return true;
}

static bool write_soup(const lf__soup *soup, lf__reader_head *head) {
    head->vertices = soup->vertices.count;
    head->corners = soup->corners.count;
    head->polygons = lf__soup_polygon_count(soup);
    head->names = soup->names.entries.count;
    for (int64_t k = 0; k < head->names; k++)
        head->name_bytes += (int64_t)strlen(lf__names_get(&soup->names, k)) + 1;
    head->dropped = soup->dropped_count;
    head->precision = soup->precision;
    head->single = soup->single;
    bool fine = write_all(head, sizeof *head) &&
                write_all(soup->vertices.items, (size_t)head->vertices * sizeof(lf_vec3)) &&
                write_all(soup->corners.items, (size_t)head->corners * sizeof(int64_t)) &&
                write_all(soup->starts.items, (size_t)soup->starts.count * sizeof(int64_t)) &&
                write_all(soup->users.items, (size_t)head->polygons * sizeof(uint64_t));
    for (int64_t k = 0; k < head->names && fine; k++) {
        const char *name = lf__names_get(&soup->names, k);
        fine = write_all(name, strlen(name) + 1);
    }
    return fine;
}

int main(int count, char **arguments) {
    const lf__assimp_format *format = count >= 4 ? lf__assimp_format_of(arguments[1]) : NULL;
    if (!format) {
        fputs("landfall-polygon-reader: a part of landfall, not to be run by itself\n", stderr);
        return 2;
    }
    uint64_t size = strtoull(arguments[2], NULL, 10);
    set_limit(RLIMIT_CORE, 0);
    set_limit(RLIMIT_CPU, LF__READER_SECONDS(size));
    if (!SANITIZED) // sanitizers reserve more address space than any limit
        set_limit(RLIMIT_AS, LF__READER_MEMORY(size));
    lf__soup soup;
    lf_error error = {.where = -1};
    lf_status status =
        lf__soup_start(&soup, NULL, (const char *const *)arguments + 4, count > 4 ? count - 4 : 0, &error);
    if (status == LF_OK)
        status = read_by_assimp(arguments[3], format, &soup, &error);
    lf__reader_head head = {.magic = LF__READER_MAGIC, .status = status, .where = error.where};
    memcpy(head.text, error.text, sizeof head.text);
    bool fine = status == LF_OK ? write_soup(&soup, &head) : write_all(&head, sizeof head);
    _exit(fine ? 0 : 3);
}
