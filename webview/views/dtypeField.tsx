/** Drop-down of the element type of A and B, in the form or in the head. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { offeredDtypes, TYPE_PATHS } from '../fields';
import { SpecSelect, withCurrent, type FormProps } from './specField';

export function DtypeField({ label, ...props }: FormProps & { readonly label: string }): VNode {
  const { a, b } = props.derived.report.resolved.problem;
  const dtype = a.dtype === b.dtype ? a.dtype : 'mixed';
  return (
    <SpecSelect
      {...props}
      id="field-problem-dtype"
      path={TYPE_PATHS.a}
      label={label}
      help={t('element type of A and B')}
      value={dtype}
      choices={withCurrent(offeredDtypes, dtype)}
      change={chosen => ({
        'problem.a.dtype': chosen,
        // The default types of B, C and the accumulator depend on the type of A.
        'problem.b.dtype': undefined,
        'problem.c.dtype': undefined,
        'problem.accumulator': undefined,
      })}
    />
  );
}
