/** Compiler facts by source, kernel and architecture. */
import { archOf } from '../../core/hardware/computeCapability';
import type { Runnable } from '../../core/kernel/kernel';
import type { CompiledAccesses } from '../../core/memory/compiledAccesses';
import type { Measurement } from '../../core/measure/measurement';
import type { ToWebview } from '../../protocol';

export interface CompiledFacts {
  readonly entry: string;
  /** Architecture such as `sm_90`; register counts differ by architecture. */
  readonly arch: string;
  readonly registers: number;
  /** Static shared memory in bytes; dynamic shared memory depends on the launch. */
  readonly sharedBytes: number;
  readonly spillStores: number;
  readonly spillLoads: number;
  readonly compiler: string;
  /** Memory accesses read from PTX, for an annotated kernel that is edited or hand-written. */
  readonly accesses?: CompiledAccesses;
}

type ShownAccesses = NonNullable<Extract<ToWebview, { type: 'compiled' }>['accesses']>;

export interface CompiledText {
  readonly sourceHash: string;
  readonly facts: readonly CompiledFacts[];
}

const isSame = (one: CompiledFacts, other: CompiledFacts): boolean =>
  one.entry === other.entry && one.arch === other.arch;

/**
 * Merges facts about one source. Newer values replace older values of the same kernel and
 * architecture.
 */
export const mergeFacts = (
  older: readonly CompiledFacts[],
  newer: readonly CompiledFacts[],
): readonly CompiledFacts[] => [
  ...older.filter(fact => !newer.some(other => isSame(fact, other))),
  ...newer.map(fact => ({ ...older.find(other => isSame(fact, other)), ...fact })),
];

/**
 * Returns the compiler facts of a CUDA run; undefined if the run has no compiled resources or no
 * compute capability.
 */
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

/** Returns the messages that send the facts to the page. */
export function compiledMessages({ sourceHash, facts }: CompiledText): readonly ToWebview[] {
  return facts.map(({ accesses, ...fact }) => ({
    type: 'compiled',
    sourceHash,
    ...fact,
    ...(accesses === undefined ? {} : { accesses: costsOf(accesses) }),
  }));
}

const costsOf = ({ global, shared, notes }: CompiledAccesses): ShownAccesses => ({
  global: global.map(({ site, widthBytes, sectorsPerRequest: cost, idealSectors: ideal }) => ({
    site,
    widthBytes,
    cost,
    ideal,
  })),
  shared: shared.map(
    ({ site, widthBytes, wavefrontsPerRequest: cost, idealWavefronts: ideal }) => ({
      site,
      widthBytes,
      cost,
      ideal,
    }),
  ),
  notes: [...notes],
});
