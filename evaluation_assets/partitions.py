"""The partition spaces of the graph, and how they meet. Keys are synced from the store, never the other way.

suite        installed and built-in suites
run          runs that the store admitted
run x suite  one cell per suite of a run; key `run|suite`

Where two spaces share a dimension the mapping says which; where they share none, everything depends on everything and the
sealed document names the true upstream.
"""

import warnings

import dagster as dg

for _kind in (dg.BetaWarning, dg.PreviewWarning):  # the graph uses both on purpose, and Dagster is pinned; here, before anything else
    warnings.simplefilter("ignore", _kind)

SUITES = dg.DynamicPartitionsDefinition(name="suite")
RUNS = dg.DynamicPartitionsDefinition(name="run")
RUN_SUITES = dg.MultiPartitionsDefinition({"run": RUNS, "suite": SUITES})

BY_RUN = dg.MultiToSingleDimensionPartitionMapping("run")
BY_SUITE = dg.MultiToSingleDimensionPartitionMapping("suite")
UNRELATED = dg.AllPartitionMapping()
