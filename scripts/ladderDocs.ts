/** Writes bench/reports/ladder.md and its pictures from what was recorded: node out/scripts/ladderDocs.js [--check] */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { isLowered } from '../src/core/kernel/kernel';
import { short, significant } from '../src/core/text/numbers';
import type { Hold, Step } from '../src/core/search/ladder/climb';
import { rungFile, type RungFile } from '../src/core/search/ladder/files';
import { ladderSvg } from '../src/core/search/ladder/picture';
import type { Target } from '../src/core/spec/schema';
import { projectRoot } from './install/project';
import { recorded, type LadderSource, type Recorded } from './ladder/recorded';
import { seeds } from './ladder/seeds';
import { fastCu, racedOverview, racedSteps } from './ladder/tensor';
import { table } from './sections';

const root = projectRoot();
const PAGE = 'bench/reports/ladder.md';
/** Files of the rungs; whatever else is there is removed. */
const FILES = 'docs/ladder';

/** Files of the page, by their path from the project's root. */
export function ladderFiles(): ReadonlyMap<string, string> {
  const cuda = recorded('cuda');
  const wgsl = recorded('wgsl');
  const pictures = [cuda, wgsl].map(one => {
    const svg = ladderSvg(one.steps.get(4096) ?? [], 'light');
    return [`docs/images/ladder-h200-${one.target}.svg`, svg ?? ''] as const;
  });
  const steps = [
    ...(cuda.steps.get(4096) ?? []),
    ...racedSteps().map(({ step }) => step),
    ...(wgsl.steps.get(4096) ?? []),
  ];
  const kernels = steps.flatMap(step => {
    const file = rungFile(step.hold);
    return file === null ? [] : [[placeOf(step.hold, file), file.text] as const];
  });
  return new Map([[PAGE, page(cuda, wgsl)], ...pictures, ...kernels]);
}

const placeOf = (hold: Hold, { name }: RungFile): string =>
  `${FILES}/${hold.ok ? hold.kernel.target : ''}/${name}`;

const page = (cuda: Recorded, wgsl: Recorded): string => `# The ladder

Every rung that the product has, from one thread an element to a pipeline of asynchronous copies and to tensor cores, for C = A B,
row-major, in fp32 but for the last: what it changes, its file, what is derived of it, what was measured, and why it is faster or slower than the rung
before. \`gemm-explorer ladder SPEC --backend cuda\` (or _GEMM: Run the Ladder_) makes the same of any problem.

Made by \`node out/scripts/ladderDocs.js\` from \`${cuda.source.file}\` and \`${wgsl.source.file}\`.
The files of the rungs are in [docs/ladder](../../docs/ladder): one kernel per rung, for 4096 x 4096 x 4096.

## CUDA

${machine(cuda)}

![The CUDA rungs on the H200's roofline at 4096, numbered as below](../../docs/images/ladder-h200-cuda.svg)

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

![The WGSL rungs on the H200's roofline at 4096, numbered as below](../../docs/images/ladder-h200-wgsl.svg)

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

const machine = ({ source, target }: Recorded): string =>
  `Measured: ${originOf(source, target)}, cold caches, medians. Derived figures are of the rungs as they are now.`;

const originOf = ({ about }: LadderSource, target: Target): string =>
  `${about.gpu.before
    .split(', ')
    .slice(0, 3)
    .join(', driver ')
    .replace(
      /, driver (?=\d+\.\d+ W)/,
      ', ',
    )}${target === 'cuda' ? `, nvcc ${about.nvcc.replace('V', '')}` : ''}, commit ${about.commit.slice(0, 7)}`;

const rateOf = ({ hold, measurement }: Step): string => {
  const gflops = measurement?.timing?.gflops;
  return !hold.ok
    ? 'not legal'
    : gflops === undefined
      ? 'not measured'
      : (gflops / 1000).toFixed(2);
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
  const file = rungFile(hold);
  const timed = measurement?.timing;
  const ratio = measurement?.baseline?.ratio;
  return [
    title,
    '',
    `${ideaOf(isLowered(kernel) ? kernel.ir.summary : headOf(kernel.source))}${file === null ? '' : ` Its file: [\`${file.name}\`](${path.posix.relative('bench/reports', placeOf(hold, file))}).`}`,
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

/** Files below docs/ladder that no rung has. */
export const strayFiles = (files: ReadonlyMap<string, string>): readonly string[] =>
  existsSync(path.join(root, FILES))
    ? readdirSync(path.join(root, FILES), { recursive: true, withFileTypes: true })
        .filter(entry => entry.isFile())
        .map(entry => path.relative(root, path.join(entry.parentPath, entry.name)))
        .map(file => file.split(path.sep).join('/'))
        .filter(file => !files.has(file))
    : [];

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const check = process.argv.includes('--check');
  const files = ladderFiles();
  const wrong = (file: string): void => {
    console.error(`${file} is not what was recorded: node out/scripts/ladderDocs.js`);
    process.exitCode = 1;
  };
  for (const file of strayFiles(files)) {
    if (check) wrong(file);
    else rmSync(path.join(root, file));
  }
  for (const [file, text] of files) {
    const place = path.join(root, file);
    if (check) {
      if (!existsSync(place) || readFileSync(place, 'utf8') !== text) wrong(file);
      continue;
    }
    mkdirSync(path.dirname(place), { recursive: true });
    writeFileSync(place, text);
  }
}
