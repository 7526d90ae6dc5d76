"""Sensors. `store_facts` shows in Dagster what the store learned elsewhere: runs and suites made on the command line."""

import dagster as dg

from evaluation_assets.launch import project
from ledgers.store.store import Store


@dg.sensor(minimum_interval_seconds=30, default_status=dg.DefaultSensorStatus.RUNNING, job_name="inventory")
def store_facts(context: dg.SensorEvaluationContext, store: dg.ResourceParam[Store]) -> dg.SkipReason:
    """Asks for no run: it reports facts, and tells how many."""
    return dg.SkipReason(f"{project(store, context.instance)} sealed runs were new to Dagster")
