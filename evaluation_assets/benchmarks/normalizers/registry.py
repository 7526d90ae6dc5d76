"""The parsers that ship. A test compares the ids with the catalog rows that are marked `available`."""

from evaluation_assets.benchmarks.normalizers.coderouterbench import IdResults
from evaluation_assets.benchmarks.normalizers.interface import Normalizer

NORMALIZERS: dict[str, Normalizer] = {
    "coderouterbench.id-results.v1": IdResults(),
}
