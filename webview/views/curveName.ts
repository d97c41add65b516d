/** What the curves of an SM's resources are called. */
import { t } from '@vscode/l10n';
import type { CurveParameter } from '../../src/core/occupancy/occupancyCurves';

export function curveName(parameter: CurveParameter): string {
  switch (parameter) {
    case 'threadsPerBlock':
      return t('Threads a block');
    case 'registersPerThread':
      return t('Registers a thread');
    case 'sharedBytesPerBlock':
      return t('Shared memory a block');
  }
}
