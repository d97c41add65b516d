/**
 * Hostile calls: nothing outside the root is read or written, nothing is started without
 * `--allow-run`, and no call ends the server. `npm run test:all` makes 1,000 calls per mode from
 * fresh seeds.
 */
import assert from 'node:assert/strict';
import path from 'node:path';
import fc from 'fast-check';
import { isEnough, runs } from '../../helpers/depth';
import { isRunning } from '../../host/support';
import { inFolder } from '../cli';
import { canaryIn, SECRET, type Canary } from './canary';
import { SPEC, withSession, type Session } from './session';

const TOOLS = [
  'suggest_spec',
  'check_spec',
  'analyze_kernel',
  'compare_kernels',
  'generate_kernel',
  'verify_kernel',
  'benchmark_kernels',
  'tune_kernel',
  'list_devices',
  'list_backends',
  'read_runs',
  'explain_term',
] as const;

/** Paths by which an agent could leave the root; `OUT` stands for the folder with the secrets. */
const PATHS = [
  'a.gemm.json',
  'sub/k.cu',
  '../outside/secret.gemm.json',
  'sub/../../outside/secret.gemm.json',
  'OUT/secret.gemm.json',
  'OUT/secret.cu',
  'link.gemm.json',
  'link.cu',
  'up/secret.gemm.json',
  'up/secret.cu',
  'UP/SECRET.GEMM.JSON',
  'up/secret.py:main',
  'slash/etc/passwd.json',
  'slash/proc/self/environ.json',
  'pipe.gemm.json',
  '/dev/zero.json',
  '/etc/passwd',
  '//server/share/a.gemm.json',
  '\\\\?\\C:\\secret.gemm.json',
  'file:///etc/passwd.json',
  'a.gemm.json\0.json',
  '%2e%2e/outside/secret.gemm.json',
  '..\\outside\\secret.gemm.json',
  '.',
  '',
  '-',
  '~/.ssh/id_rsa.json',
  '$(touch pwned).json',
  'x'.repeat(5000),
] as const;

const SOURCES = [
  '// @gemm {"problem": {"m": 16, "n": 16, "k": 16}, "grid": [1], "block": [256]}\n#include "../outside/secret.h"\n__global__ void k(const float *A) {}',
  '#include "OUT/secret.h"\n__global__ void k() {}',
  '__global__ void k() { asm("trap;"); }',
  '// @gemm {"__proto__": {"polluted": true}}\n__global__ void k() {}',
  '',
] as const;

const path_ = fc.constantFrom(...PATHS);
const spec = fc.oneof(
  { weight: 3, arbitrary: fc.constant(SPEC) },
  fc.constant({ problem: { m: 1e9, n: 1e9, k: 1e9 }, schedule: { algorithm: 'naive' } }),
  fc.constant(JSON.parse('{"__proto__": {"polluted": 1}, "problem": {"m": 1, "n": 1, "k": 1}}')),
  fc.jsonValue({ maxDepth: 3 }),
);

/** Values that tools accept, with paths that lead anywhere. */
const accepted = {
  spec: fc.constant(SPEC),
  path: path_,
  source: fc.constantFrom(...SOURCES),
  device: fc.constantFrom('h200', 'rtx 4090'),
  target: fc.constantFrom('cuda', 'wgsl'),
  out: fc.oneof(path_, fc.constantFrom('new', '.git', '.vscode', 'sub/.git/hooks', 'up/new')),
  backend: fc.constantFrom('simulate', 'cpu', 'cuda'),
  compile: fc.boolean(),
  filter: fc.constantFrom('h1', '../'),
  term: fc.constantFrom('occupancy', '__proto__'),
  problem: fc.constant({ m: 8, n: 8, k: 8 }),
  alternatives: fc.constant(0),
  kernels: fc.array(fc.oneof(fc.record({ path: path_ }), fc.record({ spec: fc.constant(SPEC) })), {
    minLength: 2,
    maxLength: 3,
  }),
  seconds: fc.constant(1),
};

/** Values that no tool accepts, or that it takes literally. */
const wrong = {
  spec,
  path: fc.jsonValue({ maxDepth: 1 }),
  source: fc.string(),
  language: fc.constantFrom('cuda', 'python'),
  set: fc.array(
    fc.constantFrom(
      'problem.m=8',
      '__proto__.x=1',
      'constructor.prototype.x=1',
      'targets.9=1',
      'x',
    ),
    { maxLength: 3 },
  ),
  device: fc.constantFrom('../../etc', '\0', 'x'.repeat(1000)),
  target: fc.constantFrom('exe', 1),
  replace: fc.boolean(),
  backend: fc.constantFrom('shell', ''),
  small: fc.boolean(),
  record: fc.boolean(),
  detail: fc.constantFrom('memory', 'all'),
  limit: fc.constantFrom(1, 50, 0, 1e9, -1),
  offset: fc.constantFrom(0, 10, -1, 1e9, 1.5),
  maxCharacters: fc.constantFrom(0, 100, 1e12),
  term: fc.constantFrom('toString', '(', ''),
  problem: fc.constantFrom({ m: -1 }, null, 'x'),
  kernels: fc.jsonValue({ maxDepth: 2 }),
  baselines: fc.constantFrom([], ['cublas'], ['rm -rf']),
  schedules: fc.constantFrom(1, 0),
  adopt: fc.boolean(),
};

