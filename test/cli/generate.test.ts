/** `generate`: files, their names, and what is never overwritten. */
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { cli, inFolder, jsonOf, spec } from './cli';
import { bash } from './hostile';

interface Generated {
  readonly kernels: readonly {
    readonly target: string;
    readonly specKey: string;
    readonly path: string;
    readonly entry: string;
    readonly grid: readonly number[];
    readonly block: readonly number[];
    readonly sharedBytes: number;
    readonly bindings: readonly unknown[];
    readonly main?: string;
  }[];
}

const generate = (out: string, more: readonly string[] = [], text = spec()) =>
  cli(['generate', '-', '--out', out, '--json', ...more], text);

describe('generate', () => {
  it('writes one file per target and creates the folder', async () => {
    await inFolder(async folder => {
      const out = path.join(folder, 'new', 'deep');
      const ran = await generate(out);
      assert.equal(ran.code, 0, ran.stderr);
      const { kernels } = jsonOf(ran) as Generated;
      assert.deepEqual(
        kernels.map(({ target }) => target),
        ['cuda', 'wgsl'],
      );
      for (const kernel of kernels) {
        assert.equal(path.dirname(kernel.path), out);
        assert.ok(path.basename(kernel.path).startsWith(kernel.specKey));
        const text = readFileSync(kernel.path, 'utf8');
        assert.ok(text.includes(kernel.entry));
        assert.match(text, /@gemm-generated/);
        assert.equal(kernel.grid.length, 3);
        assert.equal(kernel.block.length, 3);
        assert.ok(kernel.bindings.length >= 4);
      }
      assert.deepEqual(readdirSync(out).length, 2, 'no temporary files are left');
    });
  });

  it('writes the same text for the same spec', async () => {
    await inFolder(async folder => {
      const read = async (name: string): Promise<string> => {
        const ran = await generate(path.join(folder, name), ['--target', 'cuda']);
        return readFileSync((jsonOf(ran) as Generated).kernels[0]!.path, 'utf8');
      };
      assert.equal(await read('one'), await read('two'));
    });
  });

  it('writes a host program on request', async () => {
    await inFolder(async folder => {
      const ran = await generate(folder, ['--with-main']);
      assert.equal(ran.code, 0, ran.stderr);
      const [cuda, wgsl] = (jsonOf(ran) as Generated).kernels;
      assert.match(readFileSync(cuda!.main!, 'utf8'), /int main\(/);
      assert.equal(wgsl!.main, undefined);
      const { stdout } = await cli(['generate', '-', '--out', folder, '--with-main'], spec());
      assert.ok(stdout.includes(cuda!.main!));
    });
  });

  it('replaces its own file, keeps an edited one, and replaces that only with --force', async () => {
    await inFolder(async folder => {
      const first = jsonOf(await generate(folder, ['--target', 'wgsl'])) as Generated;
      const file = first.kernels[0]!.path;
      const original = readFileSync(file, 'utf8');
      assert.equal((await generate(folder, ['--target', 'wgsl'])).code, 0);

      const edited = original.replace('fn ', 'fn  ');
      writeFileSync(file, edited);
      const kept = await generate(folder, ['--target', 'wgsl']);
      assert.equal(kept.code, 2);
      assert.match(kept.stderr, /was edited.*--force/);
      assert.equal(readFileSync(file, 'utf8'), edited);

      assert.equal((await generate(folder, ['--target', 'wgsl', '--force'])).code, 0);
      assert.equal(readFileSync(file, 'utf8'), original);
    });
  });

  it('checks files without writing, and reports each that is not up to date', async () => {
    await inFolder(async folder => {
      const out = path.join(folder, 'kernels');
      const check = async () => {
        const ran = await cli(['generate', '-', '--out', out, '--check', '--json'], spec());
        const { files } = jsonOf(ran) as { readonly files: readonly { readonly state: string }[] };
        return [ran.code, ...files.map(({ state }) => state)];
      };
      assert.deepEqual(await check(), [1, 'missing', 'missing']);
      assert.ok(!existsSync(out), 'nothing is written');
      assert.equal((await cli(['generate', '-', '--out', out], spec())).code, 0);
      assert.deepEqual(await check(), [0, 'current', 'current']);
      const [cuda = '', wgsl = ''] = readdirSync(out).map(name => path.join(out, name));
      const text = readFileSync(cuda, 'utf8');
      writeFileSync(cuda, text.replaceAll('\n', '\r\n'));
      assert.deepEqual(await check(), [0, 'current', 'current'], 'line endings are ignored');
      writeFileSync(cuda, text.replace('\n', ' changed\n'));
      writeFileSync(wgsl, '// mine\n');
      assert.deepEqual(await check(), [1, 'edited', 'foreign']);
      assert.equal(readFileSync(wgsl, 'utf8'), '// mine\n');
    });
  });

  it('never overwrites a foreign file', async () => {
    await inFolder(async folder => {
      const first = jsonOf(await generate(folder, ['--target', 'cuda'])) as Generated;
      const file = first.kernels[0]!.path;
      writeFileSync(file, '// mine\n');
      assert.equal((await generate(folder, ['--target', 'cuda'])).code, 2);
      assert.equal(readFileSync(file, 'utf8'), '// mine\n');
    });
  });

  it('rejects an invalid spec and writes nothing', async () => {
    await inFolder(async folder => {
      const out = path.join(folder, 'out');
      const schedule = {
        algorithm: 'thread-tile-2d',
        block: { m: 128, n: 128, k: 8 },
        thread: { m: 4, n: 4 },
      };
      // One listed target is legal, the other is not: all or nothing.
      const ran = await generate(out, [], spec(schedule, { targets: ['cuda', 'wgsl'] }));
      assert.equal(ran.code, 2);
      assert.match(ran.stderr, /wgsl/);
      assert.ok(!existsSync(out));
    });
  });

  it('rejects a missing --out, a file as folder, a link and a read-only folder', async () => {
    assert.equal((await cli(['generate', '-'], spec())).code, 2);
    await inFolder(async folder => {
      const file = path.join(folder, 'file');
      writeFileSync(file, '');
      const onFile = await generate(path.join(file, 'sub'));
      assert.equal(onFile.code, 2, onFile.stderr);
      assert.match(onFile.stderr, /could not be written/);

      const linked = jsonOf(await generate(folder, ['--target', 'wgsl'])) as Generated;
      const name = path.basename(linked.kernels[0]!.path);
      const other = path.join(folder, 'other');
      mkdirSync(other);
      symlinkSync(linked.kernels[0]!.path, path.join(other, name));
      const onLink = await generate(other, ['--target', 'wgsl']);
      assert.equal(onLink.code, 2);
      assert.match(onLink.stderr, /symbolic link/);
    });
  });

  it('writes no file if the largest one does not fit', async function () {
    if (process.platform === 'win32') this.skip();
    await inFolder(async folder => {
      const whole = path.join(folder, 'whole');
      const { kernels } = jsonOf(await generate(whole, ['--with-main'])) as Generated;
      const sizes = readdirSync(whole).map(name => statSync(path.join(whole, name)).size);
      const kibibytes = Math.floor(Math.max(...sizes) / 1024);
      assert.ok(
        sizes.some(size => size <= 1024 * kibibytes),
        sizes.join(),
      );
      const out = path.join(folder, 'out');
      const args = ['generate', '-', '--with-main', '--json', '--out', out];
      const limited = `ulimit -f ${kibibytes}; exec "$@"`;
      const first = bash(limited, args, { input: spec() });
      assert.equal(first.code, 2, first.stderr);
      assert.match(first.stderr, /No file was written.*file size limit/s);
      assert.deepEqual(readdirSync(out), []);
      // Over files of an earlier spec, which stay as they are.
      const smaller = spec(undefined, { targets: ['cuda'] });
      assert.equal((await cli(['generate', '-', '--out', out], smaller)).code, 0);
      const [name = ''] = readdirSync(out);
      const before = readFileSync(path.join(out, name), 'utf8');
      assert.equal(bash(limited, args, { input: spec() }).code, 2);
      assert.deepEqual(readdirSync(out), [name]);
      assert.equal(readFileSync(path.join(out, name), 'utf8'), before);
      assert.ok(kernels.length > 0);
    });
  });

  it('writes nothing if one of the files was edited', () =>
    inFolder(async folder => {
      const { kernels } = jsonOf(await generate(folder, ['--with-main'])) as Generated;
      const main = path.join(
        folder,
        readdirSync(folder).find(name => name.includes('.main.'))!,
      );
      writeFileSync(main, `${readFileSync(main, 'utf8')}// mine\n`);
      for (const { path: file } of kernels) rmSync(file);
      const ran = await generate(folder, ['--with-main']);
      assert.equal(ran.code, 2);
      assert.match(ran.stderr, /was edited and was left unchanged/);
      assert.deepEqual(readdirSync(folder), [path.basename(main)]);
    }));

  it('returns an error if no folder can be created (Linux)', async function () {
    if (process.platform !== 'linux') this.skip();
    const { code, stderr } = await generate('/proc/x/y');
    assert.equal(code, 2);
    assert.match(stderr, /could not be written.*cannot be created/);
  });

  it('rejects a read-only folder (needs an ordinary user)', async function () {
    // Root writes everywhere.
    if (process.getuid?.() === 0) this.skip();
    await inFolder(async folder => {
      const out = path.join(folder, 'read-only');
      mkdirSync(out);
      chmodSync(out, 0o555);
      const { code, stderr } = await generate(out);
      assert.equal(code, 2);
      assert.match(stderr, /permission denied/);
    });
  });

  it('runs and analyzes its output, edited or not', async () => {
    await inFolder(async folder => {
      const [cuda] = (jsonOf(await generate(folder)) as Generated).kernels;
      const run = await cli(['run', cuda!.path, '--backend', 'simulate', '--json']);
      assert.equal(run.code, 0, run.stderr);
      assert.equal((jsonOf(run) as { specKey: string }).specKey, cuda!.specKey);
      assert.equal((await cli(['analyze', cuda!.path, '--estimate', '--json'])).code, 0);

      writeFileSync(cuda!.path, readFileSync(cuda!.path, 'utf8').replace('+=', '-='));
      const edited = await cli(['run', cuda!.path, '--backend', 'simulate']);
      assert.equal(edited.code, 3, 'simulate never runs the text before the edit instead');
      assert.match(edited.stderr, /edited/);
    });
  }).timeout(20_000);
});
