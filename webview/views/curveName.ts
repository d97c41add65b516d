/** Names of the occupancy curves. */
import { t } from '@vscode/l10n';
import type { CurveParameter } from '../../src/core/occupancy/occupancyCurves';

export function curveName(parameter: CurveParameter): string {
  switch (parameter) {
    case 'threadsPerBlock':
      return t('Threads per block');
    case 'registersPerThread':
      return t('Registers per thread');
    case 'sharedBytesPerBlock':
      return t('Shared memory per block');
  }
}
