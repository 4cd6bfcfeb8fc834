"""An environment's policies for Xids reach the check by way of the manifest."""

from __future__ import annotations

from bedplate.diagnosis.expected import XidPolicy
from bedplate.manifest import XidPolicyManifest
from bedplate.validation.expectation import node_expectation
from tests.validation.steps.small_cluster import manifest


def test_policies_of_the_manifest_are_what_a_node_is_judged_by() -> None:
    """Code, policy and reason, in the file's order; none unless somebody wrote one."""
    told = manifest()
    assert node_expectation(manifest=told, pool=told.pools[0]).xid_policies == ()
    wanted = XidPolicyManifest(xid=63, policy="replace", reason="as EC2 does")
    changed = told.model_copy(
        update={"validation": told.validation.model_copy(update={"xid_policies": [wanted]})}
    )
    read = type(told).model_validate_json(changed.model_dump_json())
    expected = node_expectation(manifest=read, pool=read.pools[0])
    assert expected.xid_policies == (XidPolicy(63, "replace", "as EC2 does"),)
