/** A listing inspected: the facts of each kernel, and of a generated one the model beside them. */
import { matrixPlanIn } from '../../plan/family';
import { hashText } from '../../text/hash';
import { generatedKernel } from '../../kernel/generatedKernel';
import type { Runnable } from '../../kernel/kernel';
import { compareLoops, type LoopComparison } from './compare';
import { factsOf, type ListingFacts } from './facts';
import type { Listing } from './instruction';
import { readPtx } from './ptx';
import { readSass } from './sass';

export interface Inspected extends ListingFacts {
  /** Null of a text that no spec gives, and where one of the two has no loop that multiplies. */
  readonly comparison: LoopComparison | null;
}

/** What made a listing: every number that is read from it belongs to this. */
export interface Inspection {
  readonly language: Listing['language'];
  /** Such as `nvcc 13.0.88`. */
  readonly compiler: string;
  /** Such as `sm_90`. */
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
  /** What is known of the source's kernel. */
  readonly runnable?: Runnable | undefined;
}

export function inspect(given: InspectedText): Inspection {
  const { source, listing, language, compiler, arch, runnable } = given;
  const kernel = runnable === undefined ? null : generatedKernel(runnable);
  // Tensor cores have instructions of their own: what is left of integers is addresses.
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
