"""Each EFA device sends to itself, one after the other, with its counters read before and after."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Dict, List

from bedplate.diagnosis.host_tools import LOOPBACK_ENVIRONMENT, loopback_argv, loopback_client_argv
from bedplate.diagnosis.parsers.fi_info import Endpoint, parse_fi_info
from bedplate.diagnosis.parsers.problem import ParseError
from bedplate.diagnosis.tools import FI_INFO
from bedplate.node.infiniband import hw_counters, infiniband_folder
from bedplate.node.places import extended_path
from bedplate.node.process import Limits, ToolRun, run_tool
from bedplate.node.stages.settings import ExerciseSettings

DEADLINE_SECONDS = 30.0
"""For one program. 3 GiB each way take a second; opening libfabric on 32 devices takes a few."""
BUDGET_SECONDS = 300.0
"""For all devices together: those that have not begun by then are left out, and their check says so."""
_REFUSED = "failed to connect"
_TRIES = 20
_PAUSE_SECONDS = 0.25


def deadline_seconds(settings: ExerciseSettings) -> float:
    """The budget, and what the list of devices and a device that begins at its end may take."""
    return BUDGET_SECONDS + 3 * settings.deadline(DEADLINE_SECONDS)


def run(settings: ExerciseSettings) -> Dict[str, Any]:
    """``listed`` is the run of fi_info that the domains come from; ``loops`` has one entry a device:
    ``{"device", "domain", "fabric", "server", "client", "before", "after"}``, runs and counters.
    """
    limits = Limits(settings.deadline(DEADLINE_SECONDS))
    begun = time.monotonic()
    listed = run_tool(argv=FI_INFO, limits=limits, environment={"PATH": extended_path()})
    loops: List[Dict[str, Any]] = []
    for index, endpoint in enumerate(_endpoints(listed)):
        if time.monotonic() - begun > BUDGET_SECONDS:
            break
        loops.append(_loop(endpoint, index, limits))
    return {"listed": listed.as_json(), "loops": loops}


def _endpoints(listed: ToolRun) -> "tuple[Endpoint, ...]":
    try:
        return parse_fi_info(listed.stdout).loopbacks if listed.rc == 0 else ()
    except ParseError:
        return ()


def _loop(endpoint: Endpoint, index: int, limits: Limits) -> Dict[str, Any]:
    folder = infiniband_folder() / endpoint.device
    environment = {
        **LOOPBACK_ENVIRONMENT,
        "FI_EFA_IFACE": endpoint.device,
        "PATH": extended_path(),
    }
    before = hw_counters(folder)
    stop = threading.Event()
    with ThreadPoolExecutor(max_workers=1) as pool:
        server = pool.submit(
            run_tool,
            argv=loopback_argv(fabric=endpoint.fabric, domain=endpoint.domain, index=index),
            limits=limits,
            environment=environment,
            stop=stop,
        )
        argv = loopback_client_argv(fabric=endpoint.fabric, domain=endpoint.domain, index=index)
        for _ in range(_TRIES):
            client = run_tool(argv=argv, limits=limits, environment=environment)
            if client.rc == 0 or _REFUSED not in client.stdout + client.stderr or server.done():
                break
            time.sleep(_PAUSE_SECONDS)
        if client.rc != 0:
            # Without a partner the server would wait for its whole deadline.
            stop.set()
        served = server.result()
    return {
        "device": endpoint.device,
        "domain": endpoint.domain,
        "fabric": endpoint.fabric,
        "server": served.as_json(),
        "client": client.as_json(),
        "before": before,
        "after": hw_counters(folder),
    }
