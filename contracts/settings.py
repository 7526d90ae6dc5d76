"""Every environment variable of ours in one typed object, built once at the edge and passed down."""

from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from contracts.errors import InputError


def _no_nul(value: Path) -> Path:
    if "\0" in str(value):
        raise ValueError("a path has no NUL")
    return value


class Settings(BaseSettings):
    """`EVALUATION_<FIELD>` in upper case; `evalplane config` prints the values in force. None of them is a secret."""

    model_config = SettingsConfigDict(env_prefix="EVALUATION_", frozen=True, extra="ignore", env_ignore_empty=True)

    root: Annotated[Path, AfterValidator(_no_nul)] = Field(
        default=Path("evaluation-root"), description="Directory of the store; the option --root goes before it."
    )
    principal: str | None = Field(
        default=None, min_length=1, max_length=512, description="Who acts here; default: the user of the operating system."
    )
    router_config: Annotated[Path, AfterValidator(_no_nul)] | None = Field(
        default=None, description="Router config whose mixtures are the targets; default: the bundled mixture."
    )
    deployments_dir: Annotated[Path, AfterValidator(_no_nul)] | None = Field(
        default=None, description="Directory with registry.json and the configs of several deployments; goes before the router config."
    )
    port: int = Field(default=8177, ge=0, le=65535, description="Loopback port of `evalplane up`; 0 picks a free one.")
    threads: int = Field(default=2, ge=1, le=128, description="Threads that DuckDB and Arrow may use.")
    memory_limit_mb: int = Field(default=2048, ge=128, le=1_048_576, description="Memory that one SQL statement may use.")


def load_settings() -> Settings:
    """The settings of this process; a wrong value stops before anything starts."""
    try:
        return Settings()
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        name = "EVALUATION_" + "_".join(str(part) for part in first["loc"]).upper()
        raise InputError(f"{first['msg']}.", at=name, fix="correct or unset the variable") from None
