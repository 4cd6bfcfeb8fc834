"""Whether a finding of cdk-nag is one that an entry of the committed list accepts."""

from __future__ import annotations


def is_rule(accepted: str, rule: str) -> bool:
    """Whether a finding is of an accepted rule; a folder in a bucket may be any that is validation's own."""
    head, tied, tail = accepted.partition("{tied}")
    if not tied:
        return accepted == rule
    return rule.startswith(head) and rule.endswith(f"/.bedplate-validation/*{tail}")
