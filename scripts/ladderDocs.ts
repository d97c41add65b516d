/** Writes docs/ladder.md and its pictures from what was recorded: node out/scripts/ladderDocs.js [--check] */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { isLowered, type Kernel } from '../src/core/emit/kernel';
import { short, significant } from '../src/core/language/numbers';
import type { Step } from '../src/core/ladder/climb';
import { ladderSvg } from '../src/core/ladder/picture';
import { projectRoot } from './install/project';
import { recorded, type Recorded } from './ladder/recorded';
import { seeds } from './ladder/seeds';
import { fastCu, racedOverview, racedSteps } from './ladder/tensor';
import { table } from './sections';

const root = projectRoot();
const PAGE = 'docs/ladder.md';

/** Files of the page, by their path from the project's root. */
export function ladderFiles(): ReadonlyMap<string, string> {
  const cuda = recorded('bench/h200-ladder-cuda.json', 'cuda');
  const wgsl = recorded('bench/h200-ladder-webgpu.json', 'wgsl');
  const pictures = [cuda, wgsl].map(one => {
    const svg = ladderSvg(one.steps.get(4096) ?? [], 'light');
    return [`docs/images/ladder-h200-${one.target}.svg`, svg ?? ''] as const;
  });
  return new Map([[PAGE, page(cuda, wgsl)], ...pictures]);
}

const page = (cuda: Recorded, wgsl: Recorded): string => `# The ladder

Every rung that the product has, from one thread an element to a pipeline of asynchronous copies and to tensor cores, for C = A B,
row-major, in fp32 but for the last: what it changes, its file, what is derived of it, what was measured, and why it is faster or slower than the rung
before. \`gemm-explorer ladder SPEC --backend cuda\` (or _GEMM: Run the Ladder_) makes the same of any problem.

Made by \`node out/scripts/ladderDocs.js\` from \`${cuda.file}\` and \`${wgsl.file}\`.

## CUDA

${machine(cuda)}

![The CUDA rungs on the H200's roofline at 4096, numbered as below](images/ladder-h200-cuda.svg)

${overview(cuda)}

${
  cuda.steps
    .get(4096)
    ?.map(step => rungText(step))
    .join('\n\n') ?? ''
}

## Tensor cores

Where the device's tensor cores multiply the types of A and B (f16, bf16, tf32 and s8 from compute capability 8.0 on, e4m3 and e5m2 from 8.9 on), the ladder goes on with \`mma\`, and on Hopper with \`wgmma\`: the same
tiles in bytes for every type, one change a rung. For bf16 summed in f32, row-major, on the H200; of f32 there are none.

${racedOverview()}

### Beside fast.cu

${fastCu()}

${racedSteps()
  .map(({ step, gflops: [rate], gain }) => rungText(step, rate, gain))
  .join('\n\n')}

## WGSL

${machine(wgsl)} Through Dawn, with its bounds checks on.

![The WGSL rungs on the H200's roofline at 4096, numbered as below](images/ladder-h200-wgsl.svg)

${overview(wgsl)}

${
  wgsl.steps
    .get(4096)
    ?.map(step => rungText(step))
    .join('\n\n') ?? ''
}

## The five tutorials

Their kernels are the first rungs. GPUs differ: compare the steps, not the rates.

${seeds(cuda)}
`;

const machine = ({ about, target }: Recorded): string =>
  `Measured: ${about.gpu.before
    .split(', ')
    .slice(0, 3)
    .join(', driver ')
    .replace(
      /, driver (?=\d+\.\d+ W)/,
      ', ',
    )}${target === 'cuda' ? `, nvcc ${about.nvcc.replace('V', '')}` : ''}, commit ${about.commit.slice(0, 7)}, cold caches, medians. Derived figures are of the rungs as they are now.`;

const rateOf = ({ measurement }: Step): string => {
  const gflops = measurement?.timing?.gflops;
  return gflops === undefined ? '' : (gflops / 1000).toFixed(2);
};

const gainOf = ({ gain }: Step): string => {
  const factor = gain?.factor ?? null;
  return factor === null ? '' : `${factor.toFixed(2)}x`;
};

function overview({ sizes, steps, library }: Recorded): string {
  const rows = (steps.get(4096) ?? []).map((step, i) => [
    String(step.hold.number),
    `\`${step.hold.rung.algorithm}\``,
    step.hold.rung.change,
    ...sizes.map(size => {
      const own = steps.get(size)?.[i];
      return own === undefined ? '' : rateOf(own);
    }),
    gainOf(step),
  ]);
  const last =
    library.size === 0
      ? []
      : [
          [
            '',
            'cuBLAS',
            '',
            ...sizes.map(size => ((library.get(size) ?? NaN) / 1000).toFixed(2)),
            '',
          ],
        ];
  const head = ['', 'rung', 'what it changes', ...sizes.map(size => `TFLOP/s at ${size}`), 'gain'];
  return table(head, [...rows, ...last]);
}

