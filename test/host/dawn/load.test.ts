/** Which Dawn the worker loads: one place, one version, and no other because of a broken one. */
import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { dawnBackend, locateDawn, validateWgsl } from '../../../src/host/dawn/backend';
import { DAWN } from '../../../src/host/dawn/pinned';
import { doctor } from '../../../src/host/doctor';

const WORKER = path.resolve('dist', 'dawnWorker.js');
const CORE = path.resolve('dist', 'core.cjs');

describe('where Dawn comes from', function () {
  this.timeout(30_000);
  let base = '';
  before(function () {
    if (!existsSync(WORKER)) this.skip();
  });
  beforeEach(() => {
    base = mkdtempSync(path.join(tmpdir(), 'gemm-dawn-load-'));
    mkdirSync(path.join(base, 'extension', 'dist'), { recursive: true });
    cpSync(WORKER, path.join(base, 'extension', 'dist', 'dawnWorker.mjs'));
    cpSync(CORE, path.join(base, 'extension', 'dist', 'core.cjs'));
  });
  afterEach(() => {
    rmSync(base, { recursive: true, force: true });
  });
  const options = () => ({
    worker: path.join(base, 'extension', 'dist', 'dawnWorker.mjs'),
    where: 'test',
    installed: path.join(base, 'storage'),
    howToInstall: 'Press the button.',
  });
  /** A package that can be imported and gives no adapter. */
  const write = (root: string, version: string, code = 'export const create = () => ({});') => {
    const folder = path.join(base, root, 'node_modules', DAWN.name);
    mkdirSync(folder, { recursive: true });
    const manifest = { name: DAWN.name, version, type: 'module', main: 'index.js' };
    writeFileSync(path.join(folder, 'package.json'), JSON.stringify(manifest));
    writeFileSync(path.join(folder, 'index.js'), code);
    return folder;
  };

  it('says that it is missing and how it is installed, to whoever asks', async () => {
    const missing = await locateDawn(options());
    assert.ok(!missing.found && missing.installable);
    assert.match(missing.why, /not installed/);
    assert.equal(missing.next, 'Press the button.');
    const probed = await dawnBackend(options()).probe();
    assert.ok(!probed.available);
    assert.equal(probed.next, 'Press the button.');
    const checked = await validateWgsl(options(), [{ source: '' }]);
    assert.ok(!checked.ok && checked.next === 'Press the button.');
    const { worker, where } = options();
    const cli = await locateDawn({ worker, where });
    assert.ok(!cli.found);
    assert.match(cli.next, /npm install .*--ignore-scripts webgpu@0\.6\.2/);
    const tools = await doctor({ search: { environment: {} }, dawn: { worker, where } });
    const row = tools.find(({ id }) => id === 'dawn');
    assert.ok(row?.found === false);
    assert.match(row.hint, /npm install .*webgpu@0\.6\.2/);
  });

  it('loads what was installed, of its own version only', async () => {
    const folder = write('storage', DAWN.version);
    assert.deepEqual(await locateDawn(options()), {
      found: true,
      path: folder,
      version: DAWN.version,
      installed: true,
    });
    const tools = await doctor({ search: { environment: {} }, dawn: options() });
    assert.equal(tools.find(({ id }) => id === 'dawn')?.path, folder);
    write('storage', '0.1.0');
    const old = await locateDawn(options());
    assert.ok(!old.found && old.installable);
    assert.match(old.why, /Expected Dawn 0\.6\.2, got 0\.1\.0 in /);
    write('storage', DAWN.version, 'throw new Error("broken binary");');
    const broken = await locateDawn(options());
    assert.ok(!broken.found && broken.installable);
    assert.match(broken.why, /broken binary/);
  });

  it("takes Node's own first, and no other where that is broken", async () => {
    write('storage', DAWN.version);
    const own = write('extension', '9.9.9');
    assert.deepEqual(await locateDawn(options()), {
      found: true,
      path: own,
      version: '9.9.9',
      installed: false,
    });
    write('extension', '9.9.9', 'throw new Error("broken binary");');
    const broken = await locateDawn(options());
    assert.ok(!broken.found && !broken.installable);
    assert.match(broken.why, /broken binary/);
    assert.notEqual(broken.next, 'Press the button.');
  });
});
