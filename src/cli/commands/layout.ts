/** `layout EXPR`: evaluates a CuTe layout or an operation of CuTe's layout algebra. */
import {
  LAYOUT_COLORS,
  threadValueGrid,
  tileOfText,
  type Coloring,
} from '../../core/charts/layoutGrid';
import { gridsSvg, titledGrids, type TitledGrid } from '../../core/charts/layoutPicture';
import { explainLayout, type ExplainedLayout } from '../../core/charts/layoutSteps';
import { LayoutError, size } from '../../core/layout/layout';
import { OPERATIONS } from '../../core/layout/operations';
import { errorText, reportText } from '../../core/layout/print';
import { ExpressionError } from '../../core/layout/tokens';
import { cuteLayouts, cuteSource } from '../../core/plan/cuteSource';
import type { Plan } from '../../core/plan/plan';
import { DTYPE_BYTES, DTYPES } from '../../core/types/dtype';
import { command, set } from '../command';
import { kernelsOf } from '../kernel';
import { operandsJson, operandsText } from '../operandTable';
import { EXIT, invalidInput } from '../result';
import { readSpec } from '../spec';
import { writePicture } from '../writeKernels';

const names = Object.keys(OPERATIONS).join(', ');
/** Maximum number of cells of a grid in a picture. */
const MAX_CELLS = 4096;

export const layoutCommand = command({
  name: 'layout',
  description: `Evaluate a CuTe layout such as ((2,4),8):((1,16),2), or a layout operation (${names})`,
  args: {
    expression: {
      type: 'positional',
      valueHint: 'EXPR',
      required: false,
      description:
        'Layout or operation, such as "compose((8,8):(1,8), (4,2):(2,1))", or CuTe C++ source',
    },
    spec: {
      type: 'string',
      valueHint: 'FILE',
      description:
        'Spec whose layouts EXPR may use: mA, gA, ... Without EXPR, print the matrices as BLAS and CuTe describe them',
    },
    svg: { type: 'string', valueHint: 'FILE', description: 'Write the layout as an SVG picture' },
    color: {
      type: 'enum',
      options: [...LAYOUT_COLORS],
      description: 'Meaning of the colors of the picture (default: offset modulo 8)',
    },
    dtype: {
      type: 'enum',
      options: [...DTYPES],
      description: 'Element type, for banks and sectors (default: f32)',
    },
    tile: {
      type: 'string',
      valueHint: 'MxN',
      description: 'Draw EXPR as a thread-value layout over a tile, such as 16x8',
    },
    force: { type: 'boolean', description: 'Overwrite an existing file that differs' },
    set,
  },
  run: async options => {
    const { expression, svg, spec } = options;
    for (const name of ['color', 'dtype', 'tile', 'force'] as const) {
      if (svg === undefined && options[name] !== undefined) {
        throw invalidInput(`--${name} requires a picture. Fix: add --svg FILE.`);
      }
    }
    const plan = spec === undefined ? null : await planOf(spec, options.set);
    if (expression === undefined) {
      if (plan === null) {
        throw invalidInput('Missing argument EXPR. Fix: add a layout, or --spec FILE.');
      }
      if (svg !== undefined) throw invalidInput('--svg requires a layout. Fix: add EXPR.');
      return { exit: EXIT.yes, json: operandsJson(plan), text: operandsText(plan) };
    }
    const before = plan === null ? '' : cuteSource(cuteLayouts(plan));
    const explained = evaluated(expression, () => explainLayout(expression, before));
    if (svg !== undefined) {
      const coloring: Coloring = {
        color: options.color ?? 'offset',
        bytes: DTYPE_BYTES[options.dtype ?? 'f32'],
      };
      const grids = evaluated(expression, () => gridsOf(explained, coloring, options.tile));
      await writePicture(svg, gridsSvg(expression, grids, 'light'), options.force === true);
    }
    const { report } = explained;
    return { exit: EXIT.yes, json: report, text: reportText(report) };
  },
});

function gridsOf(
  { report, steps }: ExplainedLayout,
  coloring: Coloring,
  tile: string | undefined,
): readonly TitledGrid[] {
  const result = steps.at(-1);
  if (result === undefined || 'value' in report) {
    throw invalidInput('The value of the expression is not a layout, so it has no picture.');
  }
  if (tile !== undefined) {
    const extent = tileOfText(tile);
    if (extent === null) {
      throw invalidInput(`--tile: expected rows x columns such as 16x8, got "${tile}".`);
    }
    requireDrawable(extent.rows * extent.columns);
    return [{ title: '', grid: threadValueGrid(result.value, extent) }];
  }
  requireDrawable(report.size);
  return titledGrids(
    steps.filter(({ value }) => size(value.layout) <= MAX_CELLS),
    coloring,
  );
}

function requireDrawable(cells: number): void {
  if (cells <= MAX_CELLS) return;
  throw invalidInput(
    `The picture would have ${cells} cells; at most ${MAX_CELLS} are drawn. Fix: draw a part, such as tile(LAYOUT, (32,32), (0,0)).`,
  );
}

async function planOf(file: string, set: readonly string[]): Promise<Plan> {
  const spec = await readSpec(file, { set });
  const [kernel] = kernelsOf({ path: file, spec });
  if (kernel === undefined) throw invalidInput(`${file} has no target with a legal schedule.`);
  return kernel.plan;
}

function evaluated<T>(expression: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof LayoutError) throw invalidInput(error.message);
    if (!(error instanceof ExpressionError)) throw error;
    throw invalidInput(errorText(expression, error));
  }
}
