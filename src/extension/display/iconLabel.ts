/**
 * Labels with product icons. The literal parts of an `icons` template may contain `$(name)`.
 * Interpolated values are escaped so that VS Code renders neither icons nor links.
 */
import { plainText } from '../../core/text/plainText';

const KIND: unique symbol = Symbol('IconText');

export interface IconText {
  readonly [KIND]: string;
}

/** Builds a label: icons`$(play) ${name}` */
export const icons = (
  literals: TemplateStringsArray,
  ...values: readonly (string | IconText)[]
): IconText => ({
  [KIND]: literals
    .map((text, index) => `${index === 0 ? '' : labelOf(values[index - 1] ?? '')}${text}`)
    .join(''),
});

/** Returns the icon with this name. The name must not come from user input. */
export const icon = (name: string): IconText => ({ [KIND]: `$(${name.replace(/[^a-z~-]/g, '')})` });

/** Returns the label as VS Code expects it. Plain strings are escaped. */
export const labelOf = (label: string | IconText): string =>
  typeof label === 'string' ? plainText(label) : label[KIND];
