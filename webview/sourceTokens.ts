/**
 * Splits source code into tokens for syntax colors. One set of words covers CUDA C++, WGSL and the
 * Python programs of loop nests, because no word of the emitted code differs in kind.
 */

export type TokenKind = 'comment' | 'directive' | 'keyword' | 'type' | 'number' | 'string';

export interface Token {
  readonly text: string;
  /** Null for other text, such as names and operators. */
  readonly kind: TokenKind | null;
}

export interface LineTokens {
  readonly tokens: readonly Token[];
  /** True if the next line starts in a block comment. */
  readonly opensComment: boolean;
}

const KEYWORD =
  /^(?:alias|asm|auto|break|case|const|constexpr|continue|def|default|do|else|enable|extern|false|fn|for|goto|if|import|in|inline|let|loop|namespace|nullptr|override|reinterpret_cast|requires|return|sizeof|static|static_cast|struct|switch|template|true|typedef|typename|union|using|var|volatile|while|__[a-z_]+__)$/;
const TYPE =
  /^(?:void|bool|char|short|int|long|unsigned|signed|float|double|half|dim3|size_t|u?int\d+_t|[iuf](?:8|16|32|64)|u?(?:char|short|int|long)[1-4]|(?:float|double|half)[1-4]|__half2?|__nv_\w+|CUtensorMap|vec[234][fhiu]?|mat\dx\d[fh]?|array|atomic|subgroup_matrix_\w+)$/;
/** A comment, a directive or attribute, a string, a number, or a word. */
const TOKEN =
  /(\/\/.*|\/\*.*?(?:\*\/|$)|(?<!\S)#(?: .*|$))|(^\s*#\w(?:(?!\/\/).)*|@\w+)|("(?:[^"\\]|\\.)*")|((?<![\w.])\.?\d(?:[\w.]|(?<=[eEpP])[+-])*)|([A-Za-z_]\w*)/g;

/** Maximum number of lines whose tokens are kept. */
const MAX_LINES = 5000;
const known = new Map<string, LineTokens>();

/** Returns the tokens of a line. Equal lines have the same tokens object. */
export function tokensOf(line: string, startsInComment = false): LineTokens {
  const key = `${startsInComment ? '*' : ' '}${line}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  if (known.size >= MAX_LINES) known.clear();
  const made = startsInComment ? afterComment(line) : codeTokens(line);
  known.set(key, made);
  return made;
}

function afterComment(line: string): LineTokens {
  const end = line.indexOf('*/');
  if (end < 0) return { tokens: [{ text: line, kind: 'comment' }], opensComment: true };
  const rest = codeTokens(line.slice(end + 2));
  return { ...rest, tokens: [{ text: line.slice(0, end + 2), kind: 'comment' }, ...rest.tokens] };
}

function codeTokens(line: string): LineTokens {
  const tokens: Token[] = [];
  let plain = '';
  let opensComment = false;
  const flush = (): void => {
    if (plain !== '') tokens.push({ text: plain, kind: null });
    plain = '';
  };
  let from = 0;
  for (const match of line.matchAll(TOKEN)) {
    const [text, comment, directive, string, number] = match;
    const kind =
      comment !== undefined
        ? 'comment'
        : directive !== undefined
          ? 'directive'
          : string !== undefined
            ? 'string'
            : number !== undefined
              ? 'number'
              : wordKind(text);
    plain += line.slice(from, match.index);
    from = match.index + text.length;
    if (kind === null) {
      plain += text;
      continue;
    }
    flush();
    tokens.push({ text, kind });
    opensComment = kind === 'comment' && text.startsWith('/*') && !/.\*\/$/.test(text.slice(1));
  }
  plain += line.slice(from);
  flush();
  return { tokens, opensComment };
}

function wordKind(word: string): TokenKind | null {
  if (KEYWORD.test(word)) return 'keyword';
  return TYPE.test(word) ? 'type' : null;
}
