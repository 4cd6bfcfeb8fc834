"""The parts of a pod that clients ask for: its log, and its eviction."""

from __future__ import annotations

from bedplate.sandbox.kubernetes.deletion import delete
from bedplate.sandbox.kubernetes.kinds import PODS
from bedplate.sandbox.kubernetes.kubelet import Kubelet
from bedplate.sandbox.kubernetes.lists import whole_number
from bedplate.sandbox.kubernetes.paths import Place
from bedplate.sandbox.kubernetes.rest import Answer, Part, Request
from bedplate.sandbox.kubernetes.status import bad_request, unknown_path
from bedplate.sandbox.kubernetes.store import Object, Store

_LOG_OPTIONS = frozenset({"container", "tailLines", "limitBytes", "pretty"})
_FALSE = ("", "false", "0")


def pod_parts(store: Store, kubelet: Kubelet) -> dict[tuple[str, str], Part]:
    """What answers at ``pods/NAME/log`` and ``pods/NAME/eviction``."""

    def log(place: Place, request: Request) -> Answer:
        if request.method != "GET":
            raise unknown_path()
        for name, value in request.query.items():
            if name not in _LOG_OPTIONS and value not in _FALSE:
                raise bad_request(f"the sandbox does not play the log option {name}")
        pod = store.get(PODS, place.namespace, place.name)
        container = _container(pod, request.query.get("container", ""))
        text = kubelet.log(pod, container)
        if text is None:
            raise bad_request(
                f'container "{container}" in pod "{place.name}" is waiting to start: ContainerCreating'
            )
        if "tailLines" in request.query:
            count = whole_number(request.query, "tailLines", 0)
            text = "".join(text.splitlines(keepends=True)[-count:]) if count else ""
        if limit := whole_number(request.query, "limitBytes", 0):
            text = text.encode()[:limit].decode("utf-8", "ignore")
        return Answer(200, text=text)

    def eviction(place: Place, request: Request) -> Answer:
        if request.method != "POST":
            raise unknown_path()
        pod = store.get(PODS, place.namespace, place.name)
        delete(store, PODS, pod, request.json().get("deleteOptions") or {})
        return Answer(201, {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success"})

    return {("pods", "log"): log, ("pods", "eviction"): eviction}


def _container(pod: Object, asked: str) -> str:
    """The container that is meant. Raises a 400 where that is not clear, or not there."""
    name, main = pod["metadata"]["name"], pod["spec"]["containers"]
    names = [one["name"] for one in (*(pod["spec"].get("initContainers") or ()), *main)]
    if not asked and len(main) > 1:
        raise bad_request(
            f"a container name must be specified for pod {name}, choose one of: [{' '.join(names)}]"
        )
    if asked and asked not in names:
        raise bad_request(f"container {asked} is not valid for pod {name}")
    return str(asked or main[0]["name"])
