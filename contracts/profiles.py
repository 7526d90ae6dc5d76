"""Change profiles as registry data: which factor an experiment must move, which may follow, and which must stand still.

A row of a paired profile names every factor exactly once, so that nothing can move unjudged. The endpoints of two sides always differ
and are disclosed, not compared. The one profile without a paired treatment says why.
"""

from enum import StrEnum
from typing import Literal, Self

from pydantic import Field, model_validator

from contracts.base import Document, PortableId, ShortText, Text
from contracts.errors import UnknownName


class Factor(StrEnum):
    """`selector` is moved by whatever moves `selector_policy`; `shared_prices` are the prices of arms that both sides have."""

    SOURCE_CODE = "source_code"
    RECIPE = "recipe"
    SELECTOR_POLICY = "selector_policy"
    SELECTOR = "selector"
    ADAPTATION = "adaptation"
    BINDING = "binding"
    POOL = "pool"
    SHARED_PRICES = "shared_prices"
    ENDPOINTS = "endpoints"
    SERVICES = "services"
    SERVING = "serving"


class ChangeProfile(Document):
    profile: PortableId
    name: ShortText
    description: Text
    primary: Factor | None = Field(description="Must differ between the two sides; null where there is no paired treatment.")
    permitted: tuple[Factor, ...]
    disclosed: tuple[Factor, ...]
    frozen: tuple[Factor, ...]
    unpaired_reason: Text | None

    @model_validator(mode="after")
    def _every_factor_has_one_place(self) -> Self:
        if (self.primary is None) != (self.unpaired_reason is not None):
            raise ValueError("a reason stands exactly where there is no paired treatment")
        placed = [*([] if self.primary is None else [self.primary]), *self.permitted, *self.disclosed, *self.frozen]
        expected = [] if self.primary is None else sorted(Factor)
        if sorted(placed) != expected:
            raise ValueError("a paired profile places every factor once; another places none")
        return self


class ProfileCatalog(Document):
    schema_version: Literal["evaluation-profile-catalog.v1"]
    profiles: tuple[ChangeProfile, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _ids_are_unique(self) -> Self:
        if len({row.profile for row in self.profiles}) != len(self.profiles):
            raise ValueError("a change profile occurs twice")
        return self

    def profile(self, profile_id: str) -> ChangeProfile:
        """Raises UnknownName."""
        for row in self.profiles:
            if row.profile == profile_id:
                return row
        known = ", ".join(row.profile for row in self.profiles)
        raise UnknownName("There is no change profile of this id.", at=f"profile {profile_id}", fix=f"choose one of {known}")
