"""What to know about the pairs of parts of an arm that somebody brings: who left some out, and which touch at home."""

from __future__ import annotations

from dataclasses import replace

from armlab.collision.pairs import excluded_pairs, rules_of, touching_at_home
from armlab.messages import Message, _
from armlab.model.finding import Finding
from armlab.model.robot import Robot

MOST_LISTED = 12


def pair_findings(robot: Robot) -> tuple[Finding, ...]:
    """Return a note of the pairs that a word alone leaves out, and a warning for each that touches at home."""
    findings = []
    proved = rules_of(replace(robot, configurations=dict(robot.configurations), pair_rules=()))
    told = [pair for key, pair in excluded_pairs(robot).items() if pair.reason == "excluded" and key not in proved]
    if told:
        listed = [f"{pair.first} – {pair.second} ({pair.said})" for pair in told[:MOST_LISTED]]
        text = _(
            "{count} pairs of links are not compared in collision checks, by the file's or your word alone: {pairs}. "
            "There is no proof that they never meet; --compare compares them after all"
        )
        findings.append(Finding("note", Message("pairs_excluded", text, count=len(told), pairs=listed)))
    for first, second in touching_at_home(robot):
        text = _(
            "'{first}' and '{second}' touch at home, and are compared in collision checks. If the real arm's do not "
            "touch there, leave the pair out: --allow, [[pair]] in the robot file, or an SRDF file"
        )
        where: dict[str, float | int | str] = {"first": first, "second": second}
        findings.append(Finding("warning", Message("touch_at_home", text, **where), where))
    return tuple(findings)