/** `rate`: of a race, in GFLOP/s, at 4096. */
function rungText(step: Step, rate?: number, raced: string | null = null): string {
  const { hold, analysis, gain, measurement } = step;
  const { number, rung } = hold;
  const title = `### ${number}. ${rung.algorithm}: ${rung.change}`;
  if (!hold.ok || analysis === null) {
    const why = hold.ok ? '' : hold.violations.map(({ message }) => message).join(' ');
    return `${title}\n\nNot legal here: ${why}`;
  }
  const { occupancy, roofline, traffic } = analysis;
  const gigabytes = (bytes: number): string => `${short(bytes / 1e9)} GB`;
  const derived = [
    `kernel ratio ${significant(roofline.kernelRatio.value)} FLOP/B`,
    `${gigabytes(traffic.l2.value)} from global memory without caches`,
    ...(traffic.shared.value === 0
      ? []
      : [`${gigabytes(traffic.shared.value)} through shared memory`]),
    ...(occupancy === null
      ? []
      : [
          `occupancy ${Math.round(100 * occupancy.occupancy)} % (${occupancy.limiters.join(', ')}; ${occupancy.registers.value} registers, ${occupancy.registers.from})`,
        ]),
  ];
  const { kernel } = hold;
  const file = goldenOf(kernel);
  const timed = measurement?.timing;
  const ratio = measurement?.baseline?.ratio;
  return [
    title,
    '',
    `${ideaOf(isLowered(kernel) ? kernel.ir.summary : headOf(kernel.source))}${file === null ? '' : ` A file of it: [\`${path.basename(file)}\`](../${file}).`}`,
    '',
    `Derived at 4096: ${derived.join('; ')}.${
      timed === undefined
        ? rate === undefined
          ? ' Not measured yet.'
          : ` Measured: ${(rate / 1000).toFixed(1)} TFLOP/s, ${short((100 * rate) / 1000 / roofline.attainable.value)} % of what is attainable.`
        : ` Measured: ${rateOf(step)} TFLOP/s, ${short((100 * timed.gflops) / 1000 / roofline.attainable.value)} % of what is attainable${ratio === undefined ? '' : `, ${ratio.toFixed(2)}x cuBLAS`}.`
    }`,
    ...(gain === null ? [] : ['', `Over rung ${gain.over}: ${raced ?? gain.text}.`]),
  ].join('\n');
}

/** What the head of a file says of the kernel, after its first line. */
function headOf(source: string): readonly string[] {
  const lines = source.split('\n').map(line => line.replace(/^\/\/ ?/, ''));
  return lines.slice(2, lines.indexOf('', 2));
}

/** The first paragraph: what follows is about the file. */
const ideaOf = (summary: readonly string[]): string =>
  summary.slice(0, summary.includes('') ? summary.indexOf('') : undefined).join(' ');

/** The golden file of a rung's algorithm: the plainest, by its name. */
function goldenOf(kernel: Kernel): string | null {
  const { spec, specKey, target } = kernel;
  const { algorithm, variant } = spec.schedule;
  const ending = target === 'cuda' ? '.cu' : '.wgsl';
  const begin = `gemm-${spec.problem.a.dtype}-${algorithm}-${variant === undefined ? '' : `${variant}-`}`;
  const own = specKey.split('-');
  // Of a text written by hand each file has other parts of it: the one that is most alike.
  const foreign = (name: string): number =>
    isLowered(kernel)
      ? 0
      : name
          .slice(0, -ending.length)
          .split('-')
          .filter(part => !own.includes(part)).length;
  const files = readdirSync(path.join(root, 'test', 'golden'))
    .filter(name => name.startsWith(begin) && name.endsWith(ending))
    .toSorted(
      (one, other) =>
        foreign(one) - foreign(other) ||
        plainness(one) - plainness(other) ||
        one.localeCompare(other),
    );
  return files[0] === undefined ? null : `test/golden/${files[0]}`;
}

const plainness = (name: string): number =>
  (name.includes('1024x1024x1024') ? 0 : 100) + name.length;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const check = process.argv.includes('--check');
  for (const [file, text] of ladderFiles()) {
    const place = path.join(root, file);
    if (!check) writeFileSync(place, text);
    else if (readFileSync(place, 'utf8') !== text) {
      console.error(`${file} is not what was recorded: node out/scripts/ladderDocs.js`);
      process.exitCode = 1;
    }
  }
}
