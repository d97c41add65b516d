/**
 * The harness's own floats of 8 bits beside CUDA's conversions, on the CPU: every code, and numbers
 * between and beyond them.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { findNvcc } from '../../../src/host/toolchain';
import { itWhole } from '../../helpers/depth';
import { hostileFolder } from '../support';

const sourceOf = (name: string): string => readFileSync(`shaders/cuda/${name}.cuh`, 'utf8');

const MAIN = `#include <cuda_fp8.h>
using namespace harness;
int main() {
  long long compared = 0;
  for (const Type type : {Type::e4m3, Type::e5m2}) {
    const auto kind = type == Type::e4m3 ? __NV_E4M3 : __NV_E5M2;
    const auto known = [&](int code) { return double(__half2float(__half(__nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(code), kind)))); };
    for (int code = 0; code < 256; ++code, ++compared) {
      const double ours = fromFp8(static_cast<unsigned char>(code), type), theirs = known(code);
      if (!(ours == theirs || (ours != ours && theirs != theirs))) std::printf("code %d of %d: %g, %g\\n", code, int(type), ours, theirs);
    }
    const auto stores = [&](double value) {
      const int ours = toFp8(value, type), theirs = __nv_cvt_double_to_fp8(value, __NV_SATFINITE, kind);
      ++compared;
      // Our zero has no sign.
      if (ours != theirs && !(ours == 0 && theirs == 128)) std::printf("%.17g to %d: %d, %d\\n", value, int(type), ours, theirs);
    };
    for (int code = 0; code < 255; ++code) {
      const double here = known(code), there = known(code + 1);
      if (!std::isfinite(here) || !std::isfinite(there)) continue;
      for (const double share : {0.0, 0.25, 0.4999, 0.5, 0.5001, 0.75}) stores(here + (there - here) * share);
    }
    for (const double value : {1e-30, -1e-30, 449.0, 480.0, -500.0, 57344.0, 61440.0, 1e30, -1e30, 1e300}) stores(value);
  }
  std::printf("%lld compared", compared);
}
`;

describe('floats of 8 bits in the harness', () => {
  itWhole('are those of CUDA (needs nvcc)', async function () {
    this.timeout(120_000);
    const found = await findNvcc();
    if (!found.ok) return this.skip();
    const { path: folder, remove } = hostileFolder();
    try {
      const plain = path.dirname(folder);
      writeFileSync(
        path.join(plain, 'fp8.cu'),
        `${sourceOf('report')}${sourceOf('problem')}${MAIN}`,
      );
      const run = promisify(execFile);
      await run(found.nvcc.path, ['-std=c++17', '-arch=sm_90', 'fp8.cu', '-o', 'fp8'], {
        cwd: plain,
      });
      const { stdout } = await run(path.join(plain, 'fp8'));
      assert.match(stdout, /^\d{4} compared$/);
    } finally {
      remove();
    }
  });
});
