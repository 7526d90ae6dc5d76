"""registry.json: several running deployments that one evaluation service may address, and nothing that could be a credential.

An origin is exactly `scheme://host[:port]` in its one canonical spelling, so that equal places are equal strings:

- http or https, lower case; no user, path, query, fragment, space or trailing slash;
- a host of lower-case ASCII labels (a punycode label is one), a canonical IPv4 address, or a canonical IPv6 address in brackets
  that maps no IPv4 address and has no zone;
- a port from 1 to 65535 without leading zeros that is not the default of its scheme.
"""

import re
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from contracts.base import Document, RelativePath

MAX_REGISTRY_BYTES = 1024 * 1024
_ORIGIN = re.compile(r"(?P<scheme>https?)://(?P<host>\[[0-9a-f:]+\]|[a-z0-9.-]{1,253})(?::(?P<port>[1-9][0-9]{0,4}))?")
_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
_DEFAULT_PORT = {"http": 80, "https": 443}


def canonical_origin(value: str) -> str:
    """`value`, if it is an origin in its canonical spelling; else ValueError, which never repeats it."""
    found = _ORIGIN.fullmatch(value)
    if found is None or not _canonical_host(found["host"]):
        raise ValueError("an origin is scheme://host[:port] in canonical spelling, without user, path, query, fragment or trailing slash")
    port = None if found["port"] is None else int(found["port"])
    if port is not None and (port > 65535 or port == _DEFAULT_PORT[found["scheme"]]):
        raise ValueError("the port of an origin is 1 to 65535, and left out where it is the default")
    return value


def _canonical_host(host: str) -> bool:
    try:
        if host.startswith("["):
            address = IPv6Address(host[1:-1])
            return address.ipv4_mapped is None and f"[{address}]" == host
        labels = host.split(".")
        if labels[-1].isdecimal() or labels[-1].startswith("0x"):  # URL parsers read such a host as an address, in whatever spelling
            return str(IPv4Address(host)) == host
    except AddressValueError:
        return False
    return all(_LABEL.fullmatch(label) for label in labels)


Origin = Annotated[str, Field(min_length=8, max_length=300), AfterValidator(canonical_origin)]
DeploymentId = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._-]{0,47}$")]


class Deployment(Document):
    """One running router. The name alone is shown; origins and the path stay in manifest and broker."""

    id: DeploymentId
    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9 ._-]{1,96}$")]
    description: str = Field(max_length=512)
    config_file: RelativePath
    router_origin: Origin
    envoy_origin: Origin

    @model_validator(mode="after")
    def _origins_differ(self) -> Self:
        if self.router_origin == self.envoy_origin:
            raise ValueError("router and Envoy have different origins")
        return self


class DeploymentRegistry(Document):
    schema_version: Literal["evaluation-deployments.v1"]
    deployments: tuple[Deployment, ...] = Field(min_length=1, max_length=256)

    @model_validator(mode="after")
    def _ids_are_unique(self) -> Self:
        if len({row.id for row in self.deployments}) != len(self.deployments):
            raise ValueError("a deployment id occurs twice")
        return self


def deployment_target_id(deployment_id: str, mixture_id: str) -> str:
    """`<deployment>--<mixture>`: one address of a mixture. At most 118 characters, hence a portable id."""
    return f"{deployment_id}--{mixture_id}"
