/** Questions about requests to global memory: the sectors of a load or store. */
import { operandOf } from '../spec/resolved';
import { t } from '@vscode/l10n';
import { sectorPicture, type SectorCell, type SectorPicture } from '../charts/sectorPicture';
import { lanesText } from '../charts/pictureText';
import type { Kernel } from '../kernel/kernel';
import type { GlobalAccess } from '../memory/access';
import { placedRequest, type PlacedLane, type PlacedRequest } from '../memory/placedRequest';
import { LINE_BYTES, SECTOR_BYTES } from '../memory/requestCost';
import { grouped } from '../text/numbers';
import { count, type Question } from './question';

/** Returns one question per access site. */
export const requestQuestions = (
  kernel: Kernel,
  sites: readonly GlobalAccess[],
): readonly Question[] =>
  sites
    .filter(
      ({ site, op }, index) =>
        sites.findIndex(other => other.site === site && other.op === op) === index,
    )
    .flatMap(site => sectorQuestion(kernel, site) ?? []);

function sectorQuestion(kernel: Kernel, access: GlobalAccess): Question | null {
  const placed = placedRequest(kernel, access);
  if (placed === null) return null;
  const { request } = placed;
  const { site, op, cost, widthBytes } = request;
  const picture = sectorPicture(request);
  const active = request.addresses.filter(address => address !== null).length;
  const ideal = Math.ceil(picture.usedBytes / SECTOR_BYTES);
  return count(
    {
      id: `requests/sectors/${site} ${op}`,
      topic: 'requests',
      text:
        access.sectorsPerRequest === cost
          ? t('How many 32-byte sectors does one request of {0} access?', site)
          : t('How many 32-byte sectors does the worst-case request of {0} access?', site),
      derivation: derivation(placed, picture),
    },
    cost,
    [
      {
        value: transposedSectors(placed, kernel),
        mistake: t('This is the count with rows and columns exchanged.'),
      },
      {
        value: ideal,
        mistake: t('This would need consecutive lanes at consecutive addresses.'),
      },
      { value: active, mistake: t('Lanes within the same 32 bytes share a sector.') },
      {
        value: picture.lines.length,
        mistake: t('This is the number of {0}-byte cache lines.', LINE_BYTES),
      },
      { value: picture.usedBytes, mistake: t('This is the number of bytes.') },
      {
        value: active * Math.ceil(widthBytes / 4),
        mistake: t('This is the number of 4-byte words.'),
      },
    ],
  );
}

/** Returns the number of sectors if each lane accessed the element of the exchanged position. */
function transposedSectors({ request, lanes, width }: PlacedRequest, { problem }: Kernel): number {
  const { operand, widthBytes } = request;
  if (operand === 'workspace') return NaN;
  const { ld, layout } = operandOf(problem, operand);
  const bytes = widthBytes / width;
  const addresses = lanes.map(lane => {
    if (lane === null) return null;
    const [outer, inner] = layout === 'row' ? [lane.column, lane.row] : [lane.row, lane.column];
    return (outer * ld + inner) * bytes;
  });
  return sectorPicture({ ...request, addresses }).sectors;
}

function derivation(placed: PlacedRequest, picture: SectorPicture): readonly string[] {
  const { request, lanes } = placed;
  const active = lanes.flatMap((lane, index) => (lane === null ? [] : [index]));
  const bytes = grouped(request.widthBytes);
  const gap = gapOf(request.addresses);
  return [
    t('Lanes {0} are active; each of them accesses {1} B.', lanesText(active), bytes),
    t('They start at these elements: {0}.', placesText(placed, active)),
    ...(gap === null
      ? []
      : [t('The addresses of consecutive lanes differ by {0} B.', grouped(gap))]),
    t('The first sector has these lanes: {0}.', lanesText(firstOf(picture)?.lanes ?? [])),
    t(
      'Different values of floor(address / {0}): {1} sectors. Cache lines: {2}.',
      SECTOR_BYTES,
      picture.sectors,
      picture.lines.length,
    ),
    t(
      'The lanes use {0} B; consecutive bytes need {1} sectors: ceil({0} / {2}).',
      grouped(picture.usedBytes),
      Math.ceil(picture.usedBytes / SECTOR_BYTES),
      SECTOR_BYTES,
    ),
  ];
}

const firstOf = ({ lines }: SectorPicture): SectorCell | undefined =>
  lines.flatMap(({ sectors }) => sectors).find(cell => cell !== null);

/** Returns the elements of the first two lanes and of the last lane. */
function placesText(
  { request: { operand }, lanes }: PlacedRequest,
  active: readonly number[],
): string {
  const name = operand === 'workspace' ? t('workspace') : operand.toUpperCase();
  const element = ({ row, column }: PlacedLane): string => `${name}(${row}, ${column})`;
  const named = [...new Set([...active.slice(0, 2), ...active.slice(-1)])];
  return named
    .flatMap(index => {
      const lane = lanes[index] ?? null;
      return lane === null ? [] : [t('lane {0} at {1}', index, element(lane))];
    })
    .join(', ');
}

/** Returns the distance of the addresses of consecutive lanes; null if it is not uniform. */
function gapOf(addresses: readonly (number | null)[]): number | null {
  const gaps = addresses.slice(1).map((address, lane) => {
    const before = addresses[lane] ?? null;
    return address === null || before === null ? null : address - before;
  });
  const [gap = null] = gaps;
  return gaps.every(other => other === gap) ? gap : null;
}
