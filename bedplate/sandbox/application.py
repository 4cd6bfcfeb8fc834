"""The WSGI application: our own services first, then moto; whatever neither plays is an error."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable
from typing import Any

from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app

from bedplate.sandbox import moto_patches
from bedplate.sandbox.account import furnish
from bedplate.sandbox.builds.bus import EventBus
from bedplate.sandbox.builds.clock import ScheduleClock
from bedplate.sandbox.builds.player import BuildPlayer
from bedplate.sandbox.cloudformation.custom_resource import (
    ANSWER_PATH,
    CustomResourceAnswers,
    CustomResourceHandler,
)
from bedplate.sandbox.cloudformation.engine import StackEngine
from bedplate.sandbox.cloudformation.manager import StackManager
from bedplate.sandbox.cloudformation.registry import HandlerRegistry
from bedplate.sandbox.eks.page import PATH as EKS_PATH
from bedplate.sandbox.eks.page import eks_page
from bedplate.sandbox.grafana.http_api import GrafanaHttpApi
from bedplate.sandbox.grafana.records import PATH as GRAFANA_PATH
from bedplate.sandbox.resources.table import own_handlers
from bedplate.sandbox.sandbox import Sandbox
from bedplate.sandbox.services.amp import amp_service
from bedplate.sandbox.services.autoscaling import AutoScalingApi
from bedplate.sandbox.services.caller import account_of
from bedplate.sandbox.services.cloudformation import CloudFormationApi
from bedplate.sandbox.services.cloudtrail import cloudtrail_service
from bedplate.sandbox.services.codebuild import CodeBuildApi
from bedplate.sandbox.services.dispatch import Dispatcher, signature_of
from bedplate.sandbox.services.ec2 import Ec2Api
from bedplate.sandbox.services.eks import EksApi
from bedplate.sandbox.services.fsx import FsxApi
from bedplate.sandbox.services.grafana import GrafanaApi
from bedplate.sandbox.services.iam import iam_service
from bedplate.sandbox.services.pcs import PcsApi
from bedplate.sandbox.services.refusal import refusal, unknown_operation
from bedplate.sandbox.services.resource_groups import ResourceGroupsApi
from bedplate.sandbox.services.s3 import s3_service
from bedplate.sandbox.services.sagemaker import SageMakerApi
from bedplate.sandbox.services.service import Answer
from bedplate.sandbox.services.service_quotas import ServiceQuotasApi
from bedplate.sandbox.services.ssm import SsmApi
from bedplate.sandbox.services.sso_admin import sso_admin_service

LOG = logging.getLogger("bedplate.sandbox.api")
STATUS_PATH = "/bedplate/status"
StartResponse = Callable[..., Any]

# Services of moto that the product and the CDK use. Any other is refused, so that a new need shows at once.
MOTO_SERVICES = frozenset(
    [
        "s3",
        "sts",
        "iam",
        "ec2",
        "ssm",
        "kms",
        "logs",
        "sns",
        "lambda",
        "ecr",
        "elasticfilesystem",
        "rds",
        "secretsmanager",
        "aps",
        "account",
        "tagging",
        "events",
        "scheduler",
        "cloudwatch",
        "monitoring",
    ]
)


class SandboxApplication:
    """Answers every request of one sandbox."""

    def __init__(self, sandbox: Sandbox) -> None:
        moto_patches.apply()
        furnish(account_of("testing"), sandbox.options)
        self._sandbox = sandbox
        self._answers = CustomResourceAnswers()
        custom = CustomResourceHandler(answers=self._answers, endpoint=sandbox.endpoint)
        registry = HandlerRegistry(ours=own_handlers(sandbox), custom=custom)
        self._builds = BuildPlayer(
            records=sandbox.builds,
            endpoint=sandbox.endpoint,
            state_dir=sandbox.state_dir,
            options=sandbox.options,
        )
        bus = EventBus(self._builds)
        self._builds.on_end = bus.build_ended
        self._clock = ScheduleClock(bus)
        self._stacks = StackManager(StackEngine(registry.handler_of), on_status=bus.stack_changed)
        self._dispatcher = Dispatcher(
            [
                amp_service(),
                AutoScalingApi(sandbox).service(),
                CloudFormationApi(self._stacks).service(),
                cloudtrail_service(),
                CodeBuildApi(records=sandbox.builds, player=self._builds).service(),
                Ec2Api(sandbox).service(),
                EksApi(sandbox).service(),
                FsxApi(sandbox).service(),
                GrafanaApi(sandbox).service(),
                iam_service(),
                ResourceGroupsApi(sandbox).service(),
                PcsApi(sandbox).service(),
                s3_service(),
                SageMakerApi(sandbox).service(),
                ServiceQuotasApi(sandbox).service(),
                SsmApi(sandbox).service(),
                sso_admin_service(sandbox.options),
            ],
            options=sandbox.options,
        )
        self._grafana = GrafanaHttpApi(sandbox.grafana, sandbox.options)
        self._moto = DomainDispatcherApplication(create_backend_app)

    def __call__(self, environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        """One request."""
        path = environ.get("PATH_INFO", "")
        if path.startswith("/bedplate/"):
            return _send(self._internal(environ, path), start_response)
        answer = self._dispatcher.answer(environ)
        if answer is not None:
            return _send(answer, start_response)
        signature = signature_of(environ)
        service = (
            signature.signing_name if signature else "s3"
        )  # unsigned requests fetch objects by signed URL
        if service not in MOTO_SERVICES:
            return _send(unknown_operation(service, _operation(environ)), start_response)
        try:
            found: Iterable[bytes] = self._moto(environ, start_response)
        except NotImplementedError as error:
            return _send(unknown_operation(service, str(error)), start_response)
        except Exception as error:
            LOG.exception("moto broke on %s %s", service, path)
            message = f"SBX-015: {service}: {type(error).__name__}: {error}"
            return _send(refusal(service, "InternalFailure", message), start_response)
        return found

    def start(self) -> None:
        """Let schedules run from now on."""
        self._clock.start()

    def close(self) -> None:
        """End what was started: builds, the clock, and the API servers of clusters."""
        self._clock.stop()
        self._builds.close()
        self._sandbox.kubernetes.close()

    def _internal(self, environ: dict[str, Any], path: str) -> Answer:
        if path == STATUS_PATH:
            return Answer(200, {"Content-Type": "application/json"}, json.dumps(self._status()).encode())
        if path == EKS_PATH:
            page = json.dumps(eks_page(self._sandbox.eks), default=str)
            return Answer(200, {"Content-Type": "application/json"}, page.encode())
        if path.startswith(GRAFANA_PATH):
            return self._grafana.answer(environ, path)
        if path.startswith(ANSWER_PATH) and environ["REQUEST_METHOD"] == "PUT":
            body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
            try:
                self._answers.put(path.removeprefix(ANSWER_PATH), body)
            except KeyError:
                return Answer(403, {"Content-Type": "text/plain"}, b"nobody expects this answer")
            return Answer(200, {"Content-Type": "text/plain"}, b"")
        return Answer(404, {"Content-Type": "text/plain"}, b"no such page")

    def _status(self) -> dict[str, Any]:
        stacks = [
            {
                "name": stack.name,
                "region": stack.region,
                "status": stack.status,
                "resources": len(stack.resources),
            }
            for stack in self._stacks.everywhere()
            if stack.exists
        ]
        pcs = self._sandbox.pcs
        groups = [
            {"name": group["name"], "nodes": len(pcs.instances.get(group_id, []))}
            for group_id, group in pcs.node_groups.items()
        ]
        for cluster in self._sandbox.parallelcluster.clusters.values():
            groups += [{"name": name, "nodes": len(each)} for name, each in cluster.instances.items()]
        for eks in self._sandbox.eks.clusters.values():
            groups += [{"name": name, "nodes": len(eks.nodes_of(name))} for name in eks.node_groups]
        return {"stacks": stacks, "node_groups": groups}


def _operation(environ: dict[str, Any]) -> str:
    return str(
        environ.get("HTTP_X_AMZ_TARGET") or f"{environ.get('REQUEST_METHOD')} {environ.get('PATH_INFO')}"
    )


def _send(answer: Answer, start_response: StartResponse) -> Iterable[bytes]:
    headers = {**answer.headers, "Content-Length": str(len(answer.body))}
    start_response(f"{answer.status} {'OK' if answer.status < 400 else 'ERROR'}", list(headers.items()))
    return [answer.body]
