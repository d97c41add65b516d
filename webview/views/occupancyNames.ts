/** What the resources of an SM are called. */
import { t } from '@vscode/l10n';
import type { CurveParameter } from '../../src/core/analysis/occupancyCurves';

export function limiterName(resource: string): string {
  switch (resource) {
    case 'threads':
      return t('threads');
    case 'registers':
      return t('registers');
    case 'shared-memory':
      return t('shared memory');
    case 'blocks':
      return t('block slots');
    default:
      return resource;
  }
}

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
