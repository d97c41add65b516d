/**
 * Generates Markdown tables, and replaces page sections between `<!-- name -->` and `<!-- end -->`.
 */

export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map(cells => `| ${cells.join(' | ')} |`).join('\n');

/**
 * Returns `text` with each section replaced. Throws if a section is missing; `page` is the name of
 * the page in the message.
 */
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
