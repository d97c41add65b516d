/** The npm export in a page: the module runs its kernels on the WebGPU device of the page. */
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { launch, newPage, whyNot } from '../../scripts/page/explorerPage';
import { emit } from '../../src/core/kernel/emit';
import { plan } from '../../src/core/plan/planner';
import { resolve } from '../../src/core/defaults/resolve';
import { exportProject } from '../../src/core/export/exportProject';
import { subjectOf, type ExportFile } from '../../src/core/export/subject';
import type { GemmSpec } from '../../src/core/spec/schema';

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html',
  js: 'text/javascript',
  wgsl: 'text/plain',
};

/** Serves the files of a project under the path `/name/`. */
function serve(projects: ReadonlyMap<string, readonly ExportFile[]>): Promise<Server> {
  const server = createServer(({ url = '' }, response) => {
    const [, name = '', ...rest] = url.split('/');
    const file = projects.get(name)?.find(({ path }) => path === rest.join('/'));
    if (file === undefined) return void response.writeHead(404).end();
    const type = TYPES[file.path.split('.').pop() ?? ''] ?? 'text/plain';
    return void response.writeHead(200, { 'Content-Type': type }).end(file.text);
  });
  return new Promise(resolve =>
    server.listen(0, '127.0.0.1', () => {
      resolve(server);
    }),
  );
}

function projectOf(specs: readonly GemmSpec[]): readonly ExportFile[] {
  const kernels = specs.map(spec => {
    const planned = plan(resolve({ ...spec, targets: ['wgsl'] }), 'wgsl');
    assert.ok(planned.ok, JSON.stringify(planned));
    return { kernel: emit(planned.plan) };
  });
  const found = subjectOf(kernels, { version: '0.0.0' });
  assert.ok(found.ok);
  const exported = exportProject('npm', found.subject);
  assert.ok(exported.ok);
  return exported.files;
}

const TWO_PASS = { splitKReduction: 'two-pass' } as const;

const PROJECTS = {
  'a dispatcher with split-K': [
    { problem: { m: 96, n: 64, k: 48 } },
    { problem: { m: 32, n: 32, k: 512 }, schedule: { algorithm: 'warp-tile', splitK: 8 } },
    { problem: { m: 65, n: 33, k: 19 }, schedule: { algorithm: 'naive' } },
  ],
  'a batch with alpha and beta in column-major order': [
    {
      problem: {
        m: 40,
        n: 24,
        k: 36,
        batch: 3,
        alpha: 2,
        beta: 0.5,
        a: { layout: 'col' },
        b: { layout: 'col' },
        c: { layout: 'col' },
      },
      schedule: { algorithm: 'vectorized' },
    },
  ],
  'a batch with every operation of an epilogue': [
    {
      problem: {
        m: 40,
        n: 24,
        k: 36,
        batch: 2,
        beta: 0.5,
        epilogue: [
          { op: 'bias', along: 'm' },
          { op: 'gelu' },
          { op: 'scale' },
          { op: 'scale', along: 'n' },
          { op: 'silu' },
          { op: 'residual', layout: 'col', ld: 50 },
          { op: 'gelu-tanh' },
        ],
      },
      schedule: { algorithm: 'vectorized' },
    },
  ],
  'gated pairs with a residual': [
    ...[
      { m: 65, n: 33, k: 19, algorithm: 'naive' as const },
      { m: 32, n: 32, k: 512, algorithm: 'warp-tile' as const, splitK: 4 },
    ].map(({ m, n, k, ...schedule }) => ({
      problem: {
        m,
        n,
        k,
        batch: 2,
        alpha: 2,
        epilogue: [{ op: 'gate', act: 'gelu', ld: 80 }, { op: 'residual' }],
      } as const,
      schedule: { ...schedule, ...(schedule.splitK === undefined ? {} : TWO_PASS) },
    })),
  ],
  'kernels with a bias, a residual and an activation': [
    ...[
      { m: 65, n: 33, k: 19, algorithm: 'naive' as const },
      { m: 64, n: 64, k: 128, algorithm: 'vectorized' as const },
      { m: 32, n: 32, k: 512, algorithm: 'warp-tile' as const, splitK: 8 },
    ].map(({ m, n, k, ...schedule }) => ({
      problem: {
        m,
        n,
        k,
        epilogue: [{ op: 'bias', along: 'n' }, { op: 'residual' }, { op: 'relu' }],
      } as const,
      schedule: { ...schedule, ...(schedule.splitK === undefined ? {} : TWO_PASS) },
    })),
  ],
  's32 elements': [{ problem: { m: 64, n: 64, k: 64, a: { dtype: 's32' }, b: { dtype: 's32' } } }],
} as const satisfies Readonly<Record<string, readonly GemmSpec[]>>;

