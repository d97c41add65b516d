/**
 * Gated pair act(A * B) * (A * B2): adds the second product to the IR of the first one. A statement
 * that depends on B gets a copy for B2 directly after it. Both products share the loops, the tiles
 * of A and all indices. Names of the copy end in `Up`, as in the up projection of a feed-forward
 * layer.
 */
import { gateOf, type Gate } from '../../spec/epilogue';
import type { Plan } from '../../plan/plan';
import { add, constant, mul } from '../ir/expr';
import type { Expr, KernelIr, SharedArray, Statement, Value } from '../ir/ir';
import { allStatements } from '../ir/statements';
import * as name from './names';

const second = (of: string): string => `${of}Up`;

export const gateOffset = ({ name: of }: Gate): string => `${of}Offset`;

/** Returns the leading dimension of B2: N or K if it is packed, otherwise a constant. */
export function gateLeading({ name: of, layout, ld, rows, columns }: Gate): Expr {
  if (ld !== (layout === 'row' ? columns : rows)) return constant(`LD_${of.toUpperCase()}`);
  return layout === 'row' ? name.N : name.K;
}

/** Declares the offset of the batch entry in B2. */
export function gateOffsets(plan: Plan, entry: Expr): readonly Statement[] {
  const gate = gateOf(plan.spec.problem);
  if (gate === undefined || !name.isBatched(plan)) return [];
  const lines = gate.layout === 'row' ? name.K : name.N;
  return [
    {
      op: 'let',
      name: gateOffset(gate),
      value: mul(entry, mul(lines, gateLeading(gate))),
      ...(plan.wideOffsets.includes(gate.name) ? { wide: true as const } : {}),
    },
  ];
}

/** Returns the same element of the second product: a register, or an element in shared memory. */
export const ofSecondProduct = (value: Value): Value =>
  value.op === 'register'
    ? { ...value, name: second(value.name) }
    : value.op === 'shared'
      ? { ...value, array: second(value.array), site: secondSite(value.site) }
      : value;

/** Adds the product with B2 to a kernel. Returns the same IR if the problem has no gate. */
export function withSecondProduct(plan: Plan, ir: KernelIr): KernelIr {
  const gate = gateOf(plan.spec.problem);
  if (gate === undefined) return ir;
  const names = dependents(plan, gate, ir.body);
  const rename = renamer(plan, gate, names);
  const widths = ir.vectors?.b === undefined ? {} : { [gate.name]: ir.vectors.b };
  return {
    ...ir,
    ...(ir.vectors === undefined ? {} : { vectors: { ...ir.vectors, ...widths } }),
    shared: ir.shared.flatMap((array): readonly SharedArray[] =>
      names.has(array.name) ? [array, { ...array, name: second(array.name) }] : [array],
    ),
    body: ir.body.flatMap(statement => doubled(statement, names, rename)),
  };
}

type Names = ReadonlyMap<string, string>;
type Rename = <Node>(node: Node) => Node;

/** Returns the names whose values depend on B. `offsetB` is declared for each operand. */
function dependents(plan: Plan, gate: Gate, body: readonly Statement[]): Names {
  const names = new Map<string, string>([[name.OFFSET.b, gateOffset(gate)]]);
  for (let before = -1; before !== names.size;) {
    before = names.size;
    const rename = renamer(plan, gate, names);
    const changes = (node: unknown): boolean => rename(node) !== node;
    for (const statement of allStatements(body)) {
      if (isGated(statement, names)) continue;
      for (const [written, read] of flows(statement))
        if (changes(read)) names.set(written, second(written));
    }
  }
  return names;
}

/** Returns the names that a statement writes, each with the expressions that it reads for it. */
function flows(statement: Statement): readonly (readonly [string, unknown])[] {
  switch (statement.op) {
    case 'let':
      return statement.name === name.OFFSET.b ? [] : [[statement.name, statement.value]];
    case 'for':
      return (statement.advancing ?? []).map(({ name: of, ...read }) => [of, read]);
    case 'assign':
      return written(statement.place, statement.value);
    case 'fma':
      return written(statement.place, [statement.left, statement.right]);
    case 'storeMatrix':
      return written(statement.place, statement.value);
    case 'loadMatrix':
    case 'loadRows':
      return [[statement.place.name, statement.from]];
    case 'multiplyMatrices':
    case 'multiplyFragments':
      return [[statement.place.name, [statement.left, statement.right]]];
    case 'takePiece':
      return [[statement.place.name, statement.rest]];
    default:
      return [];
  }
}

