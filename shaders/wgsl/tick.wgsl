// The shortest kernel that leaves a trace: between two timestamps, it shows how finely they move.

@group(0) @binding(0) var<storage, read_write> ticks: array<u32>;

@compute @workgroup_size(1)
fn main() {
  ticks[0] += 1u;
}
