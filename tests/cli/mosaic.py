#!/usr/bin/python3
"""Many rasters as one .lf file: the same bytes as of one raster, also after kills; tiles that do not fit are refused.

usage: mosaic.py LANDFALL
"""
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

try:
    from osgeo import gdal
except ImportError:
    print('skipped: mosaics: Python has no osgeo.gdal (Debian: python3-gdal)')
    sys.exit(0)

landfall = os.path.abspath(sys.argv[1])
KILLS = 50 if os.environ.get('LANDFALL_LONG', '') not in ('', '0') else 4
gdal.UseExceptions()
chance = random.Random(int(os.environ.get('LANDFALL_SEED', '1')))
SIDE = 700


def run(*words, status=0, error=None):
    # Threads that wait by spinning take minutes on a busy machine.
    environment = dict(os.environ, OMP_WAIT_POLICY='passive')
    done = subprocess.run([landfall, *words], capture_output=True, text=True, check=False, timeout=300, env=environment)
    assert done.returncode == status, (words, done.returncode, done.stdout, done.stderr)
    if error is not None:
        assert error in done.stderr, (words, error, done.stderr)
    return done.stdout


def content(path):
    with open(path, 'rb') as file:
        return file.read()


def sections(path):
    """The header's numbers and every section but the text of how it was made."""
    data = content(path)
    count = int.from_bytes(data[40:44], 'little')
    table = {}
    for k in range(count):
        entry = data[128 + 64 * k:192 + 64 * k]
        name = entry[:8].rstrip(b'\0').decode()
        offset, size = (int.from_bytes(entry[at:at + 8], 'little') for at in (16, 24))
        if name != 'params':
            table[name] = data[offset:offset + size]
    return data[32:40], data[48:88], table


def same_ground(a, b):
    one, two = sections(a), sections(b)
    assert one[:2] == two[:2], (a, b, one[:2], two[:2])
    assert one[2].keys() == two[2].keys(), (one[2].keys(), two[2].keys())
    for name in one[2]:
        assert one[2][name] == two[2][name], (a, b, name)


def cut(source, pieces, options, overlap=0):
    """Tiles of a raster, some of them overlapping; the paths in any order."""
    data = gdal.Open(source)
    across, down = data.RasterXSize, data.RasterYSize
    paths = []
    for j in range(pieces):
        for i in range(pieces):
            x, y = i * across // pieces, j * down // pieces
            right, bottom = (i + 1) * across // pieces, (j + 1) * down // pieces
            window = [x, y, min(right + overlap, across) - x, min(bottom + overlap, down) - y]
            paths.append(f'tile-{len(paths)}.tif')
            gdal.Translate(paths[-1], data, srcWin=window, creationOptions=options)
    chance.shuffle(paths)
    return paths


def equal_to_one_piece():
    for kind, extra in (('float', []), ('int16', []), ('int32', []), ('float', ['--max-error', '0.5'])):
        source = f'{kind}.tif'
        run('build', source, *extra, '-o', 'whole.lf')
        run('build', source, *extra, '--memory', '300M', '-o', 'kept.lf')
        assert content('whole.lf') == content('kept.lf')  # every byte
        paths = cut(source, chance.randint(2, 4), ['COMPRESS=DEFLATE'], chance.choice((0, 1, 9)))
        run('build', *paths, *extra, '-o', 'many.lf')
        same_ground('whole.lf', 'many.lf')
        run('build', *paths, *extra, '--threads', '1', '-o', 'one.lf')
        assert content('one.lf') == content('many.lf')
        assert not os.path.exists('many.lf.work')
        assert run('verify', 'many.lf') == 'ok\n'
    shutil.rmtree('folder', ignore_errors=True)
    os.mkdir('folder')
    for path in paths:
        shutil.copy(path, 'folder')
    run('build', 'folder', *extra, '-o', 'folder.lf')
    assert content('folder.lf') == content('many.lf')


