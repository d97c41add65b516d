/** Counters beside the analysis as a Markdown table. */
import { t } from '@vscode/l10n';
import type { NcuRow } from '../core/ncu/compare';
import { isEqual, type Compared, type SiteRow } from '../core/ncu/compareSites';
import type { NcuInspection } from '../core/ncu/inspect';
import type { NcuKernel } from '../core/ncu/report';
import { escapeMarkdown } from './runs/runText';

type Found = Extract<NcuInspection, { readonly ok: true }>;

export function ncuMarkdown(name: string, { kernel, others, rows, sites, limits }: Found): string {
  return [
    `# ${t('{0} beside Nsight Compute', escapeMarkdown(name))}`,
    '',
    ...(kernel === null ? [] : sumsText(kernel, others, rows)),
    ...(sites.length === 0 ? [] : sitesText(sites)),
    ...limits.map(limit => `- ${escapeMarkdown(limit)}`),
    '',
  ].join('\n');
}

function sumsText(kernel: NcuKernel, others: number, rows: readonly NcuRow[]): readonly string[] {
  const launch = t('Launch {0} of {1}', escapeMarkdown(kernel.id), escapeMarkdown(kernel.entry));
  const where = [kernel.device, kernel.computeCapability && `sm ${kernel.computeCapability}`];
  return [
    [launch, ...where.filter(text => text !== undefined).map(escapeMarkdown)].join(', '),
    ...(others > 0 ? ['', t('The last of {0} such launches in the report.', others + 1)] : []),
    '',
    `| | ${t('model')} | Nsight Compute | ${t('difference')} | |`,
    '|---|---:|---:|---:|---|',
    ...rows.map(
      row =>
        `| ${escapeMarkdown(row.name)} | ${shown(row.ours)} | ${shown(row.counted)} | ${difference(row)} | ${escapeMarkdown(row.why)} |`,
    ),
    '',
  ];
}

/** Equal counts stand once. */
function sitesText(sites: readonly SiteRow[]): readonly string[] {
  const count = (value: number): string => value.toLocaleString('en');
  const pair = (compared: Compared): string =>
    isEqual(compared)
      ? `${count(compared.counted)} =`
      : `**${compared.ours === null ? '–' : count(compared.ours)} / ${count(compared.counted)}**`;
  const unit = { shared: t('wavefronts'), global: t('sectors') };
  const access = {
    shared: { load: t('shared load'), store: t('shared store') },
    global: { load: t('global load'), store: t('global store') },
  };
  return [
    `## ${t('Site by site')}`,
    '',
    t('= says that both are equal; otherwise the model’s count stands first.'),
    '',
    `| ${t('site')} | ${t('access')} | ${t('requests')} | ${t('wavefronts or sectors')} | |`,
    '|---|---|---:|---:|---|',
    ...sites.map(
      ({ sites: names, space, op, requests, cost, why }) =>
        `| ${names.map(escapeMarkdown).join(', ') || '–'} | ${access[space][op]} | ${pair(requests)} | ${pair(cost)} ${unit[space]} | ${escapeMarkdown(why)} |`,
    ),
    '',
  ];
}

const shown = (figure: NcuRow['ours']): string =>
  figure === null
    ? '–'
    : `${Number(figure.value.toPrecision(6)).toLocaleString('en')} ${figure.unit}`;

function difference({ verdict, differencePercent }: NcuRow): string {
  if (verdict === 'equal') return t('equal');
  if (verdict === 'not compared' || differencePercent === null) return '–';
  return `${differencePercent > 0 ? '+' : ''}${differencePercent.toFixed(1)} %`;
}
