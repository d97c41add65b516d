/** Grids that the layout view of a kernel offers, besides any expression. */
import { t } from '@vscode/l10n';
import { fragmentMaps } from '../../src/core/charts/fragmentMap';
import {
  fragmentGrid,
  threadGrid,
  type GridWindow,
  type LayoutColor,
  type LayoutGrid,
} from '../../src/core/charts/layoutGrid';
import type { Kernel } from '../../src/core/kernel/kernel';
import { valueTextOf } from '../../src/core/layout/print';
import { cuteLayouts, cuteSource } from '../../src/core/plan/cuteSource';
import { ownersOf } from '../../src/core/trace/owners';
import { tileAround } from '../../src/core/trace/tileOfC';

export interface LayoutChoice {
  readonly id: string;
  readonly label: string;
  readonly shown:
    /** A layout that the expression names. */
    | { readonly kind: 'expression'; readonly expression: string; readonly color: LayoutColor }
    | { readonly kind: 'grid'; readonly gridOf: (window: GridWindow) => LayoutGrid };
}

/** Thread layouts have threads as offsets; the others have elements in shared or global memory. */
const colorOf = (name: string): LayoutColor =>
  /^t[ABC]$/.test(name) ? 'thread' : name.includes('s') ? 'bank' : 'sector';

export function layoutChoices(kernel: Kernel): readonly LayoutChoice[] {
  const layouts = cuteLayouts(kernel.plan);
  const before = cuteSource(layouts);
  const named = layouts.map(({ name }): LayoutChoice => ({
    id: name,
    label: `${name} = ${valueTextOf(name, before)}`,
    shown: { kind: 'expression', expression: name, color: colorOf(name) },
  }));
  const fragments = fragmentMaps(kernel.plan).map((map): LayoutChoice => ({
    id: `fragment-${map.matrix}`,
    label: t('Fragment of {0}: threads and registers', map.matrix),
    shown: { kind: 'grid', gridOf: window => fragmentGrid(map, window) },
  }));
  return [...named, ...ownersChoice(kernel), ...fragments];
}

/** Subgroup matrices distribute C over lanes that the driver chooses. */
function ownersChoice(kernel: Kernel): readonly LayoutChoice[] {
  if (kernel.plan.family === 'subgroup-matrix') return [];
  const tile = tileAround(kernel, { entry: 0, row: 0, column: 0 });
  let threads: Int32Array | null = null;
  return [
    {
      id: 'owners',
      label: t('Threads over the tile of C'),
      shown: {
        kind: 'grid',
        gridOf: window => {
          threads ??= ownersOf(kernel).threadsOf(tile);
          return threadGrid(threads, tile, window);
        },
      },
    },
  ];
}
