/** Creates notes about access sites of compiled code: line, cost, reason and remedy. */
import { t } from '@vscode/l10n';
import type { GlobalAccess, SharedAccess } from '../../memory/access';
import { conflictCounts, hasConflicts } from '../../report/notes/notes';
import { short } from '../../text/numbers';
import type { CompiledAccesses } from '../../memory/compiledAccesses';
import type { Note } from '../../text/note';

type Noted = Pick<CompiledAccesses, 'global' | 'shared' | 'limits'>;

export const notesOf = ({ global, shared, limits }: Noted): readonly Note[] => [
  ...global.flatMap(globalNote),
  ...shared.flatMap(sharedNote),
  ...limits.map(text => ({ level: 'info', text }) as const),
];

/** Ratio of sectors to ideal sectors above which an access is reported as uncoalesced. */
export const UNCOALESCED = 1.5;

export const isUncoalesced = ({ sectorsPerRequest, idealSectors }: GlobalAccess): boolean =>
  sectorsPerRequest > UNCOALESCED * idealSectors;

export function globalNote(access: GlobalAccess): readonly Note[] {
  const { site, sectorsPerRequest, idealSectors, op } = access;
  if (!isUncoalesced(access)) return [];
  const costs = [site, short(sectorsPerRequest), short(idealSectors)] as const;
  const counts =
    op === 'load'
      ? t('{0}: uncoalesced load, {1} sectors per request (ideal {2}).', ...costs)
      : t('{0}: uncoalesced store, {1} sectors per request (ideal {2}).', ...costs);
  return [{ level: 'advice', text: `${counts} ${why(access)}` }];
}

function why({ source, operand }: GlobalAccess): string {
  const stride = source?.lanesApart ?? null;
  const name = operand.toUpperCase();
  if (source === undefined || stride === null) {
    return t(
      'Consecutive lanes do not access consecutive elements of {0}. Map threadIdx.x to the contiguous dimension.',
      name,
    );
  }
  const { apartName } = source;
  if (apartName !== null) {
    return t(
      'Consecutive lanes have a stride of {0} = {1} elements in {2}. Map threadIdx.x to the contiguous dimension.',
      apartName,
      short(stride),
      name,
    );
  }
  return Math.abs(stride) <= MAX_ELEMENTS_PER_THREAD
    ? t(
        'Consecutive lanes have a stride of {0} elements in {1}, probably because each thread accesses consecutive elements. Assign consecutive elements to consecutive threads, or use vector accesses.',
        short(stride),
        name,
      )
    : t(
        'Consecutive lanes have a stride of {0} elements in {1}. Map threadIdx.x to the contiguous dimension.',
        short(stride),
        name,
      );
}

/** Maximum lane stride that is attributed to consecutive elements per thread. */
export const MAX_ELEMENTS_PER_THREAD = 16;

export function sharedNote(access: SharedAccess): readonly Note[] {
  const { curingPadding, source } = access;
  if (!hasConflicts(access)) return [];
  const { level, counts } = conflictCounts(access);
  const stride = source?.lanesApart ?? null;
  const reason =
    stride === null ? '' : t('Consecutive lanes have a stride of {0} elements.', short(stride));
  const remedy =
    curingPadding === null
      ? ''
      : t('Row padding of {0} (in elements) removes the conflicts.', curingPadding);
  return [{ level, text: [counts, reason, remedy].filter(part => part !== '').join(' ') }];
}
