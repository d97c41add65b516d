// Minimal kernel with a side effect; two timestamps around it show the timer's resolution.

@group(0) @binding(0) var<storage, read_write> ticks: array<u32>;

@compute @workgroup_size(1)
fn main() {
  ticks[0] += 1u;
}
