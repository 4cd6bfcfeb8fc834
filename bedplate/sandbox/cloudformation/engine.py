"""Carries out stack operations: create, update, delete; each rolls back when a resource fails."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from bedplate.sandbox.cloudformation.dynamic_reference import resolve_references
from bedplate.sandbox.cloudformation.errors import NeedsReplacement, ResourceError
from bedplate.sandbox.cloudformation.handler import Handler, ResourceRequest
from bedplate.sandbox.cloudformation.precheck import changed_paths, checked_properties
from bedplate.sandbox.cloudformation.schema import resource_schema
from bedplate.sandbox.cloudformation.scope import StackScope
from bedplate.sandbox.cloudformation.stack import Stack, StackResource
from bedplate.sandbox.cloudformation.template import Template

LOG = logging.getLogger("bedplate.sandbox.cloudformation")
Undo = Callable[[], None]


class StackEngine:
    """The moves of one stack operation; ``handler_of`` finds the player of a resource type."""

    def __init__(self, handler_of: Callable[[str], Handler]) -> None:
        self._handler_of = handler_of

    def create(self, stack: Stack, scope: StackScope) -> None:
        """Create every resource in order; on a failure delete what was made, unless the stack says not to."""
        try:
            for logical_id in stack.template.order():
                if scope.wanted(logical_id):
                    self._create_resource(
                        stack, self._request(stack, stack.template, scope, logical_id), stack.template
                    )
            stack.outputs = scope.outputs()
        except ResourceError as error:
            self._roll_back_create(stack, str(error))
            return
        stack.enter("CREATE_COMPLETE")

    def update(self, stack: Stack, template: Template, scope: StackScope, commit: Callable[[], None]) -> None:
        """Move the stack to a new template; on a failure move it back."""
        undo: list[Undo] = []
        obsolete: list[StackResource] = []
        try:
            for logical_id in template.order():
                if scope.wanted(logical_id):
                    self._move_resource(stack, template, scope, logical_id, undo=undo, obsolete=obsolete)
            outputs = scope.outputs()
        except ResourceError as error:
            self._roll_back_update(stack, str(error), undo)
            return
        removed = [
            resource
            for logical_id, resource in stack.resources.items()
            if logical_id not in template.resources or not scope.wanted(logical_id)
        ]
        commit()
        stack.outputs = outputs
        stack.updated = datetime.now(UTC)
        self._clean_up(stack, [*obsolete, *removed])
        stack.enter("UPDATE_COMPLETE")

    def delete(self, stack: Stack) -> None:
        """Delete every resource, those made last first; what its policy retains is left alone."""
        failed = []
        for resource in reversed(list(stack.resources.values())):
            if not self._delete_resource(stack, resource):
                failed.append(resource.logical_id)
            else:
                stack.resources.pop(resource.logical_id, None)
        if failed:
            stack.enter(
                "DELETE_FAILED", f"The following resource(s) failed to delete: [{', '.join(failed)}]."
            )
            return
        stack.deleted = datetime.now(UTC)
        stack.enter("DELETE_COMPLETE")

    def _request(
        self, stack: Stack, template: Template, scope: StackScope, logical_id: str
    ) -> ResourceRequest:
        resource = template.resources[logical_id]
        try:
            properties = scope.resolver.resolve(resource.get("Properties") or {})
            properties = resolve_references(properties, account=stack.account, region=stack.region)
        except ResourceError as error:
            status = "UPDATE_FAILED" if logical_id in stack.resources else "CREATE_FAILED"
            stack.log(logical_id, "", resource["Type"], status, str(error))
            raise
        return ResourceRequest(
            account=stack.account,
            region=stack.region,
            stack_id=stack.stack_id,
            stack_name=stack.name,
            logical_id=logical_id,
            type_name=resource["Type"],
            properties=properties,
            tags=stack.tags,
        )

    def _create_resource(self, stack: Stack, request: ResourceRequest, template: Template) -> None:
        log = _logger(stack, request)
        log("", "CREATE_IN_PROGRESS")
        try:
            checked_properties(request)
            made = self._handler_of(request.type_name).create(request)
        except Exception as error:
            raise self._failure(log, "CREATE_FAILED", request, error) from error
        policy = template.resources[request.logical_id].get("DeletionPolicy", "Delete")
        stack.resources[request.logical_id] = StackResource(
            request, made, "CREATE_COMPLETE", deletion_policy=policy
        )
        log(made.physical_id, "CREATE_COMPLETE")

    def _move_resource(
        self,
        stack: Stack,
        template: Template,
        scope: StackScope,
        logical_id: str,
        *,
        undo: list[Undo],
        obsolete: list[StackResource],
    ) -> None:
        request = self._request(stack, template, scope, logical_id)
        old = stack.resources.get(logical_id)
        if old is None or old.request.type_name != request.type_name:
            self._create_resource(stack, request, template)
            if old is not None:
                obsolete.append(old)
            undo.append(lambda: self._undo_create(stack, logical_id, old))
            return
        old.deletion_policy = template.resources[logical_id].get("DeletionPolicy", "Delete")
        if old.request.properties == request.properties and old.request.tags == request.tags:
            return
        if old.request.properties != request.properties and needs_replacement(
            old.request, request.properties
        ):
            self._replace(stack, request, template, old, undo=undo, obsolete=obsolete)
            return
        try:
            self._update_in_place(stack, request, old)
        except NeedsReplacement:
            self._replace(stack, request, template, old, undo=undo, obsolete=obsolete)
            return
        undo.append(lambda: self._undo_update(stack, old))

    def _replace(
        self,
        stack: Stack,
        request: ResourceRequest,
        template: Template,
        old: StackResource,
        *,
        undo: list[Undo],
        obsolete: list[StackResource],
    ) -> None:
        log = _logger(stack, request)
        log(
            old.made.physical_id,
            "UPDATE_IN_PROGRESS",
            "Requested update requires the creation of a new physical resource",
        )
        self._create_resource(stack, request, template)
        old.deletion_policy = template.resources[request.logical_id].get("UpdateReplacePolicy", "Delete")
        obsolete.append(old)
        undo.append(lambda: self._undo_create(stack, request.logical_id, old))

    def _update_in_place(self, stack: Stack, request: ResourceRequest, old: StackResource) -> None:
        log = _logger(stack, request)
        log(old.made.physical_id, "UPDATE_IN_PROGRESS")
        try:
            checked_properties(request)
            made = self._handler_of(request.type_name).update(request, old.made, old.request.properties)
        except NeedsReplacement:
            raise
        except Exception as error:
            raise self._failure(log, "UPDATE_FAILED", request, error) from error
        stack.resources[request.logical_id] = StackResource(
            request, made, "UPDATE_COMPLETE", deletion_policy=old.deletion_policy
        )
        log(made.physical_id, "UPDATE_COMPLETE")

    def _failure(
        self, log: Callable[..., None], status: str, request: ResourceRequest, error: Exception
    ) -> ResourceError:
        if isinstance(error, ResourceError):
            reason = str(error)
        else:
            LOG.exception("%s of %s (%s)", status, request.logical_id, request.type_name)
            reason = (
                f"SBX-014: the sandbox's player of {request.type_name} broke: {type(error).__name__}: {error}"
            )
        log("", status, reason)
        return ResourceError(f"The following resource(s) failed: [{request.logical_id}]. {reason}")

    def _roll_back_create(self, stack: Stack, reason: str) -> None:
        if stack.disable_rollback:
            stack.enter("CREATE_FAILED", reason)
            return
        stack.enter("ROLLBACK_IN_PROGRESS", f"{reason} Rollback requested by user.")
        failed = [
            r
            for r in reversed(list(stack.resources.values()))
            if not self._delete_resource(stack, r, created=True)
        ]
        # In the order in which they were made, which a later deletion goes back over.
        stack.resources = {resource.logical_id: resource for resource in reversed(failed)}
        stack.enter("ROLLBACK_FAILED" if failed else "ROLLBACK_COMPLETE")

    def _roll_back_update(self, stack: Stack, reason: str, undo: list[Undo]) -> None:
        stack.enter("UPDATE_ROLLBACK_IN_PROGRESS", reason)
        try:
            for step in reversed(undo):
                step()
        except ResourceError as error:
            stack.enter("UPDATE_ROLLBACK_FAILED", str(error))
            return
        stack.enter("UPDATE_ROLLBACK_COMPLETE")

    def _undo_create(self, stack: Stack, logical_id: str, old: StackResource | None) -> None:
        self._delete_resource(stack, stack.resources[logical_id], created=True)
        if old is None:
            del stack.resources[logical_id]
        else:
            stack.resources[logical_id] = old

    def _undo_update(self, stack: Stack, old: StackResource) -> None:
        self._update_in_place(stack, old.request, stack.resources[old.logical_id])

    def _clean_up(self, stack: Stack, resources: list[StackResource]) -> None:
        if resources:
            stack.enter("UPDATE_COMPLETE_CLEANUP_IN_PROGRESS")
        for resource in reversed(resources):
            self._delete_resource(stack, resource)
            if stack.resources.get(resource.logical_id) is resource:
                del stack.resources[resource.logical_id]

    def _delete_resource(self, stack: Stack, resource: StackResource, *, created: bool = False) -> bool:
        """Whether the resource is gone or was left by its policy; ``created``: by a creation that failed."""
        log = _logger(stack, resource.request)
        kept = {"Retain"} if created else {"Retain", "RetainExceptOnCreate"}
        if resource.deletion_policy in kept:
            log(resource.made.physical_id, "DELETE_SKIPPED")
            return True
        log(resource.made.physical_id, "DELETE_IN_PROGRESS")
        try:
            self._handler_of(resource.request.type_name).delete(resource.request, resource.made)
        except ResourceError as error:
            resource.status, resource.reason = "DELETE_FAILED", str(error)
        except Exception as error:  # a player that breaks must not leave the stack in progress for ever
            LOG.exception("delete of %s (%s)", resource.logical_id, resource.request.type_name)
            resource.status, resource.reason = "DELETE_FAILED", f"SBX-014: {type(error).__name__}: {error}"
        else:
            log(resource.made.physical_id, "DELETE_COMPLETE")
            return True
        log(resource.made.physical_id, "DELETE_FAILED", resource.reason)
        return False


def needs_replacement(old: ResourceRequest, properties: Mapping[str, Any]) -> bool:
    """Whether the change touches a property that AWS only takes at creation."""
    schema = resource_schema(old.type_name, old.region)
    if schema is None:
        return False
    changed = changed_paths(old.properties, properties)
    return any(
        path == fixed or path.startswith(f"{fixed}.") or fixed.startswith(f"{path}.")
        for path in changed
        for fixed in schema.create_only
    )


def _logger(stack: Stack, request: ResourceRequest) -> Callable[..., None]:
    def log(physical_id: str, status: str, reason: str | None = None) -> None:
        stack.log(request.logical_id, physical_id, request.type_name, status, reason)

    return log
