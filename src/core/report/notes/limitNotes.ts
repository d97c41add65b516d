/** What an analysis cannot say of a kernel, why, and what to do about it. */
import { t } from '@vscode/l10n';
import type { Device } from '../../hardware/devices';
import type { Kernel, Runnable } from '../../kernel/kernel';
import type { CompiledAccesses } from '../../memory/compiledAccesses';
import type { OccupancyReport } from '../../occupancy/report';
import type { Note } from '../../text/note';

export interface LimitInput {
  readonly runnable: Runnable;
  /** Null of a text that no spec gives. */
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
              '{0} publishes no occupancy rules, so occupancy and waves are not given.',
              device.name,
            ),
          ),
        ]),
    ...(of.runnable.device?.why === undefined ? [] : [info(of.runnable.device.why)]),
    ...(kernel === null ? [accessNote(of)] : []),
    ...(kernel === null && report === null && isNvidia && of.runnable.target === 'cuda'
      ? [info(t('Compile it (nvcc) to know its registers, and with them its occupancy.'))]
      : []),
  ];
}

/** Where the sites of a text come from that no spec gives, or why it has none. */
function accessNote({ runnable, compiled }: Pick<LimitInput, 'runnable' | 'compiled'>): Note {
  const { target, spec } = runnable;
  if (compiled !== undefined) {
    return info(
      t(
        'Memory access is read from PTX: {0} warps of {1} blocks were followed, with the sizes of // @gemm.',
        compiled.warps,
        compiled.blocks,
      ),
    );
  }
  if (target === 'wgsl') {
    return info(t('Memory access of WGSL that no spec gives is not known from its text.'));
  }
  return info(
    spec === undefined
      ? t('Hand-written kernel: its memory access is known once nvcc has compiled it.')
      : t(
          'This text was edited since it was generated: its memory access is known once nvcc has compiled it.',
        ),
  );
}
