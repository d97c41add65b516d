/** Analyzes each kernel of a listing and compares a generated kernel with its loop IR. */
import { matrixPlanIn } from '../../plan/family';
import { hashText } from '../../text/hash';
import { recoverGenerated } from '../../kernel/generatedKernel';
import type { Runnable } from '../../kernel/kernel';
import { compareLoops, type LoopComparison } from './compare';
import { factsOf, type ListingFacts } from './facts';
import type { Listing } from './instruction';
import { readPtx } from './ptx';
import { readSass } from './sass';

export interface Inspected extends ListingFacts {
  /**
   * Comparison with the loop IR; null for a kernel without a spec, or if the listing or the IR has
   * no main loop.
   */
  readonly comparison: LoopComparison | null;
}

export interface Inspection {
  readonly language: Listing['language'];
  readonly compiler: string;
  readonly arch: string;
  readonly sourceHash: string;
  readonly kernels: readonly Inspected[];
}

export interface InspectedText {
  readonly source: string;
  readonly listing: string;
  readonly language: Listing['language'];
  readonly compiler: string;
  readonly arch: string;
  /** Kernel that the source's `@gemm` annotation describes, if present. */
  readonly runnable?: Runnable | undefined;
}

export function inspect(given: InspectedText): Inspection {
  const { source, listing, language, compiler, arch, runnable } = given;
  const kernel = runnable === undefined ? null : recoverGenerated(runnable);
  // Tensor-core GEMMs use MMA instructions, so their IMADs only compute addresses.
  const integerProduct =
    runnable?.problem.accumulator === 's32' &&
    (kernel === null || matrixPlanIn(kernel.plan) === null);
  const listings = language === 'ptx' ? readPtx(listing) : readSass(listing);
  return {
    language,
    compiler,
    arch,
    sourceHash: hashText(source),
    kernels: listings.map(of => {
      const facts = factsOf(of, { integerProduct });
      const isIt = kernel !== null && kernel.entry === of.entry && facts.loop !== null;
      return { ...facts, comparison: isIt ? compareLoops(kernel, facts.loop) : null };
    }),
  };
}
