/** What an SM runs out of, as people call it. */
import { t } from '@vscode/l10n';

const names: Readonly<Record<string, () => string>> = {
  threads: () => t('threads'),
  registers: () => t('registers'),
  'shared-memory': () => t('shared memory'),
  blocks: () => t('block slots'),
  launch: () => t('launch'),
};

/** Of a limiter of the occupancy; what is none is called as it is. */
export const limiterName = (resource: string): string => names[resource]?.() ?? resource;
