"""What ``bedplate explain`` says about AWS errors and result files."""

from __future__ import annotations

from bedplate.validation.aws_rows import ROWS as AWS_ROWS
from bedplate.validation.reports.rows import ROWS as RESULT_ROWS

ROWS = {**AWS_ROWS, **RESULT_ROWS}
"""Id → row."""
