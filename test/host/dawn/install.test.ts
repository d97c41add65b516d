/**
 * Installing Dawn with an npm that is a hostile script, and with the real one on a registry that
 * gives other bytes.
 */
import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { installDawn, removeDawn, type InstallOptions } from '../../../src/host/dawn/install';
import { DAWN, PINNED } from '../../../src/host/dawn/pinned';
import { findNpm } from '../../../src/host/npm';
import { itWhole } from '../../helpers/depth';
import { eachInHostileFolder, fakeProgram, present, STUBBORN, survivors } from '../support';

/** What the real one leaves behind; `change` may alter its own list of what it installed. */
const installs = (change = ''): string => `
const { packages } = JSON.parse(fs.readFileSync('package-lock.json', 'utf8'));
delete packages[''];
${change}
for (const name of Object.keys(packages)) fs.mkdirSync(name, { recursive: true });
fs.writeFileSync('node_modules/webgpu/index.js', 'whole');
fs.writeFileSync('node_modules/.package-lock.json', JSON.stringify({ packages }));
fs.writeFileSync(__dirname + '/asked', JSON.stringify({ args, cwd: process.cwd() }));
`;
const fails = (...lines: readonly string[]): string =>
  `fs.mkdirSync('node_modules'); console.error(${JSON.stringify(lines.join('\n'))}); process.exit(1);`;

