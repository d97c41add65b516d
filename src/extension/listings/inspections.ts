/** Facts read from listings, cached by source and architecture. */
import type { Inspected, Inspection } from '../../core/profile/listing/inspect';
import type { LoopFacts } from '../../core/profile/listing/facts';
import { INSTRUCTION_CLASSES } from '../../core/profile/listing/instruction';
import type { ToWebview } from '../../protocol';
import { t } from '@vscode/l10n';
import { hashText } from '../../core/text/hash';

export type KernelInspection = Omit<Inspection, 'kernels'> & { readonly kernel: Inspected };

export interface Inspections {
  readonly add: (inspection: Inspection) => void;
  /** Returns all inspections, oldest first. */
  readonly all: () => readonly Inspection[];
  /**
   * Returns the inspection of the SASS, which the GPU executes, or else of the PTX; undefined if
   * there is neither.
   */
  readonly of: (source: string, entry: string, arch: string) => KernelInspection | undefined;
}

const MAX_INSPECTIONS = 100;

export function createInspections(): Inspections {
  const known = new Map<string, Inspection>();
  const keyOf = ({
    sourceHash,
    arch,
    language,
  }: Omit<Inspection, 'kernels' | 'compiler'>): string => `${sourceHash} ${arch} ${language}`;
  return {
    add: inspection => {
      const key = keyOf(inspection);
      known.delete(key);
      if (known.size >= MAX_INSPECTIONS) known.delete(known.keys().next().value ?? '');
      known.set(key, inspection);
    },
    all: () => [...known.values()],
    of: (source, entry, arch) => {
      if (known.size === 0) return undefined;
      const sourceHash = hashText(source);
      for (const language of ['sass', 'ptx'] as const) {
        const found = known.get(keyOf({ sourceHash, arch, language }));
        const kernel = found?.kernels.find(candidate => candidate.entry === entry);
        if (found !== undefined && kernel !== undefined) return { ...found, kernel };
      }
      return undefined;
    },
  };
}

type InspectedMessage = Extract<ToWebview, { readonly type: 'inspected' }>;

export const inspectedMessages = ({ kernels, ...made }: Inspection): readonly InspectedMessage[] =>
  kernels.map(({ entry, mix, loop, comparison, limits }) => ({
    type: 'inspected',
    ...made,
    entry,
    limits: [...limits],
    counts: INSTRUCTION_CLASSES.flatMap(kind => {
      const whole = mix.counts[kind] ?? 0;
      return whole === 0 ? [] : [{ kind, whole, loop: loop?.mix.counts[kind] ?? 0 }];
    }),
    loop:
      loop === null
        ? null
        : {
            total: loop.mix.total,
            conditional: loop.conditional,
            ...ratiosOf(loop),
            unrolled: comparison?.unrolled ?? null,
            rows: (comparison?.rows ?? []).map(({ kind, compiled, model, why }) => ({
              kind,
              compiled,
              why,
              model: Number.isFinite(model) ? model : null,
            })),
          },
  }));

const ratiosOf = ({ fmaPerSharedLoad, sharedBytesPerFma, globalBytesPerFma }: LoopFacts) => ({
  ...(fmaPerSharedLoad === undefined ? {} : { fmaPerSharedLoad: fmaPerSharedLoad.value }),
  ...(sharedBytesPerFma === undefined ? {} : { sharedBytesPerFma: sharedBytesPerFma.value }),
  ...(globalBytesPerFma === undefined ? {} : { globalBytesPerFma: globalBytesPerFma.value }),
});

/**
 * Returns the ratios of the main loop, with language, compiler and architecture. Returns undefined
 * if no ratio is known.
 */
export function loopText(inspection: KernelInspection | undefined): string | undefined {
  const { fmaPerSharedLoad, sharedBytesPerFma, globalBytesPerFma } = inspection?.kernel.loop ?? {};
  const parts = [
    ...(fmaPerSharedLoad === undefined
      ? []
      : [t('{0} FMAs per shared load', rounded(fmaPerSharedLoad.value))]),
    ...(sharedBytesPerFma === undefined
      ? []
      : [t('{0} shared bytes per FMA', rounded(sharedBytesPerFma.value))]),
    ...(globalBytesPerFma === undefined
      ? []
      : [t('{0} global bytes per FMA', rounded(globalBytesPerFma.value))]),
  ];
  if (inspection === undefined || parts.length === 0) return undefined;
  const { language, compiler, arch } = inspection;
  return `${parts.join(', ')} (${language.toUpperCase()}, ${compiler}, ${arch})`;
}

const rounded = (value: number): number => Number(value.toPrecision(3));
