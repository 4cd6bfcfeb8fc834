"""The Lustre client: modules for the running kernel, ``mount.lustre`` and ``lnetctl``; present, or installed.

Packages and repository: FSx for Lustre User Guide, "Installing the Lustre client". Amazon Linux 2023 has it
in its own repository; for Ubuntu there is one of AWS, signed with a key that is fetched over TLS.
"""

from __future__ import annotations

from bedplate.node.bootstrap import packages
from bedplate.node.bootstrap.attempts import SHORT_PAUSES, must, must_retry
from bedplate.node.bootstrap.host import Host
from bedplate.node.bootstrap.settings import NodeSettings
from bedplate.node.bootstrap.step import Step, StepFailedError

_KEY_URL = "https://fsx-lustre-client-repo-public-keys.s3.amazonaws.com/fsx-ubuntu-public-key.asc"
_REPOSITORY = "https://fsx-lustre-client-repo.s3.amazonaws.com/ubuntu"
KEY = "/usr/share/keyrings/fsx-ubuntu-public-key.asc"
LIST = "/etc/apt/sources.list.d/fsxlustreclientrepo.list"
_CODENAMES = {"22.04": "jammy", "24.04": "noble"}


def _why_not(settings: NodeSettings) -> str:
    lustre = any(mount.kind == "lustre" for mount in settings.mounts)
    return "" if lustre else "no Lustre file system"


def _run(host: Host, settings: NodeSettings) -> str:
    missing = _missing(host, settings)
    if not missing:
        return "is there"
    name, version = packages.distribution(host)
    if name == "ubuntu":
        _add_repository(host, version)
        kernel = must(host, "uname", "-r").stdout.strip()
        packages.install(host, apt=(f"lustre-client-modules-{kernel}", "lustre-client-utils"), dnf=())
    else:
        packages.install(host, apt=(), dnf=("lustre-client",))
    missing = _missing(host, settings)
    if missing:
        raise StepFailedError(
            f"{missing}, though the client was installed: its version and the kernel's do not fit together"
        )
    return "installed"


def _missing(host: Host, settings: NodeSettings) -> str:
    """What of the client is not there; empty where all is."""
    modules = ["lustre", "lnet", *(["kefalnd"] if settings.lnet_efa_count else [])]
    ran = host.run("modinfo", "-F", "filename", *modules)
    if not ran.ok:
        return f"a kernel module of {', '.join(modules)} is missing ({ran.last_words})"
    for program in ("mount.lustre", "lnetctl"):
        if not host.has(program):
            return f"{program} is missing"
    return ""


def _add_repository(host: Host, version: str) -> None:
    codename = _CODENAMES.get(version)
    if codename is None:
        known = ", ".join(sorted(_CODENAMES))
        raise StepFailedError(
            f"no Lustre client is known for Ubuntu {version or '?'}; for {known} there is one"
        )
    if host.read(KEY) is None:
        target = str(host.path(KEY))
        host.path(KEY).parent.mkdir(parents=True, exist_ok=True)
        fetch = (
            "curl",
            "--fail",
            "--silent",
            "--show-error",
            "--max-time",
            "60",
            "--output",
            target,
            _KEY_URL,
        )
        must_retry(host, *fetch, seconds=70, pauses=SHORT_PAUSES)
    host.write(LIST, f"deb [signed-by={KEY}] {_REPOSITORY} {codename} main\n")


STEP = Step("install_lustre_client", _why_not, _run)
