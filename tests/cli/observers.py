#!/usr/bin/python3
"""Many observers: the same counts from a text and from GeoPackages, equal to single viewsheds and lines of sight; progress and interrupts.

usage: observers.py LANDFALL
"""
import os
import pty
import random
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile

try:
    import numpy
    from osgeo import gdal, ogr
except ImportError:
    print('skipped: many observers: Python has no osgeo.gdal or NumPy (Debian: python3-gdal)')
    sys.exit(0)

landfall = os.path.abspath(sys.argv[1])
gdal.UseExceptions()
chance = random.Random(int(os.environ.get('LANDFALL_SEED', '1')))
SIDE, STEP, RANGE = 257, 30, 1000


def run(*words, text=None, status=0):
    done = subprocess.run([landfall, *words], input=text, capture_output=True, text=True, check=False, timeout=300)
    if status is not None:
        assert done.returncode == status, (words, done.returncode, done.stderr)
    return done


def values(path):
    return gdal.Open(path).ReadAsArray()


def place():
    return (chance.uniform(0, (SIDE - 1) * STEP), chance.uniform(0, (SIDE - 1) * STEP), chance.choice((0.5, 2.0, 30.0)))


def write_text(path, places):
    with open(path, 'w', encoding='utf-8') as file:
        file.writelines(f'{x!r},{y!r},{h!r}\n' for x, y, h in places)


def write_package(path, places, crs):
    data = gdal.GetDriverByName('GPKG').Create(path, 0, 0, 0, gdal.GDT_Unknown)
    layer = data.CreateLayer('observers', crs, ogr.wkbPoint)
    layer.CreateField(ogr.FieldDefn('height', ogr.OFTReal))
    layer.StartTransaction()
    for x, y, h in places:
        feature = ogr.Feature(layer.GetLayerDefn())
        feature['height'] = h
        feature.SetGeometry(ogr.CreateGeometryFromWkt(f'POINT ({x!r} {y!r})'))
        layer.CreateFeature(feature)
    layer.CommitTransaction()


def count(observers, output):
    run('viewshed', 'ground.tif', '--observers', observers, '--mode', 'count', '--range', str(RANGE), '-q', '-o', output)
    return values(output)


def files_agree(places):
    """Points without a CRS are in that of the ground, whatever a GeoPackage calls that."""
    ground = gdal.Open('ground.tif')
    write_text('many.csv', places)
    write_package('many.gpkg', places, None)
    write_package('own.gpkg', places, ground.GetSpatialRef())
    counted = count('many.csv', 'text.tif')
    assert (count('many.gpkg', 'package.tif') == counted).all()
    assert (count('own.gpkg', 'package.tif') == counted).all()
    for number in (0, -1):  # undefined, geographic or Cartesian
        with sqlite3.connect('many.gpkg') as tables:
            for table in ('gpkg_geometry_columns', 'gpkg_contents'):
                tables.execute(f'update {table} set srs_id = ?', (number,))
        tables.close()
        assert (count('many.gpkg', 'package.tif') == counted).all()
    # With a CRS of its own that has no way to the ground's they are refused.
    other = ogr.osr.SpatialReference()
    other.ImportFromEPSG(4326)
    write_package('other.gpkg', places[:3], other)
    done = run('viewshed', 'ground.tif', '--observers', 'other.gpkg', '--mode', 'count', '-o', 'none.tif', status=2)
    assert done.stderr == ('landfall viewshed: other.gpkg: no transformation from its CRS, WGS 84, to that of the ground, '
                           'landfall local metres\n'), done.stderr
    assert not os.path.exists('none.tif')
    return counted


def each_alone(places):
    """Counts of some are their single viewsheds added up."""
    write_text('some.csv', places)
    counted = count('some.csv', 'some.tif')
    total = numpy.zeros(counted.shape, int)
    for x, y, h in places:
        run('viewshed', 'ground.tif', '--at', f'{x!r},{y!r},{h!r}', '--range', str(RANGE), '-q', '-o', 'one.tif')
        seen = values('one.tif')
        total += seen == 1
    assert (counted == total).all()


def lines(places, counted):
    """At some samples the count of all is what as many lines of sight say."""
    for _ in range(8):
        column, row = chance.randrange(SIDE), chance.randrange(SIDE)
        at = (column * STEP, (SIDE - 1 - row) * STEP)
        near = [(x, y, h) for x, y, h in places if (x - at[0])**2 + (y - at[1])**2 <= RANGE**2]
        asked = ''.join(f'{x!r},{y!r},{h!r},{at[0]},{at[1]},0\n' for x, y, h in near)
        seen = run('sight', 'ground.tif', '-', text=asked).stdout.splitlines() if near else []
        assert len(seen) == len(near)
        assert counted[row, column] == sum(line.startswith('clear') for line in seen), (column, row)


def interrupted():
    """A bar on a terminal tells how far it is; an interrupt ends it as usual, and there is no result."""
    write_text('crowd.csv', [place() for _ in range(200000)])
    before = sorted(os.listdir('.'))
    control, terminal = pty.openpty()
    command = [landfall, 'viewshed', 'ground.tif', '--observers', 'crowd.csv', '--mode', 'count', '--range', '7000', '-o', 'crowd.tif']
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=terminal) as child:
        os.close(terminal)
        screen = b''
        sent = False
        try:
            while piece := os.read(control, 4096):
                screen += piece
                if not sent and re.search(rb'\d+ ?%', screen):
                    child.send_signal(signal.SIGINT)
                    sent = True
        except OSError:  # the child has closed its end
            pass
        child.wait(timeout=120)
    os.close(control)
    assert sent and child.returncode == -signal.SIGINT, (child.returncode, screen)
    assert b'landfall viewshed: interrupted' in screen, screen
    assert sorted(os.listdir('.')) == before


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        run('make', 'mountains', '--size', str(SIDE), '--step', str(STEP), '-q', '-o', 'ground.tif')
        places = [place() for _ in range(3000)]
        counted = files_agree(places)
        assert 3000 > counted.max() > 20  # voids would be greater
        each_alone(chance.sample(places, 25))
        lines(places, counted)
        interrupted()
        os.chdir('/')


main()
