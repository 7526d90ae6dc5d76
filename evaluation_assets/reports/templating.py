"""The one Jinja environment: everything is escaped, an unknown name is an error, and the filters are functions of words."""

from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined

from evaluation_assets.reports import words


@cache
def environment() -> Environment:
    """Escapes all templates alike: SVG is markup too."""
    made = Environment(
        loader=PackageLoader("evaluation_assets.reports", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    for filter_ in (
        words.number,
        words.usd,
        words.price,
        words.percent,
        words.metric_name,
        words.spoken,
        words.listed,
        words.counted,
        words.isolated,
        words.shortened,
    ):
        made.filters[filter_.__name__] = filter_
    made.globals.update(
        REASONS=words.REASONS,
        VERDICTS=words.VERDICTS,
        DISPOSITIONS=words.DISPOSITIONS,
        LEVELS=words.LEVELS,
        TRACKS=words.TRACKS,
        LEDGERS=words.LEDGERS,
        ENVIRONMENTS=words.ENVIRONMENTS,
        SOURCES=words.SOURCES,
        DIRECTIONS=words.DIRECTIONS,
        OPERATORS=words.OPERATORS,
    )
    return made
