/// Groups in files: a frame, poses, and parts that are grids and meshes.
#include "ground/group.h"
#include "store/sections.h"

lf__frame_record lf__frame_to_record(const lf_frame *f) {
    return (lf__frame_record){.kind = (uint32_t)f->kind,
                              .origin = {f->origin.x, f->origin.y, f->origin.z},
                              .down = {f->down.x, f->down.y, f->down.z}};
}

lf_status lf__frame_from_record(const lf__frame_record *r, lf_frame *frame, lf_error *error) {
    lf_vec3 origin = {r->origin[0], r->origin[1], r->origin[2]}, down = {r->down[0], r->down[1], r->down[2]};
    lf_status status = LF_BAD_FORMAT;
    if (r->kind == LF_FRAME_GRAVITY)
        status = lf_frame_gravity(down, frame);
    else if (r->kind == LF_FRAME_CENTRE)
        status = lf_frame_centre(origin, frame);
    else if (r->kind == LF_FRAME_AXIS_IN || r->kind == LF_FRAME_AXIS_OUT)
        status = lf_frame_axis(origin, down, r->kind == LF_FRAME_AXIS_IN, frame);
    if (status != LF_OK)
        return lf__fail(error, LF_BAD_FORMAT, -1, "the frame has no direction of gravity");
    return LF_OK;
}

static lf__pose_record pose_to_record(const lf_pose *p) {
    lf__pose_record r = {.translation = {p->translation.x, p->translation.y, p->translation.z}};
    for (int k = 0; k < 3; k++) {
        r.rows[3 * k] = p->rows[k].x;
        r.rows[3 * k + 1] = p->rows[k].y;
        r.rows[3 * k + 2] = p->rows[k].z;
    }
    return r;
}

static lf_pose pose_from_record(const lf__pose_record *r) {
    lf_pose p = {.translation = {r->translation[0], r->translation[1], r->translation[2]}};
    for (int k = 0; k < 3; k++)
        p.rows[k] = (lf_vec3){r->rows[3 * k], r->rows[3 * k + 1], r->rows[3 * k + 2]};
    return p;
}

lf_status lf__store_add_group(lf__writer *writer, const lf_group *group, lf_error *error) {
    lf__group_record *r = lf__writer_take(writer, sizeof *r);
    lf__pose_record *poses = lf__writer_take(writer, (size_t)group->count * sizeof *poses);
    if (!r || !poses)
        return writer->status;
    r->frame = lf__frame_to_record(&group->frame);
    lf__writer_add(writer, "group", true, r, sizeof *r);
    lf__writer_add(writer, "poses", true, poses, (size_t)group->count * sizeof *poses);
    lf_status status = writer->status;
    for (int64_t k = 0; k < group->count && status == LF_OK; k++) {
        const lf_ground *ground = group->parts[k].ground;
        poses[k] = pose_to_record(&group->parts[k].pose);
        writer->part = (uint32_t)k;
        const lf_grid *grid = lf__ground_grid(ground);
        status = grid ? lf__store_add_grid(writer, grid, error)
                      : lf__store_add_mesh(writer, lf__ground_mesh(ground), error);
    }
    return status;
}

lf_status lf__store_read_group(const lf__reader *reader, lf_frame *frame, lf_pose *poses, lf_error *error) {
    lf__group_record r;
    lf__bytes bytes = lf__reader_find(reader, 0, "poses");
    lf_status status = lf__reader_record(reader, 0, "group", &r, sizeof r, error);
    if (status == LF_OK)
        status = lf__frame_from_record(&r.frame, frame, error);
    if (status != LF_OK)
        return status;
    if (bytes.size != reader->header->part_count * sizeof(lf__pose_record))
        return lf__fail(error, LF_BAD_FORMAT, -1, "%u parts have %zu bytes of poses",
                        reader->header->part_count, bytes.size);
    for (uint32_t k = 0; k < reader->header->part_count; k++)
        poses[k] = pose_from_record((const lf__pose_record *)bytes.data + k);
    return LF_OK;
}
