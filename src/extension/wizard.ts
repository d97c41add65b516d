/** The questions of *Generate tiled GEMM*: sizes, element type, algorithm, targets. */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { PLANNED } from '../core/plan/fields';
import { check } from '../core/spec/check';
import type { DType } from '../core/spec/dtype';
import { ALGORITHMS, type Algorithm, type GemmSpec, type Target } from '../core/spec/schema';
import { settings } from './settings';
import { parseSizes, sizesLabel, USUAL_SIZES, type Sizes } from './sizes';

const heading = (): string => t('Generate tiled GEMM');
const STEPS = 4;

/** The spec that was asked for, or undefined when a question was left. */
export async function askForSpec(): Promise<GemmSpec | undefined> {
  const sizes = await askSizes(`${heading()} (1/${STEPS})`);
  if (sizes === undefined) return undefined;
  const dtype = await ask<DType>(2, t('Element type'), [
    { label: 'f32', description: t('32-bit floating point'), value: 'f32' },
    { label: 'f16', description: t('16-bit floating point'), value: 'f16' },
    { label: 'bf16', description: t('bfloat16, CUDA only'), value: 'bf16' },
    { label: 'f64', description: t('64-bit floating point, CUDA only'), value: 'f64' },
    { label: 's32', description: t('32-bit integers'), value: 's32' },
    { label: 's8', description: t('8-bit integers, CUDA only'), value: 's8' },
  ]);
  if (dtype === undefined) return undefined;
  const algorithm = await ask<Algorithm>(3, t('Algorithm'), algorithmItems());
  if (algorithm === undefined) return undefined;
  const spec: GemmSpec = {
    version: 1,
    problem: { ...sizes, a: { dtype } },
    schedule: { algorithm },
    device: settings.device(),
  };
  const { legal, violations } = check(spec);
  const items = targetItems(legal);
  if (items.length === 0) {
    const [first] = violations;
    void vscode.window.showErrorMessage(
      `${t('This GEMM is legal for no target.')} ${first === undefined ? '' : first.message}`,
    );
    return undefined;
  }
  const targets = await ask(4, t('Language'), items);
  return targets === undefined ? undefined : { ...spec, targets: [...targets] };
}

interface Item<T> extends vscode.QuickPickItem {
  readonly value: T;
}

async function ask<T>(
  step: number,
  placeHolder: string,
  items: readonly Item<T>[],
): Promise<T | undefined> {
  const title = `${heading()} (${step}/${STEPS})`;
  const picked = await vscode.window.showQuickPick(items, {
    title,
    placeHolder,
    matchOnDescription: true,
    ignoreFocusOut: true,
  });
  return picked?.value;
}

/** What the algorithms do, for those who have not met them. */
const algorithmWords = (): Readonly<Partial<Record<Algorithm, string>>> => ({
  naive: t('one element of C a thread; neighbouring threads read distant memory'),
  coalesced: t('one element of C a thread; neighbouring threads read neighbouring memory'),
  'shared-tile': t('tiles of A and B staged in shared memory'),
  'thread-tile-1d': t('a column of C a thread'),
  'thread-tile-2d': t('a small tile of C a thread'),
  'register-tile': t('a small tile of C a thread, from caches alone: no shared memory, no barrier'),
  vectorized: t('128-bit accesses, A transposed while staged, results interleaved'),
  'warp-tile': t('block, warp and thread tiles'),
  pipelined: t(
    'warp tiles, with the next tile under way while one is multiplied: the fastest of these',
  ),
  mma: t('warp tiles on tensor cores; in WGSL with an experimental feature'),
});

function algorithmItems(): readonly Item<Algorithm>[] {
  const words = algorithmWords();
  const known = ALGORITHMS.filter(algorithm => PLANNED[algorithm] !== undefined);
  return known.toReversed().map(value => {
    const description = words[value];
    return { label: value, value, ...(description === undefined ? {} : { description }) };
  });
}

function targetItems(legal: readonly Target[]): readonly Item<readonly Target[]>[] {
  const items: readonly Item<readonly Target[]>[] = [
    { label: t('CUDA and WGSL'), description: t('a file each'), value: ['cuda', 'wgsl'] },
    { label: 'CUDA', description: t('.cu, for NVIDIA GPUs'), value: ['cuda'] },
    { label: 'WGSL', description: t('.wgsl, for WebGPU'), value: ['wgsl'] },
  ];
  return items.filter(({ value }) => value.every(target => legal.includes(target)));
}

/** Picked from the list, which begins with those known, or typed: `1000 x 512 x 64`, `1000 512 64`, `1000`. */
export function askSizes(title: string, known: readonly Sizes[] = []): Promise<Sizes | undefined> {
  const usual = [...known, ...USUAL_SIZES].map(value => ({ label: sizesLabel(value), value }));
  const input = vscode.window.createQuickPick<Partial<Item<Sizes>> & vscode.QuickPickItem>();
  input.title = title;
  input.placeholder = t('Sizes m x n x k: pick some, or type your own');
  input.ignoreFocusOut = true;
  input.items = usual;
  return new Promise(resolve => {
    input.onDidChangeValue(text => {
      const parsed = parseSizes(text);
      const typed = parsed.ok
        ? { label: sizesLabel(parsed.sizes), value: parsed.sizes }
        : { label: text, description: parsed.message };
      const isUsual = usual.some(({ label }) => label === typed.label);
      input.items =
        text.trim() === ''
          ? usual
          : [...(isUsual ? [] : [{ ...typed, alwaysShow: true }]), ...usual];
    });
    input.onDidAccept(() => {
      const [picked] = input.selectedItems;
      if (picked?.value === undefined) return;
      resolve(picked.value);
      input.hide();
    });
    input.onDidHide(() => {
      resolve(undefined);
      input.dispose();
    });
    input.show();
  });
}
