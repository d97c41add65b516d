// Floating-point ceiling: eight independent chains of vec4 FMAs per thread, enough to hide the FMA latency.
// 32 vec4 FMAs = 128 FMAs per thread and iteration.

// Accumulator type.
alias Accumulator = f32;

struct Parameters {
  iterations: u32,
  scale: f32,
  offset: f32,
}

@group(0) @binding(0) var<uniform> parameters: Parameters;
@group(0) @binding(1) var<storage, read_write> result: array<f32>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3u) {
  // Uniform values, which are not compile-time constants; |scale| < 1 keeps the accumulators
  // finite.
  let a = vec4<Accumulator>(Accumulator(parameters.scale));
  let b = vec4<Accumulator>(Accumulator(parameters.offset));
  let seed = vec4<Accumulator>(Accumulator(id.x & 1023u)) * 0.001;
  var x0 = seed;
  var x1 = seed + 0.1;
  var x2 = seed + 0.2;
  var x3 = seed + 0.3;
  var x4 = seed + 0.4;
  var x5 = seed + 0.5;
  var x6 = seed + 0.6;
  var x7 = seed + 0.7;
  for (var i = 0u; i < parameters.iterations; i++) {
    x0 = fma(x0, a, b); x1 = fma(x1, a, b); x2 = fma(x2, a, b); x3 = fma(x3, a, b);
    x4 = fma(x4, a, b); x5 = fma(x5, a, b); x6 = fma(x6, a, b); x7 = fma(x7, a, b);
    x0 = fma(x0, a, b); x1 = fma(x1, a, b); x2 = fma(x2, a, b); x3 = fma(x3, a, b);
    x4 = fma(x4, a, b); x5 = fma(x5, a, b); x6 = fma(x6, a, b); x7 = fma(x7, a, b);
    x0 = fma(x0, a, b); x1 = fma(x1, a, b); x2 = fma(x2, a, b); x3 = fma(x3, a, b);
    x4 = fma(x4, a, b); x5 = fma(x5, a, b); x6 = fma(x6, a, b); x7 = fma(x7, a, b);
    x0 = fma(x0, a, b); x1 = fma(x1, a, b); x2 = fma(x2, a, b); x3 = fma(x3, a, b);
    x4 = fma(x4, a, b); x5 = fma(x5, a, b); x6 = fma(x6, a, b); x7 = fma(x7, a, b);
  }
  // The store prevents dead-code elimination.
  result[id.x] = f32(dot(x0 + x1 + x2 + x3 + x4 + x5 + x6 + x7, vec4<Accumulator>(1.0)));
}
