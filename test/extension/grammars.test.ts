/** Syntax colors of WGSL and PTX, assigned by the tokenizer that VS Code uses. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import oniguruma from 'vscode-oniguruma';
import textmate, { type IGrammar } from 'vscode-textmate';

const wasm = createRequire(import.meta.url).resolve('vscode-oniguruma/release/onig.wasm');

async function grammarOf(language: 'wgsl' | 'ptx'): Promise<IGrammar> {
  await oniguruma.loadWASM(readFileSync(wasm));
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: patterns => oniguruma.createOnigScanner([...patterns]),
      createOnigString: text => oniguruma.createOnigString(text),
    }),
    loadGrammar: () => {
      const path = `media/grammars/${language}.tmLanguage.json`;
      return Promise.resolve(textmate.parseRawGrammar(readFileSync(path, 'utf8'), path));
    },
  });
  const grammar = await registry.loadGrammar(`source.${language}`);
  assert.ok(grammar !== null);
  return grammar;
}

/** Returns the scopes of each token, trimmed, at its first occurrence. */
function scopesOf(grammar: IGrammar, text: string): ReadonlyMap<string, string> {
  const scopes = new Map<string, string>();
  let stack = textmate.INITIAL;
  for (const line of text.split('\n')) {
    const { tokens, ruleStack } = grammar.tokenizeLine(line, stack);
    stack = ruleStack;
    for (const { startIndex, endIndex, scopes: all } of tokens) {
      const token = line.slice(startIndex, endIndex).trim();
      if (!scopes.has(token)) scopes.set(token, all.join(' '));
    }
  }
  return scopes;
}

const WGSL = `// tile
enable f16;
const BM = 128u;
var<workgroup> As: array<vec4<f32>, BM>;
@compute @workgroup_size(256)
fn gemm(@builtin(workgroup_id) block: vec3u) {
  for (var k = 0u; k < 8; k++) {
    workgroupBarrier();
    acc = fma(1.5f, As[k].x, acc);
  }
}
/* outer /* nested */ still a comment */
`;

const PTX = `// nvcc
.version 9.0
.visible .entry gemm(.param .u64 gemm_param_0) {
.reg .b32 %r<3>;
$L__BB0_1:
@%p1 bra $L__BB0_1;
mov.u32 %r1, %tid.x;
ld.global.nc.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1+16];
fma.rn.f32 %f5, %f1, %f2, 0f3F800000;
bar.sync 0;
wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {%f6}, %rd2, %rd3, p, 1, 1, 0, 0;
}
`;

const EXPECTED = {
  wgsl: {
    text: WGSL,
    scopes: {
      '// tile': 'comment.line',
      enable: 'keyword.control.directive',
      const: 'storage.type',
      BM: 'variable.other.constant',
      '128u': 'constant.numeric',
      workgroup: 'storage.modifier',
      vec4: 'support.type',
      workgroup_size: 'storage.modifier.attribute',
      fn: 'storage.type.function',
      gemm: 'entity.name.function',
      for: 'keyword.control',
      workgroupBarrier: 'support.function.synchronization',
      fma: 'entity.name.function.call',
      '1.5f': 'constant.numeric',
      acc: 'variable.other',
      'still a comment': 'comment.block',
    },
  },
  ptx: {
    text: PTX,
    scopes: {
      '// nvcc': 'comment.line',
      '.version': 'keyword.control.directive',
      '.entry': 'keyword.control.directive',
      '.u64': 'storage.type',
      $L__BB0_1: 'entity.name.label',
      '%p1': 'variable.parameter.predicate',
      bra: 'keyword.control.flow',
      mov: 'entity.name.function',
      '%tid.x': 'variable.language.special-register',
      ld: 'support.function.memory',
      '.global.nc.v4.f32': 'storage.modifier',
      fma: 'entity.name.function.multiply',
      '0f3F800000': 'constant.numeric',
      '.sync': 'storage.modifier',
      '%f5': 'variable.other.register',
      wgmma: 'entity.name.function.multiply',
    },
  },
} as const;

describe('syntax colors', () => {
  for (const language of ['wgsl', 'ptx'] as const) {
    const { text, scopes } = EXPECTED[language];
    it(`have a scope for each kind of token in ${language.toUpperCase()}`, async () => {
      const found = scopesOf(await grammarOf(language), text);
      for (const [token, scope] of Object.entries(scopes))
        assert.ok(
          found.get(token)?.includes(` ${scope}`),
          `${token}: ${found.get(token) ?? [...found.keys()].join('|')}`,
        );
    });
  }
});
