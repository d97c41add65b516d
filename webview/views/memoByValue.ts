/** Memoization of views by the value of their props. */
import { h, type ComponentChildren, type FunctionComponent } from 'preact';
import { useRef } from 'preact/hooks';

type Handler = (...args: readonly unknown[]) => unknown;

interface Drawn<P> {
  latest: P;
  readonly handlers: Map<string, Handler>;
  readonly vnode: ComponentChildren;
}

const isHandler = (value: unknown): value is Handler => typeof value === 'function';

/**
 * Returns a component that renders only if its props changed by value. Handlers compare equal,
 * because the latest handler is always called.
 */
export function memoByValue<P extends object>(View: FunctionComponent<P>): FunctionComponent<P> {
  return function Steady(props: P) {
    const drawn = useRef<Drawn<P> | null>(null);
    const known = drawn.current;
    if (known !== null && sameProps(known.latest, props)) {
      known.latest = props;
      return known.vnode;
    }
    const handlers = known?.handlers ?? new Map<string, Handler>();
    const forwarded = Object.keys(props).flatMap(name => {
      if (!isHandler(Reflect.get(props, name))) return [];
      const handler =
        handlers.get(name) ??
        ((...args: readonly unknown[]) => {
          const latest: unknown = Reflect.get(drawn.current?.latest ?? {}, name);
          return isHandler(latest) ? latest(...args) : undefined;
        });
      handlers.set(name, handler);
      return [[name, handler]];
    });
    const stable: P = { ...props, ...(Object.fromEntries(forwarded) as Partial<P>) };
    const vnode = h(View, stable);
    drawn.current = { latest: props, handlers, vnode };
    return vnode;
  };
}

function sameProps(one: object, other: object): boolean {
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every(name => {
      const a: unknown = Reflect.get(one, name);
      const b: unknown = Reflect.get(other, name);
      return (isHandler(a) && isHandler(b)) || sameValue(a, b);
    })
  );
}

/** Compares plain data by value, and all other values by identity. */
export function sameValue(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one !== 'object' || typeof other !== 'object') return false;
  if (one === null || other === null) return false;
  const kind: unknown = Object.getPrototypeOf(one);
  if (kind !== Object.getPrototypeOf(other)) return false;
  if (kind !== Array.prototype && kind !== Object.prototype && kind !== null) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every(
      name =>
        Object.hasOwn(other, name) && sameValue(Reflect.get(one, name), Reflect.get(other, name)),
    )
  );
}
