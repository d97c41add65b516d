/**
 * Labels with icons of ours. In `icons` templates the literal parts may hold `$(name)`; every value is text of which VS
 * Code makes neither an icon nor a link. Pure.
 */
import { plainText } from '../../core/text/plainText';

const KIND: unique symbol = Symbol('IconText');

/** Made by `icons` only. */
export interface IconText {
  readonly [KIND]: string;
}

/** icons`$(play) ${name}` */
export const icons = (
  literals: TemplateStringsArray,
  ...values: readonly (string | IconText)[]
): IconText => ({
  [KIND]: literals
    .map((text, index) => `${index === 0 ? '' : labelOf(values[index - 1] ?? '')}${text}`)
    .join(''),
});

/** Returns the icon of a name from our own tables. */
export const icon = (name: string): IconText => ({ [KIND]: `$(${name.replace(/[^a-z~-]/g, '')})` });

/** Returns what VS Code is given. */
export const labelOf = (label: string | IconText): string =>
  typeof label === 'string' ? plainText(label) : label[KIND];
