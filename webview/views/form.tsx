/** Configuration form: problem, matrices, schedule, device and targets. */
import { choiceFields } from '../choiceFields';
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { OPERANDS, type ResolvedSchedule } from '../../src/core/spec/resolved';
import { usesOf } from '../../src/core/plan/fields';
import { LAYOUTS } from '../../src/core/spec/schema';
import { TARGET_NAMES } from '../ability';
import { valueAt } from '../edit';
import {
  dtypesOf,
  LEADING_FIELDS,
  SCALAR_FIELDS,
  scheduleFields,
  SIZE_FIELDS,
  TYPE_PATHS,
  LIMIT_FIELDS,
} from '../fields';
import type { Choice } from '../kit';
import { blasLetters, majorName, shapeStride } from '../layouts';
import { Section } from './figure';
import { Presets } from './presets';
import { later } from './later';
import { AlgorithmField } from './algorithmField';
import { DtypeField } from './dtypeField';
import { EpilogueField, isEpiloguePath } from './epilogueField';
import { Fields, SpecNumber, SpecSelect, Why, withCurrent, type FormProps } from './specField';

const Terms = later(parts => parts.Terms, 2);

export function Form(props: FormProps): VNode {
  return (
    <Section id="configuration" title={t('Configuration')}>
      <Problem {...props} />
      <Matrices {...props} />
      <Schedule {...props} />
      <Targets {...props} />
      <Elsewhere {...props} />
    </Section>
  );
}

function Problem(props: FormProps): VNode {
  const { problem } = props.derived.report.resolved;
  const { accumulator } = problem;
  return (
    <fieldset>
      <legend>{t('Problem')}</legend>
      <Fields fields={SIZE_FIELDS} {...props} />
      <div class="fields">
        {SCALAR_FIELDS.map(field => (
          <SpecNumber key={field.path} field={field} {...props} />
        ))}
        <DtypeField {...props} label={t('element type')} />
        <SpecSelect
          {...props}
          path={TYPE_PATHS.accumulator}
          label={t('accumulator')}
          help={t('type of the accumulators')}
          value={accumulator}
          choices={withCurrent(dtypesOf('accumulator', problem), accumulator)}
          change={chosen => ({ [TYPE_PATHS.accumulator]: chosen })}
        />
      </div>
      {SCALAR_FIELDS.map(field => (
        <Why key={field.path} name={field.name} path={field.path} {...props} />
      ))}
      <Why name={t('element type')} path={TYPE_PATHS.a} {...props} />
      <Why name={t('accumulator')} path={TYPE_PATHS.accumulator} {...props} />
      <EpilogueField {...props} />
    </fieldset>
  );
}

function Matrices(props: FormProps): VNode {
  const { problem } = props.derived.report.resolved;
  const choices = LAYOUTS.map(layout => ({
    value: layout,
    label: layout === 'row' ? t('row-major') : t('column-major'),
  }));
  return (
    <fieldset>
      <legend>{t('Matrices')}</legend>
      {OPERANDS.map(name => (
        <div key={name} class="matrix">
          <div class="fields">
            <SpecSelect
              {...props}
              path={`problem.${name}.layout`}
              label={name.toUpperCase()}
              help={t('contiguous dimension of {0}', name.toUpperCase())}
              value={problem[name].layout}
              choices={choices}
              change={chosen => ({ [`problem.${name}.layout`]: chosen })}
            />
            <SpecNumber field={LEADING_FIELDS[name]} {...props} />
            <SpecSelect
              {...props}
              path={TYPE_PATHS[name]}
              label={t('{0} element type', name.toUpperCase())}
              help={t('type in global memory')}
              value={problem[name].dtype}
              choices={withCurrent(dtypesOf(name, problem), problem[name].dtype)}
              change={chosen => ({ [TYPE_PATHS[name]]: chosen })}
            />
          </div>
          <p class="hint">
            <code>{shapeStride(problem, name)}</code> {majorName(problem, name)}
          </p>
          <Why name={LEADING_FIELDS[name].name} path={LEADING_FIELDS[name].path} {...props} />
          {name === 'a' ? null : (
            <Why
              name={t('{0} element type', name.toUpperCase())}
              path={TYPE_PATHS[name]}
              {...props}
            />
          )}
        </div>
      ))}
      <p class="hint">{blasLetters(problem)}</p>
    </fieldset>
  );
}

