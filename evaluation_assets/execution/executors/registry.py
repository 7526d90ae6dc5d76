"""Every executor that ships. A test compares the ids with golden/catalogs/execution.json both ways."""

from evaluation_assets.execution.executors.fixture_replay import FixtureReplay
from evaluation_assets.execution.executors.interface import Executor
from evaluation_assets.execution.executors.mom_cohort_replay import MomCohortReplay
from evaluation_assets.execution.executors.normalized_suite_replay import NormalizedSuiteReplay

EXECUTORS: dict[str, Executor] = {
    executor.executor_id: executor for executor in (FixtureReplay(), MomCohortReplay(), NormalizedSuiteReplay())
}
