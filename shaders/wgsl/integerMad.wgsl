// Integer ceiling (s32): like fma.wgsl, but with integer arithmetic, which wraps around. 32 vec4
// operations = 128 scalar operations per thread and iteration.

struct Parameters {
  iterations: u32,
  scale: i32,
  offset: i32,
}

@group(0) @binding(0) var<uniform> parameters: Parameters;
@group(0) @binding(1) var<storage, read_write> result: array<i32>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3u) {
  // Uniform values, which are not compile-time constants.
  let a = vec4i(parameters.scale);
  let b = vec4i(parameters.offset);
  let seed = vec4i(i32(id.x));
  var x0 = seed;
  var x1 = seed + 1;
  var x2 = seed + 2;
  var x3 = seed + 3;
  var x4 = seed + 4;
  var x5 = seed + 5;
  var x6 = seed + 6;
  var x7 = seed + 7;
  for (var i = 0u; i < parameters.iterations; i++) {
    x0 = x0 * a + b; x1 = x1 * a + b; x2 = x2 * a + b; x3 = x3 * a + b;
    x4 = x4 * a + b; x5 = x5 * a + b; x6 = x6 * a + b; x7 = x7 * a + b;
    x0 = x0 * a + b; x1 = x1 * a + b; x2 = x2 * a + b; x3 = x3 * a + b;
    x4 = x4 * a + b; x5 = x5 * a + b; x6 = x6 * a + b; x7 = x7 * a + b;
    x0 = x0 * a + b; x1 = x1 * a + b; x2 = x2 * a + b; x3 = x3 * a + b;
    x4 = x4 * a + b; x5 = x5 * a + b; x6 = x6 * a + b; x7 = x7 * a + b;
    x0 = x0 * a + b; x1 = x1 * a + b; x2 = x2 * a + b; x3 = x3 * a + b;
    x4 = x4 * a + b; x5 = x5 * a + b; x6 = x6 * a + b; x7 = x7 * a + b;
  }
  // The store prevents dead-code elimination.
  result[id.x] = dot(x0 + x1 + x2 + x3 + x4 + x5 + x6 + x7, vec4i(1));
}
