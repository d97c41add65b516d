/** Computes the instruction mix of a compiled kernel and of its main loop. */
import { t } from '@vscode/l10n';
import { figure, type Figure } from '../../text/figure';
import {
  INSTRUCTION_CLASSES,
  type Instruction,
  type InstructionClass,
  type Listing,
} from './instruction';
import { withIntegerProducts, withLoadedProducts } from './integerProducts';
import { mainLoopOf, loopsOf, type Loop } from './loops';

export interface AccessCount {
  readonly kind: InstructionClass;
  /** Bytes accessed per thread; undefined if the opcode does not specify a width. */
  readonly widthBytes?: number;
  readonly count: number;
}

export interface InstructionMix {
  readonly total: number;
  /**
   * Instruction counts by class, in the order of `INSTRUCTION_CLASSES`; absent classes are omitted.
   */
  readonly counts: Readonly<Partial<Record<InstructionClass, number>>>;
  readonly accesses: readonly AccessCount[];
}

export interface LoopFacts {
  readonly mix: InstructionMix;
  /** First line of the loop in the listing (zero-based). */
  readonly first: number;
  readonly last: number;
  readonly depth: number;
  /**
   * Number of inner loops; each of their instructions counts once, independent of the trip count.
   */
  readonly inner: number;
  /**
   * Number of instructions that some iterations may skip, such as the prefetch of the next tile.
   */
  readonly conditional: number;
  /** FMAs per thread and iteration; a packed instruction counts once per element. */
  readonly multiplyAdds: number;
  /**
   * FMA instructions per load from shared memory; omitted if the loop has no FMAs or no such loads.
   */
  readonly fmaPerSharedLoad?: Figure;
  readonly sharedBytesPerFma?: Figure;
  /** Bytes loaded or copied from global memory per FMA. */
  readonly globalBytesPerFma?: Figure;
}

export interface ListingFacts {
  readonly language: Listing['language'];
  readonly entry: string;
  /**
   * Static instruction mix, in which each instruction counts once, independent of its execution
   * count.
   */
  readonly mix: InstructionMix;
  readonly loops: number;
  readonly loop: LoopFacts | null;
  readonly limits: readonly string[];
}

/**
 * Computes the instruction mix and selects the main loop. With `integerProduct`, all 32-bit IMADs
 * count as GEMM work, including those of address computations. Otherwise, if no loop contains FMAs,
 * only IMADs of two loaded values count.
 */
export function factsOf(
  given: Listing,
  { integerProduct = false }: { readonly integerProduct?: boolean } = {},
): ListingFacts {
  const loops = loopsOf(given);
  const counted = integerProduct ? withIntegerProducts(given) : given;
  const found = mainLoopOf(counted, loops);
  const loadedProducts = found === undefined && !integerProduct ? withLoadedProducts(given) : given;
  const ofLoaded = loadedProducts === given ? undefined : mainLoopOf(loadedProducts, loops);
  const mainLoop = found ?? ofLoaded;
  const listing = ofLoaded === undefined ? counted : loadedProducts;
  const { language, entry, instructions, cut } = listing;
  return {
    language,
    entry,
    mix: mixOf(instructions),
    loops: loops.length,
    loop: mainLoop === undefined ? null : loopFacts(listing, mainLoop),
    limits: [
      ...(integerProduct
        ? [t('The count of integer FMAs (IMAD) includes address computations.')]
        : []),
      ...(ofLoaded === undefined
        ? []
        : [
            t(
              'Integer FMAs (IMAD) of two loaded values are counted as GEMM work, because no loop contains other FMAs.',
            ),
          ]),
      ...(cut ? [t('The listing is truncated; instructions after the cut are not counted.')] : []),
      ...(mainLoop === undefined
        ? [
            t(
              'No loop contains FMAs. The loops may be fully unrolled, or the main loop may be in a different kernel.',
            ),
          ]
        : []),
      ...(instructions.some(({ opcode }) => /^(brx|BRX|JMX|call|CALL)\b/.test(opcode))
        ? [
            t(
              'The kernel contains calls or indirect branches; instructions of called functions are not counted.',
            ),
          ]
        : []),
    ],
  };
}

export function mixOf(instructions: readonly Instruction[]): InstructionMix {
  const counts = INSTRUCTION_CLASSES.map(kind => {
    const count = instructions.filter(instruction => instruction.kind === kind).length;
    return [kind, count] as const;
  }).filter(([, count]) => count > 0);
  const accesses = new Map<string, AccessCount>();
  for (const { kind, widthBytes } of instructions) {
    if (!/-(load|store|copy)$|^local$/.test(kind)) continue;
    const key = `${kind} ${widthBytes ?? ''}`;
    const count = (accesses.get(key)?.count ?? 0) + 1;
    accesses.set(key, { kind, count, ...(widthBytes === undefined ? {} : { widthBytes }) });
  }
  return {
    total: instructions.length,
    counts: Object.fromEntries(counts),
    accesses: [...accesses.values()].sort(
      (one, other) =>
        INSTRUCTION_CLASSES.indexOf(one.kind) - INSTRUCTION_CLASSES.indexOf(other.kind) ||
        (other.widthBytes ?? 0) - (one.widthBytes ?? 0),
    ),
  };
}

function loopFacts({ instructions }: Listing, { body, always, depth, inner }: Loop): LoopFacts {
  const own = body.flatMap(at => instructions[at] ?? []);
  const unconditional = new Set(always);
  const mix = mixOf(own);
  const fma = mix.counts.fma ?? 0;
  const multiplyAdds = own
    .filter(({ kind }) => kind === 'fma')
    .reduce((sum, { lanes = 1 }) => sum + lanes, 0);
  const sharedLoads = mix.counts['shared-load'] ?? 0;
  const bytes = (...kinds: readonly InstructionClass[]): number =>
    mix.accesses
      .filter(({ kind }) => kinds.includes(kind))
      .reduce((sum, { widthBytes = NaN, count }) => sum + widthBytes * count, 0);
  const shared = bytes('shared-load');
  const global = bytes('global-load', 'async-copy');
  const lines = own.map(({ line }) => line);
  return {
    mix,
    depth,
    inner,
    multiplyAdds,
    first: Math.min(...lines),
    last: Math.max(...lines),
    conditional: body.filter(at => !unconditional.has(at)).length + own.filter(isGuarded).length,
    ...(fma > 0 && sharedLoads > 0
      ? { fmaPerSharedLoad: figure(fma / sharedLoads, 'FMA/load', 'compiler') }
      : {}),
    ...(multiplyAdds > 0 && shared > 0
      ? { sharedBytesPerFma: figure(shared / multiplyAdds, 'B/FMA', 'compiler') }
      : {}),
    ...(multiplyAdds > 0 && global > 0
      ? { globalBytesPerFma: figure(global / multiplyAdds, 'B/FMA', 'compiler') }
      : {}),
  };
}

const isGuarded = ({ predicated, kind }: Instruction): boolean => predicated && kind !== 'branch';
