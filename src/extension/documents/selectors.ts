/** Document selectors of the editor providers, and the maximum document length. */
import { t } from '@vscode/l10n';
import type * as vscode from 'vscode';
import { MAX_SCANNED_CHARACTERS } from '../../core/source/kernelSites';
import { KERNEL_GLOB, SPEC_ENDING } from '../ids';

/** Matches kernel files by name, and previews by language, because previews have no file name. */
export const KERNELS: vscode.DocumentSelector = [
  { pattern: KERNEL_GLOB },
  { scheme: 'untitled', language: 'cuda-cpp' },
  { scheme: 'untitled', language: 'wgsl' },
];

export const SPECS: vscode.DocumentSelector = [{ pattern: `**/*${SPEC_ENDING}` }];

export const isTooLong = (document: Pick<vscode.TextDocument, 'getText'>): boolean =>
  document.getText().length > MAX_SCANNED_CHARACTERS;

export function tooLongText(document: Pick<vscode.TextDocument, 'getText'>): string {
  const characters = document.getText().length;
  const [size, most] = [characters, MAX_SCANNED_CHARACTERS].map(n => n.toLocaleString('en-US'));
  return t(
    'GEMM: only files of up to {1} characters are searched for kernels; this file has {0}',
    size ?? '',
    most ?? '',
  );
}
