"""fixture-replay.v1: hands over the recorded rows of a built-in fixture, ungraded. E0 by construction."""

from contracts.tables import TABLE_OF_TRACK
from evaluation_assets.execution.executors.interface import EvaluationInputs, Observed
from evaluation_assets.suites.builtin import recorded_path


class FixtureReplay:
    executor_id = "fixture-replay.v1"

    def observe(self, inputs: EvaluationInputs) -> Observed:
        observed = {}
        for track in inputs.tracks:
            table = TABLE_OF_TRACK[track]
            rows = inputs.recorded(recorded_path(table.name), table.observed)
            if rows is not None:
                observed[table.name] = rows
        return observed
