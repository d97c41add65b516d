/** What is known of one kernel of a document: analysed when it is asked for, remembered until something changes. */
import type { Analysis } from '../../core/analysis/analysis';
import { type DeviceId } from '../../core/device/devices';
import type { Runnable } from '../../core/emit/kernel';
import { type KernelFile, type KernelText } from '../../core/emit/kernelFile';
import type { Measurement } from '../../core/measure/measurement';
import type { CompiledFacts } from '../facts';
export interface KnownParts {
  readonly factsOf: (source: string, entry: string, device: string) => CompiledFacts | undefined;
  /** Runs of exactly this text, newest last; of one of its kernels where it holds several. */
  readonly runsOf: (source: string, specKey: string | undefined) => readonly Measurement[];
  /** Of kernels that name none. */
  readonly device: () => DeviceId;
}
export type KernelFacts =
  | {
      readonly ok: false;
      readonly reason: string;
    }
  | {
      readonly ok: true;
      readonly runnable: Runnable;
      readonly origin: Extract<
        KernelFile,
        {
          ok: true;
        }
      >['origin'];
      readonly device: DeviceId;
      readonly compiled: CompiledFacts | undefined;
      readonly runs: readonly Measurement[];
      readonly analysis: Analysis;
      /** The newest run with a time. */
      readonly newest: Measurement | undefined;
    };
export interface Knowledge {
  readonly of: (file: KernelText, entry: string) => KernelFacts;
  /** Facts, runs or settings have changed. */
  readonly forget: () => void;
}
/** Keyed by the text itself, so that a changed file never shows another text's numbers. */
export declare function createKnowledge(parts: KnownParts): Knowledge;
//# sourceMappingURL=kernelFacts.d.ts.map
