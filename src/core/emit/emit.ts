/** emit(): a plan becomes a kernel: the text of a file and all that a backend needs to run it. */
import { lower } from '../lower/lower';
import type { Plan } from '../plan/plan';
import { specKey } from '../spec/resolve';
import { cuda, cudaArguments } from './cuda';
import { fileHead, hashLine } from './fileHead';
import type { Kernel } from './kernel';
import { print } from './print';
import { wgsl, wgslArguments } from './wgsl';

export { kernelKey } from './hash';

/** Emits the kernel of a plan. Same plan, same text. */
export function emit(plan: Plan): Kernel {
  const ir = lower(plan);
  const key = specKey(plan.spec);
  const cudaTarget = plan.target === 'cuda';
  const fileName = `${key}.${cudaTarget ? 'cu' : 'wgsl'}`;
  const args = cudaTarget ? cudaArguments(ir) : wgslArguments(ir);
  const head = fileHead(ir, plan, args, fileName);
  const body = print(ir, plan, cudaTarget ? cuda : wgsl);
  return {
    target: plan.target,
    entry: ir.entry,
    source: `${head}${hashLine(`${head}\n${body}`)}\n${body}`,
    problem: plan.spec.problem,
    ...{ grid: plan.grid, block: plan.block },
    dynamicSharedBytes: plan.dynamicShared ? plan.sharedBytes : 0,
    arguments: args,
    specKey: key,
    ...{ spec: plan.spec, plan, ir, fileName },
    sharedBytes: plan.sharedBytes,
  };
}
