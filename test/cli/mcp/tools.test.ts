/** Every tool of the MCP server, called by the client of the official SDK. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { itWhole } from '../../helpers/depth';
import { cli, found, inFolder } from '../cli';
import { BUNDLE, PROBLEM, SPEC, withSession, type Session } from './session';

const NAMES = [
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
];

/** Bytes of the arguments of all tools, which clients give to their model. */
const MOST_SCHEMA_BYTES = 28_000;
const MOST_ANSWER_CHARACTERS = 8_000;

const reading = (
  use: (session: Session, folder: string) => Promise<void>,
  ...args: string[]
): Promise<void> =>
  inFolder(folder => withSession({ cwd: folder, args }, session => use(session, folder)));

describe('the MCP server', function () {
  this.timeout(120_000);

  it('lists its tools with schemas and annotations', () =>
    reading(async ({ client }) => {
      const { tools } = await client.listTools();
      assert.deepEqual(
        tools.map(({ name }) => name),
        NAMES,
      );
      for (const { name, title, description, inputSchema, outputSchema, annotations } of tools) {
        assert.ok(title !== undefined && description !== undefined, name);
        assert.equal(inputSchema.type, 'object', name);
        assert.equal(outputSchema?.type, 'object', name);
        assert.equal(annotations?.readOnlyHint, true, `${name} of a read-only server`);
      }
      const bytes = JSON.stringify(tools.map(({ inputSchema }) => inputSchema)).length;
      assert.ok(bytes <= MOST_SCHEMA_BYTES, `${bytes} B of arguments`);
    }));

  it('marks the tools that run and overwrite as such with --allow-run', () =>
    reading(async ({ client }) => {
      const { tools } = await client.listTools();
      const hinted = (hint: 'readOnlyHint' | 'destructiveHint'): readonly string[] =>
        tools.filter(({ annotations }) => annotations?.[hint] === true).map(({ name }) => name);
      const own = ['generate_kernel', 'verify_kernel', 'benchmark_kernels'];
      assert.deepEqual(hinted('destructiveHint'), own);
      const reads = ['suggest_spec', 'check_spec', 'compare_kernels'];
      assert.deepEqual(hinted('readOnlyHint'), [
        ...reads,
        'list_devices',
        'read_runs',
        'explain_term',
      ]);
    }, '--allow-run'));

  it('states its root and what it may do', () =>
    reading(({ client }, folder) => {
      const text = client.getInstructions() ?? '';
      assert.match(text, /read-only/);
      assert.ok(text.includes(path.basename(folder)), text);
      assert.equal(client.getServerVersion()?.name, 'gemm-explorer');
      return Promise.resolve();
    }));

  it('suggests a complete spec, which every other tool takes', () =>
    reading(async ({ call }) => {
      const problem = { ...PROBLEM, epilogue: [{ op: 'relu' }] };
      const suggested = await call('suggest_spec', { problem, device: 'RTX 4090', target: 'cuda' });
      assert.equal(suggested.isError, false, suggested.text);
      const { spec, analysis } = suggested.value as {
        readonly spec: { readonly device: string; readonly schedule: object };
        readonly analysis: { readonly predicted: { readonly tflops: number } };
      };
      assert.equal(spec.device, 'rtx-4090');
      assert.ok(analysis.predicted.tflops > 0);
      assert.ok('algorithm' in spec.schedule);
      const checked = await call('check_spec', { spec });
      assert.equal(checked.value['ok'], true, checked.text);
      const verified = await call('verify_kernel', { spec });
      assert.equal(verified.value['outcome'], 'correct', verified.text);
    }));

  it('names the nearest legal value of an illegal schedule', () =>
    reading(async ({ call }) => {
      const { value, text } = await call('check_spec', {
        spec: { ...SPEC, targets: ['cuda'] },
        set: ['schedule.algorithm=mma'],
      });
      assert.equal(value['ok'], false);
      assert.match(text, /not legal/);
      assert.ok((value['violations'] as readonly unknown[]).length > 0);
    }));

  it('analyzes a spec, a kernel file and a source, in the same words', () =>
    reading(async ({ call }, folder) => {
      const kernels = await call('generate_kernel', { spec: SPEC, target: 'cuda' });
      const [kernel] = kernels.value['kernels'] as readonly { source: string; path: string }[];
      assert.ok(kernel !== undefined, kernels.text);
      mkdirSync(path.join(folder, 'kernels'));
      writeFileSync(path.join(folder, 'kernels', kernel.path), kernel.source);
      const answers = [
        await call('analyze_kernel', { spec: SPEC, target: 'cuda' }),
        await call('analyze_kernel', { path: `kernels/${kernel.path}` }),
        await call('analyze_kernel', { source: kernel.source }),
      ];
      for (const answer of answers) assert.deepEqual(answer.value, answers[0]?.value);
      const memory = await call('analyze_kernel', { spec: SPEC, detail: 'memory' });
      assert.match(String(memory.value['report']), /level +bytes/);
    }));

  it('proposes the // @gemm line of a source that has none', () =>
    reading(async ({ call }) => {
      const source =
        '__global__ void __launch_bounds__(256) k(const float *A, const float *B, float *C, int M, int N, int K) {}';
      const { isError, text } = await call('analyze_kernel', { source });
      assert.ok(isError);
      const line = /^\/\/ @gemm .*$/m.exec(text)?.[0] ?? '';
      const annotated = await call('analyze_kernel', { source: `${line}\n${source}` });
      assert.equal(annotated.isError, false, annotated.text);
    }));

  it('compares kernels by their predictions', () =>
    reading(async ({ call }) => {
      const tiled = { ...SPEC, schedule: { algorithm: 'thread-tile-2d' } };
      const kernels = [SPEC, tiled].map(spec => ({ spec, target: 'cuda' }));
      const { value, text } = await call('compare_kernels', { kernels });
      const rows = value['kernels'] as readonly { specKey: string; predictedMs: number }[];
      const [fastest] = rows.toSorted((one, other) => one.predictedMs - other.predictedMs);
      assert.equal(value['fastestPredicted'], fastest?.specKey, text);
    }));

  it('returns long sources in parts', () =>
    reading(async ({ call }) => {
      const spec = {
        problem: { m: 4096, n: 4096, k: 4096, a: { dtype: 'bf16' }, b: { dtype: 'bf16' } },
      };
      let offset: number | undefined = 0;
      let source = '';
      let characters = 0;
      while (offset !== undefined) {
        const { value } = await call('generate_kernel', { spec, target: 'cuda', offset });
        const [part] = value['kernels'] as readonly {
          source: string;
          characters: number;
          nextOffset?: number;
        }[];
        assert.ok(part !== undefined && part.source.length <= MOST_ANSWER_CHARACTERS);
        source += part.source;
        characters = part.characters;
        offset = part.nextOffset;
      }
      assert.equal(source.length, characters);
      const { value } = await call('generate_kernel', { spec, maxCharacters: 0 });
      assert.ok(!JSON.stringify(value).includes('__global__'));
    }));

  it('gives answers that are short', () =>
    reading(async ({ call }) => {
      const bf16 = { dtype: 'bf16' };
      const problem = { m: 4096, n: 4096, k: 14336, a: bf16, b: bf16, c: bf16 };
      const suggested = await call('suggest_spec', { problem, device: 'h100' });
      const spec = suggested.value['spec'];
      const answers = [
        suggested,
        await call('analyze_kernel', { spec }),
        await call('analyze_kernel', { spec, detail: 'memory' }),
        await call('verify_kernel', { spec, small: true }),
        await call('compare_kernels', { kernels: [{ spec }, { spec }] }),
        await call('list_devices'),
      ];
      for (const { text, value } of answers) {
        assert.ok(text.length <= MOST_ANSWER_CHARACTERS, `${text.length}: ${text}`);
        const { length } = JSON.stringify(value);
        assert.ok(length <= MOST_ANSWER_CHARACTERS, `${length}: ${text}`);
      }
    }));

  it('explains terms by name, field and identifier', () =>
    reading(async ({ call }) => {
      for (const [term, name] of [
        ['occupancy', 'occupancy'],
        ['schedule.stages', 'stages'],
        ['BM', 'BM'],
      ] as const) {
        const { value } = await call('explain_term', { term });
        assert.equal((value['terms'] as readonly { name: string }[])[0]?.name, name);
      }
      assert.match((await call('explain_term', { term: 'occupancyy' })).text, /Did you mean/);
    }));

  it('answers requests that were sent before the end of the input', async () => {
    await inFolder(async folder => {
      const initialize = {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 't', version: '1' },
      };
      const call = { name: 'check_spec', arguments: { spec: SPEC } };
      const lines = [
        { id: 1, method: 'initialize', params: initialize },
        { method: 'notifications/initialized' },
        { id: 2, method: 'tools/call', params: call },
      ].map(message => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
      const ran = await cli(['mcp'], lines.join(''), { cwd: folder });
      assert.equal(ran.code, 0, ran.stderr);
      assert.match(ran.stdout, /"ok":true/);
    });
  });

  it('starts as a program of its own, as VS Code starts it', () =>
    inFolder(folder =>
      withSession({ cwd: folder, program: BUNDLE, args: ['--root', folder] }, async ({ call }) => {
        assert.equal((await call('check_spec', { spec: SPEC })).value['ok'], true);
      }),
    ));

  it('requires a root if it is started in the root of the file system', async () => {
    const ran = await cli(['mcp'], '', { cwd: path.parse(process.cwd()).root });
    assert.equal(ran.code, 2);
    assert.match(ran.stderr, /add --root DIR/);
  });

  it('rejects a root that is not a folder', async () => {
    const ran = await cli(['mcp', '--root', '/no/such/folder']);
    assert.equal(ran.code, 2);
    assert.match(ran.stderr, /--root: '\/no\/such\/folder' cannot be opened/);
  });
});

