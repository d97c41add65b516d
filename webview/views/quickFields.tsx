/**
 * Fields in the head of a page that hides the form: problem shape, element type, algorithm and
 * block tile.
 */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { scheduleFields, SIZE_FIELDS, TYPE_PATHS, type NumberFieldSpec } from '../fields';
import { AlgorithmField } from './algorithmField';
import { DtypeField } from './dtypeField';
import { SpecNumber, Why, type FormProps } from './specField';

const TILE_PATHS: readonly string[] = ['block.m', 'block.n', 'block.k', 'stages'].map(
  name => `schedule.${name}`,
);

/** Returns the fields of the block tile and the stages that the algorithm uses. */
export function tileFields(
  { spec }: FormProps['state'],
  { report }: FormProps['derived'],
): readonly NumberFieldSpec[] {
  if (spec === null) return [];
  return scheduleFields(spec, report.resolved.schedule).filter(({ path }) =>
    TILE_PATHS.includes(path),
  );
}

export const ProblemFields = (props: FormProps): VNode => (
  <QuickFields {...props} name={t('Problem and algorithm')} fields={SIZE_FIELDS}>
    <>
      <DtypeField {...props} label={t('dtype')} />
      <AlgorithmField {...props} />
    </>
  </QuickFields>
);

export const TileFields = (props: FormProps): VNode => (
  <QuickFields {...props} name={t('Tile')} fields={tileFields(props.state, props.derived)} />
);

interface QuickFieldsProps extends FormProps {
  readonly name: string;
  readonly fields: readonly NumberFieldSpec[];
  readonly children?: VNode;
}

function QuickFields({ name, fields, children, ...props }: QuickFieldsProps): VNode {
  return (
    <div class="quick" role="group" aria-label={name}>
      <div class="quick-fields">
        {fields.map(field => (
          <SpecNumber key={field.path} field={field} {...props} />
        ))}
        {children}
      </div>
      {fields.map(field => (
        <Why key={field.path} name={field.name} path={field.path} {...props} />
      ))}
      {children === undefined ? null : (
        <>
          <Why name={t('element type')} path={TYPE_PATHS.a} {...props} />
          <Why name={t('algorithm')} path="schedule.algorithm" {...props} />
        </>
      )}
    </div>
  );
}
