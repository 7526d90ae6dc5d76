"""Bytes of a router config to its values: strict YAML with the bounds that real configs need, and without literal secrets.

The largest config read so far has 177 kB and 20,000 YAML events; the bounds leave room for twenty of it. Anchors and aliases are refused
as everywhere: a config that was written with them is expanded by its owner, and the digest covers what was expanded.

A literal credential has no business in identity: who rotates a key changes no treatment, and a digest over a weak password would let
it be guessed. So the values of secret keys become a mark that says only that something is set. The plain digest of the file covers all.
"""

from importlib import resources
from pathlib import Path

from contracts.errors import UnknownName
from contracts.strict_json import KIB, MIB, JsonValue
from contracts.strict_yaml import read_yaml
from ledgers.store.reading import read_foreign

MAX_CONFIG_BYTES = 4 * MIB
MAX_CONFIG_DEPTH = 64
MAX_CONFIG_EVENTS = 400 * KIB
BUNDLED_CONFIG = "mom-bundled.yaml"

SET = "(set)"
SECRET_KEYS = frozenset(
    {
        "access_key",
        "api-key",
        "api_key",
        "auth_token",
        "authorization",
        "client_secret",
        "cookie",
        "password",
        "proxy-authorization",
        "secret",
        "x-api-key",
    }
)


def read_config(data: bytes, *, file: str) -> JsonValue:
    """The values of one router config; `file` is its name for errors. Raises StrictReadError only."""
    value = read_yaml(data, at=file, max_bytes=MAX_CONFIG_BYTES, max_depth=MAX_CONFIG_DEPTH, max_events=MAX_CONFIG_EVENTS)
    return without_secrets(value)


def without_secrets(value: JsonValue) -> JsonValue:
    """The same value where every literal below a secret key is replaced by a mark. An empty or absent one stays what it is."""
    if isinstance(value, dict):
        return {key: SET if item and _is_secret(key, item) else without_secrets(item) for key, item in value.items()}
    if isinstance(value, list):
        return [without_secrets(item) for item in value]
    return value


def _is_secret(key: str, item: JsonValue) -> bool:
    return key.lower() in SECRET_KEYS and not isinstance(item, dict | list | bool)


def config_bytes(path: Path | None) -> tuple[bytes, str]:
    """Bytes and name of the config at `path`, or of the one that ships with the package."""
    if path is not None:
        return read_foreign(path, max_bytes=MAX_CONFIG_BYTES), path.name
    try:
        return (resources.files("golden") / "cohorts" / BUNDLED_CONFIG).read_bytes(), BUNDLED_CONFIG
    except FileNotFoundError:
        raise UnknownName("The bundled mixture does not ship with the package.", at=f"golden/cohorts/{BUNDLED_CONFIG}") from None
