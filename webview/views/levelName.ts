/** Levels of memory, for people. */
import { t } from '@vscode/l10n';
import type { LevelName } from '../../src/core/analysis/memoryLevels';

export const levelName = (level: LevelName): string =>
  ({
    registers: t('registers'),
    shared: t('shared memory'),
    l1: 'L1',
    l2: 'L2',
    dram: 'DRAM',
  })[level];
