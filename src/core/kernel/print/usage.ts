/** Launch, compile and call lines of a generated file. */
import { findDevice } from '../../hardware/devices';
import { grouped } from '../../text/digits';
import type { Dim3, Plan } from '../../plan/plan';
import { hostArguments, hostName, upper } from '../file/hostLaunch';
import { launchesOf, type KernelLaunch, type MainLaunch } from '../kernel';

export function usage(plan: Plan, main: MainLaunch, fileName: string): readonly string[] {
  const launches = launchesOf<KernelLaunch>(main);
  const { m, n, k, batch } = plan.spec.problem;
  const sizes = `${m} x ${n} x ${k}${batch === 1 ? '' : `, batch ${batch}`}`;
  const memory = (of: KernelLaunch) => (of !== main ? '' : `, ${sharedText(plan)}`);
  const shape = (of: KernelLaunch) =>
    `grid ${extents(of.grid)}, block ${extents(of.block)}${memory(of)}.`;
  const launched =
    launches.length === 1
      ? [`Launch for ${sizes}: ${shape(main)}`]
      : [`Launches for ${sizes}, in order:`, ...launches.map(of => `  ${of.entry}: ${shape(of)}`)];
  return [
    ...launched,
    ...(main.workspaceBytes === undefined
      ? []
      : [
          `Workspace: ${grouped(main.workspaceBytes)} B for partial results; it need not be initialized.`,
        ]),
    ...(plan.target === 'wgsl' ? bindings(launches) : calls(plan, main, fileName)),
  ];
}

function sharedText({ sharedBytes, dynamicShared }: Plan): string {
  return sharedBytes === 0
    ? 'no shared memory'
    : `${grouped(sharedBytes)} B of ${dynamicShared ? 'dynamic ' : ''}shared memory`;
}

const extents = ({ x, y, z }: Dim3): string =>
  [x, ...(y === 1 && z === 1 ? [] : [y]), ...(z === 1 ? [] : [z])].join(' x ');

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

function calls(plan: Plan, main: MainLaunch, fileName: string): readonly string[] {
  const { sharedBytes, dynamicShared, spec } = plan;
  const capability = findDevice(spec.device)?.computeCapability ?? '9.0';
  const compile = `Compile: nvcc -O3 -arch=sm_${capability.replace('.', '')} -c ${fileName}`;
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
