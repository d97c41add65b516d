/** Notes on results that the analysis cannot compute, with the reason and the fix. */
import { t } from '@vscode/l10n';
import type { Device } from '../../hardware/devices';
import type { Kernel, Runnable } from '../../kernel/kernel';
import type { CompiledAccesses } from '../../memory/compiledAccesses';
import type { OccupancyReport } from '../../occupancy/report';
import type { Note } from '../../text/note';

export interface LimitInput {
  readonly runnable: Runnable;
  /** Recovered generated kernel; null for hand-written or edited source code. */
  readonly kernel: Kernel | null;
  readonly device: Device;
  readonly report: OccupancyReport | null;
  readonly compiled: CompiledAccesses | undefined;
}

const info = (text: string): Note => ({ level: 'info', text });

export function limitNotes({ kernel, device, report, ...of }: LimitInput): readonly Note[] {
  const isNvidia = device.computeCapability !== undefined;
  return [
    ...(isNvidia
      ? []
      : [
          info(
            t(
              'No occupancy rules are published for {0}; occupancy and waves are not shown.',
              device.name,
            ),
          ),
        ]),
    ...(of.runnable.device?.why === undefined ? [] : [info(of.runnable.device.why)]),
    ...(kernel === null ? [accessNote(of)] : []),
    ...(kernel === null && report === null && isNvidia && of.runnable.target === 'cuda'
      ? [info(t('Compile the kernel with nvcc to get its register count and occupancy.'))]
      : []),
  ];
}

/**
 * Returns a note on the memory accesses of hand-written or edited source code: their origin, or why
 * they are not analyzed.
 */
function accessNote({ runnable, compiled }: Pick<LimitInput, 'runnable' | 'compiled'>): Note {
  const { target, spec } = runnable;
  if (compiled !== undefined) {
    return info(
      t(
        'Memory accesses are derived from PTX: {0} warps of {1} blocks, traced with the problem shape of the // @gemm annotation.',
        compiled.warps,
        compiled.blocks,
      ),
    );
  }
  if (target === 'wgsl') {
    return info(t('Memory accesses are not analyzed for WGSL without a spec.'));
  }
  return info(
    spec === undefined
      ? t('Hand-written kernel: compile it with nvcc to analyze its memory accesses.')
      : t(
          'The kernel source was edited after it was generated. Fix: compile it with nvcc to analyze its memory accesses.',
        ),
  );
}
