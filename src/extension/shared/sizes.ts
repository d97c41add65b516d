/** Parser of typed problem sizes: `1024`, `512 x 256 x 64`, `m=512, n=256, k=64`. */
import { t } from '@vscode/l10n';
import { MAX_DIMENSION } from '../../core/spec/schema';

export interface Sizes {
  readonly m: number;
  readonly n: number;
  readonly k: number;
}

export const USUAL_SIZES: readonly Sizes[] = [256, 512, 1024, 2048, 4096].map(size => ({
  m: size,
  n: size,
  k: size,
}));

export const sizesLabel = ({ m, n, k }: Sizes): string => `${m} x ${n} x ${k}`;

export type ParsedSizes =
  { readonly ok: true; readonly sizes: Sizes } | { readonly ok: false; readonly message: string };

const how = (): string => t('Enter one size, or m x n x k, such as 1024 or 512 x 256 x 64.');

export function parseSizes(text: string): ParsedSizes {
  const words = text.trim().split(/[\s,;x×*]+/i);
  const numbers = words.map(word => Number(word.replace(/^[mnk]=/i, '')));
  const [m, n = m, k = m] = numbers;
  if (m === undefined || n === undefined || k === undefined) return { ok: false, message: how() };
  if (numbers.length !== 1 && numbers.length !== 3) return { ok: false, message: how() };
  if (numbers.some(Number.isNaN) || text.trim() === '') return { ok: false, message: how() };
  const bad = numbers.find(size => !Number.isInteger(size) || size < 1 || size > MAX_DIMENSION);
  if (bad !== undefined) {
    const message = t('Expected an integer from 1 to {0}, got {1}.', MAX_DIMENSION, bad);
    return { ok: false, message };
  }
  return { ok: true, sizes: { m, n, k } };
}
