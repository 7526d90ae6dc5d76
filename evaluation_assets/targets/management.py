"""May we ask the router for a routing decision? Read from its own management section and the name of our credential.

- Authentication disabled: everybody may.
- Bearer, and no credential of ours is configured: we may not; everything that goes through Envoy stays possible.
- Bearer, and ours is configured: its environment variable is declared among the tokens with a role that may classify. Anything else is
  refused, since a credential that the router does not know, or one without that right, was configured by mistake.
"""

from contracts.errors import NotAdmitted
from evaluation_assets.targets.dialect import RouterConfig
from evaluation_assets.targets.nodes import Node

PERMISSION, EVERY_PERMISSION = "classify.invoke", "*"
_BUILT_IN_ROLES = {"viewer": {PERMISSION}, "operator": {PERMISSION}, "admin": {EVERY_PERMISSION}}


def may_classify(config: RouterConfig, key_env: str | None) -> bool:
    """Whether routing evaluation is open to us. NotAdmitted: our credential is configured and cannot serve."""
    auth = config.root.get("global").get("services").get("management_api").get("auth")
    mode = auth.get("mode").text(32) or "disabled"
    if mode == "disabled":
        return True
    if mode != "bearer":
        auth.get("mode").refuse("The management API is either open or asks for a bearer token")
    if key_env is None:
        return False
    for token in auth.get("tokens").items():
        if token.get("env").text(256) == key_env:
            if _permissions(auth, token.get("role").text(128) or "") & {PERMISSION, EVERY_PERMISSION}:
                return True
            raise NotAdmitted(
                "The role of the router credential may not classify.",
                at=f"{token.file}  {token.path}.role",
                fix=f"give the role the permission {PERMISSION}, or configure another credential",
            )
    raise NotAdmitted(
        "The router credential is not declared in the router config.",
        at=f"{auth.file}  {auth.path}.tokens",
        fix="declare its environment variable there, or unset EVALUATION_ROUTER_API_KEY_ENV",
    )


def _permissions(auth: Node, role: str) -> set[str]:
    declared = auth.get("roles").get(role)
    return set(declared.names(128)) if declared.value is not None else _BUILT_IN_ROLES.get(role, set())
