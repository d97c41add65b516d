/** Launch, compile and call lines of a generated file. */
import { findDevice } from '../../hardware/devices';
import { grouped } from '../../text/digits';
import type { Dim3, Plan } from '../../plan/plan';
import { gridDims } from '../file/gridDims';
import { hostArguments, hostName } from '../file/hostLaunch';
import { upper } from '../ir/arguments';
import { launchesOf, type KernelLaunch, type MainLaunch } from '../kernel';

/** Placeholder for the file name, so that a renamed file has the same source. */
export const CUDA_FILE = 'FILE.cu';

export function usage(plan: Plan, main: MainLaunch): readonly string[] {
  const launches = launchesOf<KernelLaunch>(main);
  const { m, n, k, batch } = plan.spec.problem;
  const sizes = `${m} x ${n} x ${k}${batch === 1 ? '' : `, batch ${batch}`}`;
  const memory = (of: KernelLaunch) => (of !== main ? '' : `, ${sharedText(plan)}`);
  const isCuda = plan.target === 'cuda';
  const shape = (of: KernelLaunch) => {
    const grid = gridFormula(plan, of).join(', ');
    const block = trimmed(of.block).join(', ');
    return isCuda
      ? `grid (${grid}), block (${block})${memory(of)}.`
      : `dispatchWorkgroups(${grid}), workgroup size (${block})${memory(of)}.`;
  };
  const launched =
    launches.length === 1
      ? [
          `Launch: ${shape(main)}`,
          `For ${sizes}: ${isCuda ? `grid ${extents(main.grid)}` : `${extents(main.grid)} workgroups`}.`,
        ]
      : [
          'Launches, in order:',
          ...launches.map(of => `  ${of.entry}: ${shape(of)}`),
          `For ${sizes}: ${isCuda ? 'grids' : 'workgroups'} ${launches.map(of => extents(of.grid)).join(', then ')}.`,
        ];
  return [
    ...launched,
    ...(main.workspaceBytes === undefined
      ? []
      : [
          `Workspace: ${grouped(main.workspaceBytes)} B for partial results; it need not be initialized.`,
        ]),
    ...(plan.target === 'wgsl' ? bindings(launches) : calls(plan, main)),
  ];
}

function sharedText({ sharedBytes, dynamicShared }: Plan): string {
  return sharedBytes === 0
    ? 'no shared memory'
    : `${grouped(sharedBytes)} B of ${dynamicShared ? 'dynamic ' : ''}shared memory`;
}

const trimmed = ({ x, y, z }: Dim3): readonly number[] => [
  x,
  ...(y === 1 && z === 1 ? [] : [y]),
  ...(z === 1 ? [] : [z]),
];

const extents = (of: Dim3): string => trimmed(of).join(' x ');

function gridFormula(plan: Plan, launch: KernelLaunch): readonly string[] {
  const { problem } = plan.spec;
  return gridDims(plan, launch).map(({ side, per, times, batch }) => {
    if (side === undefined)
      return [...(times === 1 ? [] : [String(times)]), ...(batch ? ['batch'] : [])].join(' * ');
    const size = upper(side);
    if (per === 1) return size;
    return problem[side] % per === 0 ? `${size} / ${per}` : `(${size} + ${per - 1}) / ${per}`;
  });
}

function bindings(launches: readonly KernelLaunch[]): readonly string[] {
  const lines = launches.map(of => {
    const names = of.arguments.map((argument, i) =>
      typeof argument === 'string'
        ? `${i} ${upper(argument)}`
        : `${i} ${of.ir.pass === undefined ? 'Params' : 'ReduceParams'}`,
    );
    return { entry: of.entry, text: `${names.join(', ')}.` };
  });
  const [only] = lines;
  return lines.length === 1
    ? [`Bindings of group 0: ${only?.text ?? ''}`]
    : ['Bindings of group 0:', ...lines.map(({ entry, text }) => `  ${entry}: ${text}`)];
}

function calls(plan: Plan, main: MainLaunch): readonly string[] {
  const { sharedBytes, dynamicShared, spec } = plan;
  const capability = findDevice(spec.device)?.computeCapability ?? '9.0';
  const compile = `Compile: nvcc -O3 -arch=sm_${capability.replace('.', '')} -c ${CUDA_FILE}`;
  if (launchesOf<KernelLaunch>(main).length > 1) {
    return [
      compile,
      `Call: ${hostName(main)}(${hostArguments(main).map(upper).join(', ')}, stream);`,
    ];
  }
  const names = main.arguments.flat().map(upper);
  return [
    compile,
    ...(dynamicShared
      ? [
          `Once before the first call: cudaFuncSetAttribute(${main.entry}, cudaFuncAttributeMaxDynamicSharedMemorySize, ${sharedBytes});`,
        ]
      : []),
    `Call: ${main.entry}<<<grid, block${dynamicShared ? `, ${sharedBytes}` : ''}>>>(${names.join(', ')});`,
  ];
}
