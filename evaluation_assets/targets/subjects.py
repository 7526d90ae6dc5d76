"""Which targets a run may name: the recorded ones of the catalog, and the mixtures of one router config or of a deployment registry.

Looked up anew whenever it is asked, so that a config that changed between create and start is seen: `check_unchanged`.
"""

from dataclasses import dataclass
from pathlib import Path

from contracts.catalogs import execution_catalog
from contracts.errors import UnknownName, WrongState
from contracts.mixtures import Mixture, MixtureRefusal
from contracts.runs import TargetKind, TargetSnapshot
from evaluation_assets.targets.deployments import open_deployments
from evaluation_assets.targets.dialect import open_config
from evaluation_assets.targets.factors import NOWHERE
from evaluation_assets.targets.mixtures import router_catalog
from evaluation_assets.targets.reading import config_bytes


@dataclass(frozen=True)
class Subjects:
    """`config`: a router config; None is the bundled mixture. `deployments`: a registry directory, which then replaces the config."""

    config: Path | None = None
    deployments: Path | None = None

    def mixtures(self) -> dict[str, Mixture]:
        """Target id -> mixture, in config order. DocumentError and HostileFile as the readers say."""
        if self.deployments is not None:
            opened = open_deployments(self.deployments, NOWHERE)
            return {target_id: mixture for deployment in opened for target_id, mixture in deployment.target_ids().items()}
        data, file = config_bytes(self.config)
        return {mixture.mixture_id: mixture for mixture in router_catalog(open_config(data, file=file)).mixtures}

    def refused(self) -> tuple[MixtureRefusal, ...]:
        """Recipes that are no targets, with their reasons."""
        if self.deployments is not None:
            return tuple(refusal for opened in open_deployments(self.deployments, NOWHERE) for refusal in opened.catalog.refused)
        data, file = config_bytes(self.config)
        return router_catalog(open_config(data, file=file)).refused

    def snapshot(self, target_id: str) -> TargetSnapshot:
        """The target as it is now. UnknownName lists what exists."""
        for row in execution_catalog().targets:
            if row.target_id == target_id:
                return TargetSnapshot(target_id=row.target_id, kind=row.kind, name=row.name)
        mixtures = self.mixtures()
        if target_id not in mixtures:
            known = [row.target_id for row in execution_catalog().targets] + list(mixtures)
            raise UnknownName("There is no target of this id.", at=f"target {target_id[:80]}", fix=f"choose one of {', '.join(known)}")
        mixture = mixtures[target_id]
        return TargetSnapshot(target_id=target_id, kind=TargetKind.MIXTURE, name=mixture.recipe_name, mixture=mixture)

    def check_unchanged(self, frozen: TargetSnapshot) -> None:
        """WrongState names what moved since the run was created: a run starts on the subject that it froze, or not at all."""
        now = self.snapshot(frozen.target_id)
        if now == frozen:
            return
        if frozen.mixture is None or now.mixture is None:
            raise WrongState("The target is not the one that the run froze.", at=f"target {frozen.target_id}", fix="create a new run")
        was, new = frozen.mixture.factors.to_json(), now.mixture.factors.to_json()
        moved = [name for name in was if was[name] != new[name]] or ["config_digest"]
        raise WrongState(
            f"The mixture has changed since the run was created: {', '.join(moved)}.",
            at=f"target {frozen.target_id}",
            fix="create a new run",
        )


BUNDLED = Subjects()
"""The mixture that ships, for whoever names no config."""
