/**
 * Names of kernels as compilers mangle them: qualified, instantiated, and found by what a launch
 * calls them.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { findSymbol, qualifiedName } from '../../../src/core/source/symbols';

describe('qualifiedName', () => {
  it('reads namespaces and template arguments', () => {
    const named = {
      gemm: 'gemm',
      _Z4gemmPf: 'gemm',
      _ZL1gPf: 'g',
      _ZN2ns1fEv: 'ns::f',
      _Z5sgemmILi128ELi8EEvPf: 'sgemm<128,8>',
      _ZN2ns5sgemmILi128ELi8EfLb1EEEvPKT1_PS1_: 'ns::sgemm<128,8,float,true>',
      _Z1fILin3EjLj7EEvv: 'f<-3,unsigned,7>',
      _Z4gemmI6__halfEvPT_: 'gemm<__half>',
    };
    for (const [symbol, name] of Object.entries(named)) assert.equal(qualifiedName(symbol), name);
  });

  it('says nothing of arguments that it does not read, and troubles nobody', () => {
    assert.equal(qualifiedName('_Z1fIPfEvv'), undefined);
    fc.assert(
      fc.property(fc.string(), text => {
        qualifiedName(`_Z${text}`);
        qualifiedName(`_ZN1fI${text}`);
      }),
    );
  });
});

describe('findSymbol', () => {
  const [small, large] = ['_Z5sgemmILi64ELi4EEvPf', '_Z5sgemmILi128ELi8EEvPf'];
  const symbols = ['_Z5scalePf', small, large, '_ZN1a1fEv', '_ZN1b1fEv', '_ZN1c4onlyEv'];

  it('finds the one that a launch can mean', () => {
    assert.equal(findSymbol('scale', symbols), '_Z5scalePf');
    assert.equal(findSymbol('sgemm<128, 8>', symbols), large);
    assert.equal(findSymbol('sgemm<64u,4>', symbols), small);
    assert.equal(findSymbol('::b::f', symbols), '_ZN1b1fEv');
    // There is one only: its namespace need not be named.
    assert.equal(findSymbol('only', symbols), '_ZN1c4onlyEv');
  });

  it('finds none where several or none can be meant', () => {
    for (const entry of ['sgemm', 'sgemm<BM,8>', 'f', 'gone', '']) {
      assert.equal(findSymbol(entry, symbols), undefined, entry);
    }
  });
});
