/** Executes the kernel of a nest thread by thread, with checks for races and invalid accesses. */
import type { Finding } from '../simulate/memory';
import { executeIr } from '../simulate/execute';
import { poisonMatrix, fillMatrix } from '../verify/inputs';
import { verifyResult } from '../verify/verify';
import type { Verification } from '../measure/measurement';
import type { NestKernel } from './kernel';

/** Maximum number of FMAs, so that a simulation takes less than about a second. */
export const MAX_NEST_FMAS = 2 ** 21;

export interface SimulatedNest {
  readonly verification: Verification;
  readonly findings: readonly Finding[];
}

/** Runs the kernel on inputs generated from `seed`, and verifies C. */
export function simulateNest(kernel: NestKernel, seed: number): SimulatedNest {
  const { problem } = kernel;
  const c = poisonMatrix(problem);
  const matrices = {
    a: fillMatrix(problem, 'a', seed),
    b: fillMatrix(problem, 'b', seed),
    c,
    workspace: new Float64Array(0),
  };
  let findings: readonly Finding[] = [];
  const launch = { ...kernel, fileName: 'loops', linesOf: () => undefined };
  for (const done of executeIr(launch, matrices)) ({ findings } = done);
  return { verification: verifyResult(problem, seed, c), findings };
}
