"""What Dagster adds to an E0 replay of 64 cases: the same run through launch.start and through the plain library, in one process.

    python -m tests.benchmarks.dagster_replay [cases]

Goal: at most 5 s through Dagster with warm imports. The first run of each side warms up and is not counted.
"""

import os
import sys
import tempfile
import time
from pathlib import Path

from contracts.runs import RunRequest
from definitions import definitions_of
from evaluation_assets import launch
from golden.fixtures.coderouterbench.generate import write_export
from ledgers.store.layout import local_principal
from tests.plain_runs import created, finish, import_request, install, new_store

REPEATS = 3


def main(cases: int = 64) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = new_store(Path(folder))
        write_export(Path(folder) / "export", tasks=cases)
        install(store, "coderouterbench", Path(folder) / "export", Path(folder), "replayed")
        request: RunRequest = import_request("replayed")
        principal = local_principal(store.root, "tester")
        numbers = iter(range(1, 100))
        os.environ["DAGSTER_HOME"] = "set by instance_of"
        with launch.instance_of(store) as instance:
            definitions = definitions_of(store, principal)

            def through_dagster() -> None:
                launch.start(definitions, instance, store, created(store, request, next(numbers)), principal=principal)

            def plainly() -> None:
                finish(store, created(store, request, next(numbers)))

            dagster, plain = [], []
            for repeat in range(REPEATS + 1):
                for work, times in ((through_dagster, dagster), (plainly, plain)):
                    begin = time.perf_counter()
                    work()
                    if repeat:
                        times.append(time.perf_counter() - begin)
        print(f"E0 replay of {cases} cases x 8 arms, best of {REPEATS}")
        print(f"plain library    {min(plain):7.3f} s   x  1.00")
        print(f"through Dagster  {min(dagster):7.3f} s   x {min(dagster) / min(plain):5.2f}   goal 5 s")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
