/**
 * Positions and edits in a JSON document. Comments and trailing commas are errors, as in
 * `JSON.parse`. The functions never throw.
 */
import {
  findNodeAtLocation,
  getLocation,
  getNodeValue,
  modify,
  parseTree,
  type Node,
  type ParseError,
} from 'jsonc-parser';
import { withinStack } from './withinStack';

export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

export interface Replacement extends TextSpan {
  readonly text: string;
}

interface Tree {
  readonly root: Node | undefined;
  /** Offset of the first syntax error; undefined if there is none. */
  readonly errorAt: number | undefined;
}

function treeOf(text: string): Tree {
  const errors: ParseError[] = [];
  const options = { disallowComments: true, allowTrailingComma: false };
  const root = withinStack(() => parseTree(text, errors, options));
  return { root, errorAt: errors[0]?.offset };
}

/**
 * Returns the offset of the first invalid token, or of an unexpected end of file; undefined if the
 * document is valid.
 */
export const syntaxErrorAt = (text: string): number | undefined => treeOf(text).errorAt;

/**
 * Returns the span of the value at `path`, such as `schedule.block.m`. For an object or a missing
 * value, returns the span of the nearest existing name. For the whole document, returns an empty
 * span at its start.
 */
export function locate(text: string, path: string): TextSpan {
  const names = path === '' ? [] : path.split('.');
  let span: TextSpan = { start: 0, end: 0 };
  let node = treeOf(text).root;
  for (const [depth, name] of names.entries()) {
    node = node && findNodeAtLocation(node, [node.type === 'array' ? Number(name) : name]);
    if (node === undefined) break;
    span = shownSpan(node, depth === names.length - 1);
  }
  return span;
}

const spanOf = ({ offset, length }: Node): TextSpan => ({ start: offset, end: offset + length });

/**
 * Returns the span of a requested scalar value, otherwise the span of its name. Array elements have
 * no name: a scalar element has its own span, and an object or array the span of its opening
 * bracket.
 */
function shownSpan(node: Node, isWanted: boolean): TextSpan {
  const isScalar = node.children === undefined;
  const name = node.parent?.type === 'property' ? node.parent.children?.[0] : undefined;
  if (name !== undefined && !(isWanted && isScalar)) return spanOf(name);
  return isScalar ? spanOf(node) : { start: node.offset, end: node.offset + 1 };
}

export interface JsonLocation extends TextSpan {
  /**
   * Keys and indices from the root; where a key is expected but missing, the path of its object.
   */
  readonly path: readonly string[];
  readonly kind: 'key' | 'value';
}

/**
 * Returns the JSON location at `offset`; undefined outside the root value. The document may be
 * incomplete.
 */
export function locationAt(text: string, offset: number): JsonLocation | undefined {
  const location = withinStack(() => getLocation(text, offset));
  if (location === undefined || location.path.length === 0) return undefined;
  const { previousNode, isAtPropertyKey } = location;
  const path = location.path.map(String);
  // jsonc-parser also reports a key after an empty object, where a value is expected.
  const isKey = isAtPropertyKey && (path.at(-1) === '' || previousNode?.type === 'property');
  const kind = isKey ? 'key' : 'value';
  const touched = previousNode === undefined ? undefined : spanOf(previousNode);
  if (touched !== undefined && touched.end >= offset) return { path, kind, ...touched };
  return { path: isKey ? path.slice(0, -1) : path, kind, start: offset, end: offset };
}

const FORMAT = { formattingOptions: { insertSpaces: true, tabSize: 2, eol: '\n' } };

/** Returns the names as keys of objects and indices of arrays. */
function keysOf(root: Node, names: readonly string[]): (string | number)[] {
  const keys: (string | number)[] = [];
  for (const name of names)
    keys.push(findNodeAtLocation(root, keys)?.type === 'array' ? Number(name) : name);
  return keys;
}

/**
 * Returns the edits that set the field at `path`, or remove it if `value` is undefined. Returns no
 * edits if the document has no value, or if the field to remove is missing. The edits keep the
 * formatting.
 */
export function fieldEdits(text: string, path: string, value: unknown): readonly Replacement[] {
  const names = path.split('.');
  const { root } = treeOf(text);
  if (root === undefined) return [];
  const keys = keysOf(root, names);
  if (value === undefined && findNodeAtLocation(root, keys) === undefined) return [];
  return modify(text, keys, value, FORMAT).map(({ offset, length, content }) => ({
    start: offset,
    end: offset + length,
    text: content,
  }));
}

/**
 * Returns one replacement per changed value, which keeps the formatting. Returns null if fields
 * were added or removed, or if the text is not JSON.
 */
export function valueReplacements(json: string, value: unknown): readonly Replacement[] | null {
  const { root, errorAt } = treeOf(json);
  return root === undefined || errorAt !== undefined ? null : replacementsIn(root, value);
}

function replacementsIn(node: Node, value: unknown): readonly Replacement[] | null {
  const isContainer = typeof value === 'object' && value !== null;
  const fields = isContainer ? Object.entries(value as Readonly<Record<string, unknown>>) : [];
  if (fields.length !== (node.children?.length ?? 0)) return null;
  if (fields.length === 0) {
    const text = JSON.stringify(value ?? null);
    return JSON.stringify(getNodeValue(node)) === text ? [] : [{ ...spanOf(node), text }];
  }
  const found: Replacement[] = [];
  for (const [key, inner] of fields) {
    const child = findNodeAtLocation(node, [Array.isArray(value) ? Number(key) : key]);
    const changes = child === undefined ? null : replacementsIn(child, inner);
    if (changes === null) return null;
    found.push(...changes);
  }
  return found;
}
