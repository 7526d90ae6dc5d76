"""What was evaluated: a mixture with its arms, exact prices and factors, and the warnings that a reader needs before any number."""

from evaluation_assets.reports.page import render
from evaluation_assets.reports.subject import subject_of
from evaluation_assets.targets.subjects import BUNDLED
from tests import builders
from tests.unit.reports.reading import Element, read

HOSTILE = "<script>alert('x')</script>\u202e"


def section(**changes: object) -> Element:
    return read(render(builders.report(subject=builders.mixture(**changes)))).by_id("subject")


def test_the_bundled_mixture_is_shown_whole() -> None:
    (mixture,) = BUNDLED.mixtures().values()
    shown = read(render(builders.report(subject=mixture))).by_id("subject")
    for alias in mixture.aliases:
        assert alias in shown.text
    for arm in mixture.arms:
        assert all(capability in shown.row_of(arm.arm_id, f"{arm.context_window:,}").text for capability in arm.capabilities)
    for decision in mixture.decisions:
        assert all(arm in shown.row_of(decision.name).text for arm in decision.arm_ids)
    factors = mixture.factors
    for digest in (factors.recipe, factors.selector, factors.adaptation, factors.binding, factors.pool, factors.environment.serving):
        assert digest in shown.text
    assert mixture.mixture_id in shown.text


def test_prices_are_exact_and_a_missing_one_is_neither_zero_nor_empty() -> None:
    row = section().row_of("arm-a", "chat")
    assert [cell.text for cell in row.all("td")][:4] == ["0.05", "0.20", "unpriced", "0.00"]
    assert "No complete price" not in section().text


def test_an_arm_without_a_price_is_warned_of() -> None:
    unpriced = builders.model_arm("arm-b").prices.model_copy(update={"output": None})
    shown = section(arms=(builders.model_arm("arm-a"), builders.model_arm("arm-b", prices=unpriced)))
    assert "No complete price: \u2068arm-b\u2069. What it costs stays unknown." in shown.text


def test_replicas_are_warned_of() -> None:
    arms = (builders.model_arm("arm-a", "e"), builders.model_arm("arm-b", "e"))
    shown = section(arms=arms)
    assert "\u2068arm-a\u2069 and \u2068arm-b\u2069 are served by one and the same model" in shown.text
    assert "one and the same" not in section().text


def test_a_fallback_outside_the_pool_is_warned_of() -> None:
    shown = section(fallback_arm_id=None, outside_fallback=builders.model_arm("spare-c"))
    assert "\u2068spare-c\u2069 answers what no decision takes" in shown.text
    assert "what no decision takes is answered by" not in shown.text
    assert [tag.text for tag in shown.all("span") if "tag" in tag.classes] == []
    assert [tag.text for tag in section().all("span") if "tag" in tag.classes] == ["fallback"]


def test_silence_of_the_config_is_said() -> None:
    bare = builders.model_arm("arm-b", capabilities=(), context_window=None, parameter_size=None)
    shown = section(arms=(builders.model_arm("arm-a"), bare))
    (row,) = [row for row in shown.all("tr") if row.all("th") and row.all("th")[0].text == "arm-b"]
    assert row.text.count("not stated") == 2
    assert "none stated" in row.text
    assert [cell.text for cell in shown.row_of("rest", "default").all("td")] == ["default", "arm-a", "default", "default"]
    assert "nothing configured" in shown.text


def test_hostile_words_of_a_config_are_text() -> None:
    arms = (builders.model_arm(HOSTILE, "a", capabilities=(HOSTILE,)), builders.model_arm("y" * 512, "b"))
    mixture = builders.mixture(arms=arms, aliases=(HOSTILE, "auto"), entrypoint_model=HOSTILE, description=HOSTILE)
    page = read(render(builders.report(subject=mixture)))
    assert page.all("script") == []
    assert "y" * 512 in page.by_id("subject").text


def test_sixty_four_arms() -> None:
    arms = tuple(builders.model_arm(f"arm-{number:02d}", "0123456789abcdef"[number % 16]) for number in range(64))
    mixture = builders.mixture(arms=arms)
    assert len(subject_of(mixture).arms) == 64
    assert len([row for row in section(arms=arms).all("tr") if "chat" in row.text]) == 64
    assert "and 58 more" in read(render(builders.report(subject=mixture))).by_id("brief").text
