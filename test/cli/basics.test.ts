/** The CLI as a process: commands, help, exit codes, and what is on which stream. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { CLI, cli, jsonOf } from './cli';

interface ErrorReply {
  readonly error: { readonly message: string };
}

describe('the command line', () => {
  it('prints help for the whole and for each command, on standard output', async () => {
    const help = await cli(['--help']);
    assert.equal(help.code, 0);
    for (const name of ['doctor', 'devices', 'check', 'generate', 'compile', 'run', 'bench']) {
      assert.match(help.stdout, new RegExp(`\\b${name}\\b`));
    }
    const check = await cli(['check', '--help']);
    assert.equal(check.code, 0);
    assert.match(check.stdout, /--set/);
    assert.ok(!check.stdout.includes('\u001b'), 'no colours where there is no terminal');
  });

  it('prints its version', async () => {
    const { code, stdout } = await cli(['--version']);
    assert.equal(code, 0);
    assert.match(stdout, /^\d+\.\d+\.\d+\n$/);
  });

  it('refuses a missing or unknown command with exit code 2 and names the known ones', async () => {
    for (const args of [[], ['chekc'], ['constructor'], ['--json']]) {
      const { code, stdout, stderr } = await cli(args);
      assert.equal(code, 2, args.join(' '));
      assert.match(stderr, /occupancy/);
      if (!args.includes('--json')) assert.equal(stdout, '');
    }
  });

  const refused: readonly (readonly [string, readonly string[], RegExp])[] = [
    ['an unknown option', ['check', '-', '--tagret', 'cuda'], /Unknown option --tagret.*--target/],
    ['an option twice', ['check', '-', '--target', 'cuda', '--target', 'wgsl'], /twice/],
    ['an option without value', ['check', '-', '--device'], /--device requires a value/],
    ['a value for a switch', ['check', '-', '--json=yes'], /does not take a value/],
    ['a negated switch', ['check', '-', '--no-json'], /Unknown option --no-json/],
    ['an unknown choice', ['check', '-', '--target', 'metal'], /cuda, wgsl/],
    ['one argument too many', ['rank', '-', 'b.json'], /does not accept "b.json"/],
    ['no SPEC', ['check'], /SPEC/],
  ];
  for (const [what, args, message] of refused) {
    it(`refuses ${what}`, async () => {
      const { code, stdout, stderr } = await cli(args);
      assert.equal(code, 2);
      assert.equal(stdout, '');
      assert.match(stderr, message);
    });
  }

  it('keeps standard output to one JSON value with --json, also for errors', async () => {
    const ran = await cli(['check', 'no such file.gemm.json', '--json']);
    assert.equal(ran.code, 2);
    assert.match((jsonOf(ran) as ErrorReply).error.message, /no such file/);
    assert.match(ran.stderr, /no such file/);
  });

  it('shows SPEC|FILE where a FILE is allowed', async () => {
    for (const name of ['compile', 'run', 'bench', 'analyze']) {
      assert.match((await cli([name, '--help'])).stdout, /<SPEC\|FILE>/, name);
    }
    assert.match((await cli(['check', '--help'])).stdout, /<SPEC\.\.\.>/);
  });

  it('does not succeed when its answer cannot be written (needs /dev/full)', function () {
    if (!existsSync('/dev/full')) this.skip();
    const line = '{"computeCapability":"9.0","threadsPerBlock":64}';
    for (const args of [['devices'], ['devices', '--json'], ['occupancy', '--batch', '-']]) {
      const full = openSync('/dev/full', 'w');
      const { status, stderr } = spawnSync(process.execPath, [CLI, ...args], {
        stdio: ['pipe', full, 'pipe'],
        input: line,
        encoding: 'utf8',
      });
      closeSync(full);
      assert.equal(status, 1, args.join(' '));
      assert.match(stderr, /could not be written.*no space/);
    }
  });
});

describe('devices', () => {
  it('lists the table', async () => {
    const ran = await cli(['devices', '--json']);
    assert.equal(ran.code, 0);
    const ids = (jsonOf(ran) as { id: string; name: string }[]).map(({ id }) => id);
    for (const id of ['h200', 'h100-sxm', 'a100-sxm-80gb', 'rtx-4090', 'rtx-3070-laptop', 't4']) {
      assert.ok(ids.includes(id), id);
    }
    assert.match((await cli(['devices'])).stdout, /h200 +NVIDIA H200 +9\.0/);
  });
});