describe('installing Dawn', function () {
  this.timeout(30_000);
  let base = '';
  let folder = '';
  eachInHostileFolder(given => {
    base = given;
    folder = path.join(base, 'storage', 'dawn');
  });
  const install = (npm: string, more: Partial<InstallOptions> = {}) => {
    fakeProgram(base, 'npm', npm);
    return installDawn({ folder, search: { environment: { PATH: base } }, ...more });
  };
  const left = (): readonly string[] => readdirSync(path.dirname(folder));
  const refused = async (
    npm: string,
    expected: { readonly why: RegExp; readonly next: RegExp },
    more: Partial<InstallOptions> = {},
  ): Promise<void> => {
    const ended = await install(npm, more);
    assert.ok(!ended.ok);
    assert.match(ended.why, expected.why);
    assert.match(ended.next, expected.next);
    assert.deepEqual(left(), []);
  };

  it('pins what the project itself is tested with', () => {
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
      packages: Record<string, { version: string; integrity: string; dependencies?: object }>;
    };
    assert.equal(PINNED[`node_modules/${DAWN.name}`]?.version, DAWN.version);
    for (const [name, { version, integrity, dependencies = {} }] of Object.entries(PINNED)) {
      const own = packages[name];
      const { dependencies: ownDependencies = {} } = own ?? {};
      assert.deepEqual(
        { version, integrity, dependencies },
        { version: own?.version, integrity: own?.integrity, dependencies: ownDependencies },
        name,
      );
      for (const needed of Object.keys(dependencies)) assert.ok(PINNED[`node_modules/${needed}`]);
    }
  });

  it('asks npm for the pinned lock file and no script, in a folder of its own, and keeps what is whole', async () => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, 'old'), '');
    assert.deepEqual(await install(installs()), { ok: true });
    assert.deepEqual(left(), ['dawn']);
    assert.deepEqual(readdirSync(folder).sort(), ['node_modules', 'package.json']);
    const asked = JSON.parse(readFileSync(path.join(base, 'asked'), 'utf8')) as {
      args: string[];
      cwd: string;
    };
    assert.equal(asked.args[0], 'ci');
    assert.ok(asked.args.includes('--ignore-scripts'));
    assert.equal(asked.args[asked.args.indexOf('--prefix') + 1], asked.cwd);
    assert.equal(path.dirname(asked.cwd), path.dirname(folder));
    assert.ok(!existsSync(path.join(base, 'pwned')));
    assert.deepEqual(await removeDawn(folder), { ok: true });
    assert.deepEqual(left(), []);
    assert.deepEqual(await removeDawn(folder), { ok: true }, 'what is not there is removed');
  });

  it('keeps nothing of another hash, another package or no list at all', async () => {
    const expected = {
      why: /not install the pinned packages .*removed/,
      next: /npm config get registry/,
    };
    await refused(installs("packages['node_modules/webgpu'].integrity = 'sha512-AAAA';"), expected);
    await refused(installs("packages['node_modules/more'] = { version: '1.0.0' };"), expected);
    await refused(installs("delete packages['node_modules/ms'];"), expected);
    await refused("fs.mkdirSync('node_modules/webgpu', { recursive: true });", expected);
    const junk =
      "fs.mkdirSync('node_modules'); fs.writeFileSync('node_modules/.package-lock.json', ";
    await refused(`${junk}'[[');`, expected);
    await refused(`${junk}'{"packages":{"node_modules/webgpu":null}}');`, expected);
  });

  it('says what failed by the code of npm, and what to do about it', async () => {
    const integrity = fails('npm error code EINTEGRITY', 'npm error sha512-x wanted');
    await refused(integrity, { why: /differs from the pinned/, next: /registry/ });
    const offline = fails('npm error code ENOTFOUND', 'npm error request to https://x failed');
    await refused(offline, { why: /request to https:\/\/x failed/, next: /Check the network/ });
    const full = fails('npm ERR! code ENOSPC', 'npm ERR! nospc no space left on device');
    await refused(full, { why: /no space left/, next: /182 MB are required/ });
    const unknown = fails('npm error code E404', 'npm error 404 Not Found');
    await refused(unknown, { why: /404 Not Found/, next: /does not provide webgpu 0\.6\.2/ });
    const junk = "process.stderr.write('\\u001b[31m' + 'x'.repeat(6e6), () => process.exit(1));";
    await refused(junk, { why: /^npm failed: x{299}…$/, next: /npm ping/ });
    await refused("process.kill(process.pid, 'SIGKILL');", { why: /SIGKILL/, next: /npm ping/ });
  });

  itWhole(
    'ends an npm that hangs with its children, by time and by cancel, and leaves what was there',
    async () => {
      await refused(
        STUBBORN,
        { why: /did not finish within/, next: /network/ },
        { timeoutMs: 800 },
      );
      assert.deepEqual(await survivors(base), []);
      mkdirSync(folder);
      writeFileSync(path.join(folder, 'old'), '');
      const ended = await install(STUBBORN, { signal: AbortSignal.timeout(800) });
      assert.ok(!ended.ok && ended.cancelled);
      assert.match(ended.next, /No files remain/);
      assert.deepEqual(await survivors(base), []);
      assert.deepEqual(readdirSync(folder), ['old']);
      assert.deepEqual(left(), ['dawn']);
    },
  );

  it('says that there is no npm, and no folder', async () => {
    const none = await installDawn({ folder, search: { environment: { PATH: base } } });
    assert.ok(!none.ok);
    assert.match(none.why, /npm was not found on PATH/);
    assert.match(none.next, /Install Node\.js/);
    assert.ok(!existsSync(path.dirname(folder)));
    writeFileSync(path.dirname(folder), 'a file');
    const blocked = await install(installs());
    assert.ok(!blocked.ok);
    assert.match(blocked.why, /could not be written: its path contains a file instead of a folder/);
  });

  it("runs npm's script by node where it knows both, and never a batch file", () => {
    const search = { environment: { PATH: base } };
    const script = path.join(base, 'node_modules', 'npm', 'bin', 'npm-cli.js');
    const windows = findNpm(search, 'win32');
    assert.ok(!windows.ok && windows.why.includes('next to node.exe'));
    const node = fakeProgram(base, 'node', '');
    writeFileSync(path.join(base, 'npm.cmd'), '');
    assert.ok(!findNpm(search, 'win32').ok);
    mkdirSync(path.dirname(script), { recursive: true });
    fakeProgram(path.dirname(script), 'npm-cli.js', '');
    assert.deepEqual(findNpm(search, 'win32'), { ok: true, file: node, args: [script] });
    symlinkSync(script, path.join(base, 'npm'));
    assert.deepEqual(findNpm(search, 'linux'), { ok: true, file: node, args: [script] });
    const inside = { ...search, workspaceFolders: [base] };
    assert.ok(!findNpm(inside, 'linux').ok, 'nothing of the workspace is run');
  });

  it('the real npm refuses a registry that gives other bytes', async function () {
    if (present('npm') === undefined) this.skip();
    const server = createServer((request, response) => {
      const asked = decodeURIComponent(request.url ?? '').slice(1);
      const version = PINNED[`node_modules/${asked}`]?.version;
      if (version === undefined) return void response.end('other bytes');
      const dist = { tarball: `${address()}/${asked}/-/other.tgz`, integrity: 'sha512-AAAA' };
      const versions = { [version]: { name: asked, version, dist } };
      response.end(JSON.stringify({ name: asked, versions, 'dist-tags': { latest: version } }));
    });
    const address = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await new Promise<void>(up => server.listen(0, '127.0.0.1', up));
    const { npm_config_registry: before } = process.env;
    process.env['npm_config_registry'] = address();
    try {
      const ended = await installDawn({ folder });
      assert.ok(!ended.ok);
      assert.match(ended.why, /returned an archive that differs from the pinned webgpu 0\.6\.2/);
      assert.deepEqual(left(), []);
    } finally {
      if (before === undefined) delete process.env['npm_config_registry'];
      else process.env['npm_config_registry'] = before;
      server.close();
    }
  });
});
