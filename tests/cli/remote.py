#!/usr/bin/python3
"""Files of landfall on a server, in an archive: the same answers as from the disk, few bytes and requests, clear refusals.

usage: remote.py LANDFALL
"""
import http.server
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import zipfile

landfall = os.path.abspath(sys.argv[1])


class Files(http.server.BaseHTTPRequestHandler):
    """Files of a folder by ranges, with a count of requests and bytes; `fault` makes replies wrong."""
    protocol_version = 'HTTP/1.1'
    fault = None
    lock = threading.Lock()
    requests = sent = 0

    def log_message(self, *_):
        pass

    def count(self, sent):
        with Files.lock:
            Files.requests += 1
            Files.sent += sent

    def do_HEAD(self):
        self.reply(False)

    def do_GET(self):
        self.reply(True)

    def reply(self, body):
        path = self.path.lstrip('/')
        if not os.path.isfile(path):
            self.count(0)
            self.send_response(404)
            self.send_header('Content-Length', '0')
            self.end_headers()
            return
        with open(path, 'rb') as file:
            data = file.read()
        span = self.headers.get('Range')
        first, last = 0, len(data) - 1
        if span and Files.fault != 'ranges':
            low, high = span.split('=')[1].split('-')
            first, last = int(low), min(int(high), last) if high else last
            if first > last:
                self.count(0)
                self.send_response(416)
                self.send_header('Content-Length', '0')
                self.end_headers()
                return
            self.send_response(206)
            self.send_header('Content-Range', f'bytes {first}-{last}/{len(data)}')
        else:
            self.send_response(200)
        if Files.fault != 'ranges':
            self.send_header('Accept-Ranges', 'bytes')
        part = data[first:last + 1]
        self.send_header('Content-Length', str(len(part)))
        self.end_headers()
        if not body:
            self.count(0)
            return
        if Files.fault == 'truncated' and first > 0:
            part = part[:len(part) // 2]
            self.close_connection = True
        if Files.fault == 'changed' and first > 0:
            part = bytes(b ^ 1 for b in part)
        self.count(len(part))
        try:
            self.wfile.write(part)
        except OSError:  # a client that has seen enough
            self.close_connection = True


def run(*words, status=0, error=None):
    environment = dict(os.environ, GDAL_HTTP_TIMEOUT='20', GDAL_HTTP_MAX_RETRY='0')
    done = subprocess.run([landfall, *words], capture_output=True, text=True, check=False, timeout=120,
                          env=environment)
    assert done.returncode == status or (status == 0 and words[0] == 'sight' and done.returncode == 1), (words, done.returncode, done.stdout, done.stderr)
    if error is not None:
        assert error in done.stderr, (words, error, done.stderr)
    return done.stdout


def counted(*words, **how):
    Files.requests = Files.sent = 0
    out = run(*words, **how)
    return out, Files.requests, Files.sent


def same(name, remote, *words, most_bytes, most_requests):
    """The answer is that of the file on the disk, and costs no more than this."""
    command, *rest = words
    here = run(command, name, *rest)
    there, requests, sent = counted(command, remote, *rest)
    assert here == there.replace(remote, name), (words, here, there)
    print(f'{name} {" ".join(words):60} {requests:4} requests {sent:9} bytes of {os.path.getsize(name)}')
    assert sent <= most_bytes and requests <= most_requests, (words, requests, sent)


def answers(base):
    for name, scale in (('raw.lf', 3), ('pack.lf', 1)):
        remote = f'/vsicurl/{base}/{name}'
        same(name, remote, 'height', '--at', '15000,16000', most_bytes=scale * 1200000, most_requests=40)
        same(name, remote, 'ray', '--from', '15000,16000,5000', '--dir', '0.1,0.02,-1', most_bytes=scale * 1200000, most_requests=40)
        same(name, remote, 'sight', '--from', '15000,16000,30', '--to', '18000,20000,2', most_bytes=scale * 1500000, most_requests=60)
        same(name, remote, 'info', most_bytes=scale * 500000, most_requests=12)
        for place in ('', remote):
            run('viewshed', place or name, '--at', '15000,16000,30', '--range', '2000', '-o', f'seen{bool(place)}.tif')
        with open('seenFalse.tif', 'rb') as a, open('seenTrue.tif', 'rb') as b:
            assert a.read() == b.read()
        assert run('verify', remote) == 'ok\n'
    globe = f'/vsicurl/{base}/globe.lf'
    same('globe.lf', globe, 'height', '--at', '10.5,20.5', most_bytes=400000, most_requests=40)
    same('globe.lf', globe, 'sight', '--from', '10.5,20.5,100', '--to', '10.6,20.6,2', most_bytes=800000, most_requests=80)
    same('mesh.lf', f'/vsicurl/{base}/mesh.lf', 'height', '--at', '10,10', most_bytes=10**7, most_requests=40)


def faults(base):
    raw = f'/vsicurl/{base}/raw.lf'
    run('height', f'/vsicurl/{base}/none.lf', '--at', '1,1', status=2, error='none.lf')
    run('height', f'/vsicurl/{base}/text.lf', '--at', '1,1', status=2, error='no landfall file')
    Files.fault = 'ranges'
    run('height', raw, '--at', '15000,16000', status=2, error='Range downloading not supported by this server')
    Files.fault = 'truncated'
    run('height', raw, '--at', '15000,16000', status=2, error='raw.lf')
    run('viewshed', raw, '--at', '15000,16000,30', '--range', '2000', '-o', 'none.tif', status=2, error='raw.lf')
    assert not os.path.exists('none.tif')
    Files.fault = 'changed'
    run('height', raw, '--at', '15000,16000', status=2, error='wrong')
    Files.fault = None
    # A wrong byte far from what opening reads, on the server itself.
    shutil.copy('pack.lf', 'bad.lf')
    with open('bad.lf', 'r+b') as file:
        file.seek(os.path.getsize('bad.lf') // 3)
        bytes3 = file.read(4000)
        file.seek(os.path.getsize('bad.lf') // 3)
        file.write(bytes(b ^ 255 for b in bytes3))
    run('verify', f'/vsicurl/{base}/bad.lf', status=2, error='checksum')
    with open('short.lf', 'wb') as short, open('raw.lf', 'rb') as whole:
        short.write(whole.read(1000000))
    run('height', f'/vsicurl/{base}/short.lf', '--at', '1,1', status=2, error='bytes where the header says')


def archives():
    for kind in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        with zipfile.ZipFile('all.zip', 'w', kind) as archive:
            archive.write('pack.lf')
        here, there = (run('sight', name, '--from', '15000,16000,30', '--to', '18000,20000,2')
                       for name in ('pack.lf', '/vsizip/all.zip/pack.lf'))
        assert here == there
    run('height', '/vsizip/all.zip/other.lf', '--at', '1,1', status=2, error='other.lf')
    run('height', '/vsizip/none.zip/pack.lf', '--at', '1,1', status=2, error='none.zip')


def nginx(program):
    """The same through a real server, whose log says how many bytes went out."""
    folder = os.getcwd()
    user = 'user root root;' if os.geteuid() == 0 else ''
    with open('nginx.conf', 'w', encoding='utf-8') as file:
        file.write(f'''{user} daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/error.log;
events {{ worker_connections 64; }}
http {{
    log_format bytes '$status $body_bytes_sent'; access_log {folder}/access.log bytes;
    client_body_temp_path {folder}/t1; proxy_temp_path {folder}/t2; fastcgi_temp_path {folder}/t3;
    uwsgi_temp_path {folder}/t4; scgi_temp_path {folder}/t5;
    server {{ listen 127.0.0.1:PORT; root {folder}; }}
}}
''')
    for port in range(18700 + os.getpid() % 200, 19000, 7):
        with open('nginx.conf', encoding='utf-8') as file:
            text = file.read().replace('PORT', str(port), 1)
        with open('one.conf', 'w', encoding='utf-8') as file:
            file.write(text)
        server = subprocess.Popen([program, '-e', f'{folder}/error.log', '-c', f'{folder}/one.conf'],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(50):
            time.sleep(0.1)  # until it has begun, or ended because the port is taken
            if server.poll() is not None or os.path.exists('nginx.pid') and os.path.getsize('nginx.pid'):
                break
        if server.poll() is None:
            break
    else:
        print('skipped: nginx does not start')
        return
    try:
        here = run('sight', 'pack.lf', '--from', '15000,16000,30', '--to', '18000,20000,2')
        assert here == run('sight', f'/vsicurl/http://127.0.0.1:{port}/pack.lf', '--from', '15000,16000,30', '--to', '18000,20000,2')
    finally:
        server.terminate()
        server.wait()
    with open('access.log', encoding='utf-8') as file:
        lines = [line.split() for line in file]
    sent = sum(int(size) for status, size in lines)
    assert all(status in ('200', '206') for status, size in lines), lines
    print(f'nginx: {len(lines)} requests, {sent} bytes of {os.path.getsize("pack.lf")}')
    assert len(lines) <= 60 and sent < os.path.getsize('pack.lf') // 2, (len(lines), sent)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        run('make', 'mountains', '--size', '1281', '-o', 'heights.tif')
        run('build', 'heights.tif', '-o', 'raw.lf')
        run('build', 'heights.tif', '--max-error', '0.1', '-o', 'pack.lf')
        run('make', 'planet', '--size', '256', '-o', 'planet.tif')
        run('globe', 'build', 'planet.tif', '-o', 'globe.lf')
        run('make', 'park', '--size', '5000', '-o', 'mesh.ply')
        run('build', 'mesh.ply', '-o', 'mesh.lf')
        with open('text.lf', 'w', encoding='utf-8') as file:
            file.write('nothing\n' * 100)
        server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Files)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        base = f'http://127.0.0.1:{server.server_address[1]}'
        answers(base)
        faults(base)
        server.shutdown()
        archives()
        program = shutil.which('nginx', path='/usr/sbin:/usr/bin')
        if program:
            nginx(program)
        else:
            print('skipped: nginx is not installed')
        os.chdir('/')


main()
