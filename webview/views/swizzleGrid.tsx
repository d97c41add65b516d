/** Grid of the 16-byte chunks of a tile by bank, with and without the swizzle. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import type { Chunk, SwizzledLines, SwizzlePicture } from '../../src/core/charts/swizzlePicture';
import { BANK_BYTES, BANK_ROW_BYTES } from '../../src/core/memory/requestCost';
import { CHUNK_BYTES } from '../../src/core/kernel/wgmma/layouts';
import { PlaceGrid, type PlaceCell } from './placeGrid';

const BANKS_PER_CHUNK = CHUNK_BYTES / BANK_BYTES;
const COLUMNS = Array.from({ length: BANK_ROW_BYTES / CHUNK_BYTES }, (_, i) =>
  banksText(i * BANKS_PER_CHUNK),
);

function banksText(first: number): string {
  return `${first}–${first + BANKS_PER_CHUNK - 1}`;
}

const lineText = (line: SwizzlePicture['line'], number: number): string =>
  ({
    row: t('row {0}', number),
    column: t('column {0}', number),
    depth: t('k = {0}', number),
  })[line];

export function SwizzleGrid({ picture }: { readonly picture: SwizzlePicture }): VNode {
  const { matrix, lineBytes, swizzled, plain } = picture;
  const passes = [swizzled.passes, plain.passes] as const;
  return (
    <figure class="request">
      <figcaption>
        {t(
          '{0}: {1}-byte lines. Passes to read one chunk of eight lines: {2} ({3} without swizzle).',
          matrix,
          lineBytes,
          ...passes,
        )}
      </figcaption>
      <Lines picture={picture} lines={swizzled} label={t('{0} with swizzle', matrix)} />
      <Lines picture={picture} lines={plain} label={t('{0} without swizzle', matrix)} />
    </figure>
  );
}

interface LinesProps {
  readonly picture: SwizzlePicture;
  readonly lines: SwizzledLines;
  readonly label: string;
}

const Lines = ({ picture, lines, label }: LinesProps): VNode => (
  <>
    <p>{label}</p>
    <PlaceGrid
      label={label}
      corner={t('bank')}
      columns={COLUMNS}
      rows={lines.rows.map((chunks, row) => ({
        head: `+${row * BANK_ROW_BYTES} B`,
        cells: chunks.map((chunk, place) => cellOf(picture, chunk, place)),
      }))}
    />
  </>
);

function cellOf({ line }: SwizzlePicture, chunk: Chunk, place: number): PlaceCell {
  const first = chunk.chunk * CHUNK_BYTES;
  return {
    text: `${chunk.line}.${chunk.chunk}`,
    group: `${chunk.chunk}`,
    told: t(
      '{0}, chunk {1} (bytes {2} to {3}): banks {4}',
      lineText(line, chunk.line),
      chunk.chunk,
      first,
      first + CHUNK_BYTES - 1,
      COLUMNS[place] ?? '',
    ),
  };
}
