/** Text of the status bar item. */
import { t } from '@vscode/l10n';
import { backendName } from '../../core/measure/backendName';
import type { BackendId, Measurement } from '../../core/measure/measurement';
import type { Target } from '../../core/spec/schema';
import { icon, icons, type IconText } from '../display/iconLabel';
import { OUTCOME_ICONS, outcomeText, rateText } from '../runs/runText';

export interface StatusInput {
  /** Target of the active kernel; null for a spec or the explorer. */
  readonly target: Target | null;
  /** Availability of CUDA; null before the first probe. */
  readonly cuda: { readonly available: boolean; readonly note: string } | null;
  /** Adapter of the last WebGPU run in this window; null before such a run. */
  readonly adapter: string | null;
  readonly running: { readonly backend: BackendId; readonly text: string } | null;
  readonly last: Measurement | null;
}

export function placeText({ target, cuda, adapter }: StatusInput): string {
  const webgpu = adapter === null ? 'WebGPU' : `WebGPU ${shortName(adapter)}`;
  if (target === 'wgsl') return webgpu;
  if (cuda?.available === true) return `CUDA ${shortName(cuda.note)}`;
  if (target === null) return webgpu;
  return cuda === null ? 'CUDA' : t('no CUDA GPU: simulate');
}

const shortName = (name: string): string => name.replace(/^(NVIDIA|google)[ /]+(GeForce )?/i, '');

export function statusText(input: StatusInput): IconText {
  const { running, last } = input;
  if (running !== null) {
    return icons`$(sync~spin) GEMM: ${backendName(running.backend)}: ${running.text}`;
  }
  const result =
    last === null ? '' : icons` ${icon(OUTCOME_ICONS[last.outcome])} ${resultText(last)}`;
  return icons`$(symbol-array) GEMM: ${placeText(input)}${result}`;
}

const resultText = (run: Measurement): string => rateText(run) ?? outcomeText(run.outcome);
