/** The identity of a kernel's text: what runs and compiler facts are matched by. */
import { hashText } from '../../text/hash';

const known = new WeakMap<object, string>();

/** Computed once a kernel: a page asks for it with every change of its state. */
export function sourceHashOf(kernel: { readonly source: string }): string {
  const hash = known.get(kernel) ?? hashText(kernel.source);
  known.set(kernel, hash);
  return hash;
}
