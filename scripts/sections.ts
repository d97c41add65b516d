/**
 * Generates Markdown tables and page sections between `<!-- name -->` and `<!-- end -->`.
 */

export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map(cells => `| ${cells.join(' | ')} |`).join('\n');

/** Replaces each section of the page; throws if the page does not contain the section. */
export function withSections(
  page: string,
  text: string,
  sections: Readonly<Record<string, () => string>>,
): string {
  let filled = text;
  for (const [name, section] of Object.entries(sections)) {
    const marks = new RegExp(`(<!-- ${name} -->\\n)[\\s\\S]*?(<!-- end -->)`);
    if (!marks.test(filled))
      throw new Error(`${page} has no section ${name}. Fix: add <!-- ${name} --> and <!-- end -->`);
    filled = filled.replace(
      marks,
      (_, open: string, close: string) => `${open}\n${section()}\n\n${close}`,
    );
  }
  return filled;
}
