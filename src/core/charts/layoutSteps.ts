/**
 * Grids that explain a layout expression: the operands and the result of a composition, a layout
 * before and after its swizzle, or the layout itself.
 */
import { t } from '@vscode/l10n';
import { operationName, valueOf } from '../layout/evaluate';
import { textOf } from '../layout/layout';
import type { Node } from '../layout/node';
import { parseExpression } from '../layout/parse';
import { placedOf, reportOfNode, type Report } from '../layout/print';
import { swizzleText } from '../layout/swizzle';
import type { PlacedLayout } from '../layout/value';

export interface LayoutStep {
  /** Title of the grid, such as `A = (8,8):(1,8)`. */
  readonly title: string;
  readonly value: PlacedLayout;
  /** Whether the offsets are indices into another layout, so that they have no bank or sector. */
  readonly isIndex: boolean;
}

export interface ExplainedLayout {
  readonly report: Report;
  /** Empty for an expression whose value is not a layout. */
  readonly steps: readonly LayoutStep[];
}

/**
 * Evaluates an expression and returns its grids, the result last.
 * @param before definitions that the expression may use
 * @throws {ExpressionError} if the expression is invalid
 */
export function explainLayout(expression: string, before = ''): ExplainedLayout {
  const node = parseExpression(expression, before);
  const report = reportOfNode(expression, node);
  if ('value' in report) return { report, steps: [] };
  const value = placedOf(report);
  if (value.swizzle !== undefined) {
    const { layout, offset } = value;
    return {
      report,
      steps: [
        step(t('Without swizzle: {0}', textOf(layout)), { kind: 'layout', layout, offset }),
        step(t('With swizzle {0}', swizzleText(value.swizzle)), value),
      ],
    };
  }
  const result = report.cute ?? report.layout;
  const operands = compositionOf(node);
  if (operands === null) return { report, steps: [step(result, value)] };
  const [a, b] = operands;
  return {
    report,
    steps: [
      step(`A = ${textOf(a.layout)}`, a),
      { ...step(`B = ${textOf(b.layout)}`, b), isIndex: true },
      step(t('A(B(c)) = {0}', result), value),
    ],
  };
}

const step = (title: string, value: PlacedLayout): LayoutStep => ({ title, value, isIndex: false });

/** Returns the operands of a composition of two layouts; null for any other expression. */
function compositionOf(node: Node): readonly [PlacedLayout, PlacedLayout] | null {
  if (node.kind !== 'call' || operationName(node) !== 'compose') return null;
  const [a, b] = node.args;
  // A tuple has one layout per mode of A, which a single grid cannot show.
  if (a === undefined || b === undefined || b.kind === 'tuple') return null;
  const operands = [valueOf(a), valueOf(b)] as const;
  const [first, second] = operands;
  return first.kind === 'layout' && second.kind === 'layout' ? [first, second] : null;
}
