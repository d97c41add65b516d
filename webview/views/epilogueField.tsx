/** Epilogue of the problem in the form: one line while closed, and an editor while open. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { epilogueNames } from '../../src/core/spec/epilogue';
import { later } from './later';
import { Why, type FormProps } from './specField';

const EpilogueEditor = later(parts => parts.EpilogueEditor, 6);

/** Tests whether the form shows the violations of a path at the epilogue. */
export const isEpiloguePath = (path: string): boolean =>
  path === 'problem.epilogue' || path.startsWith('problem.epilogue.');

export function EpilogueField(props: FormProps): VNode {
  const { report } = props.derived;
  const names = epilogueNames(report.resolved.problem.epilogue);
  const violated = [...new Set(report.violations.map(({ path }) => path).filter(isEpiloguePath))];
  const drafted = Object.keys(props.state.drafts).filter(isEpiloguePath);
  const [open, setOpen] = useState(false);
  return (
    <div class="epilogue">
      <details
        id="epilogue"
        open={open}
        onToggle={event => {
          setOpen(event.currentTarget.open);
        }}
      >
        <summary>
          {names.length === 0 ? t('Epilogue: none') : t('Epilogue: {0}', names.join(', '))}
        </summary>
        {open ? <EpilogueEditor {...props} /> : null}
      </details>
      {open
        ? null
        : [...new Set([...violated, ...drafted])].map(path => (
            <Why key={path} name={path} path={path} {...props} />
          ))}
    </div>
  );
}
