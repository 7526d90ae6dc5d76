"""The one room where the clock is read. Everything else is given `now`."""

from datetime import UTC, datetime


def utc_now() -> datetime:
    """The time, in UTC, to the microsecond."""
    return datetime.now(UTC)  # noqa: TID251 - this is the room
