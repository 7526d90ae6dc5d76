"""Strips and shares at their edges: a missing arm, a thousand cases, 64 arms, long names; and what may not be in them."""

import re

import pytest

from contracts.pool_pictures import PoolPicture
from evaluation_assets.reports.page import render
from evaluation_assets.reports.pool_plots import HISTOGRAM_WIDTH, pool_matrix_svg, pool_plots, pool_shares_svg
from tests import builders
from tests.unit.reports.reading import read

THOUSAND = ("9" * 700 + "0" * 290 + "x" * 9 + "-", "9" * 1000)
EDGES = [
    pytest.param(builders.pool_picture(("9",), selected=(1,)), id="one arm and one case"),
    pytest.param(builders.pool_picture(("----", "9x5?")), id="one arm was never observed"),
    pytest.param(builders.pool_picture(("xxxx", "0000")), id="nothing was solved"),
    pytest.param(builders.pool_picture(THOUSAND, selected=(999, 1)), id="1,000 cases"),
    pytest.param(builders.pool_picture(tuple("0123456789x?-"[n % 13] * 240 for n in range(64))), id="64 arms on 240 cases"),
    pytest.param(builders.pool_picture(("90", "09"), arm_ids=("a" * 512, "b&<>\"'\u202e")), id="long and hostile names"),
]


def spans(path: str) -> list[tuple[float, float]]:
    return [(float(x), float(wide)) for x, wide in re.findall(r"M([\d.]+) [\d.]+h([\d.]+)", path)]


@pytest.mark.parametrize("picture", EDGES)
def test_each_strip_is_covered_exactly_once(picture: PoolPicture) -> None:
    for strip in pool_plots(picture).strips:
        paths = [*(path for _, path in strip.tones), strip.failed, strip.unobserved, strip.ungraded]
        covered = sorted(span for path in paths for span in spans(path))
        ends = [0.0, *(x + wide for x, wide in covered)]
        assert [x for x, _ in covered] == pytest.approx(ends[:-1], abs=0.11)
        assert ends[-1] == pytest.approx(strip.width, abs=0.11)


@pytest.mark.parametrize("picture", EDGES)
def test_shares_stay_in_their_hundred(picture: PoolPicture) -> None:
    for share in pool_plots(picture).shares:
        assert 0 <= share.selected_width <= 100
        assert 0 <= share.alone_width + share.shared_width <= 100


@pytest.mark.parametrize("picture", EDGES)
def test_they_stand_alone(picture: PoolPicture) -> None:
    for draw in (pool_matrix_svg, pool_shares_svg):
        drawn = draw(picture)
        (svg,) = [element for element in read(drawn).parts if not isinstance(element, str)]
        assert svg.attributes["xmlns"] == "http://www.w3.org/2000/svg"
        assert [len(svg.all(tag)) for tag in ("title", "desc")] == [1, 1]
        assert b"var(" not in drawn
        assert drawn.count(b"href") == 0
        assert drawn == draw(picture)
        assert all("\u202e" not in text or "\u2068" in text for text in (element.text for element in svg.all("text")))


@pytest.mark.parametrize("picture", EDGES)
def test_the_page_holds_them_and_stays_small(picture: PoolPicture) -> None:
    page = render(builders.report(pool=picture))
    pool = read(page).by_id("pool")
    rows = [svg for svg in pool.all("svg") if {"strip-plot", "share-plot"} & set(svg.classes)]
    assert len(rows) == 2 * len(picture.arms)
    assert len(page) < 250_000


def test_cases_become_columns_and_many_a_histogram() -> None:
    few, many = pool_plots(builders.pool_picture(("950", "x5-"))), pool_plots(builders.pool_picture(THOUSAND))
    assert few.aligned
    assert few.strips[0].width == 3
    assert [tenth for tenth, _ in few.strips[0].tones] == [0, 5, 9]
    assert not many.aligned
    assert many.strips[0].width == HISTOGRAM_WIDTH
    (best,) = spans(dict(many.strips[0].tones)[9])
    assert best == (0.0, pytest.approx(2 + 592 * 0.7, abs=0.1))
    assert spans(many.strips[0].unobserved)[0][1] >= 2  # one case in a thousand is seen


def test_numbers_stand_in_words_too() -> None:
    shown = read(render(builders.report(pool=builders.pool_picture(("9x-", "99?"), selected=(1, 3))))).by_id("pool")
    assert "1 failed, 1 not observed" in shown.row_of("arm-a", "failed").text
    (first, _) = [svg for svg in shown.all("svg") if "share-plot" in svg.classes]
    assert "chosen 1 of 4 times (25%)" in first.text
    assert "the best on 1 of 2 complete cases (50%), alone on 0" in first.text


def test_an_unselected_pool_without_complete_cases_divides_by_nothing() -> None:
    shown = read(render(builders.report(pool=builders.pool_picture(("-", "-"))))).by_id("pool")
    assert "%" not in "".join(cell.text for cell in shown.all("td") if "two-lines" in cell.classes)


def test_no_picture_without_a_pool() -> None:
    for pool in (None, builders.pool_picture(("", ""))):
        shown = read(render(builders.report(pool=pool))).by_id("pool")
        assert [svg for svg in shown.all("svg") if "strip-plot" in svg.classes] == []
