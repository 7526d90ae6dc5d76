"""Every grader that ships. A test compares the ids with golden/catalogs/graders.json both ways."""

from evaluation_assets.records.graders.frozen_counterfactual import FrozenCounterfactual
from evaluation_assets.records.graders.hidden_answer_exact import HiddenAnswerExact
from evaluation_assets.records.graders.interface import Grader
from evaluation_assets.records.graders.source_recorded import SourceRecorded

GRADERS: dict[str, Grader] = {grader.grader_id: grader for grader in (FrozenCounterfactual(), HiddenAnswerExact(), SourceRecorded())}
