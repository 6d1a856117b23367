/// The GDAL driver LF: grids in .lf files as rasters with one band, read in place. GDAL loads it as a plugin, gdal_LF.so.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <gdal_pam.h>
#include <landfall/landfall.h>
#include <limits>
#include <memory>
#include <ogr_spatialref.h>
#include <vector>

extern "C" CPL_DLL void GDALRegister_LF();

namespace {

const int BLOCK_COLUMNS = 512, BLOCK_ROWS = 256;
const int STRETCH_ROWS = 32; // the sides of tiles of compressed grids are 16 or 32

/// The part of the file's section "grid" that says what its samples are (docs/formats/lf.md).
struct Stored {
    uint32_t type = 1;
    double scale = 1, offset = 0;
};

bool read_at(VSILFILE *file, uint64_t offset, void *to, size_t size) {
    return VSIFSeekL(file, offset, SEEK_SET) == 0 && VSIFReadL(to, size, 1, file) == 1;
}

bool read_stored(VSILFILE *file, Stored &stored) {
    const uint64_t header = 128, entry = 64;
    uint32_t sections = 0;
    if (!file || !read_at(file, 40, &sections, sizeof sections))
        return false;
    for (uint32_t i = 0; i < sections; i++) {
        char name[9] = "";
        uint64_t offset;
        if (!read_at(file, header + i * entry, name, 8) ||
            !read_at(file, header + i * entry + 16, &offset, sizeof offset))
            return false;
        if (strcmp(name, "grid") == 0)
            return read_at(file, offset + 32, &stored.type, 4) &&
                   read_at(file, offset + 40, &stored.scale, 8) &&
                   read_at(file, offset + 48, &stored.offset, 8);
    }
    return false;
}

/// Samples as they are in the file; whole numbers of a compressed grid; doubles where heights are computed from samples.
GDALDataType type_of(const Stored &stored, const lf_grid *grid) {
    static const GDALDataType types[] = {GDT_Float32, GDT_Float64, GDT_Int16, GDT_UInt16};
    lf_grid_info info = lf_grid_describe(grid);
    bool whole = stored.scale == 1 && stored.offset == std::floor(stored.offset);
    if (info.codec == LF_CODEC_RAW && whole && stored.offset == 0 && stored.type < 4)
        return types[stored.type];
    if ((info.codec == LF_CODEC_PACK || info.codec == LF_CODEC_MAXPLUS) && whole && info.low > -32768 &&
        info.high < 32767)
        return GDT_Int16;
    return GDT_Float64;
}

class LFDataset final : public GDALPamDataset {
  public:
    ~LFDataset() override;
    static int Identify(GDALOpenInfo *info);
    static GDALDataset *Open(GDALOpenInfo *info);
    CPLErr GetGeoTransform(double *place) override;
    const OGRSpatialReference *GetSpatialRef() const override;

    /// Heights of a rectangle of pixels, row by row; NAN for voids.
    CPLErr read(int column, int row, int columns, int rows, double *heights);

    const lf_grid *grid() const { return lf_store_grid(store); }
    bool packed() const { return lf_grid_describe(grid()).codec != LF_CODEC_RAW; }
    bool flipped_rows() const { return pixels.transposed ? pixels.flip_columns : pixels.flip_rows; }

    lf_pixels pixels = {};

  private:
    CPLErr start(const char *path);
    void describe();

    lf_store *store = nullptr;
    OGRSpatialReference crs;
    std::vector<double> turned; ///< samples in the order of the grid, where that is not the order of pixels
};

/// The pixels, or every so manyth pixel of every so manyth row: an overview.
class LFBand final : public GDALPamRasterBand {
  public:
    LFBand(LFDataset *dataset, GDALDataType type, int step);
    CPLErr IReadBlock(int column, int row, void *data) override;
    double GetNoDataValue(int *known) override;
    double GetMinimum(int *known) override;
    double GetMaximum(int *known) override;
    int GetOverviewCount() override;
    GDALRasterBand *GetOverview(int index) override;
    const char *GetUnitType() override { return "m"; }

  private:
    int stretch(int row, int rows) const;
    void convert(double *from, int count, double nodata, void *to) const;

