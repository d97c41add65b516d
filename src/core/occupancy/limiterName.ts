/** Display names of the resources that limit occupancy. */
import { t } from '@vscode/l10n';

const names: Readonly<Record<string, () => string>> = {
  threads: () => t('threads'),
  registers: () => t('registers'),
  'shared-memory': () => t('shared memory'),
  blocks: () => t('block slots'),
  launch: () => t('launch'),
};

export const limiterName = (resource: string): string => names[resource]?.() ?? resource;
