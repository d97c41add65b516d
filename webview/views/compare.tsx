/**
 * Comparison of the pinned and the current configuration: parameters, figures, runs and source
 * code.
 */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { Analysis } from '../../src/core/report/analysis';
import { TARGETS } from '../../src/core/spec/schema';
import { TARGET_NAMES } from '../ability';
import {
  comparedRates,
  notesOnlyOf,
  parameters,
  quantities,
  type Cell,
  type Group,
  type Row,
} from '../compare';
import { derive, isKernel, type Derived } from '../derive';
import type { Pinned } from '../history';
import { Button } from '../kit';
import type { Message, State } from '../state';
import { problemName } from '../../src/core/spec/problemName';
import { CodeDifference } from './codeDifference';
import { ComparisonBars } from './comparisonBars';
import { OriginTag, Section } from './figure';

export interface CompareProps extends Pick<State, 'runs' | 'localRuns' | 'compiled' | 'view'> {
  readonly pinned: Pinned;
  readonly derived: Derived;
  readonly wide: boolean;
  readonly dispatch: (message: Message) => void;
}

export function Compare(props: CompareProps): VNode {
  const { pinned, derived: a, wide, runs, localRuns, compiled, view, dispatch } = props;
  const { target } = a;
  const [all, setAll] = useState(false);
  const b = useMemo(
    () => derive({ spec: pinned.spec, runs, localRuns, compiled, view: { ...view, target } }),
    [pinned.spec, runs, localRuns, compiled, view, target],
  );
  const groups = useMemo(
    () => [
      parameters(a, b),
      ...(a.shown.ok && b.shown.ok
        ? quantities(
            { analysis: a.shown.onDevice, runs: a.runs },
            { analysis: b.shown.onDevice, runs: b.runs },
          )
        : []),
    ],
    [a, b],
  );
  const rates = useMemo(
    () =>
      a.shown.ok && b.shown.ok
        ? comparedRates(
            { specKey: a.report.specKey, analysis: a.shown.onDevice, runs: a.runs },
            { specKey: b.report.specKey, analysis: b.shown.onDevice, runs: b.runs },
          )
        : null,
    [a, b],
  );
  return (
    <Section id="compare" title={t('Compare configurations')}>
      <div class="compare-head">
        <p>
          {t('pinned')}: <code>{b.report.specKey}</code>
        </p>
        <p>
          {t('current')}: <code>{a.report.specKey}</code>
        </p>
        <div class="compare-actions">
          <Button
            title={t('Exchanges the pinned and the current configuration')}
            onPress={() => {
              dispatch({ type: 'swap' });
            }}
          >
            {t('Swap')}
          </Button>
          <Button
            onPress={() => {
              dispatch({ type: 'unpin' });
            }}
          >
            {t('Unpin')}
          </Button>
        </div>
      </div>
      <Illegal name={t('The current configuration')} of={a} />
      <Illegal name={t('The pinned configuration')} of={b} />
      {rates === null ? null : (
        <ComparisonBars
          compared={rates}
          lines={[problemName(a.report.resolved.problem), a.device.name]}
        />
      )}
      <div class="compared">
        <Quantities groups={groups} all={all} />
        <Button
          onPress={() => {
            setAll(!all);
          }}
        >
          {all ? t('Only differences') : t('Show equal rows')}
        </Button>
        {a.shown.ok && b.shown.ok ? <Notes a={a.shown.onDevice} b={b.shown.onDevice} /> : null}
      </div>
      <div class="compared-texts">
        {TARGETS.map(name => {
          const [left, right] = [b.kernels[name], a.kernels[name]];
          if (!isKernel(left) || !isKernel(right)) return null;
          return (
            <CodeDifference
              key={name}
              name={TARGET_NAMES[name]}
              before={left.source}
              after={right.source}
              wide={wide}
            />
          );
        })}
      </div>
    </Section>
  );
}

function Illegal({ name, of }: { readonly name: string; readonly of: Derived }): VNode | null {
  if (of.shown.ok) return null;
  return (
    <div class="reasons severe">
      <p>{t('{0} is not legal for {1}, so it has no figures:', name, TARGET_NAMES[of.target])}</p>
      {of.shown.violations.map(({ rule, path, message }) => (
        <p key={`${rule} ${path}`}>{message}</p>
      ))}
    </div>
  );
}

function Quantities({ groups, all }: { groups: readonly Group[]; all: boolean }): VNode {
  const shown = groups
    .map(group => ({ ...group, rows: group.rows.filter(({ change }) => all || change !== '=') }))
    .filter(({ rows }) => rows.length > 0);
  if (shown.length === 0) return <p>{t('The configurations are identical.')}</p>;
  return (
    <div class="table" role="region" aria-label={t('Pinned and current')} tabIndex={0}>
      <table>
        <caption class="visually-hidden">{t('Pinned and current')}</caption>
        <thead>
          <tr>
            <th scope="col">
              <span class="visually-hidden">{t('quantity')}</span>
            </th>
            <th scope="col">{t('pinned')}</th>
            <th scope="col">{t('current')}</th>
            <th scope="col" class="change">
              {t('change')}
            </th>
          </tr>
        </thead>
        {shown.map(({ title, rows }) => (
          <tbody key={title}>
            <tr>
              <th scope="rowgroup" class="group" colSpan={4}>
                {title}
              </th>
            </tr>
            {rows.map(row => (
              <QuantityRow key={row.name} row={row} />
            ))}
          </tbody>
        ))}
      </table>
    </div>
  );
}

function QuantityRow({ row }: { readonly row: Row }): VNode {
  const { name, a, b, change } = row;
  const from = a === null || b === null || a.from === b.from ? (a ?? b)?.from : null;
  return (
    <tr class={change === '=' ? undefined : 'differs'}>
      <th scope="row">
        {name} {from === null || from === undefined ? null : <OriginTag from={from} />}
      </th>
      <td>
        <CellText cell={b} tagged={from === null} />
      </td>
      <td>
        <CellText cell={a} tagged={from === null} />
      </td>
      <td class="change">{change}</td>
    </tr>
  );
}

const CellText = ({ cell, tagged }: { cell: Cell | null; tagged: boolean }): VNode =>
  cell === null ? (
    <span class="quiet">{t('none')}</span>
  ) : (
    <>
      {cell.text} {tagged && cell.from !== null ? <OriginTag from={cell.from} /> : null}
    </>
  );

function Notes({ a, b }: { readonly a: Analysis; readonly b: Analysis }): VNode | null {
  const notes = [
    ...notesOnlyOf(a, b).map(text => ({ sign: '+', side: t('only current'), text })),
    ...notesOnlyOf(b, a).map(text => ({ sign: '−', side: t('only pinned'), text })),
  ];
  if (notes.length === 0) return null;
  return (
    <ul class="notes">
      {notes.map(({ sign, side, text }) => (
        <li key={`${side} ${text}`}>
          <b>
            {sign} {side}
          </b>{' '}
          {text}
        </li>
      ))}
    </ul>
  );
}
