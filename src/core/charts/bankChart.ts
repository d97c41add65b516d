/** Draws the banks and wavefronts of a shared-memory request as a chart. */
import { t } from '@vscode/l10n';
import type { DrawnRequest } from '../memory/drawnRequest';
import { BANKS } from '../memory/requestCost';
import { bankPicture } from './bankDiagram';
import type { Chart, Mark } from './chart';

const CELL = { width: 22, height: 18 };
const LEFT = 96;
const HEAD = 36;

/** Returns the grid of banks by wavefront. Each cell contains the first lane that is served. */
export function bankChart(request: DrawnRequest): Chart {
  const { phases, wavefronts, conflicts } = bankPicture(request);
  const rows = phases.flatMap(({ first, last, wavefronts: served }) =>
    served.map((cells, pass) => ({
      cells,
      isConflict: pass > 0,
      name:
        phases.length === 1
          ? t('wavefront {0}', pass + 1)
          : t('lanes {0}-{1}, {2}', first, last, pass + 1),
    })),
  );
  const text = (
    x: number,
    y: number,
    content: string,
    anchor: 'start' | 'middle' | 'end' = 'middle',
  ): Mark => ({ kind: 'text', x, y, text: content, anchor, role: 'tick' });
  const column = (bank: number): number => LEFT + bank * CELL.width;
  return {
    width: LEFT + BANKS * CELL.width + 12,
    height: HEAD + rows.length * CELL.height + 12,
    title: t('{0}: wavefronts {1}, from bank conflicts {2}', request.site, wavefronts, conflicts),
    marks: [
      text(LEFT - 8, HEAD - 6, t('bank'), 'end'),
      ...Array.from({ length: BANKS }, (_, bank) =>
        text(column(bank) + CELL.width / 2, HEAD - 6, String(bank)),
      ),
      ...rows.flatMap(({ cells, isConflict, name }, index): readonly Mark[] => {
        const y = HEAD + index * CELL.height;
        return [
          text(LEFT - 8, y + 13, name, 'end'),
          ...cells.flatMap((cell, bank): readonly Mark[] => {
            if (cell === null) return [];
            const isShared = cell.lanes.length > 1;
            const suffix = isConflict ? '!' : isShared ? '+' : '';
            const served = `${cell.lanes[0] ?? ''}${suffix}`;
            return [
              {
                kind: 'rect',
                x: column(bank),
                y,
                ...CELL,
                role: isConflict ? 'cell-conflict' : 'cell',
              },
              { ...text(column(bank) + CELL.width / 2, y + 13, served), role: 'axis' },
            ];
          }),
        ];
      }),
    ],
  };
}