describe('an agent at the MCP server', function () {
  this.timeout(180_000);

  it('gets from a problem to a verified, written kernel in at most 6 calls', async function () {
    if (!(await found('cxx'))) return this.skip();
    await reading(async ({ call }, folder) => {
      let calls = 0;
      const step = async (...wanted: Parameters<typeof call>) => {
        calls += 1;
        const answer = await call(...wanted);
        assert.equal(answer.isError, false, answer.text);
        return answer.value;
      };
      const problem = { m: 192, n: 160, k: 96, epilogue: [{ op: 'bias', along: 'n' }] };
      const wanted = { problem, device: 'rtx-4090', target: 'cuda', alternatives: 1 };
      const { spec, alternatives } = await step('suggest_spec', wanted);
      const [best] = alternatives as readonly { schedule: object }[];
      const faster = { ...(spec as object), schedule: best?.schedule };
      const { edits } = await step('analyze_kernel', { spec: faster });
      const set = (edits as readonly { set: readonly string[] }[])[0]?.set ?? [];
      const checked = await step('check_spec', { spec: faster, set });
      const final = checked['ok'] === true ? checked['spec'] : faster;
      const verified = await step('verify_kernel', { spec: final, backend: 'cpu' });
      assert.equal(verified['outcome'], 'correct');
      const { kernels } = await step('generate_kernel', { spec: final, out: 'kernels' });
      const [kernel] = kernels as readonly { path: string; specKey: string }[];
      assert.ok(existsSync(path.join(folder, kernel?.path ?? '')), 'the kernel is a file');
      const { runs } = await step('read_runs', { filter: kernel?.specKey });
      assert.equal((runs as readonly { outcome: string }[])[0]?.outcome, 'correct');
      assert.ok(calls <= 6, `${calls} calls`);
    }, '--allow-run');
  });

  it('reads the list of tools from docs/mcp.md as the server lists it', () =>
    reading(async ({ client }) => {
      const { tools } = await client.listTools();
      const rows = tools.map(({ name, title, description = '' }) => {
        const needs = [
          ['Not available: ', 'every call'],
          ['arguments that run or write ', 'some arguments'],
          ['it starts no tool', 'for tools'],
        ].find(([text = '']) => description.includes(text))?.[1];
        return { name, title, needs: needs ?? 'no' };
      });
      const page = readFileSync('docs/mcp.md', 'utf8');
      const listed = [...page.matchAll(/^\| `(\w+)` +\| ([^|]+?) +\| ([^|]+?) +\|/gm)].map(
        ([, name, title, needs]) => ({ name, title, needs }),
      );
      assert.deepEqual(listed, rows);
    }));
});

describe('the WebGPU backend at the MCP server', function () {
  this.timeout(180_000);

  itWhole('times and compares kernels, and keeps the runs', async function () {
    if (!(await found('webgpu'))) return this.skip();
    await reading(async ({ call }) => {
      const kernels = [{ spec: SPEC }, { spec: { problem: PROBLEM } }];
      const timed = await call('benchmark_kernels', { kernels, backend: 'webgpu' });
      const results = timed.value['kernels'] as readonly { outcome: string }[];
      assert.deepEqual(
        results.map(({ outcome }) => outcome),
        ['correct', 'correct'],
        timed.text,
      );
      assert.equal((await call('read_runs')).value['total'], 2);
    }, '--allow-run');
  });
});
