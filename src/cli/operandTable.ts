/** Text and JSON of the matrices of a spec in the views of BLAS and CuTe, and of its layouts. */
import { tupleText } from '../core/layout/intTuple';
import { textOf } from '../core/layout/layout';
import { valueTextOf } from '../core/layout/print';
import { cuteLayouts, cuteSource } from '../core/plan/cuteSource';
import type { Plan } from '../core/plan/plan';
import { blasView, type BlasView } from '../core/spec/operandViews';
import { table } from './table';

const ARRANGEMENT: Readonly<Record<BlasView['arrangement'], string>> = {
  'K-major': 'Both operands are K-major, so one copy and one instruction layout fit both.',
  'MN-major': 'Both operands are MN-major, so one copy and one instruction layout fit both.',
  mixed:
    'The operands have different contiguous modes. Some instructions then require a transpose of one operand.',
};

export function operandsText(plan: Plan): string {
  const view = blasView(plan.spec.problem);
  return [
    `${view.routine ?? 'GEMM'} ${view.letters}, ${view.order}`,
    '',
    table([
      [
        'matrix',
        'transposed',
        'BLAS shape',
        'BLAS layout',
        'BLAS strides',
        'CuTe layout',
        'CuTe modes',
        'CuTe shape',
        'CuTe strides',
      ],
      ...view.operands.map(({ operand, isTransposed, stored, modes, major, layout }) => [
        operand.toUpperCase(),
        operand === 'c' ? '-' : isTransposed ? 'yes' : 'no',
        `${stored.rows} x ${stored.columns}`,
        view.order,
        tupleText(stored.strides),
        `${major}-major`,
        `(${modes.join(',')})`,
        tupleText(layout.shape),
        tupleText(layout.stride),
      ]),
    ]),
    '',
    ARRANGEMENT[view.arrangement],
    '',
    'Layouts of block (0,0) and thread 0:',
    table(namedLayouts(plan).map(({ name, layout, source }) => [name, layout, source])),
  ].join('\n');
}

export const operandsJson = (plan: Plan) => {
  const { operands, ...view } = blasView(plan.spec.problem);
  return {
    ...view,
    operands: operands.map(({ layout, ...operand }) => ({ ...operand, layout: textOf(layout) })),
    layouts: namedLayouts(plan),
  };
};

function namedLayouts(plan: Plan) {
  const layouts = cuteLayouts(plan);
  const before = cuteSource(layouts);
  return layouts.map(({ name, source }) => ({
    name,
    layout: valueTextOf(name, before),
    source,
  }));
}
