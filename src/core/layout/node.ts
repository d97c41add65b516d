/** Syntax tree of a layout expression. */
import type { Swizzle } from './swizzle';
import type { Span } from './tokens';

export type Node = Span &
  (
    | {
        readonly kind: 'int';
        readonly value: number;
        /** Whether the integer is a compile-time constant: `_8`, `Int<8>`. */
        readonly isStatic: boolean;
      }
    /** `_`: a free mode. `X`: a mode that a step skips. */
    | { readonly kind: 'free' | 'crossed' }
    /** `LayoutLeft{}` or `LayoutRight{}`: strides that make the first or last mode contiguous. */
    | { readonly kind: 'left' | 'right' }
    | { readonly kind: 'tuple'; readonly items: readonly Node[] }
    | { readonly kind: 'layout'; readonly shape: Node; readonly stride: Node }
    | { readonly kind: 'swizzle'; readonly swizzle: Swizzle }
    /** `Sw<3,3,3> o 0 o LAYOUT`: the swizzle of offset + LAYOUT, as CuTe prints it. */
    | {
        readonly kind: 'swizzled';
        readonly swizzle: Swizzle;
        readonly offset: number;
        readonly layout: Node;
      }
    | { readonly kind: 'call'; readonly name: string; readonly args: readonly Node[] }
  );

export type Call = Extract<Node, { readonly kind: 'call' }>;
