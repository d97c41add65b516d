/**
 * Finding nvcc and the GPUs: every way in which they can be missing, hang, lie or print garbage.
 */
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { doctor } from '../../src/host/doctor';
import { decodeGpus, decodeNvccVersion, findGpus, findNvcc } from '../../src/host/toolchain';
import { fakeProgram, hostileFolder, present, STUBBORN, survivors } from './support';
import { runs } from '../helpers/depth';

const VERSION = `console.log('nvcc: NVIDIA (R) Cuda compiler driver\\nCuda compilation tools, release 13.0, V13.0.88');`;

describe('findNvcc', () => {
  let folder: string;
  let remove: () => void;
  beforeEach(function () {
    if (process.platform === 'win32') this.skip();
    ({ path: folder, remove } = hostileFolder());
  });
  afterEach(() => {
    remove();
  });
  const fake = (body: string): string => fakeProgram(folder, 'nvcc', body);
  const why = async (setting: string, versionTimeoutMs = 10_000): Promise<string> => {
    const found = await findNvcc({ setting, versionTimeoutMs });
    assert.ok(!found.ok);
    assert.notEqual(found.next, '');
    return found.why;
  };

  it('takes the setting, CUDA_PATH and PATH in that order', async () => {
    const nvccIn = (name: string): string => {
      const bin = path.join(folder, name, 'bin');
      mkdirSync(bin, { recursive: true });
      fakeProgram(bin, 'nvcc', VERSION);
      return bin;
    };
    const [setting, cuda, onPath] = [nvccIn('setting'), nvccIn('cuda'), nvccIn('path')];
    const environment = { CUDA_PATH: path.dirname(cuda), PATH: onPath };
    const pathOf = async (options: Parameters<typeof findNvcc>[0]): Promise<string | undefined> => {
      const found = await findNvcc(options);
      return found.ok ? found.nvcc.path : undefined;
    };
    assert.equal(
      await pathOf({ setting: path.join(setting, 'nvcc'), environment }),
      path.join(setting, 'nvcc'),
    );
    assert.equal(await pathOf({ environment }), path.join(cuda, 'nvcc'));
    assert.equal(await pathOf({ environment: { PATH: onPath } }), path.join(onPath, 'nvcc'));
  });

  it('skips relative and empty PATH entries and everything inside the workspace', async () => {
    const workspace = path.join(folder, 'workspace');
    const outside = path.join(folder, 'outside');
    mkdirSync(workspace);
    mkdirSync(outside);
    fakeProgram(workspace, 'nvcc', VERSION);
    symlinkSync(path.join(workspace, 'nvcc'), path.join(outside, 'nvcc'));
    const PATH = ['', '.', 'bin', workspace, outside].join(path.delimiter);
    const found = await findNvcc({ workspaceFolders: [workspace], environment: { PATH } });
    assert.ok(!found.ok);
    assert.match(found.why, /No nvcc on PATH/);
  });

  it('does not look further when the setting is wrong', async () => {
    assert.match(await why('nvcc'), /not an absolute path/);
    assert.match(await why(path.join(folder, 'missing')), /does not exist/);
    assert.match(await why(folder), /is not a file/);
    const file = fake(VERSION);
    chmodSync(file, 0o644);
    assert.match(await why(file), /not executable/);
  });

  it('decodes version and identity of one behind a link', async () => {
    const link = path.join(folder, 'link');
    symlinkSync(fake(VERSION), link);
    const found = await findNvcc({ setting: link });
    assert.ok(found.ok);
    assert.deepEqual(
      { version: found.nvcc.version, build: found.nvcc.build, path: found.nvcc.path },
      { version: '13.0', build: '13.0.88', path: link },
    );
    assert.equal(path.basename(found.nvcc.realPath), 'nvcc');
  });

  it('says that it lies, fails or prints garbage', async () => {
    assert.match(await why(fake('')), /ended unexpectedly without output/);
    assert.match(await why(fake(`console.log('gcc 12');`)), /with: gcc 12/);
    assert.match(await why(fake(`console.error('no'); process.exit(4);`)), /failed \(4\) with: no/);
    const garbage = await why(
      fake(`process.stdout.write(Buffer.from(Array.from({length: 9999}, (_, i) => i * 7 % 256)))`),
    );
    assert.ok(garbage.length < 600);
    assert.doesNotMatch(garbage, /\u001b|\u0007/);
    assert.match(await why(fake(`process.kill(process.pid, 'SIGSEGV')`)), /SIGSEGV/);
  });

  it('stops one that hangs, and its child', async function () {
    this.timeout(15_000);
    assert.match(await why(fake(STUBBORN), 1200), /exceeded its time limit/);
    assert.deepEqual(await survivors(folder), []);
  });

  it('finds the nvcc of this machine (needs nvcc)', async function () {
    if (present('nvcc') === undefined) this.skip();
    const found = await findNvcc();
    assert.ok(found.ok);
    assert.match(found.nvcc.version, /^\d+\.\d+$/);
  });
});

