"""The generated table of docs/metrics.md, from the metric catalog."""

from contracts.catalogs import metric_catalog
from contracts.metrics import MetricDefinition

BEGIN, END = "<!-- generated: metrics -->", "<!-- end generated -->"
_HEAD = "| metric | what it says | unit, better | n counts | interval | slices |"
_BETTER = {"higher_is_better": "higher", "lower_is_better": "lower", "target": "target"}


def markdown_table() -> str:
    """One table per track; each row begins with the anchor that docstrings name. Ends with a newline."""
    catalog = metric_catalog()
    parts = []
    for track in dict.fromkeys(row.track for row in catalog.metrics):
        lines = [f"### {track.value}", "", _HEAD, "|---|---|---|---|---|---|", *map(_line, catalog.of_track(track))]
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def _line(row: MetricDefinition) -> str:
    interval = f"[{row.interval}](#{row.interval})" if row.interval else "none"
    formula = row.formula if row.reduced else f"{row.formula} No reducer yet."
    cells = (
        f'<a id="{anchor(row.metric_id)}"></a>`{row.metric_id}`',
        f"**{row.name}.** {formula}",
        f"{row.unit}, {_BETTER[row.direction]}",
        row.counted_unit,
        interval,
        "yes" if row.sliced else "no",
    )
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def anchor(metric_id: str) -> str:
    """The id itself; `<arm>` without its brackets, which HTML would read as a tag."""
    return metric_id.replace("<", "").replace(">", "")
