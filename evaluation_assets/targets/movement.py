"""What moved between two sides of a comparison, factor by factor, and which change profiles admit it.

Rules of admission (golden/catalogs/profiles.json):

- the primary factor moved, permitted factors may have, frozen ones have not;
- the endpoints of the two sides differ where both are known, and are disclosed;
- a binding that moved alone is admitted by no profile. Reasoning settings stand in modelRefs, so an experiment on reasoning effort
  ends here, and the refusal says so.

Algorithm blocks are compared with arms by number (evaluation_assets/targets/arms.py).
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from contracts.catalogs import read_catalog
from contracts.errors import NotAdmitted
from contracts.profiles import ChangeProfile, Factor, ProfileCatalog
from contracts.strict_json import JsonValue
from evaluation_assets.targets.arms import arm_numbers
from evaluation_assets.targets.factors import Parts, Projection

_FIELD = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
_PRICE = re.compile(r"arms\[(?P<arm>.+)\]\.provider\.pricing(?:[.\[].*)?")
_REASONING = re.compile(r".*\.(?:use_reasoning|reasoning_effort|reasoning_mode|reasoning_description)")
_SHOWN_PATHS = 3


@dataclass(frozen=True)
class Movement:
    """Key paths that differ, by factor; a path names where a value stands, never the value. `outside` lies in no factor."""

    paths: Mapping[Factor, tuple[str, ...]]
    outside: tuple[str, ...]
    endpoints_known: bool

    @property
    def factors(self) -> frozenset[Factor]:
        policy = {Factor.SELECTOR} if Factor.SELECTOR_POLICY in self.paths else set()
        return frozenset(self.paths) | policy


@dataclass(frozen=True)
class Admission:
    """Whether one profile admits a movement. Obstacles are all reasons why not; none means that it does."""

    profile: str
    obstacles: tuple[str, ...]

    @property
    def admitted(self) -> bool:
        return not self.obstacles


@cache
def profile_catalog() -> ProfileCatalog:
    return ProfileCatalog.parse(read_catalog("profiles"), "golden/catalogs/profiles.json")


def moved(a: Projection, b: Projection) -> Movement:
    """NotAdmitted: the two are not revisions of one recipe."""
    if a.recipe_name != b.recipe_name:
        raise NotAdmitted(
            "These are two mixtures, not two revisions of one.", at="recipes", fix="compare deployments of the recipe of one name"
        )
    common = set(a.arms) & set(b.arms)
    paths: dict[Factor, tuple[str, ...]] = {}
    for factor in a.parts:
        one, other = _policies(a, b, common) if factor is Factor.SELECTOR_POLICY else (a.parts[factor], b.parts[factor])
        if found := tuple(_differing_parts(one, other)):
            paths[factor] = found
    shared = tuple(path for path in paths.get(Factor.POOL, ()) if (price := _PRICE.fullmatch(path)) and price["arm"] in common)
    if shared:
        paths[Factor.SHARED_PRICES] = shared
    known = bool(a.parts[Factor.ENDPOINTS] and b.parts[Factor.ENDPOINTS])
    return Movement(paths, tuple(_differing_parts(a.outside, b.outside)), known)


def admitting_profiles(a: Projection, b: Projection) -> tuple[Admission, ...]:
    """The verdict of every profile, in catalog order. NotAdmitted as in `moved`."""
    movement = moved(a, b)
    return tuple(Admission(row.profile, tuple(_obstacles(row, movement))) for row in profile_catalog().profiles)


def require_admitted(a: Projection, b: Projection, profile: str) -> Movement:
    """What moved, if `profile` admits it; NotAdmitted with every obstacle otherwise. UnknownName: there is no such profile."""
    movement = moved(a, b)
    if obstacles := tuple(_obstacles(profile_catalog().profile(profile), movement)):
        raise NotAdmitted(
            f"The profile does not admit this comparison: {'; '.join(obstacles)}.",
            at=f"profile {profile}",
            fix="change only what the profile allows, or choose another profile",
        )
    return movement


def _obstacles(profile: ChangeProfile, movement: Movement) -> Iterator[str]:
    if profile.primary is None:
        yield profile.unpaired_reason or ""
        return
    if profile.primary not in movement.factors:
        yield f"{profile.primary.value} is what this profile is about, and did not move"
    for factor in sorted(movement.factors & set(profile.frozen)):
        yield f"{factor.value} moved and is frozen ({_shown(movement, factor)})"
    if movement.endpoints_known and Factor.ENDPOINTS not in movement.factors:
        yield "both sides have the same endpoints"
    if movement.factors - {Factor.ENDPOINTS} == {Factor.BINDING}:
        reasoning = all(_REASONING.fullmatch(path) for path in movement.paths[Factor.BINDING])
        why = "reasoning settings are part of the binding, and " if reasoning else ""
        yield f"{why}no profile compares bindings alone"


def _shown(movement: Movement, factor: Factor) -> str:
    paths = movement.paths.get(factor) or movement.paths[Factor.SELECTOR_POLICY]
    more = f" and {len(paths) - _SHOWN_PATHS} more" if len(paths) > _SHOWN_PATHS else ""
    return f"{', '.join(paths[:_SHOWN_PATHS])}{more}"


def _policies(a: Projection, b: Projection, common: set[str]) -> tuple[Parts, Parts]:
    one, other = a.parts[Factor.SELECTOR_POLICY], b.parts[Factor.SELECTOR_POLICY]
    if a.arms == b.arms and one.keys() == other.keys() and all(one[path] is other[path] for path in one):
        return one, other
    return a.policy(arm_numbers(a.arms, common)), b.policy(arm_numbers(b.arms, common))


def _differing_parts(a: Parts, b: Parts) -> Iterator[str]:
    for path in sorted(a.keys() | b.keys()):
        if path not in a or path not in b:
            yield path
        else:
            yield from _differing(a[path], b[path], path)


def _differing(a: JsonValue, b: JsonValue, path: str) -> Iterator[str]:
    """Key paths of the leaves that differ. What both sides share by reference is equal without a look."""
    if a is b:
        return
    if isinstance(a, dict) and isinstance(b, dict):
        for key in sorted(a.keys() | b.keys()):
            below = f"{path}.{key}" if _FIELD.fullmatch(key) else f"{path}[{key[:40]!a}]"
            if key not in a or key not in b:
                yield below
            else:
                yield from _differing(a[key], b[key], below)
    elif isinstance(a, list) and isinstance(b, list):
        for index, (one, other) in enumerate(zip(a, b, strict=False)):
            yield from _differing(one, other, f"{path}[{index}]")
        yield from (f"{path}[{index}]" for index in range(min(len(a), len(b)), max(len(a), len(b))))
    elif isinstance(a, bool) != isinstance(b, bool) or a != b:
        yield path