const termPaths = (schedule: ResolvedSchedule): readonly string[] =>
  (usesOf(schedule)?.fields ?? []).map(field => `schedule.${field}`);

function Schedule(props: FormProps): VNode {
  const { resolved, scheduleFrom } = props.derived.report;
  const { schedule } = resolved;
  const choices = choiceFields(resolved, props.derived.target);
  const spec = props.state.spec;
  return (
    <fieldset>
      <legend>{t('Schedule')}</legend>
      {scheduleFrom.from === 'spec' ? null : <p class="hint">{scheduleFrom.text}</p>}
      {spec === null ? null : (
        <Presets
          spec={spec}
          resolved={resolved}
          target={props.derived.target}
          runs={props.state.runs}
          localRuns={props.state.localRuns}
          webgpu={props.state.webgpu}
          dispatch={props.dispatch}
        />
      )}
      <div class="fields">
        <AlgorithmField {...props} />
        {choices.map(({ path, name, help, choices: values, absent, without, words }) => {
          const given = words?.current ?? valueAt(resolved, path);
          const value = typeof given === 'string' ? given : absent;
          return (
            <SpecSelect
              {...{ ...props, path, value, label: name(), help: help() }}
              choices={withCurrent(values, value).map(choice =>
                choice.value === '' ? { ...choice, label: without?.() ?? '' } : choice,
              )}
              change={chosen => ({ [path]: words?.value(chosen) ?? (chosen || undefined) })}
            />
          );
        })}
      </div>
      <Why name={t('algorithm')} path="schedule.algorithm" {...props} />
      {choices.map(({ path, name }) => (
        <Why name={name()} path={path} {...props} />
      ))}
      {spec === null ? null : <Fields fields={scheduleFields(spec, schedule)} {...props} />}
      <Terms of="schedule" paths={termPaths(schedule)} spec={resolved} />
    </fieldset>
  );
}

const targetChoices = (): readonly Choice[] => [
  { value: '', label: t('all legal targets') },
  { value: 'cuda', label: TARGET_NAMES.cuda },
  { value: 'wgsl', label: TARGET_NAMES.wgsl },
  { value: 'cuda,wgsl', label: t('CUDA and WGSL') },
];

function Targets(props: FormProps): VNode {
  const { state } = props;
  const targets = [...(state.spec?.targets ?? [])].sort().join(',');
  return (
    <fieldset>
      <legend>{t('Targets')}</legend>
      <div class="fields">
        <SpecSelect
          {...props}
          path="targets"
          label={t('targets')}
          help={t('languages of the generated files')}
          value={targets}
          choices={targetChoices()}
          change={chosen => ({ targets: chosen === '' ? undefined : chosen.split(',') })}
        />
      </div>
      <details>
        <summary>{t('Limits of WebGPU and of the workspace')}</summary>
        <Fields fields={LIMIT_FIELDS} {...props} />
      </details>
    </fieldset>
  );
}

/** Shows the violations that no other part of the form shows. */
function Elsewhere({ state, derived, dispatch }: FormProps): VNode | null {
  const spec = state.spec;
  if (spec === null) return null;
  const { resolved } = derived.report;
  const { schedule } = resolved;
  const fields = [
    ...SIZE_FIELDS,
    ...SCALAR_FIELDS,
    ...Object.values(LEADING_FIELDS),
    ...LIMIT_FIELDS,
    ...scheduleFields(spec, schedule),
    ...choiceFields(resolved, derived.target),
  ].map(({ path }) => path);
  const types = Object.values(TYPE_PATHS);
  const shown = [...fields, ...types, 'schedule.algorithm', 'device'];
  const rest = derived.report.violations.filter(
    ({ path }) => !shown.includes(path) && !isEpiloguePath(path),
  );
  const paths = [...new Set(rest.map(({ path }) => path))];
  return (
    <>
      {paths.map(path => (
        <Why key={path} name={path} path={path} {...{ state, derived, dispatch }} />
      ))}
    </>
  );
}
