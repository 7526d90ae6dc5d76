"""report.html: one self-contained page, from report.json, the gate policy's next steps and nothing else.

No script, no external resource, no style attribute: the page runs under a content security policy that allows only its own
style block, by digest. Same report, same bytes: the page knows no time of rendering.
"""

import base64
import hashlib
from functools import cache
from importlib import resources

from markupsafe import Markup  # of jinja2

from contracts.catalogs import read_catalog
from contracts.errors import InputError
from contracts.gates import GatePolicy
from contracts.reports import Report
from evaluation_assets.reports.templating import environment
from evaluation_assets.reports.view import view_of


def render(report: Report, *, dagster_url: str | None = None) -> bytes:
    """UTF-8 HTML of one report. `dagster_url` (http, https or a path of this origin) adds a link to the graph.

    Raises InputError for a link that a browser could run.
    """
    page = (
        environment()
        .get_template("report.html.j2")
        .render(
            report=report,
            view=view_of(report),
            next_steps=_next_steps(),
            css=Markup(_style()),  # our own file, in which nothing is escaped
            policy=content_security_policy(),
            dagster_url=None if dagster_url is None else _checked(dagster_url),
        )
    )
    return page.encode()


@cache
def content_security_policy() -> str:
    """What the page needs, for the header of whoever serves it; the page says the same in a meta element."""
    digest = base64.b64encode(hashlib.sha256(_style().encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


@cache
def _style() -> str:
    return (resources.files("evaluation_assets.reports") / "templates" / "tokens.css").read_text(encoding="utf-8")


@cache
def _next_steps() -> dict[str, str]:
    policy = GatePolicy.parse(read_catalog("gate_policy"), at="golden/catalogs/gate_policy.json")
    return {gate.gate: gate.next_step for gate in policy.gates}


def _checked(url: str) -> str:
    if not url.startswith(("https://", "http://")) and (not url.startswith("/") or url[1:2] in ("/", "\\")):
        raise InputError(
            "The link to Dagster is neither http, https nor a path of this origin.", at="dagster_url", fix="give the address of its UI"
        )
    return url
