/**
 * Table of one global-memory request: the lanes and the used bytes of each sector, by cache line.
 */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import type { DrawnRequest } from '../../src/core/memory/drawnRequest';
import { lanesText } from '../../src/core/charts/pictureText';
import { SECTOR_BYTES } from '../../src/core/memory/requestCost';
import { sectorPicture, type SectorCell } from '../../src/core/charts/sectorPicture';
import type { ResolvedOperand } from '../../src/core/spec/resolved';
import { formatBytes, formatPercent } from '../format';
import { Table } from './figure';

/** Maximum number of table rows. Further cache lines are only counted. */
const MAX_LINES = 8;

export interface SectorCaptionProps {
  readonly request: DrawnRequest;
  /** Memory layout of the matrix; null for split-K partial results, which are packed. */
  readonly layout: ResolvedOperand | null;
}

/** The sectors and lines of the request, the used bytes, and the layout of the matrix. */
export function SectorCaption({ request, layout }: SectorCaptionProps): VNode {
  const { lines, sectors, usedBytes, movedBytes } = sectorPicture(request);
  const { widthBytes, share, operand } = request;
  const used = [formatBytes(usedBytes), formatBytes(movedBytes)] as const;
  return (
    <>
      {t(
        '{0} B per lane, sectors: {1}, lines: {2}, {3} of {4} used ({5}).',
        widthBytes,
        sectors,
        lines.length,
        ...used,
        formatPercent(usedBytes / movedBytes),
      )}{' '}
      {layout === null
        ? ''
        : layout.layout === 'row'
          ? t(
              '{0} is row-major with a row stride of {1} elements.',
              operand.toUpperCase(),
              layout.ld,
            )
          : t(
              '{0} is column-major with a column stride of {1} elements.',
              operand.toUpperCase(),
              layout.ld,
            )}{' '}
      {share === 1
        ? ''
        : t('Worst-case request; {0} of requests cost the same.', formatPercent(share))}
    </>
  );
}

export function SectorTable({ request }: { readonly request: DrawnRequest }): VNode {
  const { lines } = sectorPicture(request);
  const rest = lines.length - MAX_LINES;
  return (
    <div class="request">
      <Table
        caption={t('Lanes per sector and line: {0}', request.site)}
        columns={[t('line'), ...[0, 1, 2, 3].map(sector => t('sector {0}', sector))]}
        rows={lines
          .slice(0, MAX_LINES)
          .map(({ offset, sectors: cells }) => [`+${offset} B`, ...cells.map(sectorCell)])}
      />
      {rest > 0 ? <p class="hint">{t('Further cache lines: {0}.', rest)}</p> : null}
    </div>
  );
}

const sectorCell = (cell: SectorCell | null): VNode | string =>
  cell === null ? (
    ''
  ) : (
    <span class={cell.usedBytes < SECTOR_BYTES ? 'sector partly' : 'sector'}>
      <svg width="100%" height="6" aria-hidden="true">
        <rect class="track" width="100%" height="6" />
        <rect class="fill" width={`${(100 * cell.usedBytes) / SECTOR_BYTES}%`} height="6" />
      </svg>
      {cell.lanes.length === 1
        ? t('lane {0}: {1} B', cell.lanes[0] ?? 0, cell.usedBytes)
        : t('lanes {0}: {1} B', lanesText(cell.lanes), cell.usedBytes)}
    </span>
  );
