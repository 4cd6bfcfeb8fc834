"""What an exercise is told: which stages to run, and what of the node they may use."""

from __future__ import annotations

import base64
import binascii
import json
from dataclasses import asdict, dataclass, fields
from typing import Any, Mapping, Tuple


class ExerciseSettingsError(ValueError):
    """The settings cannot be read, or name a stage or an entry that this program does not know."""


@dataclass(frozen=True)
class ExerciseSettings:
    """``stages`` run in the order of ``bedplate.node.stages``. ``scratch`` is the mount point of the NVMe
    volume, empty where there is none; ``mounts`` are the file systems' (kind, path). ``run_id`` names what
    a stage writes, so that nothing of another run is read or deleted. ``nodes`` do the same at once.
    ``tool_deadline_seconds`` shortens every program's own deadline (0: as it is), for simulated nodes.
    """

    stages: Tuple[str, ...] = ("dcgm", "collective")
    gpus: int = 8
    gpu_model: str = ""
    dcgm_level: int = 2
    collective: str = "all_reduce"
    efa_count: int = 0
    scratch: str = ""
    mounts: Tuple[Tuple[str, str], ...] = ()
    run_id: str = ""
    nodes: int = 1
    tool_deadline_seconds: float = 0.0

    def deadline(self, seconds: float) -> float:
        """A program's own deadline, or the shorter one that was asked for."""
        return min(seconds, self.tool_deadline_seconds) if self.tool_deadline_seconds else seconds

    def encode(self) -> str:
        """As ``exercise --settings`` takes them."""
        text = json.dumps(asdict(self), sort_keys=True, separators=(",", ":"))
        return base64.urlsafe_b64encode(text.encode("utf-8")).decode("ascii")


def decode_settings(text: str) -> ExerciseSettings:
    """The inverse of ``ExerciseSettings.encode``. Raises ``ExerciseSettingsError``."""
    try:
        data = json.loads(base64.urlsafe_b64decode(text.encode("ascii")))
        return settings_from_json(data)
    except (binascii.Error, ValueError, TypeError) as error:
        raise ExerciseSettingsError(f"--settings cannot be read: {error}") from error


def settings_from_json(data: Mapping[str, Any]) -> ExerciseSettings:
    """From a mapping with the entries of ``ExerciseSettings``; raises ``ExerciseSettingsError``."""
    from bedplate.node.stages import STAGES

    known = {field.name for field in fields(ExerciseSettings)}
    unknown = sorted(set(data) - known)
    if unknown:
        raise ExerciseSettingsError(f"unknown entry {unknown[0]!r}")
    strange = sorted(set(data.get("stages", ())) - set(STAGES))
    if strange:
        raise ExerciseSettingsError(f"unknown stage {strange[0]!r}; known are {', '.join(STAGES)}")
    given = dict(data)
    for name in ("stages",):
        if name in given:
            given[name] = tuple(str(each) for each in given[name])
    if "mounts" in given:
        given["mounts"] = tuple((str(kind), str(path)) for kind, path in given["mounts"])
    return ExerciseSettings(**given)
