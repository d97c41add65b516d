/** `share`: the file, its runs, its size, what it replaces, and invalid input. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { pinnedSpec } from '../../src/core/defaults/pinnedSpec';
import type { GemmSpec } from '../../src/core/spec/schema';
import { specOfLink } from '../../src/specLink';
import { cli, inFolder, jsonOf, spec } from './cli';

interface Shared {
  readonly path: string;
  readonly bytes: number;
  readonly contains: readonly string[];
  readonly omitted: readonly string[];
}

const SPEC = spec({ algorithm: 'thread-tile-2d', block: { m: 32, n: 32, k: 8 } });
const inSpecFolder = (use: (folder: string) => Promise<void>): Promise<void> =>
  inFolder(async folder => {
    writeFileSync(path.join(folder, 'my.gemm.json'), SPEC);
    await use(folder);
  });
const share = (folder: string, ...more: readonly string[]) =>
  cli(['share', 'my.gemm.json', '--estimate', ...more], '', { cwd: folder });

describe('share', () => {
  it('writes one file with the runs of the spec, whose command repeats the run', async () => {
    await inSpecFolder(async folder => {
      const first = await cli(['run', 'my.gemm.json', '--backend', 'simulate', '--json'], '', {
        cwd: folder,
      });
      assert.equal(first.code, 0, first.stderr);
      writeFileSync(path.join(folder, 'runs.jsonl'), first.stdout);
      const ran = await share(folder, '--runs', 'runs.jsonl', '-o', 'result.html', '--json');
      assert.equal(ran.code, 0, ran.stderr);
      const { path: file, bytes, contains, omitted } = jsonOf(ran) as Shared;
      const html = readFileSync(path.join(folder, file), 'utf8');
      assert.equal(file, 'result.html');
      assert.equal(bytes, Buffer.byteLength(html));
      assert.deepEqual(omitted, []);
      assert.match(ran.stderr, /The file contains: spec and analysis: .*; runs: 1, measured on /);
      assert.equal(contains.length, 3);
      const json = html.includes('download="my.gemm.json"')
        ? /data:application\/json;base64,([\w+/=]+)/.exec(html)?.[1]
        : undefined;
      writeFileSync(path.join(folder, 'my.gemm.json'), Buffer.from(json ?? '', 'base64'));
      const [, command = ''] = /gemm-explorer (run my\.gemm\.json [^<]+)</.exec(html) ?? [];
      const again = await cli([...command.split(' '), '--json'], '', { cwd: folder });
      assert.equal(again.code, 0, again.stderr);
      const key = (text: string): unknown => (JSON.parse(text) as { kernelKey: string }).kernelKey;
      assert.equal(key(again.stdout), key(first.stdout));
    });
  });

  it('contains no path of this machine, and a link that opens the spec', async () => {
    await inSpecFolder(async folder => {
      assert.equal((await share(folder)).code, 0);
      const html = readFileSync(path.join(folder, 'my.html'), 'utf8');
      for (const secret of [folder, path.basename(folder), tmpdir(), homedir(), process.cwd()])
        assert.ok(!html.includes(secret), secret);
      const [, query = ''] =
        /vscode:\/\/gemm-explorer\.gemm-explorer\/spec\?([^"]+)"/.exec(html) ?? [];
      const linked = await specOfLink('/spec', query);
      assert.ok(linked.ok);
      const given = JSON.parse(SPEC) as GemmSpec;
      assert.deepEqual(linked.spec, pinnedSpec(given));
    });
  });

  it('replaces an earlier capsule, and other files only with --force', async () => {
    await inSpecFolder(async folder => {
      assert.equal((await share(folder)).code, 0);
      assert.equal((await share(folder)).code, 0);
      const refused = await share(folder, '--out', 'my.gemm.json');
      assert.equal(refused.code, 2);
      assert.match(refused.stderr, /is not a capsule and was left unchanged. Fix: .*--force/);
      assert.equal(readFileSync(path.join(folder, 'my.gemm.json'), 'utf8'), SPEC);
      writeFileSync(path.join(folder, 'notes.html'), 'notes');
      assert.equal((await share(folder, '-o', 'notes.html', '--force')).code, 0);
      assert.match(readFileSync(path.join(folder, 'notes.html'), 'utf8'), /^<!DOCTYPE html>/);
    });
  });

  it('refuses a kernel, an illegal spec and an output that cannot be written', async () => {
    await inSpecFolder(async folder => {
      for (const [args, reason] of [
        [['share', 'a.cu'], /share reads specs/],
        [
          ['share', 'my.gemm.json', '--estimate', '--set', 'schedule.block.m=33'],
          /not legal|invalid/,
        ],
        [
          ['share', 'my.gemm.json', '--estimate', '-o', 'no/such/folder.html'],
          /could not be written/,
        ],
        [['share', 'my.gemm.json', '--estimate', '-o', '.'], /cannot be replaced/],
        [
          ['share', 'my.gemm.json', '--estimate', '--runs', 'none.jsonl'],
          /--runs: none\.jsonl could not/,
        ],
      ] as const) {
        const ran = await cli([...args], '', { cwd: folder });
        assert.equal(ran.code, 2, ran.stderr);
        assert.match(ran.stderr, reason);
      }
      assert.ok(!existsSync(path.join(folder, 'my.html')));
    });
  });
});
