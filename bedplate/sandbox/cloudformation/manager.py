"""All stacks of the sandbox, and the operations on them; each operation runs in a thread of its own."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from bedplate.sandbox.cloudformation.engine import StackEngine
from bedplate.sandbox.cloudformation.errors import ResourceError, TemplateError
from bedplate.sandbox.cloudformation.precheck import template_problems
from bedplate.sandbox.cloudformation.scope import StackScope
from bedplate.sandbox.cloudformation.stack import Stack
from bedplate.sandbox.cloudformation.template import Template
from bedplate.sandbox.services.service import ApiError

# How long an API call waits for its operation before it answers. Clients poll every few seconds, so that an
# answer that comes after the operation saves most of a deploy's time; a long one is seen in progress.
PATIENCE_S = 25.0


class OnStatus(Protocol):
    """Who hears of each new status of each stack."""

    def __call__(self, *, account: str, region: str, stack_id: str, status: str, reason: str) -> None:
        """Take one."""


class StackManager:
    """Finds stacks, and starts operations on them."""

    def __init__(
        self, engine: StackEngine, *, patience_s: float = PATIENCE_S, on_status: OnStatus | None = None
    ) -> None:
        self._engine = engine
        self._on_status = on_status
        self._patience_s = patience_s
        self._stacks: dict[str, Stack] = {}
        self._lock = threading.RLock()

    def all(self, account: str, region: str) -> list[Stack]:
        """Every stack that there was, the oldest first."""
        with self._lock:
            return [s for s in self._stacks.values() if s.account == account and s.region == region]

    def everywhere(self) -> list[Stack]:
        """Every stack of every account and Region."""
        with self._lock:
            return list(self._stacks.values())

    def find(self, account: str, region: str, name_or_id: str) -> Stack | None:
        """The stack of that id, or the one of that name that is not deleted."""
        if name_or_id.startswith("arn:"):
            return self._stacks.get(name_or_id)
        alive = [
            s for s in self.all(account, region) if s.name == name_or_id and s.status != "DELETE_COMPLETE"
        ]
        return alive[-1] if alive else None

    def get(self, account: str, region: str, name_or_id: str) -> Stack:
        """As :meth:`find`; refused where there is none."""
        stack = self.find(account, region, name_or_id)
        if stack is None:
            raise TemplateError(f"Stack with id {name_or_id} does not exist")
        return stack

    def export(self, account: str, region: str, export_name: str) -> Any:
        """The value of an export; ResourceError where no stack exports the name."""
        for stack in self.all(account, region):
            if stack.exists:
                for output, name in self.scope(stack).export_names().items():
                    if name == export_name:
                        return stack.outputs.get(output)
        raise ResourceError(f"No export named {export_name} found.")

    def scope(
        self, stack: Stack, template: Template | None = None, parameters: Mapping[str, Any] | None = None
    ) -> StackScope:
        """The names that a template of this stack can use."""
        return StackScope(
            stack=stack,
            template=template or stack.template,
            parameters=stack.parameters if parameters is None else parameters,
            find_stack=self.find,
            find_export=self.export,
        )

    def register(self, stack: Stack) -> None:
        """Remember a new stack; refused where one of its name exists."""
        with self._lock:
            other = self.find(stack.account, stack.region, stack.name)
            if other is not None and other is not stack and other.exists:
                raise ApiError("AlreadyExistsException", f"Stack [{stack.name}] already exists")
            self._stacks[stack.stack_id] = stack
            stack.on_status = self._tell

    def create(self, stack: Stack) -> None:
        """Check the template as a whole, then create the stack."""
        stack.template.order()
        scope = self.scope(stack)
        problems = template_problems(stack.template, stack.region)
        self.register(stack)
        stack.enter("CREATE_IN_PROGRESS", "User Initiated")
        if problems:
            self._refuse(stack, problems, "CREATE_FAILED", "ROLLBACK_COMPLETE")
            return
        self._run(lambda: self._engine.create(stack, scope))

    def update(
        self, stack: Stack, template: Template, parameters: Mapping[str, Any], tags: Mapping[str, str]
    ) -> None:
        """Check the new template as a whole, then move the stack to it."""
        self._claim(stack)
        if not self.has_changes(stack, template, parameters, tags):
            raise TemplateError("No updates are to be performed.")
        template.order()
        scope = self.scope(stack, template, parameters)
        problems = template_problems(template, stack.region)
        stack.enter("UPDATE_IN_PROGRESS", "User Initiated")
        if problems:
            self._refuse(stack, problems, "UPDATE_FAILED", "UPDATE_ROLLBACK_COMPLETE")
            return
        old_tags, stack.tags = stack.tags, tags

        def commit() -> None:
            stack.template, stack.parameters = template, parameters

        def work() -> None:
            self._engine.update(stack, template, scope, commit)
            if stack.status != "UPDATE_COMPLETE":
                stack.tags = old_tags

        self._run(work)

    def has_changes(
        self, stack: Stack, template: Template, parameters: Mapping[str, Any], tags: Mapping[str, str]
    ) -> bool:
        """Whether an update to this would change anything that CloudFormation looks at."""
        old = stack.template
        return (
            (old.resources, old.outputs, old.conditions, old.mappings)
            != (template.resources, template.outputs, template.conditions, template.mappings)
            or self.scope(stack).parameters != self.scope(stack, template, parameters).parameters
            or dict(stack.tags) != dict(tags)
        )

    def delete(self, stack: Stack) -> None:
        """Delete the stack, unless it is protected."""
        if stack.termination_protection:
            raise TemplateError(
                f"Stack [{stack.name}] cannot be deleted while TerminationProtection is enabled"
            )
        if stack.status == "DELETE_COMPLETE":
            return
        self._claim(stack)
        stack.enter("DELETE_IN_PROGRESS", "User Initiated")
        self._run(lambda: self._engine.delete(stack))

    def _tell(self, stack: Stack) -> None:
        if self._on_status is not None:
            self._on_status(
                account=stack.account,
                region=stack.region,
                stack_id=stack.stack_id,
                status=stack.status,
                reason=stack.reason or "",
            )

    def _claim(self, stack: Stack) -> None:
        if stack.busy:
            raise TemplateError(f"Stack:{stack.stack_id} is in {stack.status} state and can not be updated.")

    def _refuse(self, stack: Stack, problems: list[str], failed: str, end: str) -> None:
        for problem in problems:
            logical_id = problem.split(":", 1)[0].split(" ", 1)[0]
            kind = stack.template.resources.get(logical_id, {}).get("Type", "")
            stack.log(logical_id, "", kind, failed, _with_id(problem))
        stack.enter(end.replace("_COMPLETE", "_IN_PROGRESS"), "; ".join(_with_id(each) for each in problems))
        stack.enter(end, _with_id(problems[0]))

    def _run(self, work: Callable[[], None]) -> None:
        thread = threading.Thread(target=work, name=f"stack-{uuid.uuid4().hex[:6]}", daemon=True)
        thread.start()
        thread.join(self._patience_s)


def _with_id(problem: str) -> str:
    """The problem with its id: most are about types and properties, the others bring their own."""
    return problem if "SBX-" in problem else f"SBX-011: {problem}"