def gaps_and_voids():
    paths = cut('int16.tif', 3, [])
    missing = [path for path in paths if path not in ('tile-4.tif', 'tile-8.tif')]
    data = gdal.Open('int16.tif').ReadAsArray()
    for k in (4, 8):
        x, y = k % 3 * SIDE // 3, k // 3 * SIDE // 3
        data[y:(k // 3 + 1) * SIDE // 3, x:(k % 3 + 1) * SIDE // 3] = -9999
    made = gdal.GetDriverByName('GTiff').CreateCopy('gaps.tif', gdal.Open('int16.tif'))
    made.GetRasterBand(1).WriteArray(data)
    made = None
    run('build', 'gaps.tif', '-o', 'gaps.lf')
    run('build', *missing, '-o', 'missing.lf')
    same_ground('gaps.lf', 'missing.lf')
    # A void of the last tile lets the one before it through.
    run('build', 'int16.tif', 'gaps.tif', '-o', 'filled.lf')
    run('build', 'int16.tif', '-o', 'int16.lf')
    same_ground('int16.lf', 'filled.lf')


def other_formats():
    """COG, and .hgt files, which have a row and a column in common."""
    run('build', 'int16.tif', '-o', 'int16.lf')
    paths = cut('int16.tif', 2, [])
    for path in paths:
        gdal.Translate(path + '.cog.tif', path, format='COG')
    run('build', *[path + '.cog.tif' for path in paths], '-o', 'cog.lf')
    same_ground('int16.lf', 'cog.lf')
    run('make', 'hills', '--size', '2401,1201', '-q', '-o', 'hills.tif')
    whole = gdal.Translate('degrees.tif', 'hills.tif', outputType=gdal.GDT_Int16, outputSRS='EPSG:4326', noData=-32768,
                           outputBounds=[7 - 1 / 2400, 46 + 1 / 2400, 9 + 1 / 2400, 45 - 1 / 2400])
    for k, name in enumerate(('N45E007.hgt', 'N45E008.hgt')):
        gdal.Translate(name, whole, srcWin=[1200 * k, 0, 1201, 1201], format='SRTMHGT')
    run('build', 'N45E007.hgt', 'N45E008.hgt', '-o', 'hgt.lf')
    gdal.Translate('joined.tif', gdal.BuildVRT('joined.vrt', ['N45E007.hgt', 'N45E008.hgt']), metadataOptions=['AREA_OR_POINT=Point'])
    for place in ('7.2,45.3', '7.99971,45.5', '8,45.25', '8.7,45.9'):
        assert run('height', 'hgt.lf', '--at', place) == run('height', 'joined.tif', '--at', place), place


def refusals():
    paths = sorted(cut('int16.tif', 2, []))

    def changed(name, change, error):
        gdal.Translate('other.tif', name)
        data = gdal.Open('other.tif', gdal.GA_Update)
        change(data)
        data = None
        run('build', paths[0], 'other.tif', paths[2], '-o', 'none.lf', status=2, error='other.tif: ' + error)
        assert not os.path.exists('none.lf')
        shutil.rmtree('none.lf.work', ignore_errors=True)

    def move(data, k, amount):
        place = list(data.GetGeoTransform())
        place[k] += amount
        data.SetGeoTransform(place)
    changed(paths[1], lambda data: move(data, 1, 1), 'spacing')
    changed(paths[1], lambda data: move(data, 0, 7.5), 'its pixels are 0.25 beside')
    changed(paths[1], lambda data: move(data, 2, 1), 'is rotated')
    changed(paths[1], lambda data: data.SetProjection('EPSG:32633'), 'CRS')
    changed(paths[1], lambda data: data.GetRasterBand(1).SetNoDataValue(0), 'nodata value 0')
    gdal.Translate('float-tile.tif', paths[1], outputType=gdal.GDT_Float32)
    changed('float-tile.tif', lambda data: None, 'type Float32')
    bare = [gdal.Translate(f'bare{k}.tif', path, noData='none') and f'bare{k}.tif' for k, path in enumerate(paths)]
    run('build', bare[0], bare[3], '-o', 'none.lf', status=2, error='the tiles leave gaps')
    shutil.rmtree('none.lf.work', ignore_errors=True)
    run('build', bare[0], bare[3], '--nodata', '-9999', '-o', 'given.lf')
    run('build', *paths, 'float.lf', '-o', 'none.lf', status=2, error='float.lf')
    run('build', paths[0], '--memory', '1M', '-o', 'none.lf', status=2, error='--memory 1M: expected 200M or more')
    assert not os.path.exists('none.lf')


def results():
    """A result as a .lf file is what `landfall build` makes of it as a GeoTIFF."""
    jobs = (['viewshed', 'float.tif', '--at', '10000,10000', '--range', '4000'],
            ['viewshed', 'float.tif', '--at', '10000,10000', '--range', '4000', '--mode', 'angle'],
            ['shadow', 'int16.tif', '--sun', '200,20'],
            ['horizon', 'int16.tif', '--sky', '4', '--range', '300', '--window', '0,0,100,80'])
    for job in jobs:
        run(*job, '-o', 'result.tif')
        run(*job, '-o', 'result.lf')
        run('build', 'result.tif', '--z-unit', 'm', '-o', 'built.lf')
        same_ground('built.lf', 'result.lf')
        assert not os.path.exists('result.lf.tif')
    tiled = [*jobs[0], '--tile', '256,256']
    run(*jobs[0], '-o', 'whole.lf')
    run(*tiled, '-o', 'tiled.lf')
    same_ground('whole.lf', 'tiled.lf')
    assert not os.path.exists('tiled.lf.tiles') and not os.path.exists('tiled.lf.tif')
    run(*jobs[0], '--co', 'COMPRESS=LZW', '-o', 'none.lf', status=2, error='--co COMPRESS=LZW: applies to files')
    assert not os.path.exists('none.lf')


def killed():
    """At random times, again and again; then the same command ends what was begun, and the bytes are the same."""
    extra = ['--max-error', '0.01', '--codec', 'd4']
    paths = cut('large.tif', 3, ['COMPRESS=DEFLATE'], 1)
    began = time.time()
    run('build', *paths, *extra, '-o', 'calm.lf')
    usual = time.time() - began
    kills = continued = 0
    most = 0.9 * usual
    command = [landfall, 'build', *paths, *extra, '-o', 'killed.lf']
    for _ in range(4 * KILLS):
        if kills == KILLS:
            break
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(chance.uniform(0.05, max(most, 0.06)))
        child.send_signal(signal.SIGKILL)
        ended = child.wait() == 0
        kills += not ended
        most *= 0.7 if ended else 1
        continued += os.path.exists('killed.lf.work/packed') and os.path.getsize('killed.lf.work/packed') > 0
        if not os.path.exists('killed.lf.work') and os.path.exists('killed.lf'):
            assert content('killed.lf') == content('calm.lf')
            os.unlink('killed.lf')
    # A torn end of what was kept does not count.
    if os.path.exists('killed.lf.work/packed'):
        with open('killed.lf.work/packed', 'r+b') as file:
            file.truncate(max(os.path.getsize('killed.lf.work/packed') - 100, 0))
    run('build', *paths, *extra, '-o', 'killed.lf')
    assert content('killed.lf') == content('calm.lf')
    assert not os.path.exists('killed.lf.work')
    print(f'{kills} kills of {usual:.1f} s, {continued} with compressed heights to continue from', flush=True)
    assert kills == KILLS
    # An input that changes in between is another job.
    child = subprocess.Popen([landfall, 'build', *paths, *extra, '-o', 'other.lf'], stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
    while not os.path.exists('other.lf.work/blocks') and child.poll() is None:
        time.sleep(0.01)
    child.kill()
    child.wait()
    if os.path.exists('other.lf.work/manifest.txt'):
        os.utime(paths[0])
        run('build', *paths, *extra, '-o', 'other.lf', status=2, error='belongs to another job')
    assert not os.path.exists('other.lf')


def globes():
    """A globe is the same on any number of threads, and if its building was killed."""
    run('make', 'planet', '--size', '512', '-o', 'planet.tif')
    began = time.time()
    run('globe', 'build', 'planet.tif', '-j', '1', '-o', 'calm-globe.lf')
    usual = time.time() - began
    for threads, memory in ((2, '256'), (3, '1'), (4, '256')):  # with 1 MB read by windows
        run('globe', 'build', 'planet.tif', '-j', str(threads), '--memory', memory, '-o', 'globe.lf')
        assert content('globe.lf') == content('calm-globe.lf'), threads
        os.unlink('globe.lf')
    kills = continued = 0
    most = usual
    for _ in range(4 * KILLS):
        if kills == KILLS:
            break
        threads = str(chance.randint(1, 4))
        child = subprocess.Popen([landfall, 'globe', 'build', 'planet.tif', '-j', threads, '-o', 'globe.lf'],
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(chance.uniform(0.3 * most, most))
        child.kill()
        ended = child.wait() == 0
        kills += not ended
        most *= 0.7 if ended else 1  # it was faster than the first one, perhaps because the machine was busy then
        continued += os.path.exists('globe.lf.work/packed') and os.path.getsize('globe.lf.work/packed') > 0
        if os.path.exists('globe.lf') and not os.path.exists('globe.lf.work'):
            assert content('globe.lf') == content('calm-globe.lf')
            os.unlink('globe.lf')
    run('globe', 'build', 'planet.tif', '-j', '2', '-o', 'globe.lf')
    assert content('globe.lf') == content('calm-globe.lf')
    assert not os.path.exists('globe.lf.work')
    print(f'{kills} kills of a globe in {usual:.1f} s, {continued} with tiles to continue from')
    assert kills == KILLS


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        run('make', 'mountains', '--size', str(SIDE), '-o', 'made.tif')
        gdal.Translate('float.tif', 'made.tif', outputSRS='EPSG:32632', noData=-9999)
        gdal.Translate('int16.tif', 'float.tif', outputType=gdal.GDT_Int16)
        gdal.Translate('int32.tif', 'float.tif', outputType=gdal.GDT_Int32)
        run('make', 'rough', '--size', '1500', '-o', 'large.tif')
        equal_to_one_piece()
        gaps_and_voids()
        other_formats()
        refusals()
        results()
        killed()
        globes()
        os.chdir('/')


main()
