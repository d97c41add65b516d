/**
 * Hostile run histories: texts in every field of a measurement, garbage, a named pipe, links out of
 * the workspace.
 */
import { createHash } from 'node:crypto';
import type { HostileFile, Traps } from './entry';
import { annotation, cuda } from './kernels';
import { textPayloads } from './payloads';

const DEVICE = {
  name: 'NVIDIA H200',
  adapter: 'compute capability 9.0',
  driver: '1',
  where: 'cli',
};
const TIMING = {
  timer: 'cuda-events',
  quantumNs: 500,
  warmUp: 3,
  samples: 10,
  batch: 4,
  medianMs: 1,
  iqrMs: 0.01,
  minMs: 0.99,
  gflops: 900,
  errorPercent: 0.05,
  cache: 'warm',
  inputs: 'uniform [-1, 1)',
};

/** A line of a history that decodes; `more` replaces fields. */
export const runLine = (more: object): string =>
  JSON.stringify({
    specKey: 'k',
    kernelKey: 'x',
    backend: 'cuda',
    outcome: 'correct',
    resolved: null,
    verification: { reference: 'f64', maxError: 0, bound: 1, mismatches: 0, samples: 16 },
    device: DEVICE,
    timing: TIMING,
    ...more,
  });

/** Without a timing: the run failed. */
const failed = (more: object): string =>
  runLine({
    outcome: 'incorrect',
    timing: undefined,
    verification: { reference: 'f64', maxError: 9, bound: 1, mismatches: 4, samples: 16 },
    ...more,
  });

type Place = readonly [name: string, put: (text: string) => string];

const FIRST: Place = ['device', text => runLine({ device: { ...DEVICE, name: text } })];

/** Where a text is put into a measurement. */
const PLACES: readonly Place[] = [
  FIRST,
  ['adapter', text => runLine({ device: { ...DEVICE, adapter: text, driver: text, where: text } })],
  ['spec-key', text => runLine({ specKey: text, kernelKey: text })],
  ['message', text => failed({ message: text })],
  [
    'finding',
    text => failed({ message: text, findings: [{ kind: text, message: text, line: 3 }] }),
  ],
  ['baseline', text => runLine({ baseline: { name: text, medianMs: 1, gflops: 9, ratio: 1 } })],
  ['timer', text => runLine({ timing: { ...TIMING, timer: text, inputs: text } })],
  ['from', text => runLine({ scheduleFrom: text })],
  [
    'reference',
    text =>
      runLine({
        verification: { reference: text, maxError: 0, bound: 1, mismatches: 0, samples: 1 },
      }),
  ],
  [
    'ceilings',
    text =>
      runLine({
        ceilings: { gflops: 10, how: text, list: [{ id: text, value: 1, unit: 'GB/s' }] },
      }),
  ],
];

export function hostileRuns(traps: Traps): readonly HostileFile[] {
  const of = (id: string, content: HostileFile['content']): HostileFile => {
    return { id, category: 'runs', path: `.gemm/runs/${id}.jsonl`, content };
  };
  const count = textPayloads('', traps).length;
  const placed = Array.from({ length: count }, (_, index) => {
    const [name, put] = PLACES[index % PLACES.length] ?? FIRST;
    const id = `run-${index}-${name}`;
    return of(id, `${put(textPayloads(id, traps)[index] ?? '')}\n`);
  });
  return [
    ...placed,
    of('run-empty-lines', '\n'.repeat(10_000)),
    of('run-proto', '{"__proto__":{"outcome":"correct"},"constructor":1}\n'),
    of('run-deep', `${'['.repeat(20_000)}\n`),
    of('run-cut', runLine({}).slice(0, 90)),
    of('run-pipe', { fifo: true }),
    of('run-loop', { target: 'run-loop.jsonl' }),
    of('run-device', { target: '/dev/zero' }),
    of('run-folder', { target: '..' }),
  ];
}

/**
 * A kernel, and a run of exactly its text: what the run holds is in the kernel's hover and
 * CodeLens.
 */
export function kernelWithRun(id: string, text: string): readonly HostileFile[] {
  const content = cuda(`// ${id}\n${annotation()}`);
  const sourceHash = createHash('sha256').update(content).digest('hex');
  const run = runLine({ sourceHash, device: { ...DEVICE, name: text } });
  return [
    { id, category: 'runs', path: `measured/${id}.cu`, content },
    { id: `${id}-run`, category: 'runs', path: `.gemm/runs/${id}.jsonl`, content: `${run}\n` },
  ];
}