const call = fc
  .tuple(
    fc.oneof(
      { weight: 20, arbitrary: fc.constantFrom(...TOOLS) },
      fc.constantFrom('', 'exec', '__proto__'),
    ),
    fc.record(accepted),
    fc.record(wrong),
    // Most calls have one wrong value or none, so that they get as far as their paths.
    fc.oneof(
      { weight: 2, arbitrary: fc.constant<string[]>([]) },
      fc.subarray(Object.keys(wrong), { maxLength: 2 }),
    ),
    fc.constantFrom('path', 'path', 'source', 'spec'),
    fc.boolean(),
  )
  .map(([name, right, bad, replaced, subject, hasOut]): Call => {
    const chosen = Object.entries({ ...right, ...pick(bad, replaced) });
    const isOther = (key: string): boolean =>
      ['path', 'source', 'spec'].includes(key) && key !== subject && !replaced.includes(key);
    return [
      name,
      Object.fromEntries(chosen.filter(([key]) => !isOther(key) && (key !== 'out' || hasOut))),
      replaced.length > 1 ? 'all' : 'known',
    ];
  });

const pick = (from: Readonly<Record<string, unknown>>, keys: readonly string[]) =>
  Object.fromEntries(Object.entries(from).filter(([key]) => keys.includes(key)));

type Call = readonly [name: string, args: Readonly<Record<string, unknown>>, kept: string];

/** Replaces the folder of the secrets, and drops arguments that the tool does not have. */
function prepared(
  [, args, kept]: Call,
  { outside }: Canary,
  known: ReadonlySet<string>,
): Readonly<Record<string, unknown>> {
  const text = JSON.stringify(args).replaceAll('OUT/', `${JSON.stringify(outside).slice(1, -1)}/`);
  const all = JSON.parse(text) as Record<string, unknown>;
  if (kept === 'all') return all;
  return Object.fromEntries(Object.entries(all).filter(([name]) => known.has(name)));
}

const hostile = (
  args: readonly string[],
  check: (canary: Canary, before: Readonly<Record<string, string>>) => void,
): Promise<void> =>
  inFolder(async folder => {
    const canary = canaryIn(folder);
    const [before, secrets] = [canary.root, canary.outside].map(canary.contents);
    const { root: cwd, env } = canary;
    const counts = { answered: 0, outside: 0 };
    await withSession({ cwd, args, env }, async session => {
      const known = await argumentsOf(session);
      await fc.assert(
        fc.asyncProperty(call, async made => {
          const [name] = made;
          const given = prepared(made, canary, known.get(name) ?? new Set());
          const { text, value, isError } = await session.call(name, given);
          if (!isError) counts.answered += 1;
          if (text.includes('is outside the root folder')) counts.outside += 1;
          assert.ok(!`${text}${JSON.stringify(value)}`.includes(SECRET), text);
          assert.ok(isRunning(session.pid));
          check(canary, before ?? {});
        }),
        { ...runs(1000, 60), interruptAfterTimeLimit: 600_000 },
      );
      assert.ok(
        isEnough(counts.answered, 100) && isEnough(counts.outside, 20),
        'calls of both kinds',
      );
      assert.deepEqual(canary.opened(), []);
      assert.deepEqual(canary.contents(canary.outside), secrets);
    });
  });

async function argumentsOf({ client }: Session): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const { tools } = await client.listTools();
  return new Map(
    tools.map(({ name, inputSchema }) => [
      name,
      new Set(Object.keys(inputSchema.properties ?? {})),
    ]),
  );
}

describe('hostile calls of the MCP server', function () {
  this.timeout(900_000);
  before(function () {
    if (process.platform === 'win32') this.skip();
  });

  it('read nothing outside the root, and write and start nothing', () =>
    hostile([], ({ root, marks, contents }, before) => {
      assert.deepEqual(marks(), []);
      assert.deepEqual(contents(root), before);
    }));

  it('write only below the root with --allow-run, and never into .git or .vscode', () =>
    hostile(['--allow-run'], ({ root, contents }, before) => {
      const now = contents(root);
      for (const [file, text] of Object.entries(before)) assert.equal(now[file], text, file);
      for (const file of Object.keys(now)) {
        assert.doesNotMatch(path.relative(root, file), /(^|\/)\.(git|vscode)(\/|$)/i);
      }
    }));

  it('start the programs that they need with --allow-run', () =>
    inFolder(async folder => {
      const { root: cwd, env, marks } = canaryIn(folder);
      await withSession({ cwd, env, args: ['--allow-run'] }, async ({ call: run }) => {
        await run('list_backends');
      });
      assert.ok(marks().includes('nvidia-smi.mark'), 'the marks are seen');
    }));
});