    int step;
    std::vector<double> heights;
    std::vector<std::unique_ptr<LFBand>> overviews;
};

// ---- The band -----------------------------------------------------------------------------------

LFBand::LFBand(LFDataset *dataset, GDALDataType type, int step) : step(step) {
    poDS = dataset;
    nBand = 1;
    eDataType = type;
    eAccess = GA_ReadOnly;
    nRasterXSize = (dataset->GetRasterXSize() + step - 1) / step;
    nRasterYSize = (dataset->GetRasterYSize() + step - 1) / step;
    nBlockXSize = std::min(nRasterXSize, BLOCK_COLUMNS);
    nBlockYSize = std::min(nRasterYSize, BLOCK_ROWS);
    for (int coarse = 2; step == 1 && (nRasterXSize / coarse >= 128 || nRasterYSize / coarse >= 128);
         coarse *= 2)
        overviews.push_back(std::make_unique<LFBand>(dataset, type, coarse));
}

/// Rows of a block that are read together: those of one row of tiles, whose side is at most STRETCH_ROWS. Every other row of an
/// overview of samples that are not compressed is skipped.
int LFBand::stretch(int row, int rows) const {
    const LFDataset *dataset = static_cast<const LFDataset *>(poDS);
    if (step > 1)
        return !dataset->packed() || step >= STRETCH_ROWS ? 1 : std::min(rows, STRETCH_ROWS / step);
    int64_t tiles = dataset->flipped_rows() ? nRasterYSize - row : -static_cast<int64_t>(row);
    int64_t some = (tiles % STRETCH_ROWS + STRETCH_ROWS) % STRETCH_ROWS;
    return std::min(rows, some > 0 ? static_cast<int>(some) : STRETCH_ROWS);
}

/// Heights as samples of the band. Those of whole numbers are within the numbers of their type, all of them.
void LFBand::convert(double *from, int count, double nodata, void *to) const {
    for (int i = 0; !std::isnan(nodata) && i < count; i++)
        if (std::isnan(from[i]))
            from[i] = nodata;
    if (eDataType == GDT_Float32)
        for (int i = 0; i < count; i++)
            static_cast<float *>(to)[i] = static_cast<float>(from[i]);
    else if (eDataType == GDT_Int16 || eDataType == GDT_UInt16)
        for (int i = 0; i < count; i++)
            static_cast<uint16_t *>(to)[i] = static_cast<uint16_t>(static_cast<int32_t>(from[i]));
    else
        memcpy(to, from, static_cast<size_t>(count) * sizeof *from);
}

CPLErr LFBand::IReadBlock(int block_column, int block_row, void *data) {
    LFDataset *dataset = static_cast<LFDataset *>(poDS);
    int left = block_column * nBlockXSize, top = block_row * nBlockYSize, some;
    int columns = std::min(nBlockXSize, nRasterXSize - left),
        rows = std::min(nBlockYSize, nRasterYSize - top);
    size_t width = (static_cast<size_t>(columns) - 1) * static_cast<size_t>(step) + 1;
    size_t line = static_cast<size_t>(nBlockXSize) * static_cast<size_t>(GDALGetDataTypeSizeBytes(eDataType));
    double nodata = std::numeric_limits<double>::quiet_NaN();
    if (lf_grid_describe(dataset->grid()).hole_count > 0)
        nodata = GetNoDataValue(nullptr);
    try {
        heights.resize(width * STRETCH_ROWS);
    } catch (const std::bad_alloc &) {
        CPLError(CE_Failure, CPLE_OutOfMemory, "LF: out of memory");
        return CE_Failure;
    }
    for (int j = 0; j < rows; j += some) {
        some = stretch(top + j, rows - j);
        CPLErr status = dataset->read(left * step, (top + j) * step, static_cast<int>(width),
                                      (some - 1) * step + 1, heights.data());
        if (status != CE_None)
            return status;
        for (int k = 0; k < some; k++) {
            double *row = heights.data() + static_cast<size_t>(k) * static_cast<size_t>(step) * width;
            for (int i = 1; step > 1 && i < columns; i++)
                row[i] = row[i * step];
            convert(row, columns, nodata, static_cast<char *>(data) + static_cast<size_t>(j + k) * line);
        }
    }
    return CE_None;
}

/// The number of the source, where that can be a sample; else NaN, or the least number of whole samples.
double LFBand::GetNoDataValue(int *known) {
    const LFDataset *dataset = static_cast<const LFDataset *>(poDS);
    lf_grid_info info = lf_grid_describe(dataset->grid());
    bool whole = eDataType == GDT_Int16 || eDataType == GDT_UInt16;
    double least = eDataType == GDT_Int16 ? -32768 : 0, most = eDataType == GDT_Int16 ? 32767 : 65535;
    double number = dataset->pixels.nodata;
    bool fits =
        dataset->pixels.nodata_given &&
        (whole ? number == std::floor(number) && number >= least && number <= most
               : eDataType == GDT_Float64 || static_cast<double>(static_cast<float>(number)) == number);
    bool free = fits && !(number >= info.low && number <= info.high); // no height is that number
    if (known)
        *known = info.hole_count > 0 || dataset->pixels.nodata_given;
    if (free)
        return number;
    return !whole ? std::numeric_limits<double>::quiet_NaN() : info.low > least ? least : most;
}

double LFBand::GetMinimum(int *known) {
    lf_grid_info info = lf_grid_describe(static_cast<const LFDataset *>(poDS)->grid());
    if (known)
        *known = info.low <= info.high;
    return info.low;
}

double LFBand::GetMaximum(int *known) {
    lf_grid_info info = lf_grid_describe(static_cast<const LFDataset *>(poDS)->grid());
    if (known)
        *known = info.low <= info.high;
    return info.high;
}

int LFBand::GetOverviewCount() {
    return static_cast<int>(overviews.size());
}

GDALRasterBand *LFBand::GetOverview(int index) {
    return index >= 0 && index < GetOverviewCount() ? overviews[static_cast<size_t>(index)].get() : nullptr;
}

// ---- The dataset --------------------------------------------------------------------------------

LFDataset::~LFDataset() {
    FlushCache(true);
    lf_store_close(store);
}

int LFDataset::Identify(GDALOpenInfo *info) {
    static const unsigned char magic[] = {0x89, 'L', 'F', '\r', '\n', 0x1a, '\n', 0};
    return info->nHeaderBytes >= 128 && memcmp(info->pabyHeader, magic, sizeof magic) == 0;
}

CPLErr LFDataset::GetGeoTransform(double *place) {
    const double *from = pixels.geotransform;
    double column = static_cast<double>(pixels.window.column), row = static_cast<double>(pixels.window.row);
    memcpy(place, from, 6 * sizeof *place);
    place[0] = from[0] + column * from[1] + row * from[2];
    place[3] = from[3] + column * from[4] + row * from[5];
    return pixels.georeferenced ? CE_None : CE_Failure;
}

const OGRSpatialReference *LFDataset::GetSpatialRef() const {
    return crs.IsEmpty() ? nullptr : &crs;
}

CPLErr LFDataset::read(int column, int row, int columns, int rows, double *heights) {
    // Flips are those of the grid, whose columns are rows of pixels where it is transposed.
    bool flip_x = pixels.transposed ? pixels.flip_rows : pixels.flip_columns, flip_y = flipped_rows();
    int64_t x = flip_x ? pixels.window.columns - column - columns : column,
            y = flip_y ? pixels.window.rows - row - rows : row;
    bool turn = pixels.transposed || flip_x || flip_y;
    double *to = heights;
    size_t width = static_cast<size_t>(columns), height = static_cast<size_t>(rows);
    if (turn) {
        try {
            turned.resize(width * height);
        } catch (const std::bad_alloc &) {
            CPLError(CE_Failure, CPLE_OutOfMemory, "LF: out of memory");
            return CE_Failure;
        }
        to = turned.data();
    }
    lf_status status = pixels.transposed ? lf_grid_read(grid(), y, x, rows, columns, to)
                                         : lf_grid_read(grid(), x, y, columns, rows, to);
    if (status != LF_OK) {
        CPLError(CE_Failure, CPLE_FileIO, "%s: %s", GetDescription(), lf_status_text(status));
        return CE_Failure;
    }
    for (size_t j = 0; turn && j < height; j++) {
        size_t from_row = flip_y ? height - 1 - j : j;
        if (!pixels.transposed && !flip_x) {
            memcpy(heights + j * width, to + from_row * width, width * sizeof *to);
            continue;
        }
        for (size_t i = 0; i < width; i++) {
            size_t from_column = flip_x ? width - 1 - i : i;
            heights[j * width + i] =
                pixels.transposed ? to[from_column * height + from_row] : to[from_row * width + from_column];
        }
    }
    return CE_None;
}

/// Coordinates, CRS and what is known of the file.
void LFDataset::describe() {
    lf_store_info info = lf_store_describe(store);
    lf_grid_info about = lf_grid_describe(grid());
    SetMetadataItem(GDALMD_AREA_OR_POINT, info.point ? GDALMD_AOP_POINT : GDALMD_AOP_AREA);
    SetMetadataItem("LANDFALL_PRODUCER", info.producer);
    SetMetadataItem("LANDFALL_SURFACE", lf_surface_name(about.surface));
    if (about.codec != LF_CODEC_RAW)
        SetMetadataItem("COMPRESSION", lf_codec_name(about.codec), "IMAGE_STRUCTURE");
    crs.SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
    if (info.crs && crs.SetFromUserInput(info.crs) != OGRERR_NONE) {
        CPLError(CE_Warning, CPLE_AppDefined, "%s: the text of its CRS is not known", GetDescription());
        crs.Clear();
    } else if (!info.crs && info.degrees)
        crs.SetWellKnownGeogCS("WGS84");
}

CPLErr LFDataset::start(const char *path) {
    lf_error error = {};
    lf_status status = lf_store_open(path, nullptr, false, &store, &error);
    if (status != LF_OK) {
        CPLError(CE_Failure, CPLE_OpenFailed, "%s", error.text[0] ? error.text : lf_status_text(status));
        return CE_Failure;
    }
    if (!grid()) {
        CPLError(CE_Failure, CPLE_OpenFailed, "%s: holds a %s: expected a grid", path,
                 lf_store_kind_name(lf_store_describe(store).kind));
        return CE_Failure;
    }
    lf_store_pixels(store, &pixels);
    if (pixels.window.columns > std::numeric_limits<int>::max() ||
        pixels.window.rows > std::numeric_limits<int>::max() || pixels.window.columns < 1 ||
        pixels.window.rows < 1) {
        CPLError(CE_Failure, CPLE_OpenFailed, "%s: %lld x %lld pixels: expected fewer than 2147483648 each",
                 path, static_cast<long long>(pixels.window.columns),
                 static_cast<long long>(pixels.window.rows));
        return CE_Failure;
    }
    nRasterXSize = static_cast<int>(pixels.window.columns);
    nRasterYSize = static_cast<int>(pixels.window.rows);
    return CE_None;
}

GDALDataset *LFDataset::Open(GDALOpenInfo *info) {
    if (!Identify(info))
        return nullptr;
    if (info->eAccess == GA_Update) {
        CPLError(CE_Failure, CPLE_NotSupported, "%s: the LF driver only reads", info->pszFilename);
        return nullptr;
    }
    auto dataset = std::make_unique<LFDataset>();
    Stored stored;
    dataset->SetDescription(info->pszFilename);
    if (dataset->start(info->pszFilename) != CE_None)
        return nullptr;
    if (!read_stored(info->fpL, stored))
        stored.type = 1;
    dataset->describe();
    dataset->SetBand(1, new LFBand(dataset.get(), type_of(stored, dataset->grid()), 1));
    dataset->TryLoadXML();
    return dataset.release();
}

} // namespace

void GDALRegister_LF() {
    if (!GDAL_CHECK_VERSION("LF driver") || GDALGetDriverByName("LF"))
        return;
    GDALDriver *driver = new GDALDriver;
    driver->SetDescription("LF");
    driver->SetMetadataItem(GDAL_DCAP_RASTER, "YES");
    driver->SetMetadataItem(GDAL_DMD_LONGNAME, "landfall grid");
    driver->SetMetadataItem(GDAL_DMD_EXTENSION, "lf");
    driver->pfnIdentify = LFDataset::Identify;
    driver->pfnOpen = LFDataset::Open;
    GetGDALDriverManager()->RegisterDriver(driver);
}
