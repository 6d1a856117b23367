#!/usr/bin/python3
"""Networks of points: each edge is what one line of sight says, and the index leaves out no pair.

usage: network.py LANDFALL DATA
"""
import csv
import json
import math
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as xml

landfall, data = (os.path.abspath(path) for path in sys.argv[1:3])


def run(*words, text=None, status=0):
    done = subprocess.run([landfall, *words], input=text, capture_output=True, text=True, check=False)
    if status is not None:
        assert done.returncode == status, (words, done.returncode, done.stderr)
    return done


def edges(path):
    with open(path, encoding='utf-8') as file:
        return list(csv.DictReader(file))


def check(ground, points, ranges, metres):
    """All pairs against a line of sight each, then every range against all pairs."""
    with open('points.csv', 'w', encoding='utf-8') as file:
        file.writelines(f'{x!r},{y!r},{h!r},p{k}\n' for k, (x, y, h) in enumerate(points))
    options = ['--holes', 'unknown']
    run('intervisible', ground, 'points.csv', '-q', '-o', 'all.csv', *options)
    found = edges('all.csv')
    pairs = [(i, j) for i in range(len(points)) for j in range(i + 1, len(points))]
    asked = ''.join(','.join(repr(n) for n in points[i] + points[j]) + '\n' for i, j in pairs)
    lines = run('sight', ground, '-', *options, text=asked, status=None).stdout.splitlines()
    assert len(lines) == len(pairs)
    wanted = [(f'p{i}', f'p{j}', line.split()[0]) for (i, j), line in zip(pairs, lines) if not line.startswith('blocked')]
    assert [(row['from'], row['to'], row['verdict']) for row in found] == wanted
    for row in found if metres else []:
        a, b = points[int(row['from'][1:])], points[int(row['to'][1:])]
        assert abs(float(row['distance']) - math.dist(a[:2], b[:2])) < 1e-9 * float(row['distance']) + 1e-9
    for one in ranges:
        answer = json.loads(run('intervisible', ground, 'points.csv', '-q', '--range', repr(one), '-o', 'near.csv', '--json',
                                *options).stdout)
        near = edges('near.csv')
        assert near == [row for row in found if float(row['distance']) <= one], one
        assert answer['visible'] + answer['unknown'] == len(near) <= answer['pairs']


def formats():
    """Every form has the same edges."""
    run('intervisible', 'hills.tif', 'points.csv', '-q', '--range', '900', '-o', 'n.csv')
    run('intervisible', 'hills.tif', 'points.csv', '-q', '--range', '900', '-o', 'n.graphml')
    run('intervisible', 'hills.tif', 'points.csv', '-q', '--range', '900', '-o', 'n.geojson')
    wanted = [(row['from'], row['to'], float(row['distance'])) for row in edges('n.csv')]
    space = '{http://graphml.graphdrawing.org/xmlns}'
    graph = xml.parse('n.graphml').getroot().find(space + 'graph')
    names = {node.get('id'): node.find(f"{space}data[@key='name']").text for node in graph.findall(space + 'node')}
    assert [(names[edge.get('source')], names[edge.get('target')], float(edge.find(f"{space}data[@key='distance']").text))
            for edge in graph.findall(space + 'edge')] == wanted
    with open('n.geojson', encoding='utf-8') as file:
        lines = json.load(file)['features']
    assert [(line['properties']['from'], line['properties']['to'], line['properties']['distance']) for line in lines] == wanted
    run('intervisible', 'hills.tif', 'points.csv', '-q', '--range', '900', '-o', 'n.gpkg')
    with sqlite3.connect('n.gpkg') as tables:
        assert tables.execute('select "from", "to", distance from network order by fid').fetchall() == wanted
    tables.close()
    assert wanted


def interrupted():
    """An interrupt leaves the old file."""
    with open('many.csv', 'w', encoding='utf-8') as file:
        file.writelines(f'{random.uniform(0, 1900)!r},{random.uniform(0, 1900)!r},5\n' for _ in range(20000))
    for name in ('n.csv', 'n.gpkg'):
        with open(name, 'w', encoding='utf-8') as file:
            file.write('old')
        with subprocess.Popen([landfall, 'intervisible', 'hills.tif', 'many.csv', '-q', '-o', name], stderr=subprocess.PIPE) as child:
            time.sleep(1)
            child.send_signal(signal.SIGINT)
            child.communicate(timeout=60)
        assert child.returncode != 0
        with open(name, encoding='utf-8') as file:
            assert file.read() == 'old'
    assert not [name for name in os.listdir('.') if 'landfall-part' in name]


def main():
    random.seed(int(os.environ.get('LANDFALL_SEED', '1')))
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        run('make', 'hills', '--size', '65', '--step', '30', '-q', '-o', 'hills.tif')
        rounds = 20 if os.environ.get('LANDFALL_LONG') else 2
        for _ in range(rounds):
            points = [(random.uniform(0, 1900), random.uniform(0, 1900), random.uniform(0, 30)) for _ in range(60)]
            points += [(200.0, 300.0, 3.0), (500.0, 700.0, 3.0), points[1]]
            check('hills.tif', points, [1e-3, 40, 500, random.uniform(1, 1900), 1e9], True)
        formats()
        # A whole planet in degrees: the seam and the poles.
        rows = [' '.join(str(random.randint(0, 900)) for _ in range(36)) for _ in range(18)]
        with open('planet.asc', 'w', encoding='utf-8') as file:
            file.write('ncols 36\nnrows 18\nxllcorner -180\nyllcorner -90\ncellsize 10\n' + '\n'.join(rows) + '\n')
        with open(os.path.join(data, 'world.prj'), encoding='utf-8') as source, open('planet.prj', 'w', encoding='utf-8') as file:
            file.write(source.read())
        for _ in range(rounds):
            points = [(random.choice((-179.9, 179.9, 0.0)) + random.uniform(-0.05, 0.05), random.choice((-84.0, 60.0, 0.0)) + random.uniform(-0.3, 0.3),
                       float(random.randint(3, 3000))) for _ in range(40)]
            check('planet.asc', points, [30, 3e3, 3e4, random.uniform(1e3, 1e6)], False)
        interrupted()


main()
