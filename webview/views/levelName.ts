/** Display names of memory levels. */
import { t } from '@vscode/l10n';
import type { LevelCeiling } from '../../src/core/roofline/levelRoofline';
import type { LevelName } from '../../src/core/memory/memoryLevels';

export const levelName = (level: LevelName): string =>
  ({
    registers: t('registers'),
    shared: t('shared memory'),
    l1: 'L1',
    l2: 'L2',
    dram: 'DRAM',
  })[level];

export const ceilingLevelName = ({
  level,
  arriving,
}: Pick<LevelCeiling, 'level' | 'arriving'>): string =>
  arriving === true ? t('L2 to SM') : levelName(level);
