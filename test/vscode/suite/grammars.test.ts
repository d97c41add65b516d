/** Syntax colors of WGSL and PTX, as the tokenizer of VS Code assigns them. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { remove, write } from './files';

interface Token {
  /** Text of the token. */
  readonly c: string;
  /** Scopes, outermost first, separated by spaces. */
  readonly t: string;
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
}
`;

async function scopesOf(name: string, text: string): Promise<(token: string) => string> {
  const uri = await write(name, text);
  const tokens = await vscode.commands.executeCommand<readonly Token[]>(
    '_workbench.captureSyntaxTokens',
    uri,
  );
  await remove(uri);
  return token => {
    const found = tokens.find(({ c }) => c.trim() === token);
    assert.ok(found, `no token "${token}" in ${tokens.map(({ c }) => c).join('|')}`);
    return found.t;
  };
}

describe('syntax colors', () => {
  for (const [language, name, text, expected] of [
    [
      'WGSL',
      'colors.wgsl',
      WGSL,
      {
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
      },
    ],
    [
      'PTX',
      'colors.ptx',
      PTX,
      {
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
      },
    ],
  ] as const)
    it(`assigns a scope to each kind of token in ${language}`, async () => {
      const scopeOf = await scopesOf(name, text);
      for (const [token, scope] of Object.entries(expected))
        assert.ok(scopeOf(token).includes(` ${scope}`), `${token}: ${scopeOf(token)}`);
    });
});
