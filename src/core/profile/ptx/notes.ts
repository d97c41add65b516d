/** What an analysis says of sites that were read from compiled code: line, cost, reason, cure. */
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

/** Sectors this many times the fewest are worth a word. */
export const UNCOALESCED = 1.5;

export const isUncoalesced = ({ sectorsPerRequest, idealSectors }: GlobalAccess): boolean =>
  sectorsPerRequest > UNCOALESCED * idealSectors;

export function globalNote(access: GlobalAccess): readonly Note[] {
  const { site, sectorsPerRequest, idealSectors, op } = access;
  if (!isUncoalesced(access)) return [];
  const costs = [site, short(sectorsPerRequest), short(idealSectors)] as const;
  const counts =
    op === 'load'
      ? t('{0}: uncoalesced, {1} sectors a load request instead of {2}.', ...costs)
      : t('{0}: uncoalesced, {1} sectors a store request instead of {2}.', ...costs);
  return [{ level: 'advice', text: `${counts} ${why(access)}` }];
}

function why({ source, operand }: GlobalAccess): string {
  const apart = source?.lanesApart ?? null;
  const name = operand.toUpperCase();
  if (source === undefined || apart === null) {
    return t(
      'Lanes that follow each other do not touch neighbouring elements of {0}: let threadIdx.x walk the contiguous index.',
      name,
    );
  }
  const { apartName } = source;
  if (apartName !== null) {
    return t(
      'Neighbouring lanes are {0} = {1} elements apart in {2}: let threadIdx.x walk the contiguous index.',
      apartName,
      short(apart),
      name,
    );
  }
  return Math.abs(apart) <= MOST_OWNED
    ? t(
        'Neighbouring lanes are {0} elements apart in {1}, as if each thread had neighbouring elements of its own: let neighbouring threads take them instead, or move vectors.',
        short(apart),
        name,
      )
    : t(
        'Neighbouring lanes are {0} elements apart in {1}: let threadIdx.x walk the contiguous index.',
        short(apart),
        name,
      );
}

/** Elements of a thread's own, at most. */
const MOST_OWNED = 16;

export function sharedNote(access: SharedAccess): readonly Note[] {
  const { curingPadding, source } = access;
  if (!hasConflicts(access)) return [];
  const { level, counts } = conflictCounts(access);
  const apart = source?.lanesApart ?? null;
  const reason =
    apart === null ? '' : t('Neighbouring lanes are {0} elements apart.', short(apart));
  const cure = curingPadding === null ? '' : t('Rows padded by {0} have none.', curingPadding);
  return [{ level, text: [counts, reason, cure].filter(part => part !== '').join(' ') }];
}
