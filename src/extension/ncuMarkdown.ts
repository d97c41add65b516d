/** Counters beside the analysis as a Markdown table. */
import { t } from '@vscode/l10n';
import type { NcuRow } from '../core/ncu/compare';
import type { NcuInspection } from '../core/ncu/inspect';
import { escapeMarkdown } from './runs/runText';

type Found = Extract<NcuInspection, { readonly ok: true }>;

export function ncuMarkdown(name: string, { kernel, others, rows, limits }: Found): string {
  const launch = t('Launch {0} of {1}', escapeMarkdown(kernel.id), escapeMarkdown(kernel.entry));
  const where = [kernel.device, kernel.computeCapability && `sm ${kernel.computeCapability}`];
  return [
    `# ${t('{0} beside Nsight Compute', escapeMarkdown(name))}`,
    '',
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
    ...limits.map(limit => `- ${escapeMarkdown(limit)}`),
    '',
  ].join('\n');
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
