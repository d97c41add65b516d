/** Layouts of the kernel: the matrices as BLAS and CuTe describe them, and a grid of any layout. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { tupleText } from '../../src/core/layout/intTuple';
import { textOf } from '../../src/core/layout/layout';
import type { Kernel } from '../../src/core/kernel/kernel';
import { blasView, type BlasView, type OperandView } from '../../src/core/spec/operandViews';
import { SECTION_TERMS } from '../sectionTerms';
import { Disclosure } from './disclosure';
import { Table } from './figure';
import { LayoutExplorer } from './layoutExplorer';
import { Terms } from './terms';

export interface LayoutDetailsProps {
  readonly kernel: Kernel;
}

export function LayoutDetails({ kernel }: LayoutDetailsProps): VNode {
  const view = blasView(kernel.spec.problem);
  return (
    <>
      <p>{arrangementText(view)}</p>
      <Table
        caption={t('Matrices as BLAS and CuTe describe them')}
        columns={[
          t('matrix'),
          t('transposed'),
          t('BLAS: stored matrix and strides'),
          t('CuTe: modes and layout'),
        ]}
        rows={view.operands.map(operand => [
          operand.operand.toUpperCase(),
          operand.operand === 'c' ? '–' : operand.isTransposed ? t('yes') : t('no'),
          <Stored order={view.order} stored={operand.stored} />,
          <Implementation {...operand} />,
        ])}
      />
      <Terms of="layouts" ids={SECTION_TERMS.layouts} spec={kernel.spec} />
      <Disclosure summary={t('Show a layout')}>
        {() => <LayoutExplorer key={kernel.spec.schedule.algorithm} kernel={kernel} />}
      </Disclosure>
    </>
  );
}

function arrangementText({ routine, letters, order, arrangement }: BlasView): string {
  const routineName = `${routine ?? 'GEMM'} ${letters}`;
  const name =
    order === 'column-major'
      ? t('{0}, column-major', routineName)
      : t('{0}, row-major', routineName);
  switch (arrangement) {
    case 'K-major':
      return t('{0}: both operands are K-major, so one copy layout fits both.', name);
    case 'MN-major':
      return t('{0}: both operands are MN-major, so one copy layout fits both.', name);
    case 'mixed':
      return t(
        '{0}: the operands have different contiguous modes. Some instructions require a transpose of one operand.',
        name,
      );
  }
}

const Stored = ({
  order,
  stored,
}: Pick<BlasView, 'order'> & Pick<OperandView, 'stored'>): VNode => (
  <>
    {order === 'column-major'
      ? t('{0} x {1}, column-major', stored.rows, stored.columns)
      : t('{0} x {1}, row-major', stored.rows, stored.columns)}
    , <code class="whole">{tupleText(stored.strides)}</code>
  </>
);

const Implementation = ({ modes, layout, major }: OperandView): VNode => (
  <>
    {`(${modes.join(',')}), ${major}-major`}, <code class="whole">{textOf(layout)}</code>
  </>
);
