/**
 * Finds integer constants in CUDA or WGSL source: `constexpr int BM = 128;`, `#define BM 128`,
 * `const BM = 16u;`.
 */
import { evaluate, splitAtCommas } from './annotationSchema';

export type Constants = Readonly<Record<string, number>>;

const DECLARATIONS: readonly RegExp[] = [
  /^[ \t]*#[ \t]*define[ \t]+(\w+[ \t]+[^\n]+)$/gm,
  /\b(?:const|constexpr|override)\b([^;={}()\n]*=[^;{}]+);/g,
  // The default of a template parameter is used as its value.
  /\b(?:int|unsigned|uint|size_t)\s+(\w+\s*=\s*\d+)\s*(?=[,>])/g,
];

const DECLARATOR = /(\w+)\s*(?::\s*\w+\s*)?(?:=|\s)\s*(.+)$/s;

const MAX_CONSTANTS = 500;

/**
 * Evaluates constants whose values are arithmetic expressions of numbers and earlier constants. If
 * a name has several values, the first is used.
 */
export function constantsOf(text: string): Constants {
  const found: Record<string, number> = {};
  for (const pattern of DECLARATIONS) {
    for (const [, declared = ''] of text.matchAll(pattern)) {
      if (Object.keys(found).length >= MAX_CONSTANTS) return found;
      for (const part of splitAtCommas(declared)) {
        const equals = part.includes('=')
          ? part.replace(/^.*?(?=\w+\s*(?::\s*\w+\s*)?=)/s, '')
          : part;
        const [, name = '', value = ''] = DECLARATOR.exec(equals) ?? [];
        const number = valueOf(value, found);
        if (number !== undefined && !Object.hasOwn(found, name)) found[name] = number;
      }
    }
  }
  return found;
}

/** Returns the value of an integer expression of constants, or undefined for any other text. */
export function valueOf(expression: string, constants: Constants): number | undefined {
  const plain = expression
    .replace(/\/\/.*|\/\*[\s\S]*?\*\//g, ' ')
    .replace(/\b(\d+)(?:[uUlL]{1,3}|i)\b/g, '$1')
    .trim();
  if (plain.length > 200) return undefined;
  const named = Object.keys(constants).length === 0 ? {} : constants;
  const value = evaluateNames(plain, named);
  return value !== null && Number.isSafeInteger(value) ? value : undefined;
}

/**
 * Replaces names by their values before evaluation, because `evaluate` does not support digits in
 * names.
 */
function evaluateNames(text: string, constants: Constants): number | null {
  const replaced = text.replace(/[A-Za-z_]\w*/g, name =>
    Object.hasOwn(constants, name) ? String(constants[name]) : name,
  );
  return evaluate(replaced, {});
}
