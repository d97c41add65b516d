/** Questions of *Generate tiled GEMM*: problem shape, element type, algorithm and targets. */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { hasStart, type PartialSpec } from '../../core/search/starts';
import type { DType } from '../../core/types/dtype';
import type { GemmSpec, Target } from '../../core/spec/schema';
import { adoptedFor } from '../documents/adoptedRows';
import { scheduleRows, type ScheduleChoice } from './scheduleRows';
import {
  createQuickPick,
  itemBehind,
  itemsOf,
  showQuickPick,
  type PickItem,
} from '../display/picks';
import { settings } from '../shared/settings';
import { parseSizes, sizesLabel, USUAL_SIZES, type Sizes } from '../shared/sizes';

const heading = (): string => t('Generate tiled GEMM');
const STEPS = 4;

/**
 * Returns the requested spec; undefined if a question was dismissed.
 * @param mayHaveCuda false if CUDA kernels do not run here; schedules legal in WGSL are then listed
 *   first
 */
export async function promptSpec(mayHaveCuda: Promise<boolean>): Promise<GemmSpec | undefined> {
  const sizes = await promptSizes(`${heading()} (1/${STEPS})`);
  if (sizes === undefined) return undefined;
  const openSpec = (dtype: DType): PartialSpec => ({
    version: 1,
    problem: { ...sizes, a: { dtype } },
    device: settings.device(),
  });
  const types = typeItems().filter(({ value }) => hasStart(openSpec(value)));
  // If no element type is legal, the caller reports the violations of this spec and the nearest
  // legal values.
  if (types.length === 0) return openSpec('f32');
  const dtype = await promptStep<DType>(2, t('Element type'), types);
  if (dtype === undefined) return undefined;
  const open = openSpec(dtype);
  const choice = await promptStep<ScheduleChoice>(
    3,
    t('Algorithm'),
    scheduleItems(open, mayHaveCuda),
  );
  if (choice === undefined) return undefined;
  const { schedule, legal } = choice;
  const targets = await promptStep(4, t('Language'), targetItems(legal));
  return targets === undefined ? undefined : { ...open, schedule, targets: [...targets] };
}

const typeItems = (): readonly Item<DType>[] => [
  { label: 'f32', description: t('32-bit floating point'), value: 'f32' },
  { label: 'f16', description: t('16-bit floating point'), value: 'f16' },
  { label: 'bf16', description: t('bfloat16, CUDA only'), value: 'bf16' },
  { label: 'f64', description: t('64-bit floating point, CUDA only'), value: 'f64' },
  { label: 's32', description: t('32-bit integers'), value: 's32' },
  { label: 's8', description: t('8-bit integers, CUDA only'), value: 's8' },
];

async function scheduleItems(
  open: PartialSpec,
  mayHaveCuda: Promise<boolean>,
): Promise<readonly (Item<ScheduleChoice> | Separator)[]> {
  const tables = adoptedFor();
  const { fastest, algorithms } = scheduleRows(open, { mayHaveCuda: await mayHaveCuda, tables });
  const separator = (label: string): Separator => ({
    label,
    kind: vscode.QuickPickItemKind.Separator,
  });
  return [
    separator(t('Suggested schedules')),
    ...fastest,
    separator(t('Learn step by step')),
    ...algorithms,
  ];
}

type Separator = PickItem & { readonly kind: vscode.QuickPickItemKind.Separator };

interface Item<T> extends PickItem {
  readonly value: T;
}

async function promptStep<T>(
  step: number,
  placeHolder: string,
  items: readonly (Item<T> | Separator)[] | Promise<readonly (Item<T> | Separator)[]>,
): Promise<T | undefined> {
  const title = `${heading()} (${step}/${STEPS})`;
  const picked = await showQuickPick(items, {
    title,
    placeHolder,
    matchOnDescription: true,
    ignoreFocusOut: true,
  });
  return picked !== undefined && 'value' in picked ? picked.value : undefined;
}

function targetItems(legal: readonly Target[]): readonly Item<readonly Target[]>[] {
  const items: readonly Item<readonly Target[]>[] = [
    { label: t('CUDA and WGSL'), description: t('one file each'), value: ['cuda', 'wgsl'] },
    { label: 'CUDA', description: t('.cu for NVIDIA GPUs'), value: ['cuda'] },
    { label: 'WGSL', description: t('.wgsl for WebGPU'), value: ['wgsl'] },
  ];
  return items.filter(({ value }) => value.every(target => legal.includes(target)));
}

/**
 * Prompts for sizes: a list item, or typed sizes such as `1000 x 512 x 64`, `1000 512 64` or
 * `1000`.
 */
export function promptSizes(
  title: string,
  known: readonly Sizes[] = [],
): Promise<Sizes | undefined> {
  const usual = [...known, ...USUAL_SIZES].map(value => ({ label: sizesLabel(value), value }));
  const input = createQuickPick<Partial<Item<Sizes>> & PickItem>();
  input.title = title;
  input.placeholder = t('Problem shape m x n x k: select a shape or enter your own');
  input.ignoreFocusOut = true;
  input.items = itemsOf(usual);
  return new Promise(resolve => {
    input.onDidChangeValue(text => {
      const parsed = parseSizes(text);
      const typed = parsed.ok
        ? { label: sizesLabel(parsed.sizes), value: parsed.sizes }
        : { label: text, description: parsed.message };
      const isUsual = usual.some(({ label }) => label === typed.label);
      input.items =
        text.trim() === ''
          ? itemsOf(usual)
          : itemsOf([...(isUsual ? [] : [{ ...typed, alwaysShow: true }]), ...usual]);
    });
    input.onDidAccept(() => {
      const [picked] = input.selectedItems;
      const value = picked && itemBehind(picked).value;
      if (value === undefined) return;
      resolve(value);
      input.hide();
    });
    input.onDidHide(() => {
      resolve(undefined);
      input.dispose();
    });
    input.show();
  });
}
