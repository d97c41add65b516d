/**
 * Prints the host function that launches the kernels of a CUDA file with several kernels in order.
 */
import { EPILOGUE_OPERANDS } from '../../spec/epilogue';
import type { Plan } from '../../plan/plan';
import { declaredParameter } from '../print/cuda';
import { launchesOf, type KernelLaunch, type MainLaunch } from '../kernel';
import { upper, type ArgumentRole } from '../ir/arguments';

export const hostName = ({ entry }: Pick<MainLaunch, 'entry'>): string => `${entry}_launch`;

const ORDER = [
  ['m', 'n', 'k', 'batch', 'alpha'],
  ['a', 'lda', 'strideA', 'b', 'ldb', 'strideB'],
  ['beta', 'c', 'ldc', 'strideC'],
  EPILOGUE_OPERANDS,
  ['workspace'],
] as const;

/** Returns the arguments of all kernels in the order of a BLAS call, one list per line. */
const hostLines = (main: MainLaunch): readonly (readonly ArgumentRole[])[] => {
  const passed = new Set<ArgumentRole>(
    launchesOf<KernelLaunch>(main).flatMap(of => of.arguments.flat()),
  );
  if (passed.has('strideC')) passed.add('batch');
  const lines = ORDER.map(line => line.filter(role => passed.has(role)));
  const [sizes = [], inputs = [], output = [], epilogue = [], workspace = []] = lines;
  return epilogue.length === 0
    ? [sizes, inputs, [...output, ...workspace]]
    : [sizes, inputs, output, [...epilogue, ...workspace]];
};

export const hostArguments = (main: MainLaunch): readonly ArgumentRole[] => hostLines(main).flat();

export function hostLaunch(plan: Plan, main: MainLaunch): readonly string[] {
  const launches = launchesOf<KernelLaunch>(main);
  if (launches.length === 1) return [];
  const pointer = (role: ArgumentRole): string =>
    role === 'batch'
      ? 'int batch'
      : // The caller's pointers may alias.
        declaredParameter(main.ir, role).replace(' __restrict__', '');
  const head = `inline cudaError_t ${hostName(main)}(`;
  const margin = ' '.repeat(head.length);
  const lines = hostLines(main).map(line => line.map(pointer).join(', '));
  const { dynamicShared, sharedBytes } = plan;
  const twoPass = plan.split?.reduction === 'two-pass';
  const sums = plan.spec.problem.batch === 1 ? 'SPLIT_K * M * N' : 'batch * SPLIT_K * M * N';
  return [
    `// Launches the kernels in order${twoPass ? `. The workspace holds ${sums} partial results` : ''}.`,
    `${head}${lines.join(`,\n${margin}`)},\n${margin}cudaStream_t stream) {`,
    ...(dynamicShared
      ? [
          `  constexpr int sharedBytes = ${sharedBytes};`,
          `  cudaFuncSetAttribute(${main.entry}, cudaFuncAttributeMaxDynamicSharedMemorySize, sharedBytes);`,
        ]
      : []),
    ...launches.flatMap(of => launchLines(plan, of)),
    '  return cudaGetLastError();',
    '}',
    '',
  ];
}

/** Prints the launch of a kernel that is printed from loop IR. */
export function launchLines(
  plan: Plan,
  { entry, ir, arguments: args }: Pick<KernelLaunch, 'entry' | 'ir' | 'arguments'>,
  passed: (role: ArgumentRole) => string = upper,
): readonly string[] {
  const { batch, c } = plan.spec.problem;
  const pass = ir.pass !== undefined;
  const row = c.layout === 'row';
  const [tileM, tileN] = pass ? ['RM', 'RN'] : ['BM', 'BN'];
  const tiles = { m: `(M + ${tileM} - 1) / ${tileM}`, n: `(N + ${tileN} - 1) / ${tileN}` };
  const rowsFirst = pass ? !row : plan.gridMap === 'x-rows';
  const deep = [...(pass ? [] : ['SPLIT_K']), ...(batch === 1 ? [] : ['batch'])].join(' * ');
  const grid = [
    ...(rowsFirst ? [tiles.m, tiles.n] : [tiles.n, tiles.m]),
    ...(deep === '' ? [] : [deep]),
  ];
  const threadRowsFirst = pass ? rowsFirst : plan.threadMap === 'x-rows';
  const flat = !pass && plan.block.y === 1;
  const block = flat
    ? 'THREADS'
    : `dim3(${(threadRowsFirst ? [tileM, tileN] : [tileN, tileM]).join(', ')})`;
  const shared = !pass && plan.dynamicShared ? 'sharedBytes' : '0';
  const name = pass ? 'elements' : 'tiles';
  return [
    `  const dim3 ${name}(${grid.join(', ')});`,
    `  ${entry}<<<${name}, ${block}, ${shared}, stream>>>(${args.flat().map(passed).join(', ')});`,
  ];
}
