"""Parts of benchmarks/model: a discrete-event simulation of all-reduce algorithms on the links of one node."""
