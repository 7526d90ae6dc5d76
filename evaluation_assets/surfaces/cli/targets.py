"""`evalplane target`: what a run may be about. Recorded targets are always there; mixtures come from the configured router."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from contracts.strict_json import JsonValue
from evaluation_assets.surfaces.cli.options import Json
from evaluation_assets.surfaces.cli.output import print_fields, print_json, print_lines, print_table
from evaluation_assets.surfaces.cli.session import Session, session_of

if TYPE_CHECKING:
    from contracts.mixtures import Mixture
    from evaluation_assets.targets.subjects import Subjects

ConfigOption = Annotated[
    Path | None, typer.Option("--config", metavar="F", help="Another router config than EVALUATION_ROUTER_CONFIG or the bundled one.")
]


def target_list(context: typer.Context, config: ConfigOption = None, as_json: Json = False) -> None:
    """List the targets, and the recipes that can't run.

    A mixture is a recipe that a request reaches and whose decisions bind at least two arms. Anything else is listed with its reason.

    Exit status: 0 read; 2 wrong input.

    \b
    Examples:  evalplane target list
               evalplane target list --config router.yaml --json | jq -r '.[].target_id'
    """
    from contracts.catalogs import execution_catalog
    from contracts.runs import TargetKind

    subjects = _subjects(session_of(context), config)
    mixtures, refused = subjects.mixtures(), subjects.refused()
    recorded = execution_catalog().targets
    if as_json:
        rows: list[dict[str, JsonValue]] = [_row(row.target_id, row.kind.value, row.name) for row in recorded]
        for target_id, mixture in mixtures.items():
            arms: list[JsonValue] = [arm.arm_id for arm in mixture.arms]
            rows.append(
                {**_row(target_id, TargetKind.MIXTURE.value, mixture.recipe_name), "aliases": list(mixture.aliases), "arm_ids": arms}
            )
        for refusal in refused:
            reasons: list[JsonValue] = [reason.value for reason in refusal.reasons]
            rows.append({**_row(None, TargetKind.MIXTURE.value, refusal.recipe_name), "runnable": False, "reasons": reasons})
        print_json(rows)
        return
    print_table(
        ("target", "recipe", "arms", "aliases"),
        [
            *((row.target_id, row.name, "-", "-") for row in recorded),
            *(
                (target_id, mixture.recipe_name, [arm.arm_id for arm in mixture.arms], list(mixture.aliases))
                for target_id, mixture in mixtures.items()
            ),
        ],
    )
    if refused:
        print_lines([""])
        print_table(("can't run", "why"), [(row.recipe_name, row.explanation) for row in refused])


def target_show(
    context: typer.Context,
    target_id: Annotated[str, typer.Argument(metavar="ID", help="A target id, or a unique beginning of a mixture's.")],
    config: ConfigOption = None,
    as_json: Json = False,
) -> None:
    """Show one target: arms, prices, decisions, factors, and which tracks it offers.

    The JSON of a mixture is the subject block that producers of evidence must carry. Origins and keys are never in it.

    Exit status: 0 read; 2 wrong input.

    \b
    Example:  evalplane target show mom-37a8...f0688f --json
    """
    from contracts.runs import Mode
    from evaluation_assets.targets.features import Connectivity, method_statuses, target_features, track_offers

    subjects = _subjects(session_of(context), config)
    snapshot = subjects.snapshot(_whole_id(subjects.mixtures(), target_id))
    mixture = snapshot.mixture
    if mixture is None:
        print_json(snapshot.to_json()) if as_json else print_fields([("target", snapshot.target_id), ("name", snapshot.name)])
        return
    features = target_features(mixture, Connectivity(served=mixture.served))
    offers = [offer for mode in Mode for offer in track_offers(features, mode)]
    methods = method_statuses(features)
    if as_json:
        print_json(
            {
                **snapshot.to_json(),
                "tracks": [offer.to_json() for offer in offers],
                "methods": [method.to_json() for method in methods],
            }
        )
        return
    print_fields(
        [
            ("target", snapshot.target_id),
            ("recipe", mixture.recipe_name),
            ("aliases", ", ".join(mixture.aliases)),
            ("fallback", mixture.fallback_arm_id or "none"),
            *((f"factor {name}", str(digest)) for name, digest in mixture.factors.to_json().items() if isinstance(digest, str)),
            *((f"factor environment.{name}", digest or "not configured") for name, digest in mixture.factors.environment.to_json().items()),
        ]
    )
    print_lines([""])
    print_table(
        ("arm", "input USD per 1M", "output USD per 1M", "takes", "capabilities"),
        [
            (arm.arm_id, _usd(arm.prices.input), _usd(arm.prices.output), list(arm.modalities), list(arm.capabilities))
            for arm in mixture.arms
        ],
    )
    print_lines([""])
    print_table(("decision", "algorithm", "arms"), [(row.name, row.algorithm or "-", list(row.arm_ids)) for row in mixture.decisions])
    print_lines([""])
    print_table(("mode", "track", "offered", "why not"), [(o.mode, o.track, o.offered, o.reason or "") for o in offers])


def _row(target_id: str | None, kind: str, name: str) -> dict[str, JsonValue]:
    return {"target_id": target_id, "kind": kind, "name": name, "runnable": True, "reasons": []}


def _subjects(session: Session, config: Path | None) -> "Subjects":
    from evaluation_assets.targets.subjects import Subjects

    return session.subjects if config is None else Subjects(config)


def _whole_id(mixtures: "dict[str, Mixture]", wanted: str) -> str:
    """A unique beginning of a mixture's id stands for it."""
    found = [target_id for target_id in mixtures if target_id.startswith(wanted)] if len(wanted) >= 6 else []
    return found[0] if len(found) == 1 else wanted


def _usd(micro: int | None) -> str:
    return "unpriced" if micro is None else f"{micro / 1_000_000:g}"
