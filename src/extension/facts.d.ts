import type { Runnable } from '../core/emit/kernel';
import type { Measurement } from '../core/measure/measurement';
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
}
/** Facts of one text, the newer in place of the older. */
export declare const mergeFacts: (
  older: readonly CompiledFacts[],
  newer: readonly CompiledFacts[],
) => readonly CompiledFacts[];
/** What a CUDA run learnt of its kernel; undefined where it never got to compile. */
export declare function factsOfRun(
  { entry, dynamicSharedBytes }: Runnable,
  { resources, device }: Measurement,
  compiler: string,
): CompiledFacts | undefined;
//# sourceMappingURL=facts.d.ts.map
