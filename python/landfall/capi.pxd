# The part of landfall's public C API that the package calls. Structs name only the fields that it uses: the C compiler
# knows the rest from the headers.
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t

cdef extern from "stdbool.h":
    ctypedef unsigned char cbool "bool"


cdef extern from "landfall/landfall.h" nogil:
    ctypedef enum lf_status:
        LF_OK
        LF_PARTIAL
        LF_BAD_ARGUMENT
        LF_NO_MEMORY
        LF_TOO_LARGE
        LF_IO_FAILED
        LF_BAD_FORMAT
        LF_BAD_GEOMETRY
        LF_UNSUPPORTED
        LF_CANCELLED
    const char *lf_version()
    const char *lf_status_name(lf_status status)
    const char *lf_status_text(lf_status status)
    ctypedef enum lf_reason:
        LF_REASON_ANSWERED
        LF_REASON_OUTSIDE
        LF_REASON_HOLE
        LF_REASON_NONE
        LF_REASON_NOT_LOADED
    ctypedef struct lf_error:
        lf_status status
        int64_t where
        char text[256]

    # ---- The host
    ctypedef struct lf_allocator
    ctypedef void lf_task(void *job, int64_t first, int64_t last, int worker) nogil
    ctypedef struct lf_tasks:
        void *user
        int workers
        void (*run)(void *user, int64_t count, int64_t grain, lf_task *task, void *job) nogil
    ctypedef struct lf_progress:
        void *user
        cbool (*report)(void *user, const char *stage, int64_t done, int64_t total) nogil
    ctypedef struct lf_log:
        void *user
    ctypedef struct lf_host:
        const lf_allocator *allocator
        const lf_tasks *tasks
        const lf_progress *progress
        const lf_log *log
    const char *lf_isa_name(int isa)
    int lf_isa_best()

    # ---- Geometry
    ctypedef struct lf_vec2:
        double x, y
    ctypedef struct lf_vec3:
        double x, y, z
    ctypedef struct lf_box:
        lf_vec3 low, high
    ctypedef struct lf_ray:
        lf_vec3 origin, direction
        double t_min, t_max
    ctypedef struct lf_polygons:
        const lf_vec3 *vertices
        int64_t vertex_count
        const int64_t *starts
        const int64_t *corners
        int64_t polygon_count
        const uint64_t *users
        const uint32_t *layers
        const uint8_t *sides
    ctypedef enum lf_frame_kind:
        LF_FRAME_GRAVITY
        LF_FRAME_CENTRE
        LF_FRAME_AXIS_IN
        LF_FRAME_AXIS_OUT
    ctypedef struct lf_frame:
        lf_frame_kind kind
        lf_vec3 down
    lf_vec3 lf_frame_to_local(const lf_frame *frame, lf_vec3 world)
    lf_status lf_frame_gravity(lf_vec3 gravity, lf_frame *frame)
    ctypedef struct lf_pose:
        lf_vec3 rows[3]
        lf_vec3 translation
    lf_pose lf_pose_identity()
    lf_vec3 lf_pose_to_local(const lf_pose *pose, lf_vec3 world)
    lf_vec3 lf_pose_to_world(const lf_pose *pose, lf_vec3 local)
    lf_vec3 lf_pose_turn_to_local(const lf_pose *pose, lf_vec3 world)
    lf_vec3 lf_pose_turn_to_world(const lf_pose *pose, lf_vec3 local)
    cbool lf_pose_rigid(const lf_pose *pose)
    ctypedef struct lf_ellipsoid:
        double radius, flattening
    ctypedef struct lf_geodetic:
        double lon_deg, lat_deg, height
    lf_ellipsoid lf_ellipsoid_wgs84()
    lf_vec3 lf_ellipsoid_to_centred(const lf_ellipsoid *ellipsoid, lf_geodetic place)
    lf_geodetic lf_ellipsoid_to_geodetic(const lf_ellipsoid *ellipsoid, lf_vec3 centred)

    # ---- Ground
    ctypedef enum lf_hit_kind:
        LF_HIT_NONE
    ctypedef struct lf_hit:
        lf_hit_kind kind
        lf_reason reason
        double t
        lf_vec3 point, normal
        int64_t part, element
        int32_t triangle, level
        double u, v, resolution
        uint64_t user
        uint32_t layers, inner
    ctypedef struct lf_cursor
    ctypedef struct lf_ground
    ctypedef enum lf_vertical:
        LF_VERTICAL_DOWN
        LF_VERTICAL_UP
    lf_frame lf_ground_frame(const lf_ground *ground)
    lf_box lf_ground_box(const lf_ground *ground)
    lf_status lf_ground_height(const lf_ground *ground, lf_vec3 point, lf_vertical look, lf_hit *hit, lf_cursor *cursor)
    lf_status lf_ground_height_many(const lf_ground *ground, const lf_vec3 *points, size_t point_stride, int64_t count,
                                    lf_vertical look, lf_hit *hits, size_t hit_stride, const lf_tasks *tasks)
    lf_status lf_ground_heights_many(const lf_ground *ground, const lf_vec3 *points, size_t point_stride, int64_t count,
                                     lf_vertical look, double *heights, size_t height_stride, const lf_tasks *tasks)
    lf_status lf_ground_ray_first(const lf_ground *ground, const lf_ray *ray, lf_hit *hit, lf_cursor *cursor)
    lf_status lf_ground_ray_first_many(const lf_ground *ground, const lf_ray *rays, size_t ray_stride, int64_t count,
                                       lf_hit *hits, size_t hit_stride, const lf_tasks *tasks)
    lf_status lf_ground_ray_all(const lf_ground *ground, const lf_ray *ray, lf_hit *hits, int64_t capacity,
                                int64_t *count, lf_cursor *cursor)
    ctypedef enum lf_stand_rule:
        LF_STAND_FIT
        LF_STAND_REST
    ctypedef struct lf_footprint:
        int count
        lf_vec2 contacts[4]
        lf_stand_rule rule
        double reach
        int passes
    ctypedef struct lf_stance:
        cbool stands
        int grounded
        lf_vec3 position, normal, forward
        double pitch, roll
        lf_hit contacts[4]
        double gaps[4]
    lf_status lf_ground_stand(const lf_ground *ground, const lf_footprint *footprint, lf_vec3 point, lf_vec3 heading,
                              lf_stance *stance, lf_cursor *cursor)
    ctypedef struct lf_walker:
        double step, drop, crack
    ctypedef enum lf_walk_end:
        LF_WALK_ARRIVED
        LF_WALK_NO_GROUND
        LF_WALK_STEP_UP
        LF_WALK_STEP_DOWN
    ctypedef struct lf_walk:
        lf_walk_end end
        lf_reason reason
        double t
        lf_vec3 position
        lf_hit ground
        double step
    ctypedef struct lf_path:
        lf_vec3 *points
        int64_t capacity, count
    lf_status lf_ground_walk(const lf_ground *ground, const lf_walker *walker, lf_vec3 start, lf_vec3 to, lf_walk *walk,
                             lf_path *path, lf_cursor *cursor)

    # ---- Grids
    ctypedef enum lf_surface:
        LF_SURFACE_FALLING
        LF_SURFACE_RISING
        LF_SURFACE_ALTERNATING
        LF_SURFACE_BILINEAR
        LF_SURFACE_POINT
    const char *lf_surface_name(lf_surface surface)
    ctypedef enum lf_sample_type:
        LF_SAMPLE_FLOAT
        LF_SAMPLE_DOUBLE
        LF_SAMPLE_INT16
        LF_SAMPLE_UINT16
    ctypedef enum lf_codec:
        LF_CODEC_RAW
    const char *lf_codec_name(lf_codec codec)
    ctypedef struct lf_samples:
        lf_sample_type type
        const void *values
        int64_t columns, rows
        ptrdiff_t column_step, row_step
        double scale, offset, nodata
        const uint8_t *mask
        ptrdiff_t mask_row_step
    ctypedef struct lf_geotransform:
        lf_vec2 origin, per_column, per_row
    ctypedef struct lf_grid_def:
        size_t size
        lf_host host
        lf_samples samples
        cbool borrow
        lf_geotransform geotransform
        lf_surface surface
        int leaf
        cbool extend
        lf_codec codec
        double max_error, turn
        cbool repeated
    lf_grid_def lf_grid_def_default()
    ctypedef struct lf_grid
    ctypedef struct lf_grid_info:
        int64_t columns, rows, hole_count
        lf_surface surface
        lf_geotransform geotransform
        cbool extend
        double low, high
        lf_box box
        size_t bytes
        lf_codec codec
        size_t sample_bytes
        double largest_error
    lf_status lf_grid_create(const lf_grid_def *definition, lf_grid **grid, lf_error *error)
    void lf_grid_destroy(lf_grid *grid)
    const lf_ground *lf_grid_ground(const lf_grid *grid)
    lf_grid_info lf_grid_describe(const lf_grid *grid)
    lf_status lf_grid_read(const lf_grid *grid, int64_t column, int64_t row, int64_t columns, int64_t rows, double *heights)
    ctypedef struct lf_window:
        int64_t column, row, columns, rows
    ctypedef struct lf_pixels:
        double geotransform[6]
        lf_window window
        int64_t columns, rows
        cbool transposed, flip_columns, flip_rows, georeferenced, nodata_given
        double nodata

    # ---- Sight
    ctypedef struct lf_curvature:
        double coefficient, radius
    ctypedef enum lf_map_units:
        LF_MAP_METRES
        LF_MAP_DEGREES
    ctypedef enum lf_void_policy:
        LF_VOIDS_UNKNOWN
        LF_VOIDS_PASS
        LF_VOIDS_STOP
    ctypedef struct lf_sight_rules:
        lf_curvature curvature
        lf_map_units units
        lf_ellipsoid ellipsoid
        lf_void_policy voids
        cbool detail
        double frequency_mhz
    lf_sight_rules lf_sight_rules_default()
    double LF_CURVATURE_LIGHT
    double LF_CURVATURE_RADIO
    ctypedef enum lf_verdict:
        LF_VERDICT_CLEAR
        LF_VERDICT_BLOCKED
        LF_VERDICT_UNKNOWN
    ctypedef struct lf_sight:
        lf_verdict verdict
        double t
        lf_vec3 point
        double length, clearance, clearance_t, raise_ "raise", raise_t, fresnel, fresnel_t
    lf_status lf_sight_observer(const lf_ground *ground, lf_vec2 at, double above, lf_vec3 *point, lf_reason *reason)
    lf_status lf_sight_between(const lf_ground *ground, const lf_sight_rules *rules, lf_vec3 a, lf_vec3 b,
                               lf_sight *sight, lf_cursor *cursor)
    lf_status lf_sight_verdict(const lf_ground *ground, const lf_sight_rules *rules, lf_vec3 a, lf_vec3 b,
                               lf_verdict *verdict, lf_cursor *cursor)
    lf_status lf_sight_many(const lf_ground *ground, const lf_sight_rules *rules, const lf_vec3 *a, size_t a_stride,
                            const lf_vec3 *b, size_t b_stride, int64_t count, lf_sight *sights, size_t sight_stride,
                            const lf_tasks *tasks)
    lf_status lf_sight_verdicts(const lf_ground *ground, const lf_sight_rules *rules, const lf_vec3 *a, size_t a_stride,
                                const lf_vec3 *b, size_t b_stride, int64_t count, uint8_t *verdicts,
                                const lf_tasks *tasks)
    double lf_fresnel_radius(double frequency_mhz, double d1, double d2)
    ctypedef struct lf_profile_point:
        double t, distance, ground, line
    lf_status lf_sight_profile(const lf_ground *ground, const lf_sight_rules *rules, lf_vec3 a, lf_vec3 b, int64_t steps,
                               lf_profile_point *points, int64_t capacity, int64_t *count)
    ctypedef struct lf_observer:
        lf_vec2 at
        double height
        cbool datum
    ctypedef struct lf_lattice:
        lf_geotransform geotransform
        int64_t columns, rows
    ctypedef enum lf_target_on:
        LF_TARGET_TOP
        LF_TARGET_GROUND
    ctypedef struct lf_compass:
        lf_vec2 east, north
    ctypedef struct lf_viewshed_def:
        lf_host host
        lf_sight_rules rules
        double target, range_min, range_max, azimuth_from_deg, azimuth_to_deg, pitch_low_deg, pitch_high_deg
        const lf_compass *compasses
        lf_lattice lattice
        lf_target_on target_on
        const lf_vec2 *places
    lf_viewshed_def lf_viewshed_def_default()
    ctypedef struct lf_viewshed_stats:
        int64_t counts[5]
        int64_t walked
        size_t bytes
    ctypedef enum lf_viewshed_mode:
        LF_VIEWSHED_GROUND
    lf_window lf_viewshed_window(const lf_ground *ground, const lf_viewshed_def *definition, lf_vec2 at)
    lf_status lf_viewshed_visible(const lf_ground *ground, const lf_viewshed_def *definition, const lf_observer *observer,
                                  lf_window window, uint8_t *seen, ptrdiff_t row_step, lf_viewshed_stats *stats,
                                  lf_error *error)
    lf_status lf_viewshed_values(const lf_ground *ground, const lf_viewshed_def *definition, const lf_observer *observer,
                                 lf_viewshed_mode view, lf_window window, float *values, ptrdiff_t row_step,
                                 lf_viewshed_stats *stats, lf_error *error)
    lf_status lf_viewshed_count(const lf_ground *ground, const lf_viewshed_def *definition, const lf_observer *observers,
                                int64_t observer_count, lf_window window, uint32_t *counts, ptrdiff_t row_step,
                                lf_viewshed_stats *stats, lf_error *error)
    lf_status lf_viewshed_who(const lf_ground *ground, const lf_viewshed_def *definition, const lf_observer *observers,
                              int64_t observer_count, lf_window window, uint8_t *planes, lf_viewshed_stats *stats,
                              lf_error *error)
    ctypedef struct lf_site_def:
        lf_viewshed_def view
        const lf_observer *candidates
        int64_t candidate_count
        lf_window window
        const float *weights
        int overlap
        int64_t most
        size_t memory
    lf_site_def lf_site_def_default()
    ctypedef struct lf_site:
        int64_t candidate
        double gain, covered
    ctypedef struct lf_site_stats:
        double total, limit
        int64_t viewsheds, gains
    lf_status lf_site_choose(const lf_ground *ground, const lf_site_def *definition, lf_site *sites, int64_t *count,
                             lf_site_stats *stats, lf_error *error)
    ctypedef struct lf_horizon:
        lf_reason reason
        double elevation_deg, distance
        lf_vec3 point
        cbool hole
    lf_status lf_horizon_around(const lf_ground *ground, const lf_sight_rules *rules, lf_vec3 start,
                                const double *azimuths_deg, int64_t count, double range, lf_horizon *horizons,
                                const lf_tasks *tasks)
    ctypedef struct lf_horizon_def:
        lf_host host
        lf_sight_rules rules
        double height, range
        lf_lattice lattice
        lf_target_on target_on
        const lf_vec2 *places
    lf_horizon_def lf_horizon_def_default()
    lf_status lf_horizon_map(const lf_ground *ground, const lf_horizon_def *definition, double azimuth_deg, lf_window window,
                             float *degrees, ptrdiff_t row_step, lf_error *error)
    lf_status lf_sky_view(const lf_ground *ground, const lf_horizon_def *definition, int directions, lf_window window,
                          float *share, ptrdiff_t row_step, lf_error *error)
    ctypedef struct lf_sun:
        double azimuth_deg, altitude_deg, hours
    lf_status lf_sun_shade(const lf_ground *ground, const lf_horizon_def *definition, lf_sun sun, lf_window window,
                           uint8_t *lit, ptrdiff_t row_step, lf_error *error)
    lf_status lf_sun_hours(const lf_ground *ground, const lf_horizon_def *definition, const lf_sun *suns, int64_t count,
                           lf_window window, float *hours, ptrdiff_t row_step, lf_error *error)
    ctypedef struct lf_total_def:
        lf_host host
        lf_sight_rules rules
        double observer_height, target_height, range
        int azimuths
    lf_total_def lf_total_def_default()
    ctypedef struct lf_total_maps:
        float *area
        float *open
        float *mean
        float *longest
        double *end_x
        double *end_y
        float *inside
        ptrdiff_t stride
    lf_status lf_total_viewshed(const lf_ground *ground, const lf_total_def *definition, lf_window window,
                                const lf_total_maps *maps, lf_error *error)

    # ---- Meshes and groups
    ctypedef struct lf_mesh_def:
        lf_host host
        lf_polygons polygons
        lf_frame frame
        double tolerance
        cbool compact
    lf_mesh_def lf_mesh_def_default()
    ctypedef struct lf_mesh
    ctypedef struct lf_mesh_info:
        int64_t vertex_count, polygon_count, triangle_count, wall_count, flat_count
        lf_box box
        size_t bytes
    lf_status lf_mesh_create(const lf_mesh_def *definition, lf_mesh **mesh, lf_error *error)
    void lf_mesh_destroy(lf_mesh *mesh)
    const lf_ground *lf_mesh_ground(const lf_mesh *mesh)
    lf_mesh_info lf_mesh_describe(const lf_mesh *mesh)

    # ---- Files of landfall's own
    ctypedef enum lf_store_kind:
        LF_STORE_GRID
        LF_STORE_MESH
        LF_STORE_GROUP
        LF_STORE_MODEL
        LF_STORE_GLOBE
    ctypedef struct lf_store_def:
        lf_host host
        const lf_grid *grid
        const lf_mesh *mesh
        const char *crs
        cbool degrees
        lf_ellipsoid ellipsoid
        const lf_pixels *pixels
    lf_store_def lf_store_def_default()
    lf_status lf_store_write(const char *path, const lf_store_def *definition, lf_error *error)
    ctypedef struct lf_store
    ctypedef struct lf_store_info:
        lf_store_kind kind
        const char *crs
        cbool degrees
        lf_ellipsoid ellipsoid
    ctypedef struct lf_source:
        pass
    lf_status lf_store_open(const char *path, const lf_host *host, cbool check, lf_store **store, lf_error *error)
    lf_status lf_store_open_source(const lf_source *source, const lf_host *host, cbool check, lf_store **store, lf_error *error)
    void lf_store_close(lf_store *store)
    lf_store_info lf_store_describe(const lf_store *store)
    const lf_grid *lf_store_grid(const lf_store *store)
    const lf_mesh *lf_store_mesh(const lf_store *store)
    const lf_ground *lf_store_ground(const lf_store *store)
    const lf_model *lf_store_model(const lf_store *store)
    cbool lf_store_pixels(const lf_store *store, lf_pixels *pixels)

    # ---- Models
    ctypedef struct lf_field_def:
        int sectors, layers
    ctypedef struct lf_model_def:
        lf_host host
        lf_polygons polygons
        lf_field_def field
    lf_model_def lf_model_def_default()
    ctypedef struct lf_model
    ctypedef struct lf_model_info:
        int64_t vertex_count, polygon_count, triangle_count, flat_count, open_count
        cbool closed
        lf_box box
        lf_vec3 centre
        double radius
        size_t bytes
    lf_status lf_model_create(const lf_model_def *definition, lf_model **model, lf_error *error)
    void lf_model_destroy(lf_model *model)
    const lf_ground *lf_model_ground(const lf_model *model)
    lf_model_info lf_model_describe(const lf_model *model)
    ctypedef struct lf_model_query:
        const lf_model *a
        const lf_model *b
        lf_pose pose_a, pose_b
        int64_t limit
    lf_model_query lf_model_query_default()
    ctypedef struct lf_model_pair:
        int64_t a, b
    lf_status lf_model_touch(const lf_model_query *question, cbool *touching, lf_cursor *cursor)
    lf_status lf_model_pairs(const lf_model_query *question, lf_model_pair *pairs, int64_t capacity, int64_t *count,
                             lf_cursor *cursor)
    ctypedef struct lf_model_distance:
        double distance
        lf_vec3 point_a, point_b
        int64_t a, b
    lf_status lf_model_nearest(const lf_model_query *question, lf_model_distance *nearest, lf_cursor *cursor)
    lf_status lf_model_nearest_to(const lf_model *model, const lf_pose *pose, lf_vec3 point, lf_model_distance *nearest,
                                  lf_cursor *cursor)
    ctypedef enum lf_relation:
        LF_RELATION_OUTSIDE
        LF_RELATION_CROSSING
        LF_RELATION_INSIDE
    lf_status lf_model_point_inside(const lf_model *model, const lf_pose *pose, lf_vec3 point, lf_relation *relation,
                                    lf_cursor *cursor)
    ctypedef struct lf_model_stand:
        const lf_model *model
        lf_pose pose
        const lf_ground *ground
    ctypedef struct lf_model_landing:
        cbool touching
        int64_t under_count
        double depth
        lf_vec3 deepest, surface
        int64_t triangle
    lf_status lf_model_land(const lf_model_stand *stand, lf_model_landing *landing, lf_cursor *cursor)
    ctypedef struct lf_contact_result:
        cbool meets
        double time
        lf_vec3 point, normal
    ctypedef struct lf_moving_model:
        const lf_model *model
        lf_pose pose
        lf_vec3 velocity, spin, pivot
    lf_status lf_contact_models(const lf_moving_model *a, const lf_moving_model *b, double ahead, lf_contact_result *meeting,
                                lf_cursor *cursor)

    # ---- Groups
    ctypedef struct lf_group_part:
        const lf_ground *ground
        lf_pose pose
        lf_box box
    ctypedef struct lf_group_def:
        lf_host host
        lf_frame frame
        const lf_group_part *parts
        int64_t part_count
    lf_group_def lf_group_def_default()
    ctypedef struct lf_group
    lf_status lf_group_create(const lf_group_def *definition, lf_group **group, lf_error *error)
    void lf_group_destroy(lf_group *group)
    int64_t lf_group_count(const lf_group *group)
    lf_pose lf_group_pose(const lf_group *group, int64_t part)
    lf_status lf_group_set_pose(lf_group *group, int64_t part, const lf_pose *pose)
    lf_status lf_group_update(lf_group *group)
    const lf_ground *lf_group_ground(const lf_group *group)

    # ---- Pairs of boxes
    ctypedef struct lf_pairs
    ctypedef struct lf_pairs_def:
        lf_host host
    ctypedef struct lf_pairs_id:
        uint32_t index, generation
    ctypedef struct lf_pairs_item:
        lf_box box
        uint64_t user
        uint32_t groups, meets
        cbool moves
    lf_pairs_item lf_pairs_item_default()
    ctypedef struct lf_pair:
        lf_pairs_id a, b
    ctypedef struct lf_pairs_found:
        const lf_pair *pairs
        int64_t count
    ctypedef struct lf_pairs_changes:
        const lf_pair *begun
        int64_t begun_count
        const lf_pair *ended
        int64_t ended_count
    lf_status lf_pairs_create(const lf_pairs_def *definition, lf_pairs **pairs, lf_error *error)
    void lf_pairs_destroy(lf_pairs *pairs)
    lf_status lf_pairs_add(lf_pairs *pairs, const lf_pairs_item *item, lf_pairs_id *id, lf_error *error)
    lf_status lf_pairs_move_many(lf_pairs *pairs, const lf_pairs_id *ids, const lf_box *boxes, int64_t count, int64_t *done)
    lf_status lf_pairs_remove(lf_pairs *pairs, lf_pairs_id id)
    lf_status lf_pairs_find(lf_pairs *pairs, lf_pairs_found *found)
    lf_status lf_pairs_report(lf_pairs *pairs, lf_pairs_changes *news)
    lf_status lf_pairs_overlaps(lf_pairs *pairs, const lf_box *box, lf_pairs_id *ids, int64_t capacity, int64_t *count)

    # ---- What can be seen
    ctypedef struct lf_view:
        lf_vec3 at, forward, up
        double across, upright, nearest, farthest, smallest
    lf_view lf_view_default()
    ctypedef struct lf_cull_def:
        lf_host host
        const lf_box *boxes
        int64_t count
    lf_cull_def lf_cull_def_default()
    ctypedef struct lf_cull
    ctypedef struct lf_cull_rules:
        uint32_t methods
        const lf_ground *ground
        cbool ordered
    lf_cull_rules lf_cull_rules_default()
    ctypedef enum lf_cull_method:
        LF_CULL_PLANES
        LF_CULL_VOLUME
        LF_CULL_GROUND
    ctypedef struct lf_cull_result:
        int64_t *items
        int64_t capacity, count
    lf_status lf_cull_create(const lf_cull_def *definition, lf_cull **cull, lf_error *error)
    void lf_cull_destroy(lf_cull *cull)
    lf_status lf_cull_move(lf_cull *cull, int64_t item, lf_box box)
    lf_status lf_cull_query(lf_cull *cull, const lf_view *view, const lf_cull_rules *rules, lf_cull_result *seen,
                            lf_error *error)

    # ---- Scenes
    ctypedef struct lf_scene
    ctypedef struct lf_object:
        uint32_t index, generation
    ctypedef struct lf_instance:
        uint32_t index, generation
    ctypedef struct lf_part:
        uint32_t index, generation
    ctypedef struct lf_watch:
        uint32_t index, generation
    ctypedef struct lf_scene_def:
        lf_host host
        double thickness
    lf_scene_def lf_scene_def_default()
    lf_status lf_scene_create(const lf_scene_def *definition, lf_scene **scene, lf_error *error)
    void lf_scene_destroy(lf_scene *scene)
    const lf_ground *lf_scene_ground(lf_scene *scene)
    ctypedef enum lf_shape_kind:
        LF_SHAPE_SOLID
        LF_SHAPE_RECTANGLE
        LF_SHAPE_BOX
        LF_SHAPE_SPHERE
        LF_SHAPE_CYLINDER
        LF_SHAPE_PATH
        LF_SHAPE_POLYGONS
        LF_SHAPE_MODEL
    ctypedef struct lf_shape:
        lf_shape_kind kind
        lf_vec3 size
        double radius
        lf_polygons polygons
        const lf_model *model
    ctypedef struct lf_transform:
        pass
    lf_transform lf_translation(double x, double y, double z)
    ctypedef struct lf_paint:
        float red, green, blue, opacity
    ctypedef struct lf_part_def:
        lf_shape shape
        lf_paint colour
        const char *label
        const char *tag
        const lf_transform *transforms
        int64_t transform_count
        uint64_t user
    lf_part_def lf_part_def_default()
    lf_status lf_part_add(lf_scene *scene, lf_part above, const lf_part_def *definition, lf_part *part, lf_error *error)
    lf_status lf_part_box(lf_scene *scene, lf_part part, lf_box *box)
    ctypedef struct lf_part_info:
        lf_instance instance
    lf_status lf_part_describe(const lf_scene *scene, lf_part part, lf_part_info *info)
    ctypedef struct lf_object_def:
        const char *name
    lf_object_def lf_object_def_default()
    lf_status lf_object_create(lf_scene *scene, const lf_object_def *definition, lf_object *object, lf_part *top,
                               lf_error *error)
    lf_status lf_object_remove(lf_scene *scene, lf_object object)
    ctypedef enum lf_motion:
        LF_MOTION_MEASURED
        LF_MOTION_GIVEN
        LF_MOTION_CARRIED
    ctypedef struct lf_instance_def:
        lf_object object
        lf_pose pose
        lf_vec3 scale
        lf_motion motion
        lf_vec3 velocity, spin
        uint64_t user
    lf_instance_def lf_instance_def_default()
    lf_status lf_instance_create(lf_scene *scene, const lf_instance_def *definition, lf_instance *instance, lf_error *error)
    lf_status lf_instance_remove(lf_scene *scene, lf_instance instance)
    ctypedef struct lf_instance_info:
        const char *name
        lf_part top
        lf_pose pose
        lf_vec3 scale
        lf_motion motion
        lf_vec3 velocity, spin
        uint64_t user
        const lf_stance *stance
    lf_status lf_instance_describe(const lf_scene *scene, lf_instance instance, lf_instance_info *info)
    lf_status lf_scene_instances(const lf_scene *scene, lf_instance *instances, int64_t capacity, int64_t *count)
    lf_status lf_instance_set_pose(lf_scene *scene, lf_instance instance, const lf_pose *pose, cbool jump)
    lf_status lf_instance_move(lf_scene *scene, lf_instance instance, lf_vec3 by)
    lf_status lf_instance_turn(lf_scene *scene, lf_instance instance, lf_vec3 axis, double angle)
    lf_status lf_instance_set_motion(lf_scene *scene, lf_instance instance, lf_motion motion, lf_vec3 velocity, lf_vec3 spin,
                                     int steps)
    lf_status lf_instance_follow(lf_scene *scene, lf_instance instance, const lf_ground *ground,
                                 const lf_footprint *footprint, double lift)
    lf_part lf_scene_part_of(const lf_scene *scene, int64_t number)
    lf_status lf_scene_ray_first(lf_scene *scene, const lf_ray *ray, lf_hit *hit, lf_cursor *cursor)
    ctypedef struct lf_scene_stats:
        int64_t instance_count, part_count, watch_count, steps
        double time
    lf_scene_stats lf_scene_describe(const lf_scene *scene)
    ctypedef enum lf_watch_filter_kind:
        LF_WATCH_FILTER_ANYTHING
        LF_WATCH_FILTER_INSTANCE
        LF_WATCH_FILTER_PART
        LF_WATCH_FILTER_TAG
        LF_WATCH_FILTER_GROUND
        LF_WATCH_FILTER_NOTHING
    ctypedef struct lf_watch_filter:
        lf_watch_filter_kind kind
        lf_instance instance
        lf_part part
        const char *tag
    ctypedef enum lf_watch_precision:
        LF_WATCH_BOXES
        LF_WATCH_PARTS
        LF_WATCH_CONVEX
        LF_WATCH_MODEL
    ctypedef struct lf_watch_def:
        lf_watch_filter a, b
        const lf_ground *ground
        double ahead
        lf_watch_precision precision
        uint32_t events
        double gap, slack
        uint64_t user
    lf_watch_def lf_watch_def_default()
    lf_status lf_watch_create(lf_scene *scene, const lf_watch_def *definition, lf_watch *watch, lf_error *error)
    lf_status lf_watch_remove(lf_scene *scene, lf_watch watch)
    ctypedef struct lf_thing:
        lf_instance instance
        lf_part part
    ctypedef enum lf_event_kind:
        LF_EVENT_BEGIN
        LF_EVENT_STAY
    ctypedef struct lf_event:
        lf_event_kind kind
        lf_watch watch
        lf_thing a, b
        double time, wait
        cbool coarse
        lf_hit ground
        uint64_t user
    lf_status lf_scene_step(lf_scene *scene, double dt, lf_error *error)
    lf_status lf_scene_events(const lf_scene *scene, const lf_event **events, int64_t *count)
    ctypedef struct lf_scene_cull_result:
        lf_part *parts
        int64_t capacity, count
    lf_status lf_scene_cull(lf_scene *scene, const lf_view *eye, const lf_cull_rules *rules, lf_scene_cull_result *seen,
                            lf_error *error)

    # ---- Globes and cameras
    ctypedef struct lf_globe_provider:
        void *user
    ctypedef struct lf_globe_def:
        lf_host host
        lf_ellipsoid ellipsoid
        lf_globe_provider provider
        int root_columns, root_rows, level_count
        size_t budget
    lf_globe_def lf_globe_def_default()
    ctypedef struct lf_globe
    ctypedef struct lf_globe_info:
        lf_ellipsoid ellipsoid
        int root_columns, root_rows, level_count
        int64_t tile_count
        int finest
        size_t bytes, budget
    lf_status lf_globe_create(const lf_globe_def *definition, lf_globe **globe, lf_error *error)
    void lf_globe_destroy(lf_globe *globe)
    const lf_ground *lf_globe_ground(const lf_globe *globe)
    const lf_ground *lf_globe_ground_finest(lf_globe *globe)
    lf_globe_info lf_globe_describe(const lf_globe *globe)
    lf_globe *lf_store_globe(const lf_store *store)
    ctypedef struct lf_globe_elevation:
        lf_reason reason
        double height
    lf_status lf_globe_height_finest(lf_globe *globe, double lon_deg, double lat_deg, lf_globe_elevation *ground)
    ctypedef struct lf_globe_sight:
        cbool clear
        double t
        lf_vec3 point
        double length
    lf_status lf_globe_sight_finest(lf_globe *globe, lf_vec3 a, lf_vec3 b, double refraction, lf_globe_sight *sight,
                                    lf_cursor *cursor)
    ctypedef struct lf_camera:
        lf_vec3 position, velocity, turn, acceleration, turn_acceleration
        double clearance, raise_limit, look_ahead
    lf_camera lf_camera_default()
    ctypedef enum lf_camera_act:
        LF_CAMERA_STOPPED
    const char *lf_camera_act_name(lf_camera_act act)
    ctypedef struct lf_camera_contact:
        cbool met
        double time, depth
        lf_geodetic geodetic
        lf_vec3 normal, position
        lf_hit hit
    ctypedef struct lf_camera_result:
        uint32_t did
        double share, raised
        int64_t frames
        lf_camera_contact contact
    lf_status lf_camera_step(lf_camera *camera, const lf_ground *ground, double dt, lf_camera_result *result)
    lf_status lf_camera_aim(lf_camera *camera, const lf_ground *ground, lf_vec3 to, double dt)
    ctypedef struct lf_globe_update_rules:
        lf_vec3 position, velocity
        double ahead, detail
        int64_t most
    lf_globe_update_rules lf_globe_update_rules_default()
    ctypedef struct lf_globe_change:
        int64_t fetched, evicted, waiting, refused, wanted
    lf_status lf_globe_update(lf_globe *globe, const lf_globe_update_rules *view, lf_globe_change *change)

cdef extern from "landfall/omp.h" nogil:
    lf_tasks lf_tasks_openmp(int threads)
