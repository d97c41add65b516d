/** `layout EXPR`: evaluates a CuTe layout or an operation of CuTe's layout algebra. */
import { OPERATIONS } from '../../core/layout/operations';
import { ExpressionError } from '../../core/layout/tokens';
import { errorText, reportOf, reportText, type Report } from '../../core/layout/print';
import { command } from '../command';
import { EXIT, invalidInput } from '../result';

const names = Object.keys(OPERATIONS).join(', ');

export const layoutCommand = command({
  name: 'layout',
  description: `Evaluate a CuTe layout such as ((2,4),8):((1,16),2), or a layout operation (${names})`,
  args: {
    expression: {
      type: 'positional',
      valueHint: 'EXPR',
      required: true,
      description:
        'Layout or operation, such as "compose((8,8):(1,8), (4,2):(2,1))" or "tile((8,8):(1,8), (4,4))"',
    },
  },
  run: ({ expression }) => {
    const report = evaluated(expression);
    return { exit: EXIT.yes, json: report, text: reportText(report) };
  },
});

function evaluated(expression: string): Report {
  try {
    return reportOf(expression);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    throw invalidInput(errorText(expression, error));
  }
}
