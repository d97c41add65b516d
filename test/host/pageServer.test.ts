/** The page that a browser is served: who gets in, once, and what hostile requests get. */
import assert from 'node:assert/strict';
import http from 'node:http';
import net from 'node:net';
import { servePage, type PageServer } from '../../src/host/pageServer';

interface Answer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

interface Request {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

function send(url: URL, path: string, { method = 'GET', headers = {}, body }: Request = {}) {
  return new Promise<Answer>((resolve, reject) => {
    const options = { host: url.hostname, port: url.port, path, method, headers };
    const request = http.request(options, response => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text });
      });
    });
    request.on('error', reject).end(body);
  });
}

describe('the page served to a browser', () => {
  let server: PageServer;
  let received: unknown[] = [];
  let events: string[] = [];
  let url: URL;
  let folder = '';

  const open = async (idleMs = 60_000, requestMs = 300): Promise<void> => {
    received = [];
    events = [];
    server = await servePage({
      page: nonce => `<script nonce="${nonce}"></script>`,
      files: {
        'webview.js': { type: 'text/javascript', read: () => Promise.resolve(Buffer.from('js')) },
      },
      maxMessageBytes: 1000,
      idleMs,
      requestMs,
      onMessage: data => received.push(data),
      onConnected: () => events.push('connected'),
      onDisconnected: () => events.push('disconnected'),
      onClosed: () => events.push('closed'),
    });
    url = new URL(server.address());
    folder = `/${url.pathname.split('/')[1] ?? ''}`;
  };
  beforeEach(() => open());
  afterEach(() => {
    server.close();
  });

  const enter = async (): Promise<string> => {
    const { headers } = await send(url, url.pathname);
    return headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  };
  const origin = (): string => `http://${url.host}`;
  const post = (cookie: string, body: string, headers: Readonly<Record<string, string>> = {}) =>
    send(url, `${folder}/messages`, {
      method: 'POST',
      body,
      headers: { cookie, origin: origin(), 'content-type': 'application/json', ...headers },
    });
  const statusOf = async (answer: Promise<Answer>): Promise<number> => (await answer).status;
  const until = async (done: () => boolean): Promise<void> => {
    const deadline = Date.now() + 5000;
    while (!done() && Date.now() < deadline) await new Promise(resolve => setTimeout(resolve, 5));
    assert.ok(done(), JSON.stringify({ events, received }));
  };
  const listen = (cookie: string): { text: string; ended: boolean } => {
    const stream = { text: '', ended: false };
    http.get(`${origin()}${folder}/events`, { headers: { cookie } }, response => {
      response.setEncoding('utf8').on('data', (part: string) => (stream.text += part));
      response.on('close', () => (stream.ended = true));
    });
    return stream;
  };

  it('listens on loopback alone', () => {
    assert.equal(url.hostname, '127.0.0.1');
    assert.ok(Number(url.port) > 0);
  });

  it('turns the token into a session, with a policy that lets nothing else in', async () => {
    const { status, headers, body } = await send(url, url.pathname);
    assert.equal(status, 200);
    const cookie = headers['set-cookie']?.[0] ?? '';
    assert.match(cookie, /^gemm-explorer=[\w-]{43}; HttpOnly; SameSite=Strict$/);
    const [, nonce = ''] = /nonce="([\w-]{43})"/.exec(body) ?? [];
    const policy = String(headers['content-security-policy']);
    assert.match(policy, /^default-src 'none'; script-src 'nonce-/);
    assert.ok(policy.includes(`'nonce-${nonce}'`));
    assert.match(policy, /frame-ancestors 'none'/);
    assert.equal(headers['access-control-allow-origin'], undefined);
    const file = await send(url, `${folder}/webview.js`, { headers: { cookie } });
    assert.deepEqual([file.status, file.body], [200, 'js']);
    assert.equal(await statusOf(send(url, `${folder}/`, { headers: { cookie } })), 200);
  });

  it('takes a token once, and none but the newest', async () => {
    const old = url.pathname;
    const fresh = new URL(server.address()).pathname;
    assert.equal(await statusOf(send(url, old)), 403, 'an older one');
    assert.equal(await statusOf(send(url, fresh)), 200);
    assert.equal(await statusOf(send(url, fresh)), 403, 'used');
    assert.equal(await statusOf(send(url, `${folder}/${'a'.repeat(43)}`)), 403, 'wrong');
  });

  it('gives nothing without the session, or below another path', async () => {
    const cookie = await enter();
    for (const path of ['/', '/webview.js', folder.slice(0, -1), '/..%2f', '/favicon.ico']) {
      assert.equal(await statusOf(send(url, path, { headers: { cookie } })), 404, path);
    }
    for (const path of ['', 'webview.js', 'events'].map(name => `${folder}/${name}`)) {
      assert.equal(await statusOf(send(url, path)), 403, path);
      const wrong = { cookie: `gemm-explorer=${'a'.repeat(43)}` };
      assert.equal(await statusOf(send(url, path, { headers: wrong })), 403, path);
    }
  });

  it('serves a fixed list: no path leads out of it and no folder is listed', async () => {
    const cookie = await enter();
    const hostile = [
      '../package.json',
      '..%2fpackage.json',
      '%2e%2e/package.json',
      '../../etc/passwd',
      'webview.js/..',
      'webview.js%00.css',
      '__proto__',
      'constructor',
      'dist',
      '.',
      '..',
    ];
    for (const name of hostile) {
      assert.equal(
        await statusOf(send(url, `${folder}/${name}`, { headers: { cookie } })),
        404,
        name,
      );
    }
  });

  it('refuses another Host, however it leads here, and another Origin', async () => {
    const cookie = await enter();
    const path = `${folder}/webview.js`;
    for (const host of ['evil.example', `evil.example:${url.port}`, `localhost:${url.port}`]) {
      assert.equal(await statusOf(send(url, path, { headers: { cookie, host } })), 403, host);
    }
    const host = `localhost:${url.port}`;
    server.allow(host);
    assert.equal(await statusOf(send(url, path, { headers: { cookie, host } })), 200);
    for (const wrong of ['http://evil.example', 'null', `http://127.0.0.1:1`, 'file://']) {
      assert.equal(await statusOf(post(cookie, '{}', { origin: wrong })), 403, wrong);
      assert.equal(
        await statusOf(send(url, path, { headers: { cookie, origin: wrong } })),
        403,
        wrong,
      );
    }
    const without = { method: 'POST', headers: { cookie, 'content-type': 'application/json' } };
    assert.equal(await statusOf(send(url, `${folder}/messages`, without)), 403, 'no Origin');
    const embedded = { cookie, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' };
    assert.equal(await statusOf(send(url, path, { headers: embedded })), 403);
    assert.deepEqual(received, []);
  });

  it('takes messages in JSON up to their limit, and no other method', async () => {
    const cookie = await enter();
    const fits = JSON.stringify('x'.repeat(998));
    assert.equal(await statusOf(post(cookie, fits)), 204);
    await until(() => received.length === 1);
    assert.equal(await statusOf(post(cookie, JSON.stringify('x'.repeat(999)))), 413);
    const chunked = { 'transfer-encoding': 'chunked' };
    assert.equal(await statusOf(post(cookie, JSON.stringify('x'.repeat(999)), chunked)), 413);
    assert.equal(await statusOf(post(cookie, '{')), 400);
    assert.equal(await statusOf(post(cookie, '{}', { 'content-type': 'text/plain' })), 415);
    for (const method of ['PUT', 'DELETE', 'OPTIONS']) {
      assert.equal(
        await statusOf(send(url, `${folder}/messages`, { method, headers: { cookie } })),
        405,
      );
    }
    assert.equal(received.length, 1);
  });

  it('drops a client that sends too slowly, and goes on with the others', async () => {
    const cookie = await enter();
    const slow = net.connect(Number(url.port), '127.0.0.1');
    slow.on('error', () => undefined);
    slow.write(`POST ${folder}/messages HTTP/1.1\r\nHost: ${url.host}\r\n`);
    let ended = false;
    slow.on('close', () => (ended = true)).resume();
    assert.equal(await statusOf(post(cookie, '{}')), 204);
    await until(() => ended);
    assert.equal(received.length, 1);
  });

  it('serves a browser while any number of connections send nothing', async () => {
    server.close();
    await open(60_000, 600_000);
    const connect = (text: string) =>
      new Promise<net.Socket>(resolve => {
        const socket = net.connect(Number(url.port), '127.0.0.1', () => {
          socket.write(text);
          resolve(socket);
        });
        socket.on('error', () => undefined);
      });
    const before = await Promise.all(Array.from({ length: 300 }, () => connect('')));
    const cookie = await enter();
    const after = await Promise.all(
      Array.from({ length: 300 }, () => connect('GET / HTTP/1.1\r\n')),
    );
    assert.equal(await statusOf(post(cookie, '{}')), 204);
    const stream = listen(cookie);
    await until(() => events.includes('connected'));
    await Promise.all(Array.from({ length: 300 }, () => connect('')));
    server.post({ still: 'here' });
    await until(() => stream.text.includes('still'));
    for (const socket of [...before, ...after]) socket.destroy();
  });

  it('sends messages to the newest tab, and tells the older one', async () => {
    const cookie = await enter();
    const first = listen(cookie);
    await until(() => events.length === 1);
    server.post({ one: 1 });
    await until(() => first.text.includes('data: {"one":1}\n\n'));
    const second = listen(cookie);
    await until(() => first.ended);
    assert.match(first.text, /event: replaced/);
    server.post({ two: 2 });
    await until(() => second.text.includes('data: {"two":2}\n\n'));
    assert.deepEqual(events, ['connected', 'connected']);
    assert.doesNotMatch(first.text, /two/);
  });

  it('closes when nobody has come, or come back, for a while', async () => {
    server.close();
    await open(100);
    await until(() => events.includes('closed'));
    await assert.rejects(send(url, url.pathname), /ECONNREFUSED/);
  });

  it('stays while a browser listens, and ends it when it closes', async () => {
    server.close();
    await open(200);
    const stream = listen(await enter());
    await until(() => events.includes('connected'));
    await new Promise(resolve => setTimeout(resolve, 400));
    assert.deepEqual(events, ['connected']);
    server.close();
    await until(() => stream.ended);
    assert.match(stream.text, /event: closed/);
  });
});
