// ODE as a peer: trimesh against trimesh, which is OPCODE and contact generation after it.
#include "colliders.h"

#include <csetjmp>
#include <cstdarg>
#include <ode/ode.h>
#include <vector>

namespace {

struct mesh {
    std::vector<dTriIndex> corners;
    dTriMeshDataID data;
    dGeomID geom[2]; ///< a geom does not collide with itself: two, so that a shape can meet its like
};

// Its tables of contacts have an assertion that fails where contacts are very many: that frame is given up.
std::jmp_buf given_up;

[[noreturn]] void give_up(int, const char *, va_list) {
    std::longjmp(given_up, 1);
}

// It has remarks about its own tables, hundreds of thousands of them.
void say_nothing(int, const char *, va_list) {}

void *make(const collider_shape *shape) {
    dSetMessageHandler(say_nothing);
    dSetDebugHandler(give_up);
    static const bool started = dInitODE2(0) != 0 && dAllocateODEDataForThread(dAllocateMaskAll) != 0;
    if (!started)
        return nullptr;
    auto *made = new mesh;
    made->corners.assign(shape->corners, shape->corners + 3 * shape->triangle_count);
    made->data = dGeomTriMeshDataCreate();
    dGeomTriMeshDataBuildSingle(made->data, shape->singles, 3 * sizeof(float),
                                static_cast<int>(shape->vertex_count), made->corners.data(),
                                static_cast<int>(made->corners.size()), 3 * sizeof(dTriIndex));
    for (dGeomID &geom : made->geom)
        geom = dCreateTriMesh(nullptr, made->data, nullptr, nullptr, nullptr);
    return made;
}

void drop(void *model) {
    auto *made = static_cast<mesh *>(model);
    for (dGeomID geom : made->geom)
        dGeomDestroy(geom);
    dGeomTriMeshDataDestroy(made->data);
    delete made;
}

void place(dGeomID geom, const collider_pose *pose) {
    dMatrix3 turn = {};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            turn[4 * i + k] = static_cast<dReal>(pose->turn[i][k]);
    dGeomSetRotation(geom, turn);
    dGeomSetPosition(geom, static_cast<dReal>(pose->shift[0]), static_cast<dReal>(pose->shift[1]),
                     static_cast<dReal>(pose->shift[2]));
}

int64_t pairs(void *a, const collider_pose *pose_a, void *b, const collider_pose *pose_b, bool all) {
    static std::vector<dContactGeom> contacts(0xffff);
    dGeomID first = static_cast<mesh *>(a)->geom[0], second = static_cast<mesh *>(b)->geom[1];
    if (pose_a)
        place(first, pose_a);
    place(second, pose_b);
    if (setjmp(given_up))
        return 0;
    int flags = all ? 0xffff : static_cast<int>(1u | CONTACTS_UNIMPORTANT);
    return dCollide(first, second, flags, contacts.data(), sizeof(dContactGeom));
}

} // namespace

const collider_kind *collider_ode(void) {
    static const collider_kind the = {"ODE trimesh", make, drop, pairs};
    return &the;
}
