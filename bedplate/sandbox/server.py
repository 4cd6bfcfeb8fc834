"""One sandbox in a process of its own: ``python -m bedplate.sandbox.server --state DIR [--faults FILE]``.

It answers on loopback only. ``DIR/sandbox.json`` appears once it answers; SIGTERM and SIGINT end it.
"""

from __future__ import annotations

import argparse
import logging
import os
import signal
import sys
import threading
from pathlib import Path
from typing import Any

from bedplate.errors import BedplateError, ExitCode
from bedplate.sandbox.state import LOG_NAME, RECORD_NAME, SandboxRecord, write_record

DEFAULT_ACCOUNT = "123456789012"
DEFAULT_REGION = "us-west-2"


def main(argv: list[str] | None = None) -> int:
    """Serve until told to stop."""
    arguments = _arguments(argv)
    state_dir: Path = arguments.state.resolve()
    state_dir.mkdir(parents=True, exist_ok=True)
    logging.basicConfig(
        filename=state_dir / LOG_NAME,
        level=logging.INFO,
        format="%(asctime)s %(levelname)s %(name)s %(message)s",
    )
    logging.getLogger("werkzeug").setLevel(logging.WARNING)
    logging.captureWarnings(capture=True)
    _prepare_moto(arguments.account)
    try:
        serve(
            state_dir=state_dir,
            port=arguments.port,
            faults=arguments.faults,
            account=arguments.account,
            region=arguments.region,
            parent=arguments.parent,
        )
    except BedplateError as error:
        # Whoever started us shows the log's last line.
        sys.stderr.write(f"{error.message}. {error.remedy}\n")
        return ExitCode.FAILED
    return 0


def serve(
    *, state_dir: Path, port: int, faults: Path | None, account: str, region: str, parent: int | None = None
) -> None:
    """Bind, announce, answer; returns after a signal. ``parent``: end when that process ends."""
    from moto.moto_server.werkzeug_app import MotoRequestHandler
    from werkzeug.serving import make_server

    from bedplate.sandbox.application import SandboxApplication
    from bedplate.sandbox.fleet import FaultPlan, Fleet
    from bedplate.sandbox.options import OPTIONS_NAME, SandboxOptions
    from bedplate.sandbox.sandbox import Sandbox

    plan = FaultPlan.load(faults) if faults else FaultPlan(seed="none")
    fleet = Fleet(state_dir, plan)
    late: list[SandboxApplication] = []
    server = make_server(
        "127.0.0.1",
        port,
        lambda environ, start_response: late[0](environ, start_response),
        threaded=True,
        request_handler=MotoRequestHandler,
    )
    endpoint = f"http://localhost:{server.port}"
    options = SandboxOptions(path=state_dir / OPTIONS_NAME)
    late.append(
        SandboxApplication(Sandbox(state_dir=state_dir, endpoint=endpoint, fleet=fleet, options=options))
    )
    late[0].start()
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True)
    thread.start()
    write_record(state_dir, SandboxRecord(endpoint=endpoint, pid=os.getpid(), account=account, region=region))
    try:
        while not stop.wait(1.0):
            if parent is not None and os.getppid() != parent:
                break
    finally:
        (state_dir / RECORD_NAME).unlink(missing_ok=True)
        late[0].close()
        server.shutdown()
        thread.join(5)
        fleet.close()


def _prepare_moto(account: str) -> None:
    os.environ["MOTO_ACCOUNT_ID"] = account
    os.environ.setdefault("MOTO_S3_DEFAULT_KEY_BUFFER_SIZE", str(64 * 1024 * 1024))
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        os.environ[name] = "testing"
    os.environ.pop("AWS_ENDPOINT_URL", None)


def _arguments(argv: list[str] | None) -> Any:
    parser = argparse.ArgumentParser(prog="python -m bedplate.sandbox.server")
    parser.add_argument("--port", type=int, default=0, help="0: a free port")
    parser.add_argument(
        "--state", type=Path, required=True, help="folder for the record, the log and the nodes"
    )
    parser.add_argument("--faults", type=Path, help="JSON file of what is wrong with the nodes")
    parser.add_argument("--account", default=DEFAULT_ACCOUNT, help="account of the default credentials")
    parser.add_argument("--region", default=DEFAULT_REGION, help="Region told to clients")
    parser.add_argument("--parent", type=int, help="end when this process is no longer the parent")
    return parser.parse_args(argv)


if __name__ == "__main__":
    sys.exit(main())