describe('findGpus', () => {
  it('reads the list of nvidia-smi and leaves out what is no GPU', () => {
    const text =
      'NVIDIA H200, 570.86.15, 9.0, 143771\nNVIDIA GB10, 580.1, 12.1, [N/A]\r\nNVIDIA-SMI has failed\n, , ,\n';
    assert.deepEqual(decodeGpus(text), [
      { name: 'NVIDIA H200', driver: '570.86.15', computeCapability: '9.0', memoryMiB: 143771 },
      { name: 'NVIDIA GB10', driver: '580.1', computeCapability: '12.1', memoryMiB: null },
    ]);
  });

  it('says why there is none', async function () {
    if (process.platform === 'win32') this.skip();
    const { path: folder, remove } = hostileFolder();
    try {
      const setting = fakeProgram(
        folder,
        'nvidia-smi',
        `console.log("NVIDIA-SMI couldn't communicate with the NVIDIA driver."); process.exit(9);`,
      );
      const found = await findGpus({ setting });
      assert.ok(!found.ok);
      assert.match(found.why, /communicate with the NVIDIA driver/);
    } finally {
      remove();
    }
  });
});

describe('doctor', () => {
  it('lists every tool once, each with a hint, also where there is nothing', async () => {
    const tools = await doctor({
      search: { setting: path.resolve('missing/nvcc'), environment: {} },
      editor: { version: '1.101.0', path: '/opt/code' },
    });
    assert.deepEqual(
      tools.map(({ id }) => id),
      ['nvcc', 'gpu', 'ncu', 'cxx', 'webgpu', 'browser', 'vscode'],
    );
    for (const tool of tools) assert.notEqual(tool.hint, '', tool.id);
    assert.match(tools[0]?.hint ?? '', /does not exist.*Install the CUDA toolkit/);
    assert.equal(tools.find(({ id }) => id === 'vscode')?.found, true);
  });
});

describe('versions and GPU lists of arbitrary bytes', () => {
  const text = fc.oneof(
    fc.uint8Array({ maxLength: 400 }).map(bytes => Buffer.from(bytes).toString('utf8')),
    fc.string({ maxLength: 400 }),
    fc
      .array(fc.constantFrom('release ', '13.0', ', V', '13.0.88', '\n', ', ', '9.0', 'NVIDIA'))
      .map(parts => parts.join('')),
  );
  it('are decoded or refused, never thrown at', () => {
    fc.assert(
      fc.property(text, any => {
        const version = decodeNvccVersion(any);
        if (version !== undefined) assert.match(version.version, /^\d+\.\d+$/);
        for (const gpu of decodeGpus(any)) assert.match(gpu.computeCapability, /^\d+\.\d$/);
      }),
      { ...runs(2000) },
    );
  });
});
