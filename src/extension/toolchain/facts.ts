/** What compilers said of kernels: a text, a kernel of it and an architecture each. Pure. */
import { archOf } from '../../core/hardware/computeCapability';
import type { Runnable } from '../../core/kernel/kernel';
import type { CompiledAccesses } from '../../core/memory/compiledAccesses';
import type { Measurement } from '../../core/measure/measurement';

export interface CompiledFacts {
  readonly entry: string;
  /** Such as `sm_90`: another architecture has other registers. */
  readonly arch: string;
  readonly registers: number;
  /** Static: what a launch adds is the kernel's to know. */
  readonly sharedBytes: number;
  readonly spillStores: number;
  readonly spillLoads: number;
  readonly compiler: string;
  /** Of a described kernel that no spec gives: its access sites, read from PTX. */
  readonly accesses?: CompiledAccesses;
}

const isSame = (one: CompiledFacts, other: CompiledFacts): boolean =>
  one.entry === other.entry && one.arch === other.arch;

/** Facts of one text, the newer in place of the older; what only the older knows is kept. */
export const mergeFacts = (
  older: readonly CompiledFacts[],
  newer: readonly CompiledFacts[],
): readonly CompiledFacts[] => [
  ...older.filter(fact => !newer.some(other => isSame(fact, other))),
  ...newer.map(fact => ({ ...older.find(other => isSame(fact, other)), ...fact })),
];

/** What a CUDA run learnt of its kernel; undefined where it never got to compile. */
export function factsOfRun(
  { entry, dynamicSharedBytes }: Runnable,
  { resources, device }: Measurement,
  compiler: string,
): CompiledFacts | undefined {
  const capability = /^compute capability (\d+\.\d+)$/.exec(device.adapter)?.[1];
  if (resources === undefined || capability === undefined) return undefined;
  const sharedBytes = Math.max(0, resources.sharedBytes - dynamicSharedBytes);
  return { ...resources, sharedBytes, entry, arch: archOf(capability), compiler };
}
