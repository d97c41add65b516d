/** Formats the three FLOP/B ratios of device, problem and kernel, with formulas and values. */
import { t } from '@vscode/l10n';
import { short } from '../text/numbers';
import { flops } from '../spec/resolved';
import { DTYPE_BYTES } from '../types/dtype';
import type { Plan } from '../plan/plan';
import type { Ceiling, Roofline } from './contract';
import { mainCeiling } from './roofline';
import { epilogueBytes, loadedK, readersOf, splitBytes } from '../plan/traffic';
import type { Figure } from '../text/figure';

export interface Ratio {
  readonly name: 'device ratio' | 'problem ratio' | 'kernel ratio';
  readonly value: Figure;
  /** Formula in symbols; `numbers` contains the values. */
  readonly formula: string;
  readonly numbers: string;
}

export function ratiosOf(plan: Plan, roofline: Roofline): readonly Ratio[] {
  const { m, n, k, batch, a, b, c, beta } = plan.spec.problem;
  const [bytesA, bytesB, bytesC] = [a, b, c].map(({ dtype }) => DTYPE_BYTES[dtype]);
  const ceiling = (kind: Ceiling['kind']): string => {
    const found = mainCeiling(roofline.ceilings, kind);
    return found === undefined ? 'unknown' : `${short(found.value)} ${found.unit}`;
  };
  const { rows, columns } = readersOf(plan);
  const loaded = loadedK(plan);
  const operations = `${flops(plan.spec.problem)} FLOP`;
  const times = batch === 1 ? '' : `${batch} x `;
  const split = splitBytes(plan);
  const epilogue = epilogueBytes(plan.spec.problem);
  const added = epilogue === 0 ? '' : ` + ${epilogue}`;
  // The problem and kernel ratios count C as read by definition, even if beta is 0.
  const counted = (formula: string): string =>
    [
      formula,
      ...(beta === 0
        ? [t('C counts as read by definition, although beta = 0 does not read it')]
        : []),
      ...(epilogue === 0 ? [] : [t('the operands of the epilogue count once')]),
    ].join('; ');
  return [
    {
      name: 'device ratio',
      value: roofline.deviceRatio,
      formula: t('peak / bandwidth'),
      numbers: `${ceiling('compute')} / ${ceiling('memory')}`,
    },
    {
      name: 'problem ratio',
      value: roofline.problemRatio,
      formula: counted(t('2 M N K / (A + B read, C read and written)')),
      numbers: `${operations} / (${times}(${bytesA} x ${m} x ${k} + ${bytesB} x ${k} x ${n} + 2 x ${bytesC} x ${m} x ${n})${added} B)`,
    },
    {
      name: 'kernel ratio',
      value: roofline.kernelRatio,
      formula: counted(kernelFormula(plan)),
      numbers: `${operations} / (${times}(${bytesA} x ${m} x ${loaded} x ${columns} + ${bytesB} x ${k} x ${n} x ${rows} + 2 x ${bytesC} x ${m} x ${n})${added}${split === 0 ? '' : ` + ${split}`} B)`,
    },
  ];
}

function kernelFormula(plan: Plan): string {
  if (plan.family !== 'simt' || plan.shared !== undefined) {
    return t('2 M N K / (A once per tile column + B once per tile row + C read and written)');
  }
  if (plan.lanes === null) {
    return t('2 M N K / (A once per column of C + B once per row of C + C read and written)');
  }
  return plan.lanes.sharing === 'quad'
    ? t(
        '2 M N K / (a quarter of A per thread column (quad sharing) + B once per thread row + C read and written)',
      )
    : t('2 M N K / (A once per thread column + B once per thread row + C read and written)');
}
