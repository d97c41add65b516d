/** Document selectors of the editor's providers, and their size limit. */
import { t } from '@vscode/l10n';
import type * as vscode from 'vscode';
import { MAX_SCANNED_CHARACTERS } from '../../core/source/kernelSites';
import { KERNEL_GLOB, SPEC_ENDING } from '../ids';

/** Previews do not have a file name. */
export const KERNELS: vscode.DocumentSelector = [
  { pattern: KERNEL_GLOB },
  { scheme: 'untitled', language: 'cuda-cpp' },
  { scheme: 'untitled', language: 'wgsl' },
];

export const SPECS: vscode.DocumentSelector = [{ pattern: `**/*${SPEC_ENDING}` }];

export const isTooLong = (document: Pick<vscode.TextDocument, 'getText'>): boolean =>
  document.getText().length > MAX_SCANNED_CHARACTERS;

/** Message for a document that is too long. */
export function tooLongText(document: Pick<vscode.TextDocument, 'getText'>): string {
  const characters = document.getText().length;
  const [size, most] = [characters, MAX_SCANNED_CHARACTERS].map(n => n.toLocaleString('en-US'));
  return t(
    'GEMM: kernels are searched only in files of up to {1} characters; this file has {0}',
    size ?? '',
    most ?? '',
  );
}
