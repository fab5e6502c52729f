"""Parts of benchmarks/isa."""
