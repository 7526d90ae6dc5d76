"""A directory with registry.json and router configs: several running deployments behind one service.

Nothing on the way is a link: not the directory or any of its parents, not the registry, not a config. Each file is regular, has one name,
and is read within its bound from the descriptor that was checked. What is refused says which file and which key, never an origin.
"""

import os
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISLNK

from contracts.deployments import MAX_REGISTRY_BYTES, Deployment, DeploymentRegistry, deployment_target_id
from contracts.errors import HostileFile, InputError, UnknownName
from contracts.mixtures import Mixture, RouterCatalog
from evaluation_assets.targets.dialect import RouterConfig, open_config
from evaluation_assets.targets.factors import Surroundings
from evaluation_assets.targets.mixtures import router_catalog
from evaluation_assets.targets.reading import MAX_CONFIG_BYTES
from ledgers.store.reading import foreign_directory, open_foreign

REGISTRY = "registry.json"


@dataclass(frozen=True)
class OpenDeployment:
    """One deployment with the config that it was read with. Origins stay in `deployment`; only its name and the catalog are shown."""

    deployment: Deployment
    config: RouterConfig
    catalog: RouterCatalog

    def target_ids(self) -> dict[str, Mixture]:
        return {deployment_target_id(self.deployment.id, mixture.mixture_id): mixture for mixture in self.catalog.mixtures}


def open_deployments(directory: Path, surroundings: Surroundings) -> tuple[OpenDeployment, ...]:
    """Every deployment of the registry, in its order; `surroundings` give the services that all share, and their origins are replaced.

    HostileFile: a link, a special file, or a second name. InputError and its kin: registry or config are not what they must be.
    """
    registry = read_registry(directory)
    opened = []
    for row in registry.deployments:
        config = open_config(_read_one(directory, row.config_file, MAX_CONFIG_BYTES), file=row.config_file)
        here = Surroundings(row.router_origin, row.envoy_origin, surroundings.services, surroundings.code_revision)
        opened.append(OpenDeployment(row, config, router_catalog(config, here)))
    return tuple(opened)


def read_registry(directory: Path) -> DeploymentRegistry:
    """registry.json alone, with the refusals of `open_deployments`."""
    _refuse_links(directory)
    return DeploymentRegistry.parse(_read_one(foreign_directory(directory), REGISTRY, MAX_REGISTRY_BYTES), REGISTRY)


def find_target(deployments: tuple[OpenDeployment, ...], target_id: str) -> tuple[OpenDeployment, Mixture]:
    """UnknownName: no deployment has this target."""
    for opened in deployments:
        if mixture := opened.target_ids().get(target_id):
            return opened, mixture
    raise UnknownName("No deployment has a target of this id.", at=f"target {target_id}", fix="see `evalplane target list`")


def _refuse_links(directory: Path) -> None:
    """Also above the directory: who can exchange a parent can exchange everything."""
    absolute = Path.cwd() / directory
    for path in (absolute, *absolute.parents):
        try:
            status = path.lstat()
        except (OSError, ValueError):
            raise InputError(
                "The deployments directory cannot be read.",
                at=directory.name,
                fix="let EVALUATION_DEPLOYMENTS_DIR name a directory that exists",
            ) from None
        if S_ISLNK(status.st_mode):
            raise HostileFile(
                "A symbolic link stands on the way to the deployments.", at=path.name, fix="name the directory by its real path"
            )


def _read_one(directory: Path, inside: str, max_bytes: int) -> bytes:
    with open_foreign(Path(inside), root=directory) as file:
        if os.fstat(file.fileno()).st_nlink != 1:
            raise HostileFile("The file has a second name.", at=inside, fix="copy the file instead of linking it")
        data = file.read(max_bytes + 1)
    if len(data) > max_bytes:
        raise InputError(f"The file has more than {max_bytes} bytes.", at=inside, fix="split the registry, or shorten the config")
    return data
