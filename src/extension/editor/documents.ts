/** Which documents the editor's providers are for, and how long they may be. */
import type * as vscode from 'vscode';
import { MAX_SCANNED_CHARACTERS } from '../../core/emit/kernelSites';
import { KERNEL_GLOB, SPEC_ENDING } from '../ids';

/** Previews have no file name yet. */
export const KERNELS: vscode.DocumentSelector = [
  { pattern: KERNEL_GLOB },
  { scheme: 'untitled', language: 'cuda-cpp' },
  { scheme: 'untitled', language: 'wgsl' },
];

export const SPECS: vscode.DocumentSelector = [{ pattern: `**/*${SPEC_ENDING}` }];

export const isTooLong = (document: Pick<vscode.TextDocument, 'getText'>): boolean =>
  document.getText().length > MAX_SCANNED_CHARACTERS;
