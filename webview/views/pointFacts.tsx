/** Addresses and lines of the elements of A, B and C at the selected point. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import type { Kernel } from '../../src/core/kernel/kernel';
import type { ElementFacts } from '../../src/core/trace/elementFacts';
import { USES, type Use } from '../../src/core/trace/operandLines';
import { formatNumber } from '../format';
import { useStaticPage } from '../staticPage';
import { Table } from './figure';

export interface PointFactsProps {
  readonly kernel: Kernel;
  readonly facts: readonly ElementFacts[];
  /** Whether TMA stores the elements of C, instead of a thread. */
  readonly withTmaStore: boolean;
  /** Called when the lines of an element are chosen. */
  readonly onChoose: (facts: ElementFacts) => void;
}

type Naming = Pick<PointFactsProps, 'kernel' | 'withTmaStore'>;

const useName = (use: Use, { kernel: { plan }, withTmaStore }: Naming): string =>
  ({
    load: t('load'),
    sharedStore: t('shared store'),
    sharedLoad: t('shared load'),
    multiply: plan.family === 'simt' ? t('FMA') : t('MMA'),
    epilogue: t('epilogue'),
    stageOutput: 'stmatrix',
    store: withTmaStore ? t('TMA store') : t('store'),
  })[use];

export function PointFacts({ facts, onChoose, ...naming }: PointFactsProps): VNode {
  const isStatic = useStaticPage();
  return (
    <Table
      caption={t('Addresses and lines of the selected elements')}
      columns={[t('element'), t('byte offset'), t('sector'), t('bank'), t('lines')]}
      numeric={[1, 2]}
      rows={facts.map(of => [
        `${of.operand.toUpperCase()}(${of.row}, ${of.column})`,
        formatNumber(of.byte),
        formatNumber(of.sector),
        of.shared === null ? '' : `${of.shared.array}: ${of.shared.bank}`,
        of.lines.length === 0 ? (
          ''
        ) : isStatic ? (
          linesText(naming, of)
        ) : (
          <button
            type="button"
            class="link"
            onClick={() => {
              onChoose(of);
            }}
          >
            {linesText(naming, of)}
          </button>
        ),
      ])}
    />
  );
}

/** Returns the lines by use: `load 61-62, 70; FMA 75`. */
const linesText = (naming: Naming, { lines }: ElementFacts): string =>
  USES.flatMap(use => {
    const used = lines.filter(each => each.use === use).map(({ lines: of }) => of);
    if (used.length === 0) return [];
    const numbers = used.map(({ first, last }) => (first === last ? first : `${first}-${last}`));
    return [`${useName(use, naming)} ${numbers.join(', ')}`];
  }).join('; ');