describe('npm export in a page', () => {
  let browser: Browser | undefined;
  let server: Server | undefined;
  const names = Object.keys(PROJECTS) as (keyof typeof PROJECTS)[];
  const folder = (name: string): string => String(names.indexOf(name as keyof typeof PROJECTS));
  let origin = '';

  before(async function () {
    const why = whyNot();
    if (why !== null) {
      console.log(`    skipped: ${why}`);
      this.skip();
    }
    this.timeout(60_000);
    server = await serve(new Map(names.map(name => [folder(name), projectOf(PROJECTS[name])])));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    browser = await launch();
  });
  after(async () => {
    await browser?.close();
    server?.close();
  });

  const opened = async (name: keyof typeof PROJECTS) => {
    assert.ok(browser !== undefined);
    const page = await newPage(browser);
    await page.goto(`${origin}/${folder(name)}/example.html`);
    return page;
  };

  for (const name of names) {
    it(`computes correct results (${name})`, async () => {
      const page = await opened(name);
      await page.waitForFunction(() => document.body.dataset['result'] !== undefined);
      const log = await page.locator('#log').innerText();
      assert.equal(await page.evaluate(() => document.body.dataset['result']), 'correct', log);
      assert.match(log, /: 0 incorrect elements/);
      await page.close();
    });
  }

  it('compiles once per device, and names the sizes and buffers that it does not support', async () => {
    const page = await opened('a dispatcher with split-K');
    const found = await page.evaluate(async () => {
      const path = './index.js';
      const { deviceDescriptor, Gemm } = (await import(new URL(path, location.href).href)) as {
        deviceDescriptor: (adapter: GPUAdapter) => GPUDeviceDescriptor;
        Gemm: {
          create: (device: GPUDevice) => Promise<{
            kernelFor: (sizes: object) => string | undefined;
            run: (product: object) => void;
          }>;
        };
      };
      const adapter = await navigator.gpu.requestAdapter();
      if (adapter === null) throw new Error('no adapter');
      const device = await adapter.requestDevice(deviceDescriptor(adapter));
      const gemm = await Gemm.create(device);
      const errorOf = (act: () => void): string => {
        try {
          act();
          return '';
        } catch (error) {
          return String(error);
        }
      };
      const small = device.createBuffer({ size: 16, usage: GPUBufferUsage.STORAGE });
      const buffers = { a: small, b: small, c: small };
      return {
        isCached: (await Gemm.create(device)) === gemm,
        exact: gemm.kernelFor({ m: 65, n: 33, k: 19 }),
        closest: gemm.kernelFor({ m: 32, n: 32, k: 256 }),
        tooSmall: errorOf(() => {
          gemm.run({ m: 65, n: 33, k: 19, ...buffers });
        }),
        invalid: errorOf(() => {
          gemm.run({ m: 0, n: 33, k: 19, ...buffers });
        }),
        narrow: errorOf(() => {
          gemm.run({ m: 65, n: 33, k: 19, lda: 3, ...buffers });
        }),
      };
    });
    assert.equal(found.isCached, true);
    assert.match(found.exact ?? '', /naive-65x33x19/);
    assert.match(found.closest ?? '', /warp-tile-32x32x512/);
    assert.match(found.tooSmall, /RangeError: .*buffer a must have at least 4940 bytes, got 16/);
    assert.match(found.invalid, /RangeError: .*m must be a positive integer, got 0/);
    assert.match(found.narrow, /RangeError: .*lda must be at least k = 19, got 3/);
    await page.close();
  });

  it('has less than 20 kB of JavaScript', () => {
    for (const name of names) {
      const scripts = projectOf(PROJECTS[name]).filter(({ path }) => path.endsWith('.js'));
      const bytes = scripts.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
      assert.ok(bytes < 20_000, `${bytes}`);
      assert.ok(scripts.every(({ text }) => !/\beval\b|new Function/.test(text)));
    }
  });
});
