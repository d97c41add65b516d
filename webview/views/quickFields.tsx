/** Problem shape, tile and stages in the header, for a page that hides the form. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { scheduleFields, SIZE_FIELDS, type NumberFieldSpec } from '../fields';
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
  const { algorithm } = report.resolved.schedule;
  return scheduleFields(spec, algorithm).filter(({ path }) => TILE_PATHS.includes(path));
}

export function QuickFields(props: FormProps): VNode {
  const fields = [...SIZE_FIELDS, ...tileFields(props.state, props.derived)];
  return (
    <div class="quick" role="group" aria-label={t('Problem and tile')}>
      <div class="quick-fields">
        {fields.map(field => (
          <SpecNumber key={field.path} field={field} {...props} />
        ))}
      </div>
      {fields.map(({ path, name }) => (
        <Why key={path} name={name} path={path} {...props} />
      ))}
    </div>
  );
}
