// The runtime as one translation unit, compiled once per machine.
#include "fibers.cpp"
#include "instrumented.cpp"
#include "memory.cpp"
#include "program.cpp"
#include "tensorCores.cpp"
