"""The text of what is sent, in Alertmanager's templates. Mail and chat show it as it is."""

from __future__ import annotations

_STATE = '{{ if eq .Status "resolved" }}over: {{ end }}'
# SNS takes 100 printable characters of ASCII.
_WHAT = (
    "{{ .CommonLabels.severity }}: {{ with .CommonLabels.alertname }}{{ . }}{{ else }}several alerts{{ end }}"
)
_WHERE = "{{ with .CommonLabels.node }} on {{ . }}{{ end }}"
_ONE = (
    "{{ .Annotations.summary }}\n"
    "  Do: {{ .Annotations.action }}\n"
    "  Means: {{ .Annotations.meaning }}\n"
    "  Runbook: {{ .Annotations.runbook }}\n"
    "  Dashboard: {{ .Annotations.dashboard }}\n"
    '  Since: {{ .StartsAt.UTC.Format "2006-01-02 15:04 UTC" }}\n\n'
)


def subject(environment: str) -> str:
    """One line for a mail's subject."""
    return f"[{environment}] {_STATE}{_WHAT}{_WHERE}"


def message() -> str:
    """Each alert with what it means and what to do; those that are over come last, by a line each."""
    return (
        f"{{{{ range .Alerts.Firing }}}}{_ONE}{{{{ end }}}}"
        "{{ range .Alerts.Resolved }}Over: {{ .Annotations.summary }}\n{{ end }}"
    )
