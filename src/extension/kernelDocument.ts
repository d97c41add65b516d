/** What a document holds: a spec, a kernel, or neither. The text in the editor counts, saved or not. */
import type * as vscode from 'vscode';
import { kernelSites, readKernelFile, type KernelFile } from '../core/emit/kernelFile';
import { parseSpec, type Decoded } from '../core/spec/decode';
import { SPEC_ENDING } from './ids';

type Document = Pick<vscode.TextDocument, 'uri' | 'languageId' | 'getText'>;

const lastOf = (uri: vscode.Uri): string => uri.path.split('/').pop() ?? uri.path;

/** Ending that an untitled document will get: a preview is a kernel too. */
const ENDINGS: Readonly<Record<string, string>> = { 'cuda-cpp': '.cu', wgsl: '.wgsl' };
const untitledEnding = ({ uri, languageId }: Omit<Document, 'getText'>): string =>
  uri.scheme === 'untitled' && !/\.\w+$/.test(uri.path) ? (ENDINGS[languageId] ?? '') : '';

export const nameOf = (document: Omit<Document, 'getText'>): string =>
  lastOf(document.uri) + untitledEnding(document);

export const isSpec = ({ uri }: Pick<Document, 'uri'>): boolean => uri.path.endsWith(SPEC_ENDING);

export const isKernel = (document: Omit<Document, 'getText'>): boolean =>
  /\.(cu|cuh|wgsl)$/i.test(nameOf(document));

export const specOf = (document: Document): Decoded => parseSpec(document.getText());

/** The kernel `entry` of the document, or the one it declares itself. */
export function kernelOf(document: Document, entry?: string): KernelFile {
  const file = readKernelFile(document.getText(), nameOf(document));
  if (!file.ok || entry === undefined || file.runnable.entry === entry) return file;
  const exists = kernelSites(document.getText()).some(site => site.entry === entry);
  return {
    ok: false,
    path: '@gemm.entry',
    reason: exists
      ? `${nameOf(document)} describes ${file.runnable.entry} in its @gemm comment, not ${entry}.`
      : `${nameOf(document)} has no kernel ${entry}.`,
  };
}
