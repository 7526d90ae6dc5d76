"""Executes a run through the asset graph, in this process. Only the commands that need it import this module: it loads Dagster."""

import logging

import dagster as dg

from contracts.reports import Report
from evaluation_assets.surfaces.cli.progress import stages
from evaluation_assets.surfaces.cli.session import Session
from evaluation_assets.targets.subjects import Subjects
from ledgers.store.runs import RunDirectory
from ledgers.store.store import Store


def execute(session: Session, store: Store, run: RunDirectory, *, subjects: Subjects | None = None) -> Report:
    """Execute, judge and seal; raises what made it fail, and KeyboardInterrupt when a person stopped it.

    subjects: where the target is looked up again; by default what the settings name.
    """
    from definitions import definitions_of
    from evaluation_assets import launch

    subjects = subjects or session.subjects
    subjects.check_unchanged(run.manifest().target)
    principal = session.principal()
    logging.disable(logging.ERROR)  # Dagster logs a traceback of every refusal; the command says it in four lines, and raises a bug
    try:
        with stages() as tell, launch.instance_of(store) as instance:
            defs = definitions_of(store, principal, subjects)
            return launch.start(defs, instance, store, run, principal=principal, progress=tell)
    except dg.DagsterExecutionInterruptedError:
        raise KeyboardInterrupt from None
    finally:
        logging.disable(logging.NOTSET)
