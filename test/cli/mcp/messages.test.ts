/** Messages that are not requests: the MCP server ignores or refuses them, and goes on. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { PassThrough } from 'node:stream';
import { createInterface } from 'node:readline';
import fc from 'fast-check';
import { limitedLines, type Refused } from '../../../src/cli/mcp/limitedLines';
import { runs } from '../../helpers/depth';
import { CLI, inFolder } from '../cli';

interface Raw {
  readonly send: (line: string) => void;
  /** Returns the next message with this id; messages with other ids are dropped. */
  readonly answerTo: (id: number) => Promise<Readonly<Record<string, unknown>>>;
}

const withRaw = (use: (raw: Raw) => Promise<void>): Promise<void> =>
  inFolder(async folder => {
    const child = spawn(process.execPath, [CLI, 'mcp'], { cwd: folder, stdio: 'pipe' });
    const ended = new Promise(resolve => child.once('close', resolve));
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    child.stderr.resume();
    await use({
      send: line => child.stdin.write(`${line}\n`),
      answerTo: async id => {
        for (;;) {
          const next = await lines.next();
          assert.notEqual(next.done, true, 'the server ended');
          const message = JSON.parse(next.value as string) as Readonly<Record<string, unknown>>;
          if (message['id'] === id) return message;
        }
      },
    });
    child.stdin.end();
    assert.equal(await ended, 0);
  });

const request = (id: number, method: string, params: object): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });

const INITIALIZE = request(1, 'initialize', {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'raw', version: '1' },
});

describe('messages to the MCP server', function () {
  this.timeout(60_000);

  it('survive nonsense between them', () =>
    withRaw(async ({ send, answerTo }) => {
      send(INITIALIZE);
      await answerTo(1);
      const nonsense = [
        'not json',
        '{"jsonrpc":"2.0"',
        '[]',
        'null',
        '{"jsonrpc":"1.0","id":1,"method":"ping"}',
        '{"jsonrpc":"2.0","id":{},"method":"tools/list"}',
        '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}',
        '{"jsonrpc":"2.0","id":99,"result":{}}',
        '\u0000\u0001',
        '',
      ];
      for (const line of nonsense) send(line);
      send(request(2, 'tools/call', { name: 'check_spec', arguments: [1] }));
      assert.ok('error' in (await answerTo(2)));
      send(request(3, 'no/such/method', {}));
      assert.ok('error' in (await answerTo(3)));
      send(request(4, 'tools/call', { name: 'no_such_tool' }));
      assert.match(JSON.stringify(await answerTo(4)), /Unknown tool/);
      send(request(5, 'ping', {}));
      assert.deepEqual((await answerTo(5))['result'], {});
    }));

  it('are refused with their id if they are huge', () =>
    withRaw(async ({ send, answerTo }) => {
      send(INITIALIZE);
      await answerTo(1);
      const huge = { name: 'analyze_kernel', arguments: { source: 'x'.repeat(20_000_000) } };
      send(JSON.stringify({ method: 'tools/call', params: huge, jsonrpc: '2.0', id: 7 }));
      const { error } = await answerTo(7);
      assert.match((error as { readonly message: string }).message, /more than 8000000 bytes/);
      send(request(8, 'ping', {}));
      assert.deepEqual((await answerTo(8))['result'], {});
    }));

  it('pass unchanged up to the limit, in whatever parts they arrive', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: fc.constantFrom('a', 'é', '"', '1'), maxLength: 30 })),
        fc.integer({ min: 1, max: 20 }),
        async (lines, size) => {
          const most = 24;
          const refused: Refused[] = [];
          const stream = limitedLines(one => refused.push(one), most);
          const parts: Buffer[] = [];
          const input = new PassThrough();
          input.pipe(stream).on('data', (part: Buffer) => parts.push(part));
          const bytes = Buffer.from(lines.map(line => `${line}\n`).join(''));
          for (let at = 0; at < bytes.length; at += size)
            input.write(bytes.subarray(at, at + size));
          input.end();
          await new Promise(resolve => stream.once('end', resolve));
          const kept = lines.filter(line => Buffer.byteLength(line) <= most);
          assert.equal(Buffer.concat(parts).toString(), kept.map(line => `${line}\n`).join(''));
          assert.equal(refused.length, lines.length - kept.length);
        },
      ),
      runs(400),
    ));
});
