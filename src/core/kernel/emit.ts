/**
 * Emits kernels: turns a plan into the source file of its kernels and the data that a backend needs
 * to run them.
 */
import type { KernelIr } from './ir/ir';
import { lowered } from './lower/lower';
import type { Plan } from '../plan/plan';
import { DTYPE_BYTES } from '../types/dtype';
import { specKey } from '../plan/specKey';
import { cuda, cudaArguments } from './print/cuda';
import { annotationLine, fileHead, fileText } from './file/fileHead';
import { hostLaunch } from './file/hostLaunch';
import type { Kernel, KernelLaunch } from './kernel';
import { emitWarpGroups } from './wgmma/emit';
import { printOptionsOf } from './print/planOptions';
import { print } from './print/print';
import { wgslArguments, wgslOf } from './print/wgsl';

export { kernelKey } from '../text/hash';

/** Emits the kernels of a plan. The source depends only on the plan. */
export function emit(plan: Plan): Kernel {
  const key = specKey(plan.spec);
  if (plan.family === 'wgmma') return emitWarpGroups(plan, key);
  const { before, ir, after } = lowered(plan);
  const launch = (of: KernelIr) => launchOf(plan, of);
  const cudaTarget = plan.target === 'cuda';
  const main = launch(ir);
  const around = {
    ...(before.length === 0 ? {} : { before: before.map(launch) }),
    ...(after.length === 0 ? {} : { after: after.map(launch) }),
    ...(plan.split === undefined || plan.split.workspaceElements === 0
      ? {}
      : { workspaceBytes: plan.split.workspaceElements * DTYPE_BYTES[plan.accumulator] }),
  };
  const head = fileHead(plan, { ...main, ...around });
  const options = printOptionsOf(plan);
  const kernels = [ir, ...before, ...after].map(of =>
    print(of, options, cudaTarget ? cuda : wgslOf(of)),
  );
  const body = [...kernels, ...(cudaTarget ? hostLaunch(plan, { ...main, ...around }) : [])].join(
    '\n',
  );
  return {
    target: plan.target,
    ...main,
    ...around,
    source: fileText({
      head,
      body,
      specKey: key,
      annotation: annotationLine(plan, { ...main, ...around }),
    }),
    problem: plan.spec.problem,
    specKey: key,
    spec: plan.spec,
    plan,
    fileName: `${key}.${cudaTarget ? 'cu' : 'wgsl'}`,
    sharedBytes: plan.sharedBytes,
  };
}

function launchOf(plan: Plan, ir: KernelIr): KernelLaunch {
  const pass = ir.pass === undefined ? undefined : plan.split?.pass;
  return {
    entry: ir.entry,
    ...(pass === undefined
      ? { grid: plan.grid, block: plan.block }
      : { grid: pass.grid, block: pass.block }),
    dynamicSharedBytes: pass === undefined && plan.dynamicShared ? plan.sharedBytes : 0,
    arguments: plan.target === 'cuda' ? cudaArguments(ir) : wgslArguments(ir),
    ir,
  };
}
