/// The grounds of the matrix: one hill in every kind of file that landfall reads.
#ifndef TESTS_CLI_MATRIX_DATA_H
#define TESTS_CLI_MATRIX_DATA_H

#define MATRIX_COLUMNS 24
#define MATRIX_ROWS 20

/// Write the files of all kinds into the working folder, apart from the .lf files that the command itself builds: N45E006.hgt, deg.tif (its
/// window of 24 x 20 pixels), utm.tif, south.tif (rows from the south), turned.tif (rows along columns), feet.tif, bare.tif (no
/// geotransform), tin.obj and tin.ply (the triangles of utm.tif), group.lf, points.csv, flight.csv.
void matrix_data_make(void);

#endif
