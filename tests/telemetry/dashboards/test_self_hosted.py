"""The files of a Grafana of one's own: sources by the uids that dashboards name, signed where it is AMP."""

from __future__ import annotations

import json

import pytest
import yaml

from bedplate.errors import BedplateError
from bedplate.telemetry.dashboards.catalogue import all_dashboards
from bedplate.telemetry.dashboards.self_hosted import grafana_files

AMP = "https://aps-workspaces.us-west-2.amazonaws.com/workspaces/ws-0123"


def _sources(url: str, region: str | None = None) -> dict[str, dict[str, object]]:
    text = grafana_files(prometheus_url=url, region=region)["provisioning/datasources/bedplate.yaml"]
    return {each["uid"]: each for each in yaml.safe_load(text)["datasources"]}


def test_every_dashboard_is_a_file_and_every_source_that_they_name_is_made() -> None:
    """Provisioning by file fills nothing in: what a panel names by uid must be there."""
    files = grafana_files(prometheus_url=AMP, region=None)
    named = set()
    for uid, model in all_dashboards().items():
        assert json.loads(files[f"dashboards/{uid}.json"]) == model
        named |= {panel["datasource"]["uid"] for panel in model["panels"] if panel["type"] != "row"}
    assert named == set(_sources(AMP))


@pytest.mark.parametrize("path", ["", "/", "/api/v1/remote_write", "/api/v1/query"])
def test_a_workspace_is_asked_at_its_root_and_signed_in_its_region(path: str) -> None:
    """People copy the end point from the console with the API's path; Grafana adds it itself."""
    source = _sources(AMP + path)["bedplate-prometheus"]
    assert source["url"] == AMP
    assert source["jsonData"] == {
        "httpMethod": "POST",
        "timeInterval": "60s",
        "sigV4Auth": True,
        "sigV4AuthType": "default",
        "sigV4Region": "us-west-2",
    }
    compose = grafana_files(prometheus_url=AMP + path, region=None)["compose.yaml"]
    assert "GF_AUTH_SIGV4_AUTH_ENABLED=true" in compose


def test_a_prometheus_of_ones_own_is_not_signed() -> None:
    """It has no Region either, so CloudWatch is there only where one is given."""
    assert list(_sources("http://10.0.0.5:9090")) == ["bedplate-prometheus"]
    with_region = _sources("http://10.0.0.5:9090/prometheus", "eu-west-1")
    assert with_region["bedplate-prometheus"]["url"] == "http://10.0.0.5:9090/prometheus"
    assert "sigV4Auth" not in with_region["bedplate-prometheus"]["jsonData"]  # type: ignore[operator]
    assert with_region["bedplate-cloudwatch"]["jsonData"] == {
        "authType": "default",
        "defaultRegion": "eu-west-1",
    }
    assert "SIGV4" not in grafana_files(prometheus_url="http://10.0.0.5:9090", region=None)["compose.yaml"]


def test_the_compose_file_opens_nothing_and_holds_no_secret() -> None:
    """Grafana listens on the loopback address, asks for a password, and takes credentials by name alone."""
    (service,) = yaml.safe_load(grafana_files(prometheus_url=AMP, region=None)["compose.yaml"])[
        "services"
    ].values()
    assert service["ports"] == ["127.0.0.1:3000:3000"]
    assert service["image"].rpartition(":")[2].startswith("11.6.")
    given = dict(each.partition("=")[::2] for each in service["environment"])
    assert given["GF_SECURITY_ADMIN_PASSWORD"].startswith("${GRAFANA_ADMIN_PASSWORD:?")
    assert given["AWS_SECRET_ACCESS_KEY"] == given["AWS_ACCESS_KEY_ID"] == given["AWS_SESSION_TOKEN"] == ""
    mounted = [each.split(":")[0].removeprefix("./") for each in service["volumes"] if each.startswith("./")]
    written = {name.partition("/")[0] for name in grafana_files(prometheus_url=AMP, region=None)}
    assert set(mounted) | {"compose.yaml"} == written


@pytest.mark.parametrize("wrong", ["", "prometheus", "ftp://host", "https://", "http://me:secret@host:9090"])
def test_what_is_no_address_is_refused_with_what_is(wrong: str) -> None:
    """A password among them: it would lie in a file that people share."""
    with pytest.raises(BedplateError) as refused:
        grafana_files(prometheus_url=wrong, region=None)
    assert refused.value.error_id == "CLI-007"
    assert "http://10.0.0.5:9090" in refused.value.remedy
