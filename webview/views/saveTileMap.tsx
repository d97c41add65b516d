/** Controls that save the tile map with its selected element. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { captioned } from '../../src/core/charts/chartCaption';
import { pictureLines } from '../../src/core/charts/pictureLines';
import { tileMapChart, tileMapLegend, type TileMapInput } from '../../src/core/charts/tileMapChart';
import { findDevice } from '../../src/core/hardware/devices';
import { svgOf } from '../picture';
import { SavePicture } from './savePicture';

export interface SaveTileMapProps extends TileMapInput {
  /** Captions of the two maps, and the owner of the selected element. */
  readonly lines: readonly string[];
}

export const SaveTileMap = ({ lines, ...input }: SaveTileMapProps): VNode => (
  <SavePicture
    picture={{
      name: 'tile-map',
      svg: svgOf(() => {
        const { spec } = input.kernel;
        const machine = findDevice(spec.device)?.name ?? spec.device;
        return captioned(tileMapChart(input), {
          title: t('Tile map'),
          lines: [...pictureLines(spec, machine), ...lines],
          legend: tileMapLegend(),
        });
      }),
    }}
  />
);