const written = (
  place: Extract<Statement, { op: 'assign' }>['place'],
  read: unknown,
): readonly (readonly [string, unknown])[] => {
  if (place.op === 'register') return [[place.name, read]];
  return place.op === 'shared' ? [[place.array, read]] : [];
};

/** Returns whether a statement already reads both products, as the epilogue does. */
function isGated(statement: Statement, names: Names): boolean {
  if (statement.op !== 'assign') return false;
  const seconds = new Set([...names.keys()].map(second));
  return contains(statement.value, node => {
    if (node['op'] === 'register') return seconds.has(String(node['name']));
    return node['op'] === 'shared' && seconds.has(String(node['array']));
  });
}

type Node = Readonly<Record<string, unknown>>;

function contains(node: unknown, test: (node: Node) => boolean): boolean {
  if (typeof node !== 'object' || node === null) return false;
  return test(node as Node) || Object.values(node).some(child => contains(child, test));
}

const secondSite = <Site extends { readonly name: string }>(site: Site): Site => ({
  ...site,
  name: site.name.replace(/^B\b/, 'B2').replace(/^([BC]s)\b/, '$1Up'),
});

/** Returns a function that replaces B by B2; it returns the same object if nothing changes. */
function renamer(plan: Plan, gate: Gate, names: Names): Rename {
  const lines = name.ordered(plan, 'c', name.M, name.N)[0];
  const stride = gateLeading(gate);
  const own = (node: Node): Node => {
    const site = node['site'] as { readonly name: string; readonly operand: string } | undefined;
    switch (node['op']) {
      case 'global':
        if (site?.operand === 'b')
          return { ...node, site: { ...secondSite(site), operand: gate.name }, stride };
        return site?.operand === 'workspace'
          ? { ...node, outer: add(node['outer'] as Expr, lines) }
          : node;
      case 'shared': {
        const array = names.get(String(node['array']));
        if (array === undefined || site === undefined) return node;
        const operand = site.operand === 'b' ? gate.name : site.operand;
        return { ...node, array, site: { ...secondSite(site), operand } };
      }
      case 'parameter':
        return node['role'] === 'ldb' ? stride : node;
      case 'variable':
      case 'register':
      case 'let':
      case 'registers':
      case 'matrices':
      case undefined: {
        const other = typeof node['name'] === 'string' ? names.get(node['name']) : undefined;
        return other === undefined ? node : { ...node, name: other };
      }
      default:
        return node;
    }
  };
  const rename = (node: unknown): unknown => {
    if (typeof node !== 'object' || node === null) return node;
    if (Array.isArray(node)) {
      const all = node.map(rename);
      return all.every((child, i) => child === node[i]) ? (node as unknown) : all;
    }
    const children = Object.entries(node).map(([key, child]) => [key, rename(child)] as const);
    const isSame = children.every(([key, child]) => child === (node as Node)[key]);
    return own(isSame ? (node as Node) : Object.fromEntries(children));
  };
  return rename as Rename;
}

function doubled(statement: Statement, names: Names, rename: Rename): readonly Statement[] {
  const all = (body: readonly Statement[]): readonly Statement[] =>
    body.flatMap(inner => doubled(inner, names, rename));
  if (statement.op === 'for') {
    const { advancing } = statement;
    const both = advancing?.flatMap(each =>
      rename(each) === each ? [each] : [each, rename(each)],
    );
    return [
      {
        ...statement,
        ...(both === undefined ? {} : { advancing: both }),
        body: all(statement.body),
      },
    ];
  }
  if (statement.op === 'if') {
    const { body, otherwise } = statement;
    return [
      {
        ...statement,
        body: all(body),
        ...(otherwise === undefined ? {} : { otherwise: all(otherwise) }),
      },
    ];
  }
  if (isGated(statement, names) || isOffset(statement)) return [statement];
  const other = rename(statement);
  return other === statement ? [statement] : [statement, other];
}

const isOffset = (statement: Statement): boolean =>
  statement.op === 'let' && statement.name === name.OFFSET.b;
